//! Random expressions of DML of a wished shape, over variables whose shapes are named. Runs nothing.
//!
//! What rounding could turn over stays apart from what rounds: comparisons and steps look at variables only, so two
//! equal forms of an expression print the same.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// A dimension by its name; [`ONE`] is a dimension of one.
pub(super) type Dim = char;

/// Of a vector, the other way.
pub(super) const ONE: Dim = '1';

/// A variable and its shape.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) rows: Dim,
    pub(super) cols: Dim,
}

/// What expressions are made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// At least one matrix.
    pub(super) variables: Vec<Variable>,
    /// Numbers by their names.
    pub(super) scalars: Vec<String>,
    /// Each dimension as a script can write its size.
    pub(super) sizes: Vec<(Dim, String)>,
}

impl Names {
    /// Adds a variable.
    pub(super) fn add(&mut self, name: &str, rows: Dim, cols: Dim) {
        self.variables.push(Variable {
            name: name.to_owned(),
            rows,
            cols,
        });
    }

    fn size(&self, dim: Dim) -> &str {
        let found = self.sizes.iter().find(|(name, _)| *name == dim);
        found.map_or("1", |(_, text)| text)
    }
}

const FUNCTIONS: [&str; 5] = ["abs", "sigmoid", "sin", "sign", "exp"];
const NUMBERS: [&str; 6] = ["2", "0.5", "-1", "3", "0.25", "1.5"];

/// Makes expressions.
pub(super) struct Expressions<'a> {
    pub(super) rng: &'a mut ChaCha8Rng,
    pub(super) names: &'a Names,
}

