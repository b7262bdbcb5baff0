//! Whether two expressions are equal: proved by their canonical forms, or refuted by inputs that tell them apart.
//!
//! Small random inputs only ever show a difference that is there; equality is never concluded from running.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use sumac_analysis::{Analysis, NoFiles, Severity, StatementBlock};
use sumac_la::{Dag, Dim, Node, NodeId, Type};
use sumac_runtime::synthesize::{Range, synthesize};
use sumac_runtime::{Value, eval};
use sumac_sumproduct::canonical::{self, Proof};
use sumac_syntax::ast::Fact;
use sumac_syntax::{parse, parse_expression};

/// The answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// Equal for all inputs.
    Proved(Proof),
    /// Different; the inputs tell them apart where some were found.
    Refuted(Option<Counterexample>),
    /// Neither was shown, and why.
    Undecided(String),
}

/// Inputs for which the two sides differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Counterexample {
    /// Names and values as DML.
    pub inputs: Vec<(String, String)>,
    /// The left side's value.
    pub left: String,
    /// The right side's value.
    pub right: String,
    /// Whether the inputs are smaller than declared.
    pub is_scaled: bool,
}

/// Inputs of the declared sizes are tried up to this many cells; larger ones are tried smaller.
const MAX_CELLS: f64 = 64.0;
/// How many random inputs are tried.
const TRIES: u64 = 16;
/// Cells differ beyond what rounding does.
const DIFFERENT: f64 = 1e-6;

/// Decides whether `lhs` equals `rhs`, where `facts` state the sizes of their names and `scalars` are numbers. A name
/// without either is a matrix of any size.
///
/// # Errors
/// One of the sides is no expression, or its shapes do not fit: text for the user.
pub fn prove(lhs: &str, rhs: &str, facts: &[Fact], scalars: &[String]) -> Result<Answer, String> {
    for (side, text) in [("left", lhs), ("right", rhs)] {
        let (_, errors) = parse_expression(text);
        if let Some(error) = errors.first() {
            return Err(format!(
                "the {side} side `{text}` is no expression: {}",
                error.message
            ));
        }
    }
    let question = Question::new(lhs, rhs, facts, scalars)?;
    let Some((block, left, right)) = question.sides() else {
        return Ok(Answer::Undecided(
            "one of the sides has parts outside of linear algebra".to_owned(),
        ));
    };
    let dag = &block.dag;
    Ok(match canonical::decide((dag, left), (dag, right)) {
        canonical::Verdict::Equal(proof) => Answer::Proved(proof),
        canonical::Verdict::Different => {
            Answer::Refuted(question.counterexample(block, left, right, true))
        }
        canonical::Verdict::Undecided(why) => {
            match question.counterexample(block, left, right, false) {
                Some(found) => Answer::Refuted(Some(found)),
                None => Answer::Undecided(why),
            }
        }
    })
}

/// The two sides as a script, analysed.
struct Question {
    analysis: Analysis,
    /// The variables that the sides are assigned to.
    targets: [String; 2],
}

impl Question {
    fn new(lhs: &str, rhs: &str, facts: &[Fact], scalars: &[String]) -> Result<Self, String> {
        let mut targets = ["left".to_owned(), "right".to_owned()];
        while targets
            .iter()
            .any(|name| lhs.contains(name.as_str()) || rhs.contains(name.as_str()))
        {
            targets.iter_mut().for_each(|name| name.push('_'));
        }
        let sides = format!("{} = {lhs}\n{} = {rhs}\n", targets[0], targets[1]);
        let uses = format!(
            "print(toString({}))\nprint(toString({}))\n",
            targets[0], targets[1]
        );
        let bare = analyzed(&sides, facts);
        let free: BTreeSet<&str> = bare
            .names
            .iter()
            .filter(|name| !name.is_definition && name.definitions.is_empty())
            .filter(|name| name.symbol == sumac_analysis::Symbol::Variable)
            .map(|name| &*name.name)
            .collect();
        let mut script = String::new();
        for name in free {
            // What a `read` gives has the size that the facts state.
            let value = if scalars.iter().any(|scalar| scalar == name) {
                format!("${name}")
            } else {
                format!("read(${name})")
            };
            let _ = writeln!(script, "{name} = {value}");
        }
        let analysis = analyzed(&format!("{script}{sides}{uses}"), facts);
        let is_error = |d: &&sumac_analysis::Diagnostic| d.severity == Severity::Error;
        match analysis.diagnostics.iter().find(is_error) {
            Some(error) => Err(error.message.clone()),
            None => Ok(Question { analysis, targets }),
        }
    }

