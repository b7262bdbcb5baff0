//! From a cursor to the thing that is named there, and to all places that name the same thing.

use std::path::Path;
use std::sync::Arc;

use sumac_syntax::Parse;

use super::occurrences::{Access, Occurrence, Role, occurrences};
use super::{FunctionRef, Index, Location, Workspace};

/// A thing that has a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Symbol {
    /// A variable, parameter or result.
    Variable {
        /// The file.
        file: Arc<Path>,
        /// Which of the file's functions it belongs to.
        function: Option<usize>,
        /// The name.
        name: Arc<str>,
    },
    /// A function.
    Function(FunctionRef),
    /// A function of SystemDS that a file calls, or one that no known file has.
    Unknown(Arc<Path>, Arc<str>),
    /// A namespace of a file.
    Namespace(Arc<Path>, Arc<str>),
    /// A `$` argument of a file.
    Argument(Arc<Path>, Arc<str>),
    /// A size of a file's `#@` lines.
    Size(Arc<Path>, Arc<str>),
    /// A script.
    File(Arc<Path>),
}

/// A place that names a symbol.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Found {
    /// The place.
    pub location: Location,
    /// What happens there.
    pub access: Access,
}

/// The occurrence that a cursor at `offset` touches. Between two that touch it, the one that starts there.
#[must_use]
pub fn at(all: &[Occurrence], offset: usize) -> Option<&Occurrence> {
    all.iter().rev().find(|found| found.range.touches(offset))
}

impl Symbol {
    /// What is named at a place of `file`.
    #[must_use]
    pub fn at(
        index: &Index,
        file: &Arc<Path>,
        parse: &Parse,
        offset: usize,
    ) -> Option<(Occurrence, Symbol)> {
        let all = occurrences(parse.program());
        let found = at(&all, offset)?.clone();
        let symbol = Symbol::of(index, file, &found)?;
        Some((found, symbol))
    }

    /// What an occurrence in `file` names.
    #[must_use]
    pub fn of(index: &Index, file: &Arc<Path>, found: &Occurrence) -> Option<Symbol> {
        let name = found.name.clone();
        Some(match &found.role {
            Role::Variable(_) => Symbol::Variable {
                file: file.clone(),
                function: found.function,
                name,
            },
            Role::Function => Symbol::Function(FunctionRef {
                file: file.clone(),
                name,
            }),
            Role::Call { namespace } => match index.called(file, namespace.as_deref(), &name) {
                Some(function) => Symbol::Function(function),
                None => Symbol::Unknown(file.clone(), name),
            },
            Role::NamedArg {
                namespace,
                function,
            } => {
                let called = index.called(file, namespace.as_deref(), function)?;
                let (number, definition) = index.function(&called)?;
                let is_it = |param: &super::Parameter| param.name.name == name;
                definition.params.iter().any(is_it).then_some(())?;
                Symbol::Variable {
                    file: called.file,
                    function: Some(number),
                    name,
                }
            }
            Role::Namespace(_) => Symbol::Namespace(file.clone(), name),
            Role::Source => {
                let is_it = |source: &&super::Source| source.path.range == found.range;
                let source = index.get(file)?.sources.iter().find(is_it)?;
                Symbol::File(index.sourced(file, source)?.clone())
            }
            Role::Argument(_) => Symbol::Argument(file.clone(), name),
            Role::Size(_) => Symbol::Size(file.clone(), name),
        })
    }

    /// The file that it belongs to.
    #[must_use]
    pub fn file(&self) -> Option<&Arc<Path>> {
        match self {
            Symbol::Function(function) => Some(&function.file),
            Symbol::Variable { file, .. }
            | Symbol::Unknown(file, _)
            | Symbol::Namespace(file, _)
            | Symbol::Argument(file, _)
            | Symbol::Size(file, _) => Some(file),
            Symbol::File(_) => None,
        }
    }