impl Expressions<'_> {
    /// An expression of that shape in at most so many levels of operators.
    pub(super) fn matrix(&mut self, rows: Dim, cols: Dim, depth: usize) -> String {
        if depth == 0 || self.rng.random_range(0..8) == 0 {
            return self.leaf(rows, cols);
        }
        let depth = depth - 1;
        match self.rng.random_range(0..16) {
            0 | 1 => format!("t({})", self.matrix(cols, rows, depth)),
            2..=4 => {
                let operator = ["+", "-", "*"].choose(self.rng).expect("not empty");
                let left = self.matrix(rows, cols, depth);
                format!("({left} {operator} {})", self.matrix(rows, cols, depth))
            }
            5..=7 => self.product(rows, cols, depth),
            8 => {
                let number = self.scalar(depth.min(1));
                format!("({} * {number})", self.matrix(rows, cols, depth))
            }
            9 => self.with_vector(rows, cols, depth),
            10 | 11 if cols == ONE && rows != ONE => {
                let inner = self.dim();
                format!("rowSums({})", self.matrix(rows, inner, depth))
            }
            10 | 11 if rows == ONE && cols != ONE => {
                let inner = self.dim();
                format!("colSums({})", self.matrix(inner, cols, depth))
            }
            10 => format!("(-{})", self.matrix(rows, cols, depth)),
            11 => format!("({})^2", self.matrix(rows, cols, depth)),
            12 => {
                let function = FUNCTIONS.choose(self.rng).expect("not empty");
                format!("{function}({})", self.leaf(rows, cols))
            }
            13 => format!("({} > 0.1)", self.leaf(rows, cols)),
            14 if rows == cols && rows != ONE => {
                format!("diag({})", self.matrix(rows, ONE, depth))
            }
            14 if cols == ONE && rows != ONE => {
                format!("diag({})", self.matrix(rows, rows, depth))
            }
            14 => format!("rev({})", self.matrix(rows, cols, depth)),
            _ => {
                let function = ["max", "min"].choose(self.rng).expect("not empty");
                let left = self.leaf(rows, cols);
                format!("{function}({left}, {})", self.leaf(rows, cols))
            }
        }
    }

    /// A number.
    pub(super) fn scalar(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.number();
        }
        let (rows, cols) = (self.dim(), self.dim());
        let depth = depth - 1;
        match self.rng.random_range(0..9) {
            0..=3 => format!("sum({})", self.matrix(rows, cols, depth)),
            4 => format!("mean({})", self.matrix(rows, cols, depth)),
            5 => {
                let left = self.matrix(ONE, rows, depth);
                let right = self.matrix(rows, ONE, depth);
                format!("as.scalar({left} %*% {right})")
            }
            6 => format!("trace({})", self.matrix(rows, rows, depth)),
            7 => {
                let operator = ["+", "-", "*"].choose(self.rng).expect("not empty");
                let left = self.scalar(depth);
                format!("({left} {operator} {})", self.scalar(depth))
            }
            _ => self.number(),
        }
    }

    fn number(&mut self) -> String {
        if !self.names.scalars.is_empty() && self.rng.random() {
            let name = self.names.scalars.choose(self.rng).expect("not empty");
            return name.clone();
        }
        (*NUMBERS.choose(self.rng).expect("not empty")).to_owned()
    }

    /// A dimension of some variable that is not one.
    fn dim(&mut self) -> Dim {
        let all = &self.names.variables;
        let dims: Vec<Dim> = all
            .iter()
            .flat_map(|variable| [variable.rows, variable.cols])
            .filter(|dim| *dim != ONE)
            .collect();
        *dims.choose(self.rng).unwrap_or(&ONE)
    }

    fn product(&mut self, rows: Dim, cols: Dim, depth: usize) -> String {
        let inner = if self.rng.random_range(0..5) == 0 && rows != ONE && cols != ONE {
            ONE
        } else {
            self.dim()
        };
        let left = self.matrix(rows, inner, depth);
        format!("({left} %*% {})", self.matrix(inner, cols, depth))
    }

    /// A matrix with a vector that SystemDS repeats: it stands on the right.
    fn with_vector(&mut self, rows: Dim, cols: Dim, depth: usize) -> String {
        let operator = ["*", "+", "-"].choose(self.rng).expect("not empty");
        if rows == ONE || cols == ONE {
            let left = self.matrix(rows, cols, depth);
            return format!("({left} {operator} {})", self.matrix(rows, cols, depth));
        }
        let left = self.matrix(rows, cols, depth);
        let right = if self.rng.random() {
            self.matrix(rows, ONE, depth)
        } else {
            self.matrix(ONE, cols, depth)
        };
        format!("({left} {operator} {right})")
    }

    /// A variable of the shape, as it is or turned; a product or a constant where there is none.
    fn leaf(&mut self, rows: Dim, cols: Dim) -> String {
        let all = &self.names.variables;
        let mut fits: Vec<String> = Vec::new();
        for variable in all {
            if (variable.rows, variable.cols) == (rows, cols) {
                fits.push(variable.name.clone());
            } else if (variable.cols, variable.rows) == (rows, cols) {
                fits.push(format!("t({})", variable.name));
            }
        }
        if let Some(found) = fits.choose(self.rng) {
            return found.clone();
        }
        let number = NUMBERS.choose(self.rng).expect("not empty");
        let (rows, cols) = (self.names.size(rows), self.names.size(cols));
        format!("matrix({number}, rows={rows}, cols={cols})")
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use sumac_syntax::parse;

    use super::*;

    #[test]
    fn expressions_are_well_formed_and_the_same_for_a_seed() {
        let mut names = Names::default();
        names.add("X", 'n', 'm');
        names.add("v", 'n', ONE);
        names.scalars.push("a".to_owned());
        names.sizes = vec![('n', "nrow(X)".to_owned()), ('m', "ncol(X)".to_owned())];
        for seed in 0..300 {
            let make = || {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let mut expressions = Expressions {
                    rng: &mut rng,
                    names: &names,
                };
                let left = expressions.matrix('n', 'm', 4);
                format!("R = {left}\nprint({})\n", expressions.scalar(4))
            };
            let text = make();
            assert!(parse(text.as_str()).errors().is_empty(), "{text}");
            assert_eq!(text, make());
        }
    }
}
