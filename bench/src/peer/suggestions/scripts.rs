//! Scripts to make suggestions for: generated ones that need no data, and the fixtures with random inputs of the sizes that
//! they state. Every one prints what it computes.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_syntax::ast::{FactKind, Size};

/// A script.
pub(super) struct Script {
    pub(super) name: String,
    pub(super) text: String,
    /// Whether it is small enough to be run.
    pub(super) runs: bool,
}

/// Sizes that differ, so that a wrong transpose does not fit.
const ROWS: usize = 900;
const COLS: usize = 400;
const RANK: usize = 7;

const HEAD: &str = "X = rand(rows=900, cols=400, min=-1, max=1, sparsity=0.05, seed=1)
Y = rand(rows=900, cols=400, min=0.1, max=1, seed=2)
U = rand(rows=900, cols=7, min=-1, max=1, seed=3)
V = rand(rows=400, cols=7, min=-1, max=1, seed=4)
S = rand(rows=400, cols=400, min=-1, max=1, sparsity=0.1, seed=5)
u = rand(rows=900, cols=1, min=-1, max=1, seed=6)
r = rand(rows=1, cols=400, min=-1, max=1, seed=7)
w = rand(rows=400, cols=1, min=-1, max=1, seed=8)
o = rand(rows=1, cols=1, min=1, max=2, seed=9)
d = 2.5
i = 3
b = sum(X) < sum(Y)
";

/// The named matrices by their shapes.
const LEAVES: [(&str, usize, usize); 9] = [
    ("X", ROWS, COLS),
    ("Y", ROWS, COLS),
    ("U", ROWS, RANK),
    ("V", COLS, RANK),
    ("S", COLS, COLS),
    ("u", ROWS, 1),
    ("r", 1, COLS),
    ("w", COLS, 1),
    ("o", 1, 1),
];

/// `count` scripts; the same seed gives the same ones.
pub(super) fn generated(count: usize, seed: u64) -> Vec<Script> {
    (0..count)
        .map(|number| {
            let random = ChaCha8Rng::seed_from_u64(seed.wrapping_add(number as u64));
            Script {
                name: format!("generated_{number:04}.dml"),
                text: Writer(random).script(),
                runs: true,
            }
        })
        .collect()
}

struct Writer(ChaCha8Rng);