    /// Every place that names it, sorted by file and place.
    #[must_use]
    pub fn everywhere(&self, workspace: Workspace<'_>) -> Vec<Found> {
        let mut found = match self {
            Symbol::Function(function) => of_function(workspace.index, function),
            Symbol::File(target) => of_file(workspace.index, target),
            Symbol::Variable { file, .. }
            | Symbol::Namespace(file, _)
            | Symbol::Argument(file, _)
            | Symbol::Size(file, _)
            | Symbol::Unknown(file, _) => match workspace.texts.parse(file) {
                Some(parse) => self.within(file, &parse),
                None => Vec::new(),
            },
        };
        found.extend(self.named_arguments(workspace.index));
        found.sort();
        found.dedup();
        found
    }

    /// Every place of one file that names it: all there are of what belongs to a file alone.
    #[must_use]
    pub fn within(&self, file: &Arc<Path>, parse: &Parse) -> Vec<Found> {
        let all = occurrences(parse.program());
        let mine = all.iter().filter_map(|found| {
            let access = self.named_by(found)?;
            Some(Found {
                location: Location {
                    file: file.clone(),
                    range: found.range,
                },
                access,
            })
        });
        mine.collect()
    }

    /// What an occurrence in the symbol's own file does to it; `None` if it names something else.
    fn named_by(&self, found: &Occurrence) -> Option<Access> {
        match (self, &found.role) {
            (Symbol::Variable { function, name, .. }, Role::Variable(access))
                if found.name == *name && found.function == *function =>
            {
                Some(*access)
            }
            (Symbol::Namespace(_, name), Role::Namespace(access))
            | (Symbol::Argument(_, name), Role::Argument(access))
            | (Symbol::Size(_, name), Role::Size(access))
                if found.name == *name =>
            {
                Some(*access)
            }
            (Symbol::Unknown(_, name), Role::Call { .. }) if found.name == *name => {
                Some(Access::Read)
            }
            _ => None,
        }
    }

    /// The calls that name a parameter.
    fn named_arguments(&self, index: &Index) -> Vec<Found> {
        let Symbol::Variable {
            file,
            function: Some(number),
            name,
        } = self
        else {
            return Vec::new();
        };
        let function = index
            .get(file)
            .and_then(|outline| outline.functions.get(*number));
        let Some(function) = function.filter(|f| f.params.iter().any(|p| p.name.name == *name))
        else {
            return Vec::new();
        };
        let called = FunctionRef {
            file: file.clone(),
            name: function.name.name.clone(),
        };
        let mut found = Vec::new();
        for (file, call) in index.calls(&called) {
            for arg in call.args.iter().filter(|arg| arg.name == *name) {
                found.push(Found {
                    location: Location {
                        file: file.clone(),
                        range: arg.range,
                    },
                    access: Access::Write,
                });
            }
        }
        found
    }
}

fn of_function(index: &Index, wanted: &FunctionRef) -> Vec<Found> {
    let own = index
        .get(&wanted.file)
        .into_iter()
        .flat_map(|outline| &outline.functions);
    let definitions = own
        .filter(|function| function.name.name == wanted.name)
        .map(|function| (&wanted.file, function.name.range, Access::Declare));
    let calls = index
        .calls(wanted)
        .map(|(file, call)| (file, call.name.range, Access::Read));
    definitions.chain(calls).map(found).collect()
}

fn of_file(index: &Index, target: &Path) -> Vec<Found> {
    let mut all = Vec::new();
    for (file, outline) in index.files() {
        for source in &outline.sources {
            if index
                .sourced(file, source)
                .is_some_and(|path| **path == *target)
            {
                all.push(found((file, source.path.range, Access::Read)));
            }
        }
    }
    all
}

fn found((file, range, access): (&Arc<Path>, sumac_text::TextRange, Access)) -> Found {
    Found {
        location: Location {
            file: file.clone(),
            range,
        },
        access,
    }
}
