//! A language of a few lines gets suggestions: nothing outside of this file knows it.
//!
//! `X: n x d` declares a matrix. Any other line is one expression in reverse notation: a name, `@` for a product, `.` for a product of
//! cells, `'` for a transpose, `trace`, `sum`.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use sumac_advice::{NoSuggestion, suggest};
use sumac_cost::Polynomial;
use sumac_la::{Dag, Dim, Node, NodeId, Op, Type};
use sumac_language::{Analysis, Expression, Language, Notation, Price, Setting, Spelling, of_path};
use sumac_runtime::Cancel;
use sumac_text::{SyntaxError, TextEdit, TextRange};

#[derive(Debug)]
struct Toy;

const SIGNS: [(&str, Op); 5] = [
    ("@", Op::MatMul),
    (".", Op::Mul),
    ("'", Op::Transpose),
    ("trace", Op::Trace),
    ("sum", Op::Sum),
];

fn read(text: &str, inputs: &[(String, Type)]) -> Option<Dag> {
    let (mut dag, mut stack) = (Dag::default(), Vec::new());
    for word in text.split_whitespace() {
        let node = match SIGNS.iter().find(|(sign, _)| *sign == word) {
            Some((_, op)) => {
                let first = stack
                    .len()
                    .checked_sub(if matches!(op, Op::MatMul | Op::Mul) {
                        2
                    } else {
                        1
                    })?;
                let args: Vec<NodeId> = stack.drain(first..).collect();
                dag.op(*op, args).ok()?
            }
            None => dag.input(
                word,
                inputs.iter().find(|(name, _)| name == word)?.1.clone(),
            ),
        };
        stack.push(node);
    }
    let [root] = stack.as_slice() else {
        return None;
    };
    dag.push_root(*root);
    Some(dag)
}

fn written(dag: &Dag, id: NodeId) -> Option<String> {
    let sign = match dag.node(id) {
        Node::Input(_) => return Some(dag.input_of(id)?.name.to_string()),
        Node::Num(_) => return None,
        Node::Op(op, _) => SIGNS.iter().find(|(_, known)| known == op)?.0,
    };
    let args: Option<Vec<String>> = dag.args(id).iter().map(|arg| written(dag, *arg)).collect();
    Some(format!("{} {sign}", args?.join(" ")))
}

/// Two operations for each pair of cells that meet, one for each cell that is made.
fn price(dag: &Dag) -> Price {
    let size = |dim: &Dim| Polynomial::size(dim).unwrap();
    let mut flops = Polynomial::default();
    for id in dag.reachable(dag.roots()) {
        let (ty, args) = (dag.ty(id), dag.args(id));
        let cells = size(&ty.rows).times(&size(&ty.cols));
        flops = flops.plus(&match dag.node(id) {
            Node::Op(Op::MatMul, _) => cells.times(&size(&dag.ty(args[0]).cols)).scaled(2.0),
            Node::Op(Op::Sum | Op::Mul, _) => {
                let read = dag.ty(args[0]);
                size(&read.rows).times(&size(&read.cols))
            }
            _ => Polynomial::default(),
        });
    }
    Price {
        seconds: flops.scaled(1e-9),
        peak_bytes: Polynomial::default(),
        flops,
    }
}

struct InPlace {
    range: TextRange,
    inputs: Vec<(String, Type)>,
}

impl fmt::Debug for InPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.range)
    }
}

impl Notation for InPlace {
    fn setting(&self) -> Result<Setting, String> {
        Err("nothing runs it".to_owned())
    }

    fn say(&self, form: &Dag, node: NodeId) -> String {
        written(form, node).unwrap_or_default()
    }

    fn write(&self, form: &Dag) -> Result<Vec<Spelling>, String> {
        let text = written(form, form.roots()[0]).ok_or("it has no sign")?;
        let dag = read(&text, &self.inputs).ok_or("it is not read again")?;
        let edit = TextEdit {
            range: self.range,
            new_text: text.clone(),
        };
        Ok(vec![Spelling {
            text,
            price: price(&dag),
            dag,
            assumes: Vec::new(),
            edit,
        }])
    }
}

impl Language for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["toy"]
    }

    fn syntax_errors(&self, _: &str) -> Vec<SyntaxError> {
        Vec::new()
    }

    fn read(&self, text: &str) -> Analysis {
        let (mut inputs, mut expressions, mut start) = (Vec::new(), Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            let range = TextRange::new(start, start + line.trim_end().len());
            start += line.len();
            if let Some((name, sizes)) = line.split_once(':') {
                if let Some((rows, cols)) = sizes.trim().split_once(" x ") {
                    let dim = |text: &str| {
                        text.parse()
                            .map_or_else(|_| Dim::Named(text.into()), Dim::Known)
                    };
                    inputs.push((name.to_owned(), Type::matrix(dim(rows), dim(cols))));
                }
            } else if let Some(dag) = read(line, &inputs) {
                expressions.push(Expression {
                    range,
                    statement: range,
                    key: format!("{line} {inputs:?}"),
                    function: None,
                    price: price(&dag),
                    dag,
                    assumes: Vec::new(),
                    order: Vec::new(),
                    notation: Arc::new(InPlace {
                        range,
                        inputs: inputs.clone(),
                    }),
                });
            }
        }
        Analysis {
            expressions,
            ..Analysis::default()
        }
    }
}

fn suggestions(text: &str) -> String {
    let languages: [&dyn Language; 1] = [&Toy];
    let toy = of_path(Path::new("a.toy"), &languages).unwrap();
    let told = toy.read(text).expressions.into_iter().map(|expression| {
        match suggest(&expression, &Cancel::default()) {
            Ok(found) => {
                let each = found
                    .iter()
                    .map(|one| format!("{}, {}", one.text, one.when));
                each.collect::<Vec<_>>().join("; ")
            }
            Err(why) => format!("{why:?}"),
        }
    });
    told.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_language_of_a_few_lines_gets_suggestions() {
    let found = suggestions(
        "A: n x m\nB: m x n\nv: m x 1\nC: 2000 x 2000\nA B @ trace\nA B @ A @ v @\nC C @ C v\nA\n",
    );
    let lines: Vec<&str> = found.lines().collect();
    assert!(lines[0].contains("sum, cheaper for all sizes"), "{found}");
    assert_eq!(lines[1], "A B A v @ @ @, cheaper for all sizes");
    assert_eq!(lines[2], format!("{:?}", NoSuggestion::Cheapest), "{found}");
    assert!(of_path(Path::new("a.py"), &[&Toy as &dyn Language]).is_none());
}
