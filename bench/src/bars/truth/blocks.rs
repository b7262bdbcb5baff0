//! Random scripts of straight statements over inputs of stated sizes: what searches are measured on.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::expressions::{Expressions, Names, ONE, Variable};

/// Dimensions of the inputs.
const DIMS: [char; 3] = ['n', 'm', 'k'];

/// How large inputs are, and how deep expressions.
pub(crate) struct Scale {
    /// Sizes of n, of m and of k to choose from.
    pub(crate) sizes: [&'static [usize]; 3],
    pub(crate) depth: usize,
    /// Sparsities to choose from; 1 is dense.
    pub(crate) sparsities: &'static [f64],
}

/// Inputs and what is said of them.
pub(crate) struct Inputs {
    pub(crate) facts: String,
    pub(crate) reads: String,
    pub(super) names: Names,
}

impl Inputs {
    /// Four matrices, three vectors and a number.
    pub(crate) fn random(rng: &mut ChaCha8Rng, scale: &Scale) -> Self {
        let sizes: Vec<usize> = scale
            .sizes
            .iter()
            .map(|all| *all.choose(rng).expect("not empty"))
            .collect();
        let size = |dim: char| {
            let at = DIMS.iter().position(|known| *known == dim);
            at.map_or(1, |at| sizes[at])
        };
        let mut inputs = Inputs {
            facts: String::new(),
            reads: String::new(),
            names: Names::default(),
        };
        for name in ["X", "Y", "U", "V", "u", "v", "w"] {
            let is_vector = name.chars().all(char::is_lowercase);
            let rows = *DIMS.choose(rng).expect("not empty");
            let mut cols = *DIMS.choose(rng).expect("not empty");
            if is_vector {
                cols = ONE;
            }
            let sparsity = *scale.sparsities.choose(rng).expect("not empty");
            let shape = format!("{} x {}", size(rows), size(cols));
            let said = if sparsity < 1.0 && !is_vector {
                format!(", sparsity {sparsity}")
            } else {
                String::new()
            };
            inputs
                .facts
                .push_str(&format!("#@ {name}: {shape}{said}\n"));
            inputs.reads.push_str(&format!("{name} = read(${name})\n"));
            inputs.names.add(name, rows, cols);
        }
        inputs.names.sizes = DIMS.map(|dim| (dim, inputs.size_of(dim))).to_vec();
        inputs
    }

    /// The size of a dimension as a script asks for it.
    fn size_of(&self, dim: char) -> String {
        let all = &self.names.variables;
        let by_rows = all.iter().find(|variable| variable.rows == dim);
        let by_cols = all.iter().find(|variable| variable.cols == dim);
        match (by_rows, by_cols) {
            (Some(variable), _) => format!("nrow({})", variable.name),
            (_, Some(variable)) => format!("ncol({})", variable.name),
            // No expression has it.
            _ => "1".to_owned(),
        }
    }

    /// So many statements, each of which may use what those before it computed; the last ones are written and printed.
    pub(crate) fn statements(
        &self,
        rng: &mut ChaCha8Rng,
        count: usize,
        depth: usize,
    ) -> Vec<String> {
        let (mut lines, results) = assignments(&self.names, rng, count, depth);
        lines.extend(results);
        lines
    }
}

/// So many assignments, each of which may use what those before it computed, and a statement for each that prints its value.
pub(super) fn assignments(
    known: &Names,
    rng: &mut ChaCha8Rng,
    count: usize,
    depth: usize,
) -> (Vec<String>, Vec<String>) {
    let mut names = known.clone();
    let mut lines = Vec::new();
    let mut results = Vec::new();
    for number in 0..count {
        let is_scalar = rng.random_range(0..3) == 0;
        let (rows, cols) = shape_of(&names, rng);
        let mut expressions = Expressions {
            rng: &mut *rng,
            names: &names,
        };
        if is_scalar {
            let text = expressions.scalar(depth);
            lines.push(format!("r{number} = {text}"));
            results.push(format!("print(r{number})"));
        } else {
            let text = expressions.matrix(rows, cols, depth);
            let name = format!("R{number}");
            lines.push(format!("{name} = {text}"));
            results.push(format!("print(sum({name}))"));
            names.add(&name, rows, cols);
        }
    }
    (lines, results)
}

fn shape_of(names: &Names, rng: &mut ChaCha8Rng) -> (char, char) {
    let choose = |rng: &mut ChaCha8Rng| -> Variable {
        names.variables.choose(rng).expect("not empty").clone()
    };
    let (one, other) = (choose(rng), choose(rng));
    (one.rows, other.cols)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use sumac_syntax::parse;

    use super::*;

    #[test]
    fn blocks_are_well_formed() {
        let scale = Scale {
            sizes: [&[8, 9], &[5], &[3]],
            depth: 3,
            sparsities: &[1.0, 0.1],
        };
        for seed in 0..100 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let inputs = Inputs::random(&mut rng, &scale);
            let lines = inputs.statements(&mut rng, 6, scale.depth);
            let text = format!("{}{}{}\n", inputs.facts, inputs.reads, lines.join("\n"));
            assert!(parse(text.as_str()).errors().is_empty(), "{text}");
        }
    }
}