    /// The block with the nodes of both sides.
    fn sides(&self) -> Option<(&StatementBlock, NodeId, NodeId)> {
        self.analysis.blocks.iter().find_map(|block| {
            let node = |wanted: &String| {
                block.statements.iter().find_map(|statement| {
                    let target = statement.target.as_ref()?;
                    (*target.name == **wanted).then_some(target.version_node)
                })
            };
            Some((block, node(&self.targets[0])?, node(&self.targets[1])?))
        })
    }

    /// Inputs for which the sides differ. `any_size`: smaller inputs than declared are good too.
    fn counterexample(
        &self,
        block: &StatementBlock,
        left: NodeId,
        right: NodeId,
        any_size: bool,
    ) -> Option<Counterexample> {
        let small = Small::new(&block.dag, &[left, right]);
        if small.is_scaled && !any_size {
            return None;
        }
        let dag = small.dag(&block.dag, &[left, right])?;
        (0..TRIES).find_map(|seed| {
            let values: Vec<Value> = dag
                .inputs()
                .iter()
                .zip(0..)
                .map(|(input, n)| {
                    Some(rounded(
                        synthesize(&input.ty, seed * 64 + n, Range::Signed).ok()?,
                    ))
                })
                .collect::<Option<_>>()?;
            let results = eval(&dag, &values).ok()?;
            let [a, b] = results.as_slice() else {
                return None;
            };
            differ(a, b).then(|| Counterexample {
                inputs: self.named(block, &dag, &values),
                left: dml(a),
                right: dml(b),
                is_scaled: small.is_scaled,
            })
        })
    }

    /// The values under the names that the question gives them.
    fn named(&self, block: &StatementBlock, dag: &Dag, values: &[Value]) -> Vec<(String, String)> {
        let statement = block.statements.iter().find(|statement| {
            statement
                .target
                .as_ref()
                .is_some_and(|target| *target.name == *self.targets[1])
        });
        let env = statement.map(|statement| &statement.env);
        let name = |input: &str| {
            let env = env?;
            let is_it = |id: NodeId| block.dag.input_of(id).is_some_and(|i| &*i.name == input);
            let word = |name: &str| {
                name.chars()
                    .all(|c| c.is_alphanumeric() || "._".contains(c))
            };
            env.iter()
                .find(|(name, id)| is_it(**id) && word(name))
                .map(|(name, _)| name.to_string())
        };
        let inputs = dag.inputs().iter().zip(values);
        let mut named: Vec<(String, String)> = inputs
            .map(|(input, value)| {
                (
                    name(&input.name).unwrap_or_else(|| input.name.to_string()),
                    dml(value),
                )
            })
            .collect();
        named.sort();
        named
    }
}

fn analyzed(script: &str, facts: &[Fact]) -> Analysis {
    let parse = parse(script);
    let options = sumac_analysis::Options {
        facts: facts.to_vec(),
        ..sumac_analysis::Options::default()
    };
    sumac_analysis::analyze(
        parse.program(),
        parse.text(),
        parse.errors(),
        &options,
        &NoFiles,
    )
}

/// Sizes that are small enough to print.
struct Small {
    sizes: BTreeMap<Dim, u64>,
    is_scaled: bool,
}

impl Small {
    fn new(dag: &Dag, roots: &[NodeId]) -> Self {
        let used = dag.reachable(roots);
        let types: Vec<&Type> = used
            .iter()
            .filter_map(|id| Some(&dag.input_of(*id)?.ty))
            .collect();
        let cells: Option<f64> = types.iter().map(|ty| ty.cells()).sum();
        let dims: BTreeSet<Dim> = types
            .iter()
            .flat_map(|ty| [ty.rows.clone(), ty.cols.clone()])
            .collect();
        let fits = cells.is_some_and(|cells| cells <= MAX_CELLS);
        let is_scaled = !fits && dims.iter().any(|dim| dim.known().is_some_and(|n| n > 1));
        let mut next = 2;
        let sizes = dims
            .into_iter()
            .map(|dim| {
                let size = match dim.known() {
                    Some(n) if fits || n <= 1 => n,
                    // Different sizes stay different.
                    Some(n) => {
                        next += 1;
                        n.min(next)
                    }
                    None => 3,
                };
                (dim, size)
            })
            .collect();
        Small { sizes, is_scaled }
    }

    /// The roots over inputs of these sizes; `None` where they do not fit the expression any more.
    fn dag(&self, dag: &Dag, roots: &[NodeId]) -> Option<Dag> {
        let mut out = Dag::default();
        let mut map: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        let size = |dim: &Dim| self.sizes.get(dim).copied().map(Dim::Known);
        for id in dag.reachable(roots) {
            let new = match dag.node(id) {
                Node::Input(_) => {
                    let input = dag.input_of(id)?;
                    let sparsity = input.ty.sparsity.map(|share| share.max(0.3));
                    let ty = Type {
                        rows: size(&input.ty.rows)?,
                        cols: size(&input.ty.cols)?,
                        sparsity,
                        ..input.ty.clone()
                    };
                    out.input(&input.name, ty)
                }
                Node::Num(bits) => out.num(f64::from_bits(*bits)),
                Node::Op(op, args) => {
                    let args: Option<Vec<_>> = args.iter().map(|a| map.get(a).copied()).collect();
                    out.op(*op, args?).ok()?
                }
            };
            map.insert(id, new);
        }
        for root in roots {
            out.push_root(map[root]);
        }
        Some(out)
    }
}

