//! What a walk over one unit may ask for: functions that it calls, files that it reads. Everything that is asked here
//! is remembered as something that the walk depends on.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::queries::function_results;
use super::resolve::{
    Callee, Declaration, Lookup, Sourced, declaration, function_names, lookup, namespaces, reach,
};
use super::{Db, Signature, SourceFile};
use crate::value::ValueInfo;

/// The world as one unit sees it.
#[derive(Clone)]
pub(crate) struct World<'a> {
    db: &'a dyn Db,
    file: SourceFile,
    /// The function that looks; `None` for the main program.
    caller: Option<Callee>,
}

impl<'a> World<'a> {
    pub(crate) fn new(db: &'a dyn Db, file: SourceFile, caller: Option<Callee>) -> Self {
        World { db, file, caller }
    }

    /// The function that looks.
    pub(crate) fn caller(&self) -> Option<&Callee> {
        self.caller.as_ref()
    }

    /// The names of the file's own functions.
    pub(crate) fn functions(&self) -> Arc<BTreeMap<Arc<str>, usize>> {
        function_names(self.db, self.file)
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
    pub(crate) fn is_own(&self, callee: &Callee) -> bool {
        callee.file == self.file
    }

    /// A function's head.
    pub(crate) fn declaration(&self, callee: &Callee) -> Option<Arc<Declaration>> {
        declaration(self.db, callee.id(self.db))
    }

    /// How deep a call of a function leads; `None` where it is not to be followed.
    pub(crate) fn height(&self, callee: &Callee) -> Option<usize> {
        let reach = reach(self.db, callee.id(self.db));
        let comes_back = self
            .caller
            .as_ref()
            .is_some_and(|caller| caller == callee || reach.functions.contains(caller));
        reach.height.filter(|_| !comes_back)
    }

    /// What a function gives, in its own names of sizes.
    pub(crate) fn results(&self, callee: &Callee, args: &Signature) -> Arc<Vec<ValueInfo>> {
        function_results(self.db, callee.id(self.db), args.clone())
    }

    /// At most `max_bytes` from the start of a file.
    pub(crate) fn read_prefix(&self, path: &Path, max_bytes: usize) -> io::Result<Vec<u8>> {
        match self.db.prefix(path, max_bytes).bytes(self.db) {
            Ok(bytes) => Ok(bytes.to_vec()),
            Err((kind, message)) => Err(io::Error::new(kind, message)),
        }
    }
}