impl Writer {
    fn one_of<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of.choose(&mut self.0).copied().unwrap_or_default()
    }

    fn script(&mut self) -> String {
        let mut text = HEAD.to_owned();
        for number in 0..self.0.random_range(2..5) {
            text += &self.statement(number);
        }
        text
    }

    fn statement(&mut self, number: usize) -> String {
        let shapes = [
            (ROWS, COLS),
            (ROWS, 1),
            (1, COLS),
            (COLS, COLS),
            (ROWS, RANK),
        ];
        let (rows, cols) = shapes.choose(&mut self.0).copied().unwrap_or((ROWS, COLS));
        match self.0.random_range(0..10) {
            0..=3 => {
                let value = self.scalar(3);
                format!("s{number} = {value}\nprint(\"s{number} = \" + s{number})\n")
            }
            4 => {
                let value = self.scalar(3);
                format!("print({value})\n")
            }
            5 => {
                let matrix = self.matrix(rows, cols, 2);
                let part = self.one_of(&["[1:2, ]", "[, 1:1]", "[1, 1]"]);
                format!(
                    "T{number} = {matrix}\nP{number} = T{number}{part};   # a part\nprint(sum(P{number}))\n"
                )
            }
            6 => {
                let matrix = self.matrix(rows, cols, 2);
                let last = self.scalar(2);
                format!(
                    "f{number} = 0.0\nfor (j in 1:3) {{\n  T{number} = {matrix};   # a step\n  f{number} = f{number} + sum(T{number} * j) + {last}\n}}\nprint(f{number})\n"
                )
            }
            7 => {
                let sign = self.one_of(&["<", ">", "<=", "!="]);
                let (a, c) = (self.scalar(2), self.scalar(2));
                format!("c{number} = {a} {sign} {c}\nprint(c{number})\nif ({a} > 0) print({c})\n")
            }
            _ => {
                let matrix = self.matrix(rows, cols, 3);
                let seen = self.one_of(&["sum", "mean", "max", "min"]);
                format!(
                    "M{number} = {matrix}\nprint({seen}(M{number}))\nprint(nrow(M{number}) + ncol(M{number}))\n"
                )
            }
        }
    }

    fn scalar(&mut self, depth: usize) -> String {
        let shapes = [(ROWS, COLS), (COLS, COLS), (ROWS, 1), (ROWS, RANK)];
        let (rows, cols) = shapes.choose(&mut self.0).copied().unwrap_or((ROWS, COLS));
        if depth == 0 {
            return self
                .one_of(&["d", "i", "2", "0.5", "nrow(X)", "ncol(U)", "as.scalar(o)"])
                .to_owned();
        }
        match self.0.random_range(0..14) {
            0..=5 => {
                let seen = self.one_of(&["sum", "sum", "sum", "mean", "max", "min"]);
                format!("{seen}({})", self.matrix(rows, cols, depth))
            }
            6 => format!("as.scalar({})", self.matrix(1, 1, depth)),
            7 => format!("trace({})", self.matrix(COLS, COLS, depth)),
            8 => format!("sum({0} - {0})", self.matrix(rows, cols, 1)),
            9 => format!("sum(matrix(1, rows={rows}, cols={cols}))"),
            10 => format!("mean({} > 0)", self.matrix(rows, cols, depth)),
            11 => format!(
                "({} / {})",
                self.scalar(depth - 1),
                self.one_of(&["nrow(X)", "length(Y)", "3", "d"])
            ),
            _ => {
                let sign = self.one_of(&["+", "-", "*", "+"]);
                format!(
                    "({} {sign} {})",
                    self.scalar(depth - 1),
                    self.scalar(depth - 1)
                )
            }
        }
    }

    fn leaf(&mut self, rows: usize, cols: usize) -> String {
        let fits = |leaf: &&(&str, usize, usize)| (leaf.1, leaf.2) == (rows, cols);
        let turned = |leaf: &&(&str, usize, usize)| (leaf.2, leaf.1) == (rows, cols);
        let plain: Vec<String> = LEAVES
            .iter()
            .filter(fits)
            .map(|leaf| leaf.0.to_owned())
            .collect();
        let other = LEAVES
            .iter()
            .filter(turned)
            .map(|leaf| format!("t({})", leaf.0));
        let all: Vec<String> = plain.into_iter().chain(other).collect();
        match all.choose(&mut self.0) {
            Some(leaf) => leaf.clone(),
            None => format!("matrix(2, rows={rows}, cols={cols})"),
        }
    }

    fn matrix(&mut self, rows: usize, cols: usize, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(rows, cols);
        }
        let less = depth - 1;
        match self.0.random_range(0..20) {
            0..=2 => {
                let sign = self.one_of(&["+", "-", "*", "*"]);
                format!(
                    "({} {sign} {})",
                    self.matrix(rows, cols, less),
                    self.matrix(rows, cols, less)
                )
            }
            3..=6 => {
                let inner = [RANK, COLS, 1].choose(&mut self.0).copied().unwrap_or(1);
                format!(
                    "({} %*% {})",
                    self.matrix(rows, inner, less),
                    self.matrix(inner, cols, less)
                )
            }
            7 => format!("t({})", self.matrix(cols, rows, less)),
            8 if cols > 1 => {
                let sign = self.one_of(&["+", "-", "*", "<", "/"]);
                format!(
                    "({} {sign} {})",
                    self.matrix(rows, cols, less),
                    self.matrix(rows, 1, less)
                )
            }
            9 if rows > 1 => {
                let sign = self.one_of(&["+", "-", "*", ">="]);
                format!(
                    "({} {sign} {})",
                    self.matrix(rows, cols, less),
                    self.matrix(1, cols, less)
                )
            }
            // A column and a row, written out.
            10..=12 if rows > 1 && cols > 1 => {
                let sign = self.one_of(&["+", "-", "*", "<"]);
                format!(
                    "({} %*% matrix(1, rows=1, cols={cols}) {sign} matrix(1, rows={rows}, cols=1) %*% {})",
                    self.matrix(rows, 1, less),
                    self.matrix(1, cols, less)
                )
            }
            13 if rows == cols && rows > 1 => format!("diag({})", self.matrix(rows, 1, less)),
            14 if rows > 1 => format!(
                "(diag({}) %*% {})",
                self.matrix(rows, 1, less),
                self.matrix(rows, cols, less)
            ),
            15 if cols == 1 => format!("rowSums({})", self.matrix(rows, COLS, less)),
            15 if rows == 1 => format!("colSums({})", self.matrix(ROWS, cols, less)),
            16 => format!("abs({})", self.matrix(rows, cols, less)),
            17 => format!("({} > 0)", self.matrix(rows, cols, less)),
            18 => format!("({})^2", self.matrix(rows, cols, less)),
            _ => format!(
                "({} * {})",
                self.scalar(less),
                self.matrix(rows, cols, less)
            ),
        }
    }
}

/// The fixtures with random inputs of the sizes that their `#@` lines state: to be compiled, for most would take long.
pub(super) fn fixture(name: &str, text: &str) -> Script {
    let parsed = sumac_syntax::parse(text);
    let mut made = text.to_owned();
    for fact in parsed.facts() {
        let FactKind::Size {
            name,
            rows,
            cols,
            sparsity,
        } = &fact.kind
        else {
            continue;
        };
        if let (Size::Number(rows, _), Size::Number(cols, _)) = (rows, cols) {
            let name = &name.name;
            let sparsity = sparsity.map_or(1.0, |(share, _)| share);
            let random = format!("rand(rows={rows}, cols={cols}, sparsity={sparsity}, seed=7)");
            made = made.replace(
                &format!("{name} = read(${name})"),
                &format!("{name} = {random}"),
            );
        }
    }
    Script {
        name: name.to_owned(),
        text: made,
        runs: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_scripts_read_well_and_are_the_same_for_a_seed() {
        let scripts = generated(60, 1);
        for script in &scripts {
            let parsed = sumac_syntax::parse(script.text.as_str());
            assert!(parsed.errors().is_empty(), "{}", script.text);
        }
        let again = generated(60, 1);
        assert!(scripts.iter().zip(&again).all(|(a, b)| a.text == b.text));
    }

    #[test]
    fn a_fixture_gets_inputs_of_the_sizes_that_it_states() {
        let text = "#@ X: 10 x 20, sparsity 0.5\nX = read($X)\nprint(sum(X))\n";
        let script = fixture("a.dml", text);
        assert!(
            script
                .text
                .contains("X = rand(rows=10, cols=20, sparsity=0.5, seed=7)"),
            "{}",
            script.text
        );
    }
}
