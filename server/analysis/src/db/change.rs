//! A file's new text in the database: sets only the inputs that it changes, and gives each function the input that it had.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use salsa::{Durability, Setter as _};
use sumac_syntax::Parse;

use super::database::Database;
use super::inputs::{
    Contents, Function, Functions, PlacedFunction, Reading, SourceFile, by_name, in_rows, name,
    nothing,
};
use super::unit::SharedUnit;
use crate::options::Options;

impl SourceFile {
    /// From now on this is the file's text, and these its options.
    pub(crate) fn set(self, db: &mut Database, script: Option<Parse>, options: &Arc<Options>) {
        let exists = script.is_some();
        let old = self.reading(db);
        let contents = Contents::of(script.unwrap_or_else(nothing), options, Some(&old));
        let durable = Durability::HIGH;
        if self.options(db) != *options {
            self.set_options(db)
                .with_durability(durable)
                .to(Arc::clone(options));
        }
        if self.exists(db) != exists {
            self.set_exists(db).with_durability(durable).to(exists);
        }
        if *self.globals(db) != contents.globals {
            let globals = Arc::new(contents.globals);
            self.set_globals(db).with_durability(durable).to(globals);
        }
        let mut imports = self.imports(db);
        if *imports != *contents.imports {
            imports = contents.imports.into();
            let setter = self.set_imports(db).with_durability(durable);
            setter.to(Arc::clone(&imports));
        }
        if self.main(db) != contents.main {
            self.set_main(db).to(contents.main.clone());
        }
        let functions = self.place(db, contents.functions);
        let reading = Reading {
            script: contents.script,
            main: contents.main,
            whole: contents.whole,
            functions,
            imports,
            stated: contents.stated,
        };
        self.set_reading(db).to(Arc::new(reading));
    }

    /// Gives each function of a new text the input that it had, or one that nothing needs any more.
    fn place(self, db: &mut Database, functions: Functions) -> Vec<PlacedFunction> {
        let old = self.reading(db);
        let (head, gone, tail) = functions.split(&old.functions);
        let mut placed = Vec::with_capacity(head.len() + functions.new.len() + functions.back);
        placed.extend_from_slice(head);
        let new = functions.new;
        let names = new.iter().map(|(_, unit)| name(unit));
        if names.clone().eq(gone.iter().map(PlacedFunction::name)) {
            let known = gone.iter().map(|old| old.function);
            placed.extend(known.zip(new).map(|(function, new)| function.hold(db, new)));
            placed.extend(tail);
            return placed;
        }
        let mut known: HashMap<&str, VecDeque<Function>> = HashMap::new();
        for old in gone {
            let of_name = known.entry(old.name()).or_default();
            of_name.push_back(old.function);
        }
        let kept = names.map(|name| known.get_mut(name)?.pop_front());
        let kept: Vec<Option<Function>> = kept.collect();
        // In source order, so that the same edits give the same inputs.
        let is_kept: HashSet<Function> = kept.iter().copied().flatten().collect();
        let gone = gone.iter().map(|old| old.function);
        let mut spare = db.spare.remove(&self).unwrap_or_default();
        spare.extend(gone.filter(|function| !is_kept.contains(function)));
        for (kept, new) in kept.into_iter().zip(new) {
            placed.push(match kept.or_else(|| spare.pop()) {
                Some(function) => function.hold(db, new),
                None => PlacedFunction::create(db, self.path(db), new),
            });
        }
        placed.extend(tail);
        for function in &spare {
            if function.unit(db).is_some() {
                function
                    .set_unit(db)
                    .with_durability(Durability::HIGH)
                    .to(None);
            }
        }
        db.spare.insert(self, spare);
        let names = Arc::new(by_name(&placed));
        self.set_functions(db)
            .with_durability(Durability::HIGH)
            .to(names);
        let rows = in_rows(&placed, &self.rows(db));
        self.set_rows(db).with_durability(Durability::HIGH).to(rows);
        placed
    }
}

impl Function {
    /// From now on this is the function's text.
    fn hold(self, db: &mut Database, (start, unit): (usize, SharedUnit)) -> PlacedFunction {
        let name = name(&unit);
        if *self.name(db) != *name {
            let setter = self.set_name(db).with_durability(Durability::HIGH);
            setter.to(name.into());
        }
        let known = self.unit(db);
        if known.as_ref() != Some(&unit) {
            // Who edits a function goes on with it.
            let durability = match known {
                Some(_) => Durability::LOW,
                None => Durability::HIGH,
            };
            self.set_unit(db)
                .with_durability(durability)
                .to(Some(unit.clone()));
        }
        PlacedFunction {
            function: self,
            start,
            unit,
        }
    }
}
