//! What the names of listed rules mean, and what is wrong with their equations as text. Whether an equation holds is for
//! the vocabulary's prover to say.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use sumac_text::TextRange;

use super::ast::{Expr, ExprKind, Name, RuleDef, Size, TypeKind};
use super::library::{Known, Place};
use super::names::{CONTAINS, Resolver};

const CODE: &str = "sketch-rule";

/// Letters of one rule, and whether each is a size.
type Letters = FxHashMap<Arc<str>, (TextRange, bool)>;

/// Looks at the rules that the resolver's file lists.
pub(super) fn of_file(resolver: &mut Resolver<'_>) {
    let files = resolver.files;
    let vocabulary = resolver.vocabulary;
    let mut taken: FxHashSet<&str> = FxHashSet::default();
    for (number, rule) in files[resolver.file].parse.file.rules.iter().enumerate() {
        let name = &rule.name;
        resolver.mean(name.range, Known::Equation(resolver.file, number));
        if !taken.insert(&name.text) {
            resolver.twice(name);
        }
        let sets = vocabulary.rule_sets.iter().map(|(known, _)| *known);
        let mut known = sets.chain(vocabulary.rules.iter().map(|(known, _)| *known));
        if known.any(|known| known == &*name.text) {
            let message = format!(
                "`{}` is a rule, or a set of rules, that is built in; a rule needs a name of its own",
                name.text
            );
            resolver.error("sketch-name", name.range, message);
        }
        // Rules are about linear algebra.
        if vocabulary.language.is_none() {
            of_rule(resolver, rule);
        }
    }
}

fn of_rule(resolver: &mut Resolver<'_>, rule: &RuleDef) {
    let mut letters = Letters::default();
    if let ExprKind::Name(name) = &inner(&rule.left).kind
        && !resolver.names.abstractions.contains_key(name)
    {
        let message = format!(
            "`{name}` alone would be found everywhere; write the equation with this side on the right"
        );
        resolver.error(CODE, rule.left.range, message);
    }
    side(resolver, &rule.left, &mut letters, true);
    side(resolver, &rule.right, &mut letters, false);
}

fn inner(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Annotated(of, _) => inner(of),
        _ => expr,
    }
}

fn side(resolver: &mut Resolver<'_>, expr: &Expr, letters: &mut Letters, is_left: bool) {
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Missing => {}
        ExprKind::Hole => resolver.error(
            CODE,
            expr.range,
            "an equation has no holes; a letter stands for any value, as in `A + B = B + A`"
                .to_owned(),
        ),
        ExprKind::Either(..) => resolver.error(
            CODE,
            expr.range,
            "an equation has no alternatives; write a rule for each".to_owned(),
        ),
        ExprKind::Name(name) => {
            if let Some((file, number)) = resolver.names.abstractions.get(name).copied() {
                resolver.mean(expr.range, Known::Abstraction(file, number));
            } else {
                letter(resolver, name, expr.range, letters, (is_left, false));
            }
        }
        ExprKind::Call(name, args) => {
            if &*name.text == CONTAINS {
                let message =
                    format!("`{CONTAINS}` stands for no one value, and an equation needs one");
                resolver.error(CODE, expr.range, message);
            }
            resolver.call(name, args.len(), &mut Vec::new(), false);
            args.iter()
                .for_each(|arg| side(resolver, arg, letters, is_left));
        }
        ExprKind::Unary(_, of) => side(resolver, of, letters, is_left),
        ExprKind::Binary(_, left, right) => {
            side(resolver, left, letters, is_left);
            side(resolver, right, letters, is_left);
        }
        ExprKind::Annotated(of, ty) => {
            side(resolver, of, letters, is_left);
            let is_letter = matches!(&of.kind, ExprKind::Name(name) if !resolver.names.abstractions.contains_key(name));
            if !is_letter || !is_left {
                let message = "what a letter may stand for is said of the letter itself, on the left: `(A : m x n) + B = …`";
                resolver.error(CODE, ty.range, message.to_owned());
            }
            let fixed = "a rule holds for all values or for none: expected `m x n`, `scalar`, `matrix`, `vector`, `row` or `column`";
            match &ty.kind {
                TypeKind::Shape(rows, cols) => {
                    for size in [rows, cols] {
                        of_size(resolver, size, ty.range, letters);
                    }
                }
                TypeKind::Named("dense") | TypeKind::Sparse(..) | TypeKind::Array(..) => {
                    resolver.error(CODE, ty.range, fixed.to_owned());
                }
                TypeKind::Named(_) | TypeKind::Missing => {}
            }
        }
    }
}

fn of_size(resolver: &mut Resolver<'_>, size: &Size, range: TextRange, letters: &mut Letters) {
    match size {
        Size::Any => {}
        Size::Number(value) if *value == 1.0 => {}
        Size::Name(Name { text, range }) => letter(resolver, text, *range, letters, (true, true)),
        Size::Number(_) | Size::Scaled(..) => resolver.error(
            CODE,
            range,
            format!("expected a name, 1 or `?` as a size of a rule, found `{size}`; a rule holds for all sizes"),
        ),
    }
}

/// A letter means the place where it stands first; on the right it must be known.
fn letter(
    resolver: &mut Resolver<'_>,
    name: &Arc<str>,
    range: TextRange,
    letters: &mut Letters,
    (is_left, is_size): (bool, bool),
) {
    match letters.get(name) {
        Some((_, known)) if *known != is_size => {
            let message =
                format!("`{name}` is a value and a size at once; give one of them another name");
            resolver.error(CODE, range, message);
        }
        None if !is_left => {
            let message = format!(
                "`{name}` does not stand on the left, so nothing says what it is; expected letters of the left side only"
            );
            resolver.error(CODE, range, message);
        }
        _ => {}
    }
    let (first, _) = *letters.entry(Arc::clone(name)).or_insert((range, is_size));
    let place = Place {
        file: resolver.file,
        range: first,
    };
    resolver.mean(range, Known::Letter(place));
}
