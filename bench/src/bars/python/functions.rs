//! Random functions of NumPy: products, reductions, diagonals, broadcasting over ranks 0 to 2, with the statements that make reading
//! Python hard: views, in-place writes, aliases, rebinding, branches, loops, calls that change their arguments.
//!
//! The same seed gives the same functions. Must never look at what the program makes of them.

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Sizes by name.
const NAMES: [&str; 3] = ["n", "m", "k"];

/// A value of known shape.
type Shape = Vec<&'static str>;

/// A function with what it is called with.
pub(super) struct Function {
    pub(super) name: String,
    pub(super) text: String,
    /// Each parameter with its sizes.
    pub(super) parameters: Vec<(String, Shape)>,
    pub(super) dtype: &'static str,
}

struct Writer {
    random: ChaCha8Rng,
    /// What each variable holds at this place.
    variables: Vec<(String, Shape)>,
    body: String,
    fresh: usize,
}

/// So many functions from a seed.
pub(super) fn functions(seed: u64, count: usize) -> Vec<Function> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..count)
        .map(|at| function(format!("f{at}"), random.random()))
        .collect()
}

fn function(name: String, seed: u64) -> Function {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let shapes: [&[&'static str]; 8] = [
        &["n", "m"],
        &["m", "k"],
        &["n", "n"],
        &["n", "k"],
        &["n"],
        &["m"],
        &["n"],
        &["m", "n"],
    ];
    let letters = ["A", "B", "S", "U", "v", "w", "x", "T"];
    let parameters: Vec<(String, Shape)> = letters
        .iter()
        .zip(shapes)
        .map(|(name, shape)| ((*name).to_owned(), shape.to_vec()))
        .collect();
    let dtype = if random.random_bool(0.2) {
        "float32"
    } else {
        "float64"
    };
    let told = random.random_range(0..4);
    let mut head = String::new();
    let list: Vec<&str> = letters.to_vec();
    let _ = writeln!(head, "def {name}({}):", list.join(", "));
    let sizes = |shape: &Shape| match shape.as_slice() {
        [one] => format!("({one},)"),
        many => format!("({})", many.join(", ")),
    };
    match told {
        0 if dtype == "float64" => {
            head.push_str("    \"\"\"Random.\n\n    Parameters\n    ----------\n");
            for (name, shape) in &parameters {
                let _ = writeln!(head, "    {name} : array of shape {}", sizes(shape));
            }
            head.push_str("    \"\"\"\n");
        }
        1 if dtype == "float64" => {
            head.push_str("    n, m = A.shape\n    k = B.shape[1]\n");
            for (name, shape) in &parameters {
                let _ = writeln!(head, "    assert {name}.shape == {}", sizes(shape));
            }
        }
        _ => {
            for (name, shape) in &parameters {
                let kind = if dtype == "float32" { ", float32" } else { "" };
                let _ = writeln!(head, "    #@ {name}: {}{kind}", shape.join(" x "));
            }
        }
    }
    let mut writer = Writer {
        random,
        variables: parameters.clone(),
        body: String::new(),
        fresh: 0,
    };
    let statements = writer.random.random_range(1..6);
    for _ in 0..statements {
        writer.statement("    ");
    }
    let mut results: Vec<String> = Vec::new();
    for _ in 0..3 {
        let shape = writer.any_shape();
        results.push(writer.expression(&shape, 3));
    }
    results.extend(
        writer
            .variables
            .iter()
            .skip(parameters.len())
            .map(|(name, _)| name.clone()),
    );
    let text = format!("{head}{}    return [{}]\n", writer.body, results.join(", "));
    Function {
        name,
        text,
        parameters,
        dtype,
    }
}

impl Writer {
    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.random.random_range(0..all.len())]
    }

    fn any_shape(&mut self) -> Shape {
        let a = self.pick(&NAMES);
        let b = self.pick(&NAMES);
        match self.random.random_range(0..6) {
            0 | 1 => vec![],
            2 | 3 => vec![a],
            _ => vec![a, b],
        }
    }

    fn statement(&mut self, indent: &str) {
        let shape = self.any_shape();
        match self.random.random_range(0..12) {
            0 => self.in_place(indent),
            1 => {
                // A view or an alias, and then a write through it.
                let matrices: Vec<(String, Shape)> = self
                    .variables
                    .iter()
                    .filter(|(_, shape)| shape.len() == 2)
                    .cloned()
                    .collect();
                let (name, shape) = matrices[self.random.random_range(0..matrices.len())].clone();
                let view = self.name();
                let (text, shape) = match self.random.random_range(0..3) {
                    0 => (name, shape),
                    1 => (format!("{name}.T"), shape.into_iter().rev().collect()),
                    _ => (format!("{name}[:, 0]"), vec![shape[0]]),
                };
                let _ = writeln!(self.body, "{indent}{view} = {text}");
                let sign = self.random_sign();
                let _ = writeln!(self.body, "{indent}{view} {sign} 2.0");
                self.variables.push((view, shape));
            }
            2 => {
                let condition = self.expression(&vec![], 1);
                let value = self.expression(&shape, 2);
                let other = self.expression(&shape, 2);
                let name = self.name();
                let _ = writeln!(
                    self.body,
                    "{indent}if {condition} > 0:\n{indent}    {name} = {value}\n{indent}else:\n{indent}    {name} = {other}"
                );
                self.variables.push((name, shape));
            }
            3 => {
                let name = self.name();
                let start = self.expression(&shape, 1);
                let _ = writeln!(self.body, "{indent}{name} = {start} + 0.0");
                self.variables.push((name.clone(), shape.clone()));
                let step = self.expression(&shape, 2);
                let _ = writeln!(
                    self.body,
                    "{indent}for _ in range(2):\n{indent}    {name} = 0.5 * ({step})"
                );
            }
            4 => {
                let matrices: Vec<String> = self
                    .variables
                    .iter()
                    .filter(|(_, shape)| shape.len() == 2)
                    .map(|(name, _)| name.clone())
                    .collect();
                let name = matrices[self.random.random_range(0..matrices.len())].clone();
                let _ = writeln!(self.body, "{indent}changed({name})");
            }
            _ => {
                let value = self.expression(&shape, 3);
                let name = self.name();
                let _ = writeln!(self.body, "{indent}{name} = {value}");
                self.variables.push((name, shape));
            }
        }
    }

    fn random_sign(&mut self) -> &'static str {
        self.pick(&["+=", "*=", "-="])
    }

    fn in_place(&mut self, indent: &str) {
        let known: Vec<(String, Shape)> = self
            .variables
            .iter()
            .filter(|(_, shape)| !shape.is_empty())
            .cloned()
            .collect();
        let (name, shape) = known[self.random.random_range(0..known.len())].clone();
        let value = self.expression(&shape, 1);
        let sign = self.random_sign();
        let _ = match self.random.random_range(0..3) {
            0 => writeln!(self.body, "{indent}{name}[0] = 1.5"),
            1 => writeln!(self.body, "{indent}{name}[:] = {value}"),
            _ => writeln!(self.body, "{indent}{name} {sign} {value}"),
        };
    }

    fn name(&mut self) -> String {
        self.fresh += 1;
        format!("t{}", self.fresh)
    }

    fn atom(&mut self, shape: &Shape) -> Option<String> {
        let known: Vec<String> = self
            .variables
            .iter()
            .filter(|(_, own)| own == shape)
            .map(|(name, _)| name.clone())
            .collect();
        (!known.is_empty()).then(|| known[self.random.random_range(0..known.len())].clone())
    }

    /// An expression of a shape.
    fn expression(&mut self, shape: &Shape, depth: usize) -> String {
        if depth == 0 {
            return match (self.atom(shape), shape.as_slice()) {
                (Some(atom), _) => atom,
                (None, []) => "1.5".to_owned(),
                (None, ["k"]) => "(v @ U)".to_owned(),
                (None, [a]) => format!("np.ones({a})"),
                (None, [a, b]) => {
                    let a = self.expression(&vec![*a], 0);
                    let b = self.expression(&vec![*b], 0);
                    format!("np.outer({a}, {b})")
                }
                (None, _) => unreachable!("shapes have at most two sizes"),
            };
        }
        let next = depth.saturating_sub(1);
        let inner = self.pick(&NAMES);
        match shape.as_slice() {
            [] => self.number(inner, next),
            [a] => self.vector(a, inner, next),
            [a, b] => self.matrix((a, b), inner, next),
            _ => unreachable!("shapes have at most two sizes"),
        }
    }

    fn number(&mut self, inner: &'static str, next: usize) -> String {
        let other = self.pick(&NAMES);
        match self.random.random_range(0..9) {
            0 => format!(
                "{} @ {}",
                self.factor(&vec![inner], next),
                self.factor(&vec![inner], next)
            ),
            1 => format!("np.sum({})", self.expression(&vec![inner, other], next)),
            2 => format!(
                "np.trace({} @ {})",
                self.factor(&vec![inner, other], next),
                self.factor(&vec![other, inner], next)
            ),
            3 => format!("({}).sum()", self.expression(&vec![inner], next)),
            4 => format!("np.mean({})", self.expression(&vec![inner, other], next)),
            5 => format!(
                "np.linalg.norm({})",
                self.expression(&vec![inner, other], next)
            ),
            6 => format!("np.trace({})", self.expression(&vec![inner, inner], next)),
            7 => format!(
                "np.vdot({}, {})",
                self.expression(&vec![inner, other], next),
                self.expression(&vec![inner, other], next)
            ),
            _ => format!(
                "{} * {}",
                self.pick(&["2.0", "0.5", "3"]),
                self.factor(&vec![], next.min(1))
            ),
        }
    }

    fn vector(&mut self, a: &'static str, inner: &'static str, next: usize) -> String {
        match self.random.random_range(0..10) {
            0 => format!(
                "{} @ {}",
                self.factor(&vec![a, inner], next),
                self.factor(&vec![inner], next)
            ),
            1 => format!(
                "{} @ {}",
                self.factor(&vec![inner], next),
                self.factor(&vec![inner, a], next)
            ),
            2 => format!(
                "{} @ {} @ {}",
                self.factor(&vec![a, inner], next),
                self.factor(&vec![inner, inner], next),
                self.factor(&vec![inner], next)
            ),
            3 => format!(
                "np.diag({} @ {})",
                self.factor(&vec![a, inner], next),
                self.factor(&vec![inner, a], next)
            ),
            4 => format!("({}).sum(axis=1)", self.expression(&vec![a, inner], next)),
            5 => format!("np.sum({}, axis=0)", self.expression(&vec![inner, a], next)),
            6 => format!(
                "{} * {}",
                self.factor(&vec![a], next),
                self.factor(&vec![a], next)
            ),
            7 => format!(
                "{} - {}",
                self.factor(&vec![a], next),
                self.factor(&vec![a], next)
            ),
            8 => format!("np.diag({})", self.expression(&vec![a, a], next)),
            _ => format!(
                "{} * {}",
                self.factor(&vec![], next.min(1)),
                self.factor(&vec![a], next)
            ),
        }
    }

    fn matrix(
        &mut self,
        (a, b): (&'static str, &'static str),
        inner: &'static str,
        next: usize,
    ) -> String {
        match self.random.random_range(0..11) {
            0 | 1 => format!(
                "{} @ {}",
                self.factor(&vec![a, inner], next),
                self.factor(&vec![inner, b], next)
            ),
            2 => format!(
                "{} @ np.diag({}) @ {}",
                self.factor(&vec![a, inner], next),
                self.expression(&vec![inner], next),
                self.factor(&vec![inner, b], next)
            ),
            3 => format!("{}.T", self.factor(&vec![b, a], next)),
            4 => format!(
                "np.outer({}, {})",
                self.expression(&vec![a], next),
                self.expression(&vec![b], next)
            ),
            5 => format!(
                "{} * {}",
                self.factor(&vec![a, b], next),
                self.factor(&vec![b], next)
            ),
            6 => format!(
                "{} - {}[:, None]",
                self.factor(&vec![a, b], next),
                self.factor(&vec![a], next)
            ),
            7 => format!(
                "{} + {}",
                self.factor(&vec![a, b], next),
                self.factor(&vec![a, b], next)
            ),
            8 => format!(
                "{} * {}",
                self.factor(&vec![a, b], next),
                self.factor(&vec![a, b], next)
            ),
            9 => format!("{} ** 2", self.factor(&vec![a, b], next)),
            _ => format!(
                "{} - {}.mean(axis=0)",
                self.factor(&vec![a, b], next),
                self.factor(&vec![inner, b], next)
            ),
        }
    }

    /// An expression in parentheses where it is no name.
    fn factor(&mut self, shape: &Shape, depth: usize) -> String {
        let depth = if self.random.random_bool(0.5) {
            0
        } else {
            depth
        };
        let text = self.expression(shape, depth);
        if text.chars().all(char::is_alphanumeric) {
            text
        } else {
            format!("({text})")
        }
    }
}