/// Quarters are exact and short to print.
fn rounded(value: Value) -> Value {
    let round = |x: f64| (x * 16.0).round() / 4.0;
    match &value {
        Value::Double(x) => Value::Double(round(*x)),
        Value::Matrix(m) => {
            let cells = m.to_cells().into_iter().map(round).collect();
            Value::from(sumac_runtime::Matrix::dense(m.rows(), m.cols(), cells))
        }
        _ => value,
    }
}

fn cells(value: &Value) -> Vec<f64> {
    match value.as_matrix() {
        Some(matrix) => matrix.to_cells(),
        None => value.as_number().into_iter().collect(),
    }
}

fn differ(a: &Value, b: &Value) -> bool {
    let (a, b) = (cells(a), cells(b));
    let off = |(x, y): (&f64, &f64)| {
        // An undefined value tells nothing.
        x.is_finite() && y.is_finite() && (x - y).abs() > DIFFERENT * (1.0 + x.abs().max(y.abs()))
    };
    a.len() != b.len() || a.iter().zip(&b).any(off)
}

/// A value as DML writes it.
fn dml(value: &Value) -> String {
    match value.as_matrix() {
        Some(matrix) => {
            let cells: Vec<String> = matrix
                .to_cells()
                .into_iter()
                .map(sumac_la::number)
                .collect();
            let (rows, cols) = matrix.shape();
            format!("matrix(\"{}\", rows={rows}, cols={cols})", cells.join(" "))
        }
        None => value
            .as_number()
            .map_or_else(|| value.describe(), sumac_la::number),
    }
}

#[cfg(test)]
mod tests {
    use sumac_syntax::parse_fact;

    use super::*;

    fn ask(lhs: &str, rhs: &str, facts: &[&str]) -> Result<Answer, String> {
        let facts: Vec<Fact> = facts.iter().map(|text| parse_fact(text, 0)).collect();
        prove(lhs, rhs, &facts, &["a".to_owned()])
    }

    #[test]
    fn scalars_are_numbers() {
        let answer = ask(
            "sum(A + a)",
            "sum(A) + a * nrow(A) * ncol(A)",
            &["A: 3 x 2"],
        );
        assert!(matches!(answer, Ok(Answer::Proved(_))), "{answer:?}");
        let answer = ask("sum(A * a)", "sum(A) + a", &["A: 3 x 2"]);
        let Ok(Answer::Refuted(Some(found))) = answer else {
            panic!("{answer:?}")
        };
        let names: Vec<_> = found.inputs.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["A", "a"]);
    }

    #[test]
    fn equal_forms_are_proved_for_all_sizes() {
        let answer = ask(
            "sum(A %*% B)",
            "sum(t(colSums(A)) * rowSums(B))",
            &["A: n x k", "B: k x m"],
        );
        assert!(matches!(answer, Ok(Answer::Proved(_))), "{answer:?}");
    }

    #[test]
    fn different_forms_come_with_inputs_that_tell_them_apart() {
        let answer = ask(
            "sum(A * B)",
            "sum(A) * sum(B)",
            &["A: 300 x 20", "B: 300 x 20"],
        );
        let Ok(Answer::Refuted(Some(found))) = answer else {
            panic!("{answer:?}")
        };
        let names: Vec<_> = found.inputs.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["A", "B"]);
        assert!(found.is_scaled && found.left != found.right, "{found:?}");
    }

    #[test]
    fn inputs_of_small_declared_sizes_have_those_sizes() {
        let answer = ask("t(A)", "A", &["A: 2 x 2"]);
        let Ok(Answer::Refuted(Some(found))) = answer else {
            panic!("{answer:?}")
        };
        assert!(found.inputs[0].1.ends_with("rows=2, cols=2)"), "{found:?}");
        assert!(!found.is_scaled);
    }

    #[test]
    fn what_is_no_expression_or_does_not_fit_is_an_error() {
        assert!(ask("sum(A", "1", &[]).unwrap_err().contains("left side"));
        assert!(
            ask("A %*% A", "A", &["A: 2 x 3"])
                .unwrap_err()
                .contains("2 x 3")
        );
        assert!(
            ask("A\nB = 1", "A", &[]).is_err(),
            "two statements are no expression"
        );
    }
}
