//! What each name of sketch files means, and what is wrong with it.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use sumac_text::TextRange;

use super::ast::{Expr, ExprKind, Name, SketchDef, Stage, StageKind, TypeExpr, TypeKind};
use super::equations;
use super::imports::{self, cyclic_abstractions, find, visible};
use super::library::{Finding, Known, Level, Place, Source, Vocabulary};

/// The one constructor that is written as a call and is no operator.
pub(super) const CONTAINS: &str = "contains";
/// The languages that sketches may be on, beside linear algebra.
const LANGUAGES: [&str; 1] = ["array"];

/// What is known of one file's names.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Names {
    /// Places of names and what they mean, in the order of the text.
    pub(super) meanings: Vec<(TextRange, Known)>,
    /// What is wrong.
    pub(super) findings: Vec<Finding>,
    /// The abstractions that the file sees, by name.
    pub(super) abstractions: FxHashMap<Arc<str>, (usize, usize)>,
    /// The rules that the file sees which files list, by name.
    pub(super) rules: FxHashMap<Arc<str>, (usize, usize)>,
}

/// What the names of all files mean.
pub(super) fn resolve(files: &[Source], vocabulary: &Vocabulary) -> Vec<Names> {
    let imported: Vec<Vec<Option<usize>>> = files
        .iter()
        .map(|file| {
            let imports = file.parse.file.imports.iter();
            imports
                .map(|import| find(files, &file.path, &import.path))
                .collect()
        })
        .collect();
    let cyclic = cyclic_abstractions(files, &imported);
    (0..files.len())
        .map(|file| {
            let mut resolver = Resolver {
                files,
                vocabulary,
                file,
                names: Names {
                    abstractions: visible(files, &imported, file, imports::abstractions),
                    rules: visible(files, &imported, file, imports::rules),
                    ..Names::default()
                },
                cyclic: &cyclic,
            };
            resolver.file(&imported[file]);
            let mut names = resolver.names;
            names.meanings.sort_by_key(|(range, _)| *range);
            names.findings.sort_by_key(|finding| finding.range);
            names
        })
        .collect()
}

pub(super) struct Resolver<'a> {
    pub(super) files: &'a [Source],
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) file: usize,
    pub(super) names: Names,
    cyclic: &'a FxHashSet<(usize, usize)>,
}

/// Parameters in sight, with whether each was used.
pub(super) type Scope<'a> = Vec<(&'a Name, bool)>;

