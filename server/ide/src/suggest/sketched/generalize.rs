//! A sketch made from two forms of a statement: the new form with as many holes as still tell it from the old one, and the
//! rules that lead from the old one to it. Must never write a sketch that was not tried.

use std::cell::Cell;
use std::sync::Arc;

use sumac_sketch::text::ast::{Expr, ExprKind};
use sumac_sketch::text::{Library, parse, parse_expression};
use sumac_sumproduct::guided::{fits, vocabulary};
use sumac_text::TextRange;

use super::{NoForm, Question, SketchSearch, Suggestion, groups_at, of_group};
use crate::cache::Block;
use crate::snapshot::Snapshot;

/// Searches that say which parts can become holes.
const MOST_SEARCHES: usize = 12;

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
            let led = |way: &Way<'_>, bridges: bool| {
                let library = Library::new(
                    [(Arc::from(""), Arc::from(way.text(name, None)))],
                    &vocabulary(),
                );
                let filled = library.fill(&way.call(name)).map_err(NoForm::Wrong)?;
                let how = SketchSearch { bridges, ..how };
                of_group(site, &group, &filled, how, &mut |_| {})
            };
            let cost = options.cost.name();
            let direct = SETS.map(|set| (set, false));
            // Where no set leads there directly, a search may find guides that do.
            let bridged = [("sum_product", true)];
            let mut reached = None;
            for (rules, bridges) in direct.into_iter().chain(bridged) {
                let mut way = Way {
                    guides: Vec::new(),
                    pattern: form.clone(),
                    rules,
                    cost,
                };
                match led(&way, bridges) {
                    Ok(found) => {
                        let guides = found.stages.into_iter();
                        way.guides.extend(guides.filter_map(|stage| stage.proposed));
                        reached = Some(way);
                        break;
                    }
                    Err(NoForm::Cancelled) => return Err("cancelled".to_owned()),
                    Err(_) => {}
                }
            }
            let Some(way) = reached else {
                why = format!(
                    "no set of rules leads from `{original}` to `{form}` within the limits of a stage; if they are equal (`sumac prove`), a sketch needs guides between them"
                );
                continue;
            };
            // A sketch is worth writing only if it leads to this very form again.
            let finds_it = |way: &Way<'_>| {
                let found = led(way, false).ok();
                let found = found.and_then(|found| found.suggestions.into_iter().next());
                found.is_some_and(|found| is_form(&found, part, &form))
            };
            if !finds_it(&way) {
                why = format!(
                    "a sketch for `{form}` leads to another form of `{original}`, so it would not say what is meant"
                );
                continue;
            }
            let searches = Cell::new(MOST_SEARCHES);
            let with = |pattern: &Expr| Way {
                pattern: pattern.clone(),
                guides: way.guides.clone(),
                ..way
            };
            // As many holes as leave that so, within some searches.
            let tells = |pattern: &Expr| {
                if is_fit(pattern) != Some(false) || !says_something(pattern) || searches.get() == 0
                {
                    return false;
                }
                searches.set(searches.get() - 1);
                finds_it(&with(pattern))
            };
            let best = with(&generalized(&form, &tells));
            let doc = format!("{original} becomes {form}.");
            return Ok(best.text(name, Some(&doc)));
        }
    }
    Err(why)
}

/// Whether a suggestion's expression is a form, whatever the order in which sums and products are written.
fn is_form(found: &Suggestion, part: usize, form: &Expr) -> bool {
    let dag = &found.forms.written.1;
    let text = dag.roots().get(part).map(|root| dag.print(*root));
    let found = text.and_then(|text| parse_expression(&text).ok());
    found.is_some_and(|found| unordered(&found) == unordered(form))
}

/// An expression as text in which the order of summands and factors does not count.
fn unordered(expr: &Expr) -> String {
    let mut parts = Vec::new();
    match &expr.kind {
        ExprKind::Binary("+" | "-", ..) | ExprKind::Unary("-", _) => {
            summands(expr, false, &mut parts);
        }
        ExprKind::Binary("*", ..) => factors(expr, &mut parts),
        ExprKind::Binary(sign, left, right) => {
            return format!("({} {sign} {})", unordered(left), unordered(right));
        }
        ExprKind::Unary(sign, inner) => return format!("{sign}{}", unordered(inner)),
        ExprKind::Call(name, args) => {
            let args: Vec<String> = args.iter().map(unordered).collect();
            return format!("{}({})", name.text, args.join(", "));
        }
        _ => return expr.to_string(),
    }
    parts.sort();
    format!("({})", parts.join(" "))
}

