//! A sketch made from two forms of a statement: the new form with as many holes as still tell it from the old one, and the
//! rules that lead from the old one to it. Must never write a sketch that was not tried.

use std::sync::Arc;

use sumac_sketch::text::ast::{Expr, ExprKind};
use sumac_sketch::text::{Library, parse_expression};
use sumac_sumproduct::guided::{fits, vocabulary};
use sumac_syntax::text::TextRange;

use super::{NoForm, Question, SketchSearch, groups_at, of_group};
use crate::cache::Block;
use crate::snapshot::Snapshot;

/// The sets of rules that are tried, the ones that do less first.
const SETS: [&str; 8] = [
    "factor",
    "distribute",
    "aggregate",
    "associate",
    "transpose",
    "constants",
    "fuse",
    "sum_product",
];

/// The expression of the statement at a place as the script has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The variable that it is assigned to.
    pub target: Option<Arc<str>>,
    /// Which of the statements that assign this variable it is, from 0.
    pub number: usize,
    /// The statement.
    pub range: TextRange,
    /// Its expression; the first where it has several.
    pub form: String,
}

/// The statement at a place, if it has an expression of linear algebra.
#[must_use]
pub fn written_at(snapshot: &Snapshot, blocks: &[Block], wanted: TextRange) -> Option<Written> {
    let mut groups = groups_at(snapshot, blocks, wanted);
    // Each statement alone comes with its group; which of both stands first does not matter here.
    groups.sort_by_key(|(_, group)| group.members.len());
    let (site, group) = groups
        .into_iter()
        .find(|(_, group)| group.members.len() == 1)?;
    let original = group.original();
    let range = site.in_file(group.last().range);
    let target = group
        .last()
        .target
        .as_ref()
        .map(|target| Arc::clone(&target.name));
    let statements = snapshot
        .analysis
        .blocks
        .iter()
        .flat_map(|block| &block.statements);
    let earlier = statements.filter(|statement| {
        let own = statement.target.as_ref().map(|target| &target.name);
        own == target.as_ref() && statement.range.start < range.start
    });
    Some(Written {
        number: earlier.count(),
        form: original.print(*original.roots().first()?),
        target,
        range,
    })
}

/// The statement of a script that assigns this variable for the so-many-th time.
#[must_use]
pub fn statement_of(snapshot: &Snapshot, target: &str, number: usize) -> Option<TextRange> {
    let statements = snapshot
        .analysis
        .blocks
        .iter()
        .flat_map(|block| &block.statements);
    let mut places: Vec<TextRange> = statements
        .filter(|statement| {
            statement
                .target
                .as_ref()
                .is_some_and(|own| *own.name == *target)
        })
        .map(|statement| statement.range)
        .collect();
    places.sort_unstable();
    places.get(number).copied()
}

/// The text of a sketch called `name` that leads from the statement at `wanted` to `form`, an expression in the script's
/// names.
///
/// # Errors
/// The form is the statement's already, it cannot be read as a pattern, or no set of rules leads to it: text for a person.
pub fn sketch_from(
    snapshot: &Snapshot,
    blocks: &[Block],
    wanted: TextRange,
    (name, form): (&str, &str),
    how: SketchSearch<'_>,
) -> Result<String, String> {
    let form = parse_expression(form)
        .map_err(|error| format!("`{form}` cannot be written as a pattern: {}", error.message))?;
    let options = how.search.options;
    let machine = options.machine();
    let mut why = "there is no expression of linear algebra to start from".to_owned();
    for (site, group) in groups_at(snapshot, blocks, wanted) {
        let (dag, names) = (group.with_markers(), group.script_names());
        let question = Question {
            dag: &dag,
            names: &names,
            machine: &machine,
            options,
        };
        let shown = group.original();
        for (part, root) in dag.roots().iter().enumerate() {
            let asked = question.about(*root, 1);
            let is_fit = |pattern: &Expr| fits(&asked, pattern);
            let original = shown.print(shown.roots()[part]);
            match is_fit(&form) {
                Some(false) => {}
                Some(true) => {
                    why = format!("`{form}` is what is written already");
                    continue;
                }
                None => {
                    why = format!("`{form}` names what the statement does not read");
                    continue;
                }
            }
            let led = |pattern: &Expr, rules: &str| {
                let text = text(name, pattern, rules, options.cost.name(), None);
                let library = Library::new([(Arc::from(""), Arc::from(&*text))], &vocabulary());
                let call = call(name, pattern);
                let filled = library.fill(&call).map_err(NoForm::Wrong)?;
                of_group(site, &group, &filled, how, &mut |_| {})
            };
            let mut reached = None;
            for set in SETS {
                match led(&form, set) {
                    Ok(_) => {
                        reached = Some(set);
                        break;
                    }
                    Err(NoForm::Cancelled) => return Err("called off".to_owned()),
                    Err(_) => {}
                }
            }
            let Some(set) = reached else {
                why = format!(
                    "no set of rules leads from `{original}` to `{form}` within the limits of a stage; if they are equal (`sumac prove`), a sketch needs guides between them"
                );
                continue;
            };
            let pattern = generalized(&form, &|pattern| is_fit(pattern) == Some(false));
            // What fits fewer forms is written where the one with more holes leads nowhere that can be written.
            let pattern = if led(&pattern, set).is_ok() {
                pattern
            } else {
                form.clone()
            };
            let doc = format!("{original} becomes {form}.");
            return Ok(text(name, &pattern, set, options.cost.name(), Some(&doc)));
        }
    }
    Err(why)
}

