//! The array program of an expression: what a schedule is made for.
//!
//! ```text
//! C = A %*% B    # program C(m, n, k)(A: [m][k]f64, B: [k][n]f64) = …
//! ```

use sumac_analysis::{BlockStatement, Part};
use sumac_array::Scalar;
use sumac_array::algebra::{Translated, of_dag};
use sumac_la::{Dag, Node, NodeId, Op};
use sumac_text::TextRange;

use crate::snapshot::Snapshot;

/// An expression of a script as an array program.
#[derive(Debug)]
pub struct ArrayProgram {
    /// Where it stands.
    pub range: TextRange,
    /// Whether matrices are multiplied in it.
    pub has_product: bool,
    /// The program, over numbers of 64 bits as the script's; or why there is none: text for a person.
    pub translated: Result<Translated, String>,
}

/// The program of an expression that touches `wanted`: of the first that multiplies matrices, or else of the first.
///
/// Values that earlier statements compute are inputs of the program, by their names. `None` where there is no linear algebra.
#[must_use]
pub fn array_program(snapshot: &Snapshot, wanted: TextRange) -> Option<ArrayProgram> {
    let touches = |range: TextRange| range.start <= wanted.end && wanted.start <= range.end;
    let mut found: Option<ArrayProgram> = None;
    for unit in snapshot.analysis.parts().units() {
        let whole = TextRange::new(0, unit.unit().text.len());
        if !touches(unit.range(whole)) {
            continue;
        }
        for block in &unit.analysis().blocks {
            let statements = block.statements.iter();
            for statement in statements.filter(|s| touches(unit.range(s.range))) {
                for part in &statement.parts {
                    let range = unit.range(part.range);
                    let is_algebra = !block.dag.args(part.root).is_empty();
                    if !is_algebra || !touches(range) {
                        continue;
                    }
                    let (dag, root) = alone(&block.dag, statement, part);
                    let has_product = has_product(&dag, root);
                    if found.is_some() && !has_product {
                        continue;
                    }
                    let target = statement.target.as_ref();
                    let name = target.map_or("kernel", |target| &target.name);
                    let program = ArrayProgram {
                        range,
                        has_product,
                        translated: of_dag(&dag, root, name, Scalar::F64),
                    };
                    if has_product {
                        return Some(program);
                    }
                    found = Some(program);
                }
            }
        }
    }
    found
}

/// The part with inputs for what variables held just before its statement.
fn alone(dag: &Dag, statement: &BlockStatement, part: &Part) -> (Dag, NodeId) {
    let mut own = Dag::default();
    let root = own.import_with(dag, part.root, &mut |own, id| {
        if id == part.root || dag.args(id).is_empty() {
            return None;
        }
        let mut env = statement.env.iter();
        let (name, _) = env.find(|(_, node)| **node == id)?;
        Some(own.input(name, dag.ty(id).clone()))
    });
    (own, root)
}

fn has_product(dag: &Dag, root: NodeId) -> bool {
    let is_product = |id: &NodeId| matches!(dag.node(*id), Node::Op(Op::MatMul, _));
    dag.reachable(&[root]).iter().any(is_product)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::fixture::{cursor, snapshot};

    const SCRIPT: &str = "\
#@ A: 100 x 200
#@ B: 200 x 50
A = read($A)
B = read($B)
C = A %*% B
D = t(C) %*% C + 1
print(sum(A))
print(\"done\")
";

    fn at(text: &str) -> Option<ArrayProgram> {
        array_program(&snapshot(SCRIPT), cursor(SCRIPT.find(text).unwrap()))
    }

    #[test]
    fn a_product_is_a_program_of_its_matrices() {
        let found = at("A %*% B").unwrap();
        assert!(found.has_product);
        assert_eq!(&SCRIPT[found.range.start..found.range.end], "A %*% B");
        let translated = found.translated.unwrap();
        expect![[r#"
            program C(m, n, k)(A: [m][k]f64, B: [k][n]f64) =
            map(
              fun a => map(fun b => reduce(add, 0f64, map(fun c => fst(c) * snd(c), zip(a, b))), transpose(B)),
              A
            )
        "#]].assert_eq(&translated.program.show());
        let mut sizes: Vec<_> = translated.sizes.into_iter().collect();
        sizes.sort();
        assert_eq!(
            sizes,
            [
                ("k".to_owned(), 200),
                ("m".to_owned(), 100),
                ("n".to_owned(), 50)
            ]
        );
    }

    #[test]
    fn what_an_earlier_statement_computes_is_an_input() {
        let translated = at("t(C)").unwrap().translated.unwrap();
        assert_eq!(translated.inputs, ["C".into()]);
    }

    #[test]
    fn what_multiplies_nothing_is_a_program_too_and_text_is_none() {
        let found = at("sum(A)").unwrap();
        assert!(!found.has_product && found.translated.is_ok());
        assert!(at("print(\"done").is_none());
    }
}
