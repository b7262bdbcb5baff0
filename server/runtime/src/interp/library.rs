//! The functions that a run knows: of the script, of the scripts that it sources, and of builtins that are scripts.
//!
//! Each file has a namespace of its own, whatever others call it; a file that several others source is read once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use sumac_syntax::ast::{FunctionDef, Program, Stmt, StmtKind};

use super::liveness::Liveness;
use super::scripts::Scripts;
use super::{Fail, Interpreter, RunError, Unit, place};
use crate::value::Value;

/// A function of a script.
pub(super) struct Function {
    pub(super) definition: FunctionDef,
    pub(super) unit: Arc<Unit>,
    /// Who reads what in its body, once it was called.
    pub(super) live: OnceLock<Arc<Liveness>>,
    /// Whether SystemDS puts its body in the place of its calls.
    pub(super) inlined: OnceLock<bool>,
    /// The literal that all calls pass, for each parameter.
    pub(super) literals: OnceLock<Vec<Option<Value>>>,
}

/// The functions of a file by name.
type Functions = HashMap<Arc<str>, Arc<Function>>;

/// Functions by namespace and name; `parfor` workers share one.
#[derive(Default)]
pub(super) struct Library(RwLock<HashMap<Arc<str>, Functions>>);

impl Library {
    pub(super) fn get(&self, namespace: &str, name: &str) -> Option<Arc<Function>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.get(namespace)?.get(name).cloned()
    }

    fn has(&self, namespace: &str) -> bool {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.contains_key(namespace)
    }

    fn add(&self, unit: &Arc<Unit>, statements: &[Stmt]) {
        let functions = statements
            .iter()
            .filter_map(|statement| match &statement.kind {
                StmtKind::Function(definition) => Some((
                    definition.name.name.clone(),
                    Arc::new(Function {
                        definition: definition.clone(),
                        unit: unit.clone(),
                        live: OnceLock::new(),
                        inlined: OnceLock::new(),
                        literals: OnceLock::new(),
                    }),
                )),
                _ => None,
            });
        let functions: Vec<_> = functions.collect();
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(unit.namespace.clone())
            .or_default()
            .extend(functions);
    }
}

/// A `source` statement whose file is still to be read.
struct Pending<'s> {
    statement: &'s Stmt,
    path: PathBuf,
    namespace: Arc<str>,
}

impl Interpreter<'_> {
    /// Makes the functions of a script known, and those of the scripts that it sources; gives the script with what
    /// it calls their namespaces.
    pub(super) fn declare(
        &self,
        statements: &[Stmt],
        mut unit: Unit,
    ) -> Result<Arc<Unit>, RunError> {
        let mut base = self.base.clone();
        let mut pending = Vec::new();
        for statement in statements {
            match &statement.kind {
                StmtKind::SetWd { path: Some(path) } => base = base.join(&*path.value),
                StmtKind::Source {
                    path: Some(path),
                    alias,
                } => {
                    let path = self.sourced(&path.value, &base, &unit);
                    let namespace: Arc<str> = path.display().to_string().into();
                    if let Some(alias) = alias {
                        unit.aliases.insert(alias.name.clone(), namespace.clone());
                    }
                    pending.push(Pending {
                        statement,
                        path,
                        namespace,
                    });
                }
                _ => {}
            }
        }
        let unit = Arc::new(unit);
        self.library.add(&unit, statements);
        for Pending {
            statement,
            path,
            namespace,
        } in pending
        {
            if self.library.has(&namespace) {
                continue;
            }
            let placed = |message| place(Fail::new(message), &unit, statement);
            let (program, text) = self.load(&path).map_err(placed)?;
            let inner = Unit {
                text: text.into(),
                file: Some(path),
                namespace,
                ..Unit::default()
            };
            self.declare(&program.statements, inner)?;
        }
        Ok(unit)
    }

    fn load(&self, path: &Path) -> Result<(Program, String), String> {
        match self.scripts().file(path) {
            Some(text) => parsed(path, text),
            None => (self.options.loader)(path),
        }
    }

    /// The function behind a builtin that is a script; SystemDS names it by the kind of the first argument.
    ///
    /// # Errors
    /// When the script cannot be read.
    pub(super) fn script_builtin(
        &self,
        name: &str,
        first: Option<&Value>,
    ) -> Result<Option<Arc<Function>>, Fail> {
        let namespace = format!(".builtin/{name}");
        if !self.library.has(&namespace) {
            let Some((path, text)) = self.scripts().builtin(name) else {
                return Ok(None);
            };
            let (program, text) = parsed(&path, text).map_err(Fail::new)?;
            let unit = Unit {
                text: text.into(),
                file: Some(path),
                namespace: namespace.as_str().into(),
                ..Unit::default()
            };
            self.declare(&program.statements, unit)?;
        }
        let prefixes = match first {
            Some(Value::Matrix(_)) => ["m_", "s_", "f_", ""],
            Some(Value::Frame(_)) => ["f_", "m_", "s_", ""],
            _ => ["s_", "m_", "f_", ""],
        };
        let find = |prefix| self.library.get(&namespace, &format!("{prefix}{name}"));
        Ok(prefixes.into_iter().find_map(find))
    }

    fn scripts(&self) -> Scripts<'_> {
        Scripts(self.options.installation.as_deref())
    }

    /// The file that `source(path)` means: from where the run started, as SystemDS has it; else from the folder of
    /// the file that says it, or a folder above that; else from the installation.
    fn sourced(&self, path: &str, base: &Path, unit: &Unit) -> PathBuf {
        let first = base.join(path);
        if first.is_file() {
            return first;
        }
        let in_scripts = base.join("scripts").join(path);
        if in_scripts.is_file() {
            return in_scripts;
        }
        let folders = unit.file.iter().flat_map(|file| file.ancestors().skip(1));
        let beside = folders
            .map(|folder| folder.join(path))
            .find(|file| file.is_file() || self.scripts().file(file).is_some());
        beside
            .or_else(|| self.scripts().sourced(path))
            .unwrap_or(first)
    }
}

fn parsed(path: &Path, text: String) -> Result<(Program, String), String> {
    let parsed = sumac_syntax::parse(text.as_str());
    match parsed.refusals().next() {
        Some(error) => Err(format!("{}: {}", path.display(), error.message)),
        None => Ok(((**parsed.program()).clone(), text)),
    }
}