/// A pattern with holes for as many parts as possible, the larger ones first, as long as it `tells` what it should.
fn generalized(pattern: &Expr, tells: &dyn Fn(&Expr) -> bool) -> Expr {
    let mut best = pattern.clone();
    let mut at = 0;
    // Parts stand in the order of the text, each before its own.
    while let Some(other) = with_hole(&best, &mut { at }) {
        if other != best && tells(&other) {
            best = other;
        }
        at += 1;
    }
    best
}

/// The pattern with a hole for part number `at`; `None` if there are fewer.
fn with_hole(pattern: &Expr, at: &mut usize) -> Option<Expr> {
    if *at == 0 {
        return Some(Expr {
            range: pattern.range,
            kind: ExprKind::Hole,
        });
    }
    *at -= 1;
    let mut one = |part: &Expr| with_hole(part, at);
    let kind = match &pattern.kind {
        ExprKind::Unary(sign, inner) => ExprKind::Unary(sign, Box::new(one(inner)?)),
        ExprKind::Annotated(inner, ty) => ExprKind::Annotated(Box::new(one(inner)?), ty.clone()),
        ExprKind::Binary(sign, left, right) => match one(left) {
            Some(left) => ExprKind::Binary(sign, Box::new(left), right.clone()),
            None => ExprKind::Binary(sign, left.clone(), Box::new(one(right)?)),
        },
        ExprKind::Either(left, right) => match one(left) {
            Some(left) => ExprKind::Either(Box::new(left), right.clone()),
            None => ExprKind::Either(left.clone(), Box::new(one(right)?)),
        },
        ExprKind::Call(name, args) => {
            let (place, arg) = args
                .iter()
                .enumerate()
                .find_map(|(n, arg)| Some((n, one(arg)?)))?;
            let mut args = args.clone();
            args[place] = arg;
            ExprKind::Call(name.clone(), args)
        }
        ExprKind::Hole | ExprKind::Name(_) | ExprKind::Number(_) | ExprKind::Missing => {
            return None;
        }
    };
    Some(Expr {
        range: pattern.range,
        kind,
    })
}

/// The variables of a pattern, in the order of the text.
fn names(pattern: &Expr) -> Vec<Arc<str>> {
    let mut found: Vec<Arc<str>> = Vec::new();
    pattern.walk(&mut |part| {
        if let ExprKind::Name(name) = &part.kind
            && !found.contains(name)
        {
            found.push(Arc::clone(name));
        }
    });
    found
}

fn call(name: &str, pattern: &Expr) -> String {
    let names = names(pattern);
    if names.is_empty() {
        name.to_owned()
    } else {
        format!("{name}({})", names.join(", "))
    }
}

/// A sketch of one goal, whose parameters are the variables that it keeps.
fn text(name: &str, pattern: &Expr, rules: &str, cost: &str, doc: Option<&str>) -> String {
    let doc = doc.map_or(String::new(), |doc| format!("# {doc}\n"));
    format!(
        "{doc}sketch {} {{\n  goal {pattern}\n    using {rules}\n    minimize {cost}\n}}\n",
        call(name, pattern)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::at_cursor;
    use crate::searches::Searches;
    use crate::suggest::Search;
    use crate::{CancelToken, UnitBlocks};
    use sumac_sumproduct::Options;

    const SCRIPT: &str = "X = rand(rows=9, cols=5)\nY = rand(rows=9, cols=5)\nZ = rand(rows=9, cols=5)\ns = $0sum(X * Y) + sum(X * Z)\nprint(s)\n";

    fn written(form: &str) -> Result<String, String> {
        let (snapshot, offset) = at_cursor(SCRIPT);
        let blocks = UnitBlocks::default().of(&snapshot, "");
        let (options, searches, cancel) = (
            Options::default(),
            Searches::default(),
            CancelToken::default(),
        );
        let how = SketchSearch {
            search: Search {
                options: &options,
                searches: &searches,
                store: None,
                cancel: &cancel,
            },
            cache: &searches.stages,
            forms: 1,
            explains: false,
            bridges: false,
        };
        let place = TextRange::new(offset, offset);
        let found = written_at(&snapshot, &blocks, place).unwrap();
        assert_eq!((found.target.as_deref(), found.number), (Some("s"), 0));
        assert_eq!(found.form, "sum(X * Y) + sum(X * Z)");
        assert_eq!(statement_of(&snapshot, "s", 0), Some(found.range));
        sketch_from(&snapshot, &blocks, place, ("s_form", form), how)
    }

    #[test]
    fn as_many_parts_become_holes_as_still_tell_the_forms_apart() {
        let made = written("sum(X * (Y + Z))").unwrap();
        assert_eq!(
            made,
            "# sum(X * Y) + sum(X * Z) becomes sum(X * (Y + Z)).\nsketch s_form {\n  goal sum(?)\n    using factor\n    minimize time\n}\n"
        );
    }

    #[test]
    fn what_no_rules_lead_to_is_not_written() {
        for (form, part) in [
            ("sum(X * (Y - Z))", "no set of rules leads"),
            ("sum(X * Y) + sum(X * Z)", "is what is written already"),
            ("sum(W)", "names what the statement does not read"),
            ("sum(", "cannot be written as a pattern"),
        ] {
            let why = written(form).unwrap_err();
            assert!(why.contains(part), "{form}: {why}");
        }
    }

    #[test]
    fn holes_are_put_from_the_outside_in() {
        let of = |text: &str, keep: &str| {
            let pattern = parse_expression(text).unwrap();
            generalized(&pattern, &|pattern| pattern.to_string().contains(keep)).to_string()
        };
        assert_eq!(of("sum(X^2) - 2 * t(Y)", "t("), "? - ? * t(?)");
        assert_eq!(of("sum(X^2) - 2 * t(Y)", "X"), "sum(X^?) - ?");
        assert_eq!(of("X", "?"), "?");
    }
}