/// The summands of a sum with their signs.
fn summands(expr: &Expr, is_minus: bool, found: &mut Vec<String>) {
    match &expr.kind {
        ExprKind::Binary("+", left, right) => {
            summands(left, is_minus, found);
            summands(right, is_minus, found);
        }
        ExprKind::Binary("-", left, right) => {
            summands(left, is_minus, found);
            summands(right, !is_minus, found);
        }
        ExprKind::Unary("-", inner) => summands(inner, !is_minus, found),
        _ => {
            let sign = if is_minus { "-" } else { "+" };
            found.push(format!("{sign}{}", unordered(expr)));
        }
    }
}

/// The factors of a product.
fn factors(expr: &Expr, found: &mut Vec<String>) {
    match &expr.kind {
        ExprKind::Binary("*", left, right) => {
            factors(left, found);
            factors(right, found);
        }
        _ => found.push(format!("*{}", unordered(expr))),
    }
}

/// Whether a pattern says more than that something is added or multiplied: `? - ?` fits nearly everything.
fn says_something(pattern: &Expr) -> bool {
    let mut says = false;
    pattern.walk(&mut |part| {
        says |= matches!(
            part.kind,
            ExprKind::Name(_) | ExprKind::Call(..) | ExprKind::Binary("%*%" | "^", ..)
        );
    });
    says
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

/// What a sketch says that leads to a form.
struct Way<'a> {
    /// Its guides, as a sketch file has them.
    guides: Vec<String>,
    /// The goal.
    pattern: Expr,
    rules: &'a str,
    cost: &'a str,
}

impl Way<'_> {
    /// The sketch with its parameters, the variables that it keeps.
    fn call(&self, name: &str) -> String {
        let mut kept = names(&self.pattern);
        for guide in &self.guides {
            let text = format!("sketch s {{ {guide} }}");
            for stage in parse(&text).file.sketches.iter().flat_map(|s| &s.stages) {
                let more = names(&stage.pattern).into_iter();
                let more: Vec<_> = more.filter(|name| !kept.contains(name)).collect();
                kept.extend(more);
            }
        }
        if kept.is_empty() {
            name.to_owned()
        } else {
            format!("{name}({})", kept.join(", "))
        }
    }

    fn text(&self, name: &str, doc: Option<&str>) -> String {
        let doc = doc.map_or(String::new(), |doc| format!("# {doc}\n"));
        let guides = self.guides.iter();
        let guides: String = guides.map(|guide| format!("  {guide}\n")).collect();
        let Way {
            pattern,
            rules,
            cost,
            ..
        } = self;
        format!(
            "{doc}sketch {} {{\n{guides}  goal {pattern}\n    using {rules}\n    minimize {cost}\n}}\n",
            self.call(name)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::at_cursor;
    use crate::searches::Search;
    use crate::searches::Searches;
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
    fn guides_are_written_where_no_set_of_rules_leads_to_the_form_directly() {
        let script = "X = rand(rows=900, cols=500, sparsity=0.01)\nU = rand(rows=900, cols=5)\nV = rand(rows=500, cols=5)\ns = $0sum((X - U %*% t(V))^2)\nprint(s)\n";
        let form = "sum(X^2) - 2 * sum(U * (X %*% V)) + sum((t(U) %*% U) * (t(V) %*% V))";
        let (snapshot, offset) = at_cursor(script);
        let blocks = UnitBlocks::default().of(&snapshot, "");
        let options = Options {
            max_nodes: Some(500),
            ..Options::default()
        };
        let (searches, cancel) = (Searches::default(), CancelToken::default());
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
        let made = sketch_from(&snapshot, &blocks, place, ("s_form", form), how).unwrap();
        let guides = made.lines().filter(|line| line.starts_with("  guide "));
        assert_eq!(guides.count(), 1, "{made}");
        // What is written is a sketch that leads somewhere by itself.
        let library = Library::new([(Arc::from(""), Arc::from(&*made))], &vocabulary());
        assert_eq!(library.findings(0), [], "{made}");
        let (_, sketch) = library.sketches().next().unwrap();
        let names: Vec<&str> = sketch.parameters.iter().map(|name| &*name.text).collect();
        let call = match &names[..] {
            [] => "s_form".to_owned(),
            names => format!("s_form({})", names.join(", ")),
        };
        let filled = library.fill(&call).unwrap();
        let (site, group) = groups_at(&snapshot, &blocks, place).swap_remove(0);
        assert!(of_group(site, &group, &filled, how, &mut |_| {}).is_ok());
    }

    #[test]
    fn the_order_of_sums_and_products_does_not_count() {
        let key = |text: &str| unordered(&parse_expression(text).unwrap());
        assert_eq!(key("sum(a * b) - c + d"), key("d + sum(b * a) - c"));
        assert_eq!(key("a - (b - c)"), key("c + a - b"));
        assert_ne!(key("a - b"), key("b - a"));
        assert_ne!(key("a / b"), key("b / a"));
        assert!(!says_something(&parse_expression("? - ?").unwrap()));
        assert!(says_something(&parse_expression("? - sum(?)").unwrap()));
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
