//! Random pairs of expressions, one a rewriting of the other or a near miss: what is proved is never told apart by running
//! both, and what is equal by construction is never refuted.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_la::{Dim, Type};

use super::super::bounds::{self, Bounds};
use super::super::counterexample::{Given, Sides, run_on};
use super::truths::verdict;
use super::{Answer, Asked, question};

/// Pairs of the test; more with `SUMAC_PAIRS`.
const PAIRS: usize = 400;
const DECLARATIONS: &str = "X: n x m; Y: n x m; S: n x n; R: n x n; v: n x 1; w: n x 1; x: m x 1; r: 1 x m; E: 1 x 1; a: scalar; b: scalar";

/// Rows and columns by name; a scalar has none.
type Shape = (&'static str, &'static str);
const SCALAR: Shape = ("", "");

#[derive(Clone, Debug)]
enum Tree {
    Leaf(String),
    Prefix(&'static str, Box<Tree>),
    Infix(&'static str, Box<Tree>, Box<Tree>),
    Call(&'static str, Vec<Tree>),
}

use Tree::{Call, Infix, Leaf, Prefix};

impl Tree {
    fn text(&self) -> String {
        match self {
            Leaf(text) => text.clone(),
            Prefix(sign, inner) => format!("({sign}{})", inner.text()),
            Infix(sign, left, right) => format!("({} {sign} {})", left.text(), right.text()),
            Call(name, args) => {
                let args: Vec<String> = args.iter().map(Tree::text).collect();
                format!("{name}({})", args.join(", "))
            }
        }
    }

    fn children(&mut self) -> Vec<&mut Tree> {
        match self {
            Leaf(_) => Vec::new(),
            Prefix(_, inner) => vec![&mut **inner],
            Infix(_, left, right) => vec![&mut **left, &mut **right],
            Call(_, args) => args.iter_mut().collect(),
        }
    }

    fn size(&mut self) -> usize {
        1 + self.children().into_iter().map(Tree::size).sum::<usize>()
    }

    /// The part with this number, counted from the root.
    fn part(&mut self, n: usize) -> &mut Tree {
        if n == 0 {
            return self;
        }
        let mut left = n - 1;
        let sizes: Vec<usize> = self.children().into_iter().map(Tree::size).collect();
        let mut place = 0;
        for size in sizes {
            if left < size {
                break;
            }
            left -= size;
            place += 1;
        }
        let mut children = self.children();
        children.swap_remove(place).part(left)
    }
}

fn leaf(text: &str) -> Tree {
    Leaf(text.to_owned())
}

const UNARY: &[&str] = &[
    "exp", "log", "sqrt", "abs", "sign", "round", "floor", "ceil", "sigmoid", "sin", "cos", "tanh",
];
const BINARY: &[&str] = &[
    "+", "-", "*", "/", "+", "-", "*", ">", "<", ">=", "<=", "==", "!=", "&", "|", "%%", "%/%",
];

fn random(rng: &mut ChaCha8Rng, (rows, cols): Shape, depth: usize) -> Tree {
    let shape = (rows, cols);
    if depth == 0 || rng.random_ratio(1, 7) {
        let leaves: &[&str] = match shape {
            ("n", "m") => &["X", "Y"],
            ("n", "n") => &["S", "R"],
            ("n", "1") => &["v", "w"],
            ("m", "1") => &["x"],
            ("1", "m") => &["r"],
            ("1", "1") => &["E"],
            _ => &["a", "b", "2", "0.5", "0", "1", "3", "0.1", "-1"],
        };
        return match leaves.choose(rng) {
            Some(name) => leaf(name),
            None => leaf("a"),
        };
    }
    let d = depth - 1;
    let of = |rng: &mut ChaCha8Rng, shape| Box::new(random(rng, shape, d));
    let call = |name, args| Call(name, args);
    match rng.random_range(0..13) {
        0 | 1 => Call(
            UNARY.choose(rng).expect("some"),
            vec![random(rng, shape, d)],
        ),
        2 => Prefix(
            if rng.random_ratio(1, 4) { "!" } else { "-" },
            of(rng, shape),
        ),
        3..=5 => Infix(
            BINARY.choose(rng).expect("some"),
            of(rng, shape),
            of(rng, shape),
        ),
        6 => {
            let name = *["min", "max"].choose(rng).expect("some");
            call(name, vec![random(rng, shape, d), random(rng, shape, d)])
        }
        7 => {
            let power = *["2", "3", "0", "-1", "0.5", "-2"]
                .choose(rng)
                .expect("some");
            Infix("^", of(rng, shape), Box::new(leaf(power)))
        }
        8 if shape == SCALAR => {
            let inner = *[("n", "m"), ("n", "n"), ("n", "1")]
                .choose(rng)
                .expect("some");
            let name = *["sum", "mean", "max", "min", "nrow", "ncol", "sum"]
                .choose(rng)
                .expect("some");
            call(name, vec![random(rng, inner, d)])
        }
        9 if shape == SCALAR => call("trace", vec![random(rng, ("n", "n"), d)]),
        8 if shape == ("n", "1") => {
            let name = *["rowSums", "rowMeans", "rowMaxs"]
                .choose(rng)
                .expect("some");
            call(name, vec![random(rng, ("n", "m"), d)])
        }
        9 if shape == ("n", "1") => call("diag", vec![random(rng, ("n", "n"), d)]),
        10 if shape == ("n", "1") => Infix("%*%", of(rng, ("n", "m")), of(rng, ("m", "1"))),
        8 if shape == ("1", "m") => {
            let name = *["colSums", "colMeans", "colMaxs"]
                .choose(rng)
                .expect("some");
            call(name, vec![random(rng, ("n", "m"), d)])
        }
        9 if shape == ("1", "m") => call("t", vec![random(rng, ("m", "1"), d)]),
        8 if shape == ("n", "n") => call("diag", vec![random(rng, ("n", "1"), d)]),
        9 if shape == ("n", "n") => call("t", vec![random(rng, ("n", "n"), d)]),
        10 if shape == ("n", "n") => Infix("%*%", of(rng, ("n", "n")), of(rng, ("n", "n"))),
        8 if shape == ("n", "m") => Infix("%*%", of(rng, ("n", "1")), of(rng, ("1", "m"))),
        9 if shape == ("n", "m") => Infix("%*%", of(rng, ("n", "n")), of(rng, ("n", "m"))),
        10 if shape == ("n", "m") => {
            let sign = *["+", "*", "-", ">", "/"].choose(rng).expect("some");
            Infix(sign, of(rng, ("n", "m")), of(rng, ("n", "1")))
        }
        11 if shape == ("n", "m") => {
            let sign = *["+", "*", "-", "<"].choose(rng).expect("some");
            Infix(sign, of(rng, ("n", "m")), of(rng, ("1", "m")))
        }
        10 if !rows.is_empty() => call("rev", vec![random(rng, shape, d)]),
        11 if !rows.is_empty() => Infix("*", of(rng, SCALAR), of(rng, shape)),
        _ => call(
            "ifelse",
            vec![
                random(rng, shape, d),
                random(rng, shape, d),
                random(rng, shape, d),
            ],
        ),
    }
}

/// Rewrites a part into one that is equal wherever both have a value.
fn rewrite(part: &Tree, rng: &mut ChaCha8Rng) -> Option<Tree> {
    let boxed = |tree: &Tree| Box::new(tree.clone());
    Some(match part {
        Infix(sign @ ("+" | "*" | "==" | "!=" | "&" | "|"), a, b) if rng.random_ratio(1, 2) => {
            Infix(sign, b.clone(), a.clone())
        }
        Infix("-", a, b) => Infix("+", a.clone(), Box::new(Prefix("-", b.clone()))),
        Infix(">", a, b) => Infix("<", b.clone(), a.clone()),
        Infix("<", a, b) => Infix(">", b.clone(), a.clone()),
        Infix(">=", a, b) => Infix("<=", b.clone(), a.clone()),
        Infix("/", a, b) => Infix(
            "*",
            a.clone(),
            Box::new(Infix("/", Box::new(leaf("1")), b.clone())),
        ),
        Infix("^", a, k) if k.text() == "2" => Infix("*", a.clone(), a.clone()),
        Infix("*", a, b) => match &**a {
            Infix("+", c, d) => Infix(
                "+",
                Box::new(Infix("*", c.clone(), b.clone())),
                Box::new(Infix("*", d.clone(), b.clone())),
            ),
            _ => Infix("*", b.clone(), a.clone()),
        },
        Call(name @ ("min" | "max"), args) if args.len() == 2 => {
            Call(name, vec![args[1].clone(), args[0].clone()])
        }
        Call("exp", args) => match &args[0] {
            Infix("+", a, b) => Infix(
                "*",
                Box::new(Call("exp", vec![(**a).clone()])),
                Box::new(Call("exp", vec![(**b).clone()])),
            ),
            _ => return None,
        },
        Call("abs", args) => Infix(
            "*",
            boxed(&args[0]),
            Box::new(Call("sign", vec![args[0].clone()])),
        ),
        Call("sum", args) => Call("sum", vec![Call("rowSums", args.clone())]),
        _ => Prefix("-", Box::new(Prefix("-", boxed(part)))),
    })
}

/// Changes a part into one that is mostly another.
fn change(part: &Tree, rng: &mut ChaCha8Rng) -> Option<Tree> {
    Some(match part {
        Infix(sign, a, b) => {
            let other = match *sign {
                "+" => "-",
                "-" => "+",
                "*" => "+",
                ">" => ">=",
                ">=" => ">",
                "<" => "<=",
                "<=" => "<",
                "==" => "!=",
                "&" => "|",
                "|" => "&",
                "%*%" => return None,
                _ => return Some(Infix(sign, b.clone(), a.clone())),
            };
            Infix(other, a.clone(), b.clone())
        }
        Call("max", args) => Call("min", args.clone()),
        Call("min", args) => Call("max", args.clone()),
        Call("round", args) => Call("floor", args.clone()),
        Call("floor", args) => Call("ceil", args.clone()),
        Call("sin", args) => Call("cos", args.clone()),
        Call("abs" | "sign", args) => args[0].clone(),
        Call("rev", args) => args[0].clone(),
        Call("sqrt", args) => Call("abs", args.clone()),
        Call("ifelse", args) => Call(
            "ifelse",
            vec![args[0].clone(), args[2].clone(), args[1].clone()],
        ),
        Prefix("-", inner) => (**inner).clone(),
        Leaf(text) if text.parse::<f64>().is_ok() => {
            leaf(["0", "1", "2", "1e-13", "0.3333333333333333"].choose(rng)?)
        }
        _ => return None,
    })
}

/// A pair, and whether it was only rewritten.
fn pair(rng: &mut ChaCha8Rng) -> (Tree, Tree, bool) {
    let shapes = [
        ("n", "m"),
        ("n", "n"),
        ("n", "1"),
        ("1", "m"),
        SCALAR,
        ("1", "1"),
        ("m", "1"),
    ];
    let shape = *shapes.choose(rng).expect("some");
    let depth = rng.random_range(1..=3);
    let left = random(rng, shape, depth);
    let mut right = left.clone();
    let mut is_same = true;
    for _ in 0..rng.random_range(1..4) {
        let n = rng.random_range(0..right.size());
        let part = right.part(n);
        if let Some(new) = rewrite(part, rng) {
            *part = new;
        }
    }
    if rng.random_ratio(1, 3) {
        let n = rng.random_range(0..right.size());
        let part = right.part(n);
        if let Some(new) = change(part, rng) {
            *part = new;
            is_same = false;
        }
    }
    (left, right, is_same)
}

/// What running both sides says of a proof: text where it is wrong.
fn contradicted(left: &str, right: &str, has_conditions: bool) -> Option<String> {
    let facts: Vec<_> = DECLARATIONS
        .split("; ")
        .filter(|entry| !entry.ends_with("scalar"))
        .map(|entry| sumac_syntax::parse_fact(entry, 0))
        .collect();
    let scalars = ["a".to_owned(), "b".to_owned()];
    let assertion = question(left, right, &facts, &scalars).ok()?;
    let asked = Asked::new(&assertion, Some([left, right])).ok()?;
    let inputs: Vec<(Arc<str>, Type)> = asked.inputs()?;
    for (sizes, choice) in [
        ([2, 3], 0),
        ([1, 1], 1),
        ([3, 3], 2),
        ([1, 2], 3),
        ([3, 1], 4),
    ] {
        for kind in 0..11_u64 {
            let given: Vec<(String, Given)> = inputs
                .iter()
                .zip(0_u64..)
                .map(|((name, ty), n)| {
                    let size = |dim: &Dim| match dim {
                        Dim::Known(n) => usize::try_from(*n).expect("small"),
                        Dim::Named(name) if &**name == "n" => sizes[0],
                        _ => sizes[1],
                    };
                    let shape = (size(&ty.rows), size(&ty.cols));
                    let kind = kind + 12 * choice;
                    (name.to_string(), Given::new(shape, ty.is_scalar(), kind, n))
                })
                .collect();
            let sides = Sides {
                dag: &asked.understood.dag,
                sides: asked.understood.sides,
                texts: [left.to_owned(), right.to_owned()],
                has_calls: false,
                inputs: inputs.clone(),
                values: std::collections::BTreeMap::new(),
                name: &str::to_owned,
            };
            let Some((a, b)) = run_on(&sides, &given) else {
                continue;
            };
            let map: BTreeMap<String, Bounds> = given
                .iter()
                .map(|(name, given)| (name.clone(), given.value.clone()))
                .collect();
            let shown = || {
                let texts: Vec<String> = given
                    .iter()
                    .map(|(name, given)| format!("{name} = {}", given.text))
                    .collect();
                format!("{}: {a:?} and {b:?}", texts.join(", "))
            };
            // As real numbers.
            if let Some([p, q]) =
                bounds::evaluate(&asked.understood.dag, asked.understood.sides, &map)
                && bounds::distance(&p, &q).is_some()
            {
                return Some(format!("differ for {}", shown()));
            }
            // Where one side has no value, the other has none, unless it is said.
            if !has_conditions {
                for (x, y) in a.iter().zip(&b) {
                    let huge = |z: &f64| z.is_finite() && z.abs() < 1e100;
                    if (huge(x) && y.is_nan()) || (huge(y) && x.is_nan()) {
                        return Some(format!("one side is undefined for {}", shown()));
                    }
                }
            }
        }
    }
    None
}

#[test]
#[expect(clippy::print_stdout, reason = "figures, for whoever runs it")]
fn nothing_false_is_proved_and_nothing_true_refuted() {
    let pairs = std::env::var("SUMAC_PAIRS")
        .ok()
        .and_then(|n| n.parse().ok());
    let pairs: usize = pairs.unwrap_or(PAIRS);
    let seed = std::env::var("SUMAC_SEED")
        .ok()
        .and_then(|n| n.parse().ok());
    let mut rng = ChaCha8Rng::seed_from_u64(seed.unwrap_or(7));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for _ in 0..pairs {
        let (left, right, is_same) = pair(&mut rng);
        let (left, right) = (left.text(), right.text());
        if left == right {
            continue;
        }
        let Ok(answer) = verdict(DECLARATIONS, (&left, &right), false) else {
            *counts.entry("refused").or_default() += 1;
            continue;
        };
        let kind = match &answer {
            Answer::Proved(proof, _) => {
                let has_conditions = !proof.conditions.is_empty();
                if let Some(text) = contradicted(&left, &right, has_conditions) {
                    wrong.push(format!(
                        "proved: {left} == {right}: {:?}; {text}",
                        proof.conditions
                    ));
                }
                if has_conditions {
                    "proved where"
                } else {
                    "proved"
                }
            }
            Answer::Refuted(found) => {
                if is_same {
                    wrong.push(format!("refuted: {left} == {right}: {found:?}"));
                }
                "refuted"
            }
            Answer::Undecided(_) if is_same => "open, equal",
            Answer::Undecided(_) => "open",
        };
        *counts.entry(kind).or_default() += 1;
    }
    println!("{counts:?}");
    assert!(wrong.is_empty(), "{counts:?}\n{}", wrong.join("\n"));
    assert!(counts["proved"] * 5 > pairs, "{counts:?}");
}