impl Resolver<'_> {
    fn say(&mut self, level: Level, code: &'static str, range: TextRange, message: String) {
        self.names.findings.push(Finding {
            range,
            level,
            code,
            message,
        });
    }

    pub(super) fn error(&mut self, code: &'static str, range: TextRange, message: String) {
        self.say(Level::Error, code, range, message);
    }

    pub(super) fn mean(&mut self, range: TextRange, known: Known) {
        self.names.meanings.push((range, known));
    }

    fn file(&mut self, imports: &[Option<usize>]) {
        let files = self.files;
        let source = &files[self.file];
        for error in &source.parse.errors {
            self.error("sketch-syntax", error.range, error.message.clone());
        }
        for (import, found) in source.parse.file.imports.iter().zip(imports) {
            match found {
                Some(file) => self.mean(import.range, Known::File(*file)),
                None => self.error(
                    "sketch-import",
                    import.range,
                    format!(
                        "there is no sketch file `{}`; a path is relative to this file",
                        import.path
                    ),
                ),
            }
        }
        let mut taken: FxHashMap<&str, ()> = FxHashMap::default();
        for (number, abstraction) in source.parse.file.abstractions.iter().enumerate() {
            let name = &abstraction.name;
            self.mean(name.range, Known::Abstraction(self.file, number));
            if taken.insert(&name.text, ()).is_some() {
                self.twice(name);
            }
            if self.is_operator(&name.text) {
                let message = format!(
                    "`{}` is an operator; an abstraction needs a name of its own",
                    name.text
                );
                self.error("sketch-name", name.range, message);
            }
            if self.cyclic.contains(&(self.file, number)) {
                let message = format!(
                    "`{}` needs itself; an abstraction stands for a finite pattern, and `contains` looks at any depth",
                    name.text
                );
                self.error("sketch-cycle", name.range, message);
            }
            let mut scope = self.parameters(&abstraction.parameters);
            // An abstraction does not say what it is on, so it may speak of any language.
            self.expr(&abstraction.body, &mut scope, true);
            self.unused(&scope);
        }
        equations::of_file(self);
        let mut taken: FxHashMap<&str, ()> = FxHashMap::default();
        for (number, sketch) in source.parse.file.sketches.iter().enumerate() {
            self.mean(sketch.name.range, Known::Sketch(self.file, number));
            if taken.insert(&sketch.name.text, ()).is_some() {
                self.twice(&sketch.name);
            }
            self.sketch(sketch);
        }
    }

    pub(super) fn twice(&mut self, name: &Name) {
        let message = format!(
            "`{}` is defined above already; rename one of them",
            name.text
        );
        self.error("sketch-name", name.range, message);
    }

    fn parameters<'a>(&mut self, parameters: &'a [Name]) -> Scope<'a> {
        for parameter in parameters {
            let place = Place {
                file: self.file,
                range: parameter.range,
            };
            self.mean(parameter.range, Known::Parameter(place));
        }
        for (n, parameter) in parameters.iter().enumerate() {
            if parameters[..n]
                .iter()
                .any(|other| other.text == parameter.text)
            {
                self.twice(parameter);
            }
        }
        parameters.iter().map(|name| (name, false)).collect()
    }

    fn unused(&mut self, scope: &Scope<'_>) {
        for (name, used) in scope {
            if !used {
                let message = format!("the parameter `{}` is never used", name.text);
                self.say(Level::Warning, "sketch-unused", name.range, message);
            }
        }
    }

    fn sketch(&mut self, sketch: &SketchDef) {
        if let Some(language) = &sketch.language
            && !LANGUAGES.contains(&&*language.text)
        {
            let message = format!(
                "expected a language, `array`, found `{}`; leave `on` out for linear algebra",
                language.text
            );
            self.error("sketch-name", language.range, message);
        }
        let goals = sketch
            .stages
            .iter()
            .filter(|stage| stage.kind == StageKind::Goal);
        let goals: Vec<&Stage> = goals.collect();
        match (goals.as_slice(), sketch.stages.last()) {
            ([], _) => self.error(
                "sketch-goal",
                sketch.name.range,
                format!(
                    "`{}` has no goal; its last stage says where the search is to end: `goal …`",
                    sketch.name.text
                ),
            ),
            ([_], Some(last)) if last.kind == StageKind::Goal => {}
            ([goal, ..], _) => self.error(
                "sketch-goal",
                goal.range,
                "expected one goal, behind all guides; make this stage a `guide`".to_owned(),
            ),
        }
        let mut scope = self.parameters(&sketch.parameters);
        let mut labels: Vec<&Name> = Vec::new();
        for stage in &sketch.stages {
            if let Some(label) = &stage.label {
                if labels.iter().any(|other| other.text == label.text) {
                    self.twice(label);
                }
                labels.push(label);
            }
            self.expr(&stage.pattern, &mut scope, sketch.language.is_some());
            let language = sketch.language.as_ref().map(|language| &*language.text);
            if language == self.vocabulary.language {
                self.stage(stage);
            }
        }
        self.unused(&scope);
    }

    fn stage(&mut self, stage: &Stage) {
        let vocabulary = self.vocabulary;
        for rule in &stage.rules {
            if let Some((file, number)) = self.names.rules.get(&rule.text).copied() {
                self.mean(rule.range, Known::Equation(file, number));
                continue;
            }
            let own: Vec<Arc<str>> = self.names.rules.keys().cloned().collect();
            let sets = vocabulary.rule_sets.iter().map(|(name, _)| *name);
            let all = sets.chain(vocabulary.rules.iter().map(|(name, _)| *name));
            let all = all.chain(own.iter().map(|name| &**name));
            self.one_of(
                rule,
                &all.collect::<Vec<_>>(),
                "a rule set or a rule",
                || Known::Rule(Arc::clone(&rule.text)),
            );
        }
        if let Some(cost) = &stage.cost {
            let all: Vec<_> = vocabulary.costs.iter().map(|(name, _)| *name).collect();
            self.one_of(cost, &all, "a cost", || Known::Cost(Arc::clone(&cost.text)));
        }
        for limit in &stage.limits {
            let all: Vec<_> = vocabulary.units.iter().map(|(name, _)| *name).collect();
            let unit = &limit.unit;
            self.one_of(unit, &all, "a unit", || Known::Unit(Arc::clone(&unit.text)));
            if limit.count < 1.0 || limit.count.fract() != 0.0 {
                let message = format!("expected a whole number from 1, found {}", limit.count);
                self.error("sketch-limit", unit.range, message);
            }
        }
    }

    fn one_of(&mut self, name: &Name, all: &[&str], what: &str, known: impl Fn() -> Known) {
        if all.contains(&&*name.text) {
            self.mean(name.range, known());
            return;
        }
        let near = nearest(&name.text, all.iter().copied());
        let shown: Vec<&str> = all.iter().take(10).copied().collect();
        let message = match near {
            Some(near) => format!("`{}` is not {what}; did you mean `{near}`?", name.text),
            None => format!(
                "`{}` is not {what}; expected one of {}",
                name.text,
                shown.join(", ")
            ),
        };
        self.error("sketch-name", name.range, message);
    }

    fn is_operator(&self, name: &str) -> bool {
        name == CONTAINS
            || self
                .vocabulary
                .operators
                .iter()
                .any(|(known, ..)| *known == name)
    }

    /// `is_open`: names of other languages may occur.
    fn expr(&mut self, expr: &Expr, scope: &mut Scope<'_>, is_open: bool) {
        match &expr.kind {
            ExprKind::Hole | ExprKind::Number(_) | ExprKind::Missing => {}
            ExprKind::Name(name) => self.name(name, expr.range, scope),
            ExprKind::Call(name, args) => {
                self.call(name, args.len(), scope, is_open);
                args.iter().for_each(|arg| self.expr(arg, scope, is_open));
            }
            ExprKind::Unary(_, inner) => self.expr(inner, scope, is_open),
            ExprKind::Annotated(inner, ty) => {
                self.expr(inner, scope, is_open);
                self.annotation(ty, scope, is_open);
            }
            ExprKind::Binary(_, left, right) | ExprKind::Either(left, right) => {
                self.expr(left, scope, is_open);
                self.expr(right, scope, is_open);
            }
        }
    }

    fn parameter(&mut self, name: &str, scope: &mut Scope<'_>) -> Option<Known> {
        let (parameter, used) = scope.iter_mut().find(|(known, _)| *known.text == *name)?;
        *used = true;
        Some(Known::Parameter(Place {
            file: self.file,
            range: parameter.range,
        }))
    }

    fn name(&mut self, name: &Arc<str>, range: TextRange, scope: &mut Scope<'_>) {
        let known = match self.parameter(name, scope) {
            Some(parameter) => parameter,
            None => match self.names.abstractions.get(name).copied() {
                Some((file, number)) => {
                    let takes = self.files[file].parse.file.abstractions[number]
                        .parameters
                        .len();
                    if takes > 0 {
                        let message =
                            format!("`{name}` takes {}; write `{name}(…)`", arguments(takes));
                        self.error("sketch-arity", range, message);
                    }
                    Known::Abstraction(file, number)
                }
                None => Known::Variable(Arc::clone(name)),
            },
        };
        self.mean(range, known);
    }

    pub(super) fn call(&mut self, name: &Name, given: usize, scope: &mut Scope<'_>, is_open: bool) {
        let text = &name.text;
        let range = name.range;
        let wrong = |takes: String| {
            format!(
                "`{text}` takes {takes}, found {}",
                if given == 0 {
                    "none".to_owned()
                } else {
                    given.to_string()
                }
            )
        };
        if let Some((file, number)) = self.names.abstractions.get(text).copied() {
            self.mean(range, Known::Abstraction(file, number));
            let takes = self.files[file].parse.file.abstractions[number]
                .parameters
                .len();
            if takes != given {
                self.error("sketch-arity", range, wrong(arguments(takes)));
            }
            return;
        }
        if &**text == CONTAINS {
            self.mean(range, Known::Operator(Arc::clone(text)));
            if given != 1 {
                self.error("sketch-arity", range, wrong(arguments(1)));
            }
            return;
        }
        let operators = self.vocabulary.operators.iter();
        let of_name: Vec<_> = operators.filter(|(known, ..)| *known == &**text).collect();
        if !of_name.is_empty() {
            self.mean(range, Known::Operator(Arc::clone(text)));
            let fits = |(_, least, most): &&(&str, usize, usize)| (*least..=*most).contains(&given);
            if !of_name.iter().any(fits) {
                let takes: Vec<String> = of_name
                    .iter()
                    .map(|(_, least, most)| match (*least, *most) {
                        (a, usize::MAX) => format!("{a} or more arguments"),
                        (a, _) => arguments(a),
                    })
                    .collect();
                self.error("sketch-arity", range, wrong(takes.join(" or ")));
            }
            return;
        }
        if let Some(parameter) = self.parameter(text, scope) {
            self.mean(range, parameter);
            let message =
                format!("the parameter `{text}` stands for a pattern and takes no arguments");
            self.error("sketch-arity", range, message);
            return;
        }
        if is_open {
            return;
        }
        let operators = self.vocabulary.operators.iter().map(|(name, ..)| *name);
        let own = self.names.abstractions.keys().map(|name| &**name);
        let message = match nearest(text, operators.chain(own).chain([CONTAINS])) {
            Some(near) => format!("there is no operator `{text}`; did you mean `{near}`?"),
            None => format!(
                "there is no operator `{text}`; expected one of linear algebra, or a name given by `def`"
            ),
        };
        self.error("sketch-name", range, message);
    }

    fn annotation(&mut self, ty: &TypeExpr, scope: &mut Scope<'_>, is_open: bool) {
        if matches!(ty.kind, TypeKind::Array(..)) && !is_open {
            self.error(
                "sketch-type",
                ty.range,
                "arrays belong to sketches `on array`; a matrix is written `: m x n`".to_owned(),
            );
        }
        let mut found: Vec<&Name> = Vec::new();
        ty.names(&mut |name| found.push(name));
        for name in found {
            let known = self.parameter(&name.text, scope);
            let known = known.unwrap_or_else(|| Known::Variable(Arc::clone(&name.text)));
            self.mean(name.range, known);
        }
    }
}

/// `one argument`, `3 arguments`.
pub(super) fn arguments(n: usize) -> String {
    match n {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        n => format!("{n} arguments"),
    }
}

/// The name that is most like a given one, if it is near enough to be meant.
pub(super) fn nearest<'a>(name: &str, all: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    all.map(|known| (strsim::damerau_levenshtein(name, known), known))
        .filter(|(distance, known)| *distance <= 1 + known.len().min(name.len()) / 4)
        .min()
        .map(|(_, known)| known)
}
