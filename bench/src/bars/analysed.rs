//! A script analysed by the library, without the program under measurement: what it costs, what it forms.
//!
//! Looks at no file but the text it is given, and searches nothing.

use anyhow::{Context, Result};
use sumac_analysis::{Known, NoFiles, Options, analyze};
use sumac_cost::{Cost, Machine, Priced};
use sumac_la::{Dag, NodeId, SPARSE_BELOW, Type};
use sumac_syntax::parse;

/// A script and what is known of it.
pub(crate) struct Analysed {
    text: String,
    analysis: Known,
}

impl Analysed {
    /// Analyses a script that must be well-formed.
    ///
    /// # Errors
    /// It is not: then nothing may be concluded from it.
    pub(crate) fn new(text: &str) -> Result<Self> {
        let parsed = parse(text);
        if let Some(error) = parsed.errors().first() {
            anyhow::bail!("the script has a syntax error: {}\n{text}", error.message);
        }
        let analysis = analyze(&parsed, &Options::default(), &NoFiles);
        Ok(Analysed {
            text: text.to_owned(),
            analysis,
        })
    }

    /// The estimated cost of all statements, on the machine that estimates are for unless measured otherwise.
    ///
    /// # Errors
    /// A size on the way is not known.
    pub(crate) fn cost(&self) -> Result<Cost> {
        self.cost_on(&Machine::default())
    }

    /// The same on another machine.
    ///
    /// # Errors
    /// A size on the way is not known.
    pub(crate) fn cost_on(&self, machine: &Machine) -> Result<Cost> {
        let mut total = Cost::default();
        for block in &self.analysis.blocks {
            let cost = block
                .dag
                .cost(&roots(block), machine)
                .context("a size on the way is not known")?;
            total.flops += cost.flops;
            total.bytes += cost.bytes;
            total.nnz += cost.nnz;
            total.seconds += cost.seconds;
            total.peak_bytes = total.peak_bytes.max(cost.peak_bytes);
        }
        Ok(total)
    }

    /// Every matrix of at least `cells` cells, or of unknown size, that is not stored sparse: nodes of the blocks'
    /// DAGs, and expressions of known size as they are written, so that what the DAGs cannot express counts too.
    pub(crate) fn large_dense(&self, cells: f64) -> Vec<String> {
        let mut found = Vec::new();
        for block in &self.analysis.blocks {
            for id in block.dag.reachable(&roots(block)) {
                if is_large_dense(block.dag.ty(id), cells) {
                    found.push(shown(&block.dag, id));
                }
            }
        }
        for (range, value) in &self.analysis.expr_types {
            let ty = value.ty();
            // A `read` has no size of its own: the fact is one about the variable.
            if ty.cells().is_some() && is_large_dense(&ty, cells) {
                found.push(format!("{}: {ty}", &self.text.as_str()[*range]));
            }
        }
        found.sort();
        found.dedup();
        found
    }
}

fn roots(block: &sumac_analysis::StatementBlock) -> Vec<NodeId> {
    let parts = block.statements.iter().flat_map(|s| &s.parts);
    let mut roots: Vec<NodeId> = parts.map(|part| part.root).collect();
    roots.sort_unstable();
    roots.dedup();
    roots
}

fn shown(dag: &Dag, id: NodeId) -> String {
    format!("{}: {}", dag.print(id), dag.ty(id))
}

fn is_large_dense(ty: &Type, cells: f64) -> bool {
    !ty.is_scalar() && ty.cells().is_none_or(|n| n >= cells) && ty.density() >= SPARSE_BELOW
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACTS: &str = "\
#@ X: 20000 x 10000, sparsity 0.001
#@ U: 20000 x 10
#@ V: 10000 x 10
X = read($X)
U = read($U)
V = read($V)
";

    fn analysed(statement: &str) -> Analysed {
        Analysed::new(&format!("{FACTS}{statement}\n")).unwrap()
    }

    #[test]
    fn a_dense_product_is_found_however_it_is_hidden() {
        for statement in [
            "print(sum((X - U %*% t(V))^2))",
            "A = U %*% t(V)\nprint(sum(A))",
            "print(sum(X * (U %*% t(V))))",
            "if (sum(U) > 0) { print(sum(U %*% t(V))) }",
        ] {
            let found = analysed(statement).large_dense(2e8);
            assert!(!found.is_empty(), "{statement}");
        }
    }

    #[test]
    fn a_matrix_of_unknown_size_counts_as_large() {
        let found = analysed("A = read($A)\nprint(sum(A %*% t(A)))").large_dense(2e8);
        assert!(!found.is_empty());
    }

    #[test]
    fn sparse_and_small_matrices_are_not_found() {
        let found = analysed("print(sum(X^2) + sum(U * (X %*% V)))").large_dense(2e8);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn shared_parts_cost_once_and_every_statement_counts() {
        let once = analysed("print(sum(U * U))").cost().unwrap().nnz;
        let twice = analysed("print(sum(U * U))\nprint(sum(U * U))");
        assert_eq!(twice.cost().unwrap().nnz, once);
        let more = analysed("print(sum(U * U))\nprint(sum(V * V))");
        assert!(more.cost().unwrap().nnz > once);
    }

    #[test]
    fn broken_scripts_are_not_concluded_from() {
        assert!(Analysed::new("x = (").is_err());
    }
}
