//! What a walk over one unit may ask for: functions that it calls, files that it reads. Everything that is asked here
//! is remembered as something that the walk depends on.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::api::Db;
use super::inlined::{is_inlined, needs_cells, reads};
use super::inputs::{Function, FunctionNames, SourceFile};
use super::resolve::{Declaration, Lookup, Sourced, declaration, lookup, namespaces, reach};
use super::signature::Signature;
use crate::value::ValueInfo;

/// What asks for what a function gives for a signature.
pub(crate) type Results = fn(&dyn Db, Function, Signature) -> Arc<Vec<ValueInfo>>;

/// The world as one unit sees it.
#[derive(Clone)]
pub(crate) struct World<'a> {
    db: &'a dyn Db,
    file: SourceFile,
    /// The function that looks; `None` for the main program.
    caller: Option<Function>,
    results: Results,
}

impl<'a> World<'a> {
    pub(crate) fn new(
        db: &'a dyn Db,
        file: SourceFile,
        caller: Option<Function>,
        results: Results,
    ) -> Self {
        World {
            db,
            file,
            caller,
            results,
        }
    }

    /// Does not come back if nobody wants the walk any more.
    pub(crate) fn poll(&self) {
        self.db.poll();
    }

    /// The name of the function that looks.
    pub(crate) fn caller(&self) -> Option<Arc<str>> {
        self.caller.map(|function| function.name(self.db))
    }

    /// The names of the file's own functions.
    pub(crate) fn functions(&self) -> Arc<FunctionNames> {
        self.file.functions(self.db)
    }

    /// What a call's name leads to.
    pub(crate) fn lookup(&self, namespace: Option<&str>, name: &str) -> Lookup {
        lookup(self.db, self.file, namespace, name)
    }

    /// What a `source` brings in under a name.
    pub(crate) fn sourced(&self, namespace: &str) -> Option<Sourced> {
        namespaces(self.db, self.file).get(namespace).cloned()
    }

    /// Whether a function is one of this file.
    pub(crate) fn is_own(&self, callee: Function) -> bool {
        callee.file(self.db) == self.file
    }

    /// A function's head.
    pub(crate) fn declaration(&self, callee: Function) -> Option<Arc<Declaration>> {
        declaration(self.db, callee)
    }

    /// Whether SystemDS puts a function's body in the place of its calls.
    pub(crate) fn is_inlined(&self, callee: Function) -> bool {
        is_inlined(self.db, callee)
    }

    /// Whether the body of a function reads a variable.
    pub(crate) fn reads(&self, callee: Function, name: &str) -> bool {
        reads(self.db, callee, name.into())
    }

    /// Whether the body of a function gives a parameter as it is to a builtin that takes no scalar in its place.
    pub(crate) fn needs_cells(&self, callee: Function, name: &str) -> bool {
        needs_cells(self.db, callee, name.into())
    }

    /// How deep a call of a function leads; `None` where it is not to be followed.
    pub(crate) fn height(&self, callee: Function) -> Option<usize> {
        let reach = reach(self.db, callee);
        let comes_back = self
            .caller
            .is_some_and(|caller| caller == callee || reach.functions.contains(&caller));
        reach.height.filter(|_| !comes_back)
    }

    /// What a function gives, in its own names of sizes.
    pub(crate) fn results(&self, callee: Function, args: &Signature) -> Arc<Vec<ValueInfo>> {
        (self.results)(self.db, callee, args.clone())
    }

    /// At most `max_bytes` from the start of a file.
    pub(crate) fn read_prefix(&self, path: &Path, max_bytes: usize) -> io::Result<Vec<u8>> {
        match self.db.prefix(path, max_bytes).bytes(self.db) {
            Ok(bytes) => Ok(bytes.to_vec()),
            Err((kind, message)) => Err(io::Error::new(kind, message)),
        }
    }
}
