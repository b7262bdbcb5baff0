//! From the text of a row to DAGs: one for each way to give its letters shapes. Knows nothing of rules.

use sumac_la::{Dag, NodeId, Op, Print, Type};
use sumac_sketch::text::ast::{Expr, ExprKind, Name};
use sumac_sketch::text::parse_expression;

use crate::rules::Operands;

pub(crate) const KINDS: [Operands; 8] = [
    Operands::Scalar,
    Operands::OneByOne,
    Operands::Row,
    Operands::Column,
    Operands::Matrix,
    Operands::Square,
    Operands::Empty,
    Operands::Mixed,
];

/// Rows and columns of the matrices that a letter may be; it may be a scalar, too.
const SIZES: [(u64, u64); 11] = [
    (1, 1),
    (1, 3),
    (1, 2),
    (3, 1),
    (2, 1),
    (2, 3),
    (3, 2),
    (3, 3),
    (0, 3),
    (3, 0),
    (0, 1),
];

/// The shape of one letter; a scalar has none.
pub(crate) type Shape = Option<(u64, u64)>;

fn kind(shape: Shape) -> Operands {
    match shape {
        None => Operands::Scalar,
        Some((0, _) | (_, 0)) => Operands::Empty,
        Some((1, 1)) => Operands::OneByOne,
        Some((1, _)) => Operands::Row,
        Some((_, 1)) => Operands::Column,
        Some((rows, cols)) if rows == cols => Operands::Square,
        Some(_) => Operands::Matrix,
    }
}

/// The operator that is written by a sign.
fn by_sign(is_it: impl Fn(Print) -> bool) -> Option<Op> {
    Op::ALL.iter().copied().find(|op| is_it(op.info().print))
}

fn infix(sign: &str) -> Option<Op> {
    // In sketches, the single sign means something else.
    let sign = match sign {
        "&&" => "&",
        "||" => "|",
        sign => sign,
    };
    by_sign(|print| matches!(print, Print::Infix(own, _) if own == sign))
}

fn prefix(sign: &str) -> Option<Op> {
    by_sign(|print| matches!(print, Print::Prefix(own, _) if own == sign))
}

/// An expression, its letters in the order in which they stand, and the shapes that a row gives them.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    expr: Expr,
    letters: Vec<String>,
    given: Vec<(String, (u64, u64))>,
}

/// The expression over inputs of certain shapes.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) dag: Dag,
    pub(crate) root: NodeId,
    pub(crate) shapes: Vec<Shape>,
}

impl Instance {
    /// What its shapes are examples of.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Operands> + '_ {
        let first = self.shapes.first();
        let is_mixed = self.shapes.iter().any(|shape| Some(shape) != first);
        let own = self.shapes.iter().map(|shape| kind(*shape));
        own.chain(is_mixed.then_some(Operands::Mixed))
    }

    /// Whether an input has no cells.
    pub(crate) fn is_empty(&self) -> bool {
        self.kinds().any(|kind| kind == Operands::Empty)
    }

    /// Whether nothing in it is repeated: all of its inputs have one shape, or the text gives each of them its own.
    pub(crate) fn is_of_one_shape_or_given(&self, text: &Text) -> bool {
        let first = self.shapes.first();
        let is_given = text.given.len() == text.letters.len();
        is_given || self.shapes.iter().all(|shape| Some(shape) == first)
    }

    /// Whether a script can have it: no empty matrices and no scalars among its inputs.
    pub(crate) fn is_of_matrices(&self) -> bool {
        self.shapes
            .iter()
            .all(|shape| shape.is_some_and(|(rows, cols)| rows > 0 && cols > 0))
    }
}

impl Text {
    /// Reads `A + B where A: 3 x 3`: letters that are given no shape take all.
    pub(crate) fn new(text: &str) -> Self {
        let (expression, given) = text.split_once(" where ").unwrap_or((text, ""));
        let expr = parse_expression(expression)
            .unwrap_or_else(|error| panic!("{text}: {}", error.message));
        let mut letters: Vec<String> = Vec::new();
        expr.walk(&mut |part| {
            if let ExprKind::Name(name) = &part.kind
                && !letters.iter().any(|known| **known == **name)
            {
                letters.push(name.to_string());
            }
        });
        let given = given.split(", ").filter(|given| !given.is_empty());
        let given = given.map(|given| {
            let shape = given.split_once(": ").and_then(|(letter, size)| {
                let (rows, cols) = size.split_once(" x ")?;
                let size = (rows.parse().ok()?, cols.parse().ok()?);
                Some((letter.to_owned(), size))
            });
            shape.unwrap_or_else(|| panic!("{text}: `{given}` is no shape"))
        });
        Text {
            text: text.to_owned(),
            given: given.collect(),
            expr,
            letters,
        }
    }

    /// As it stands in DML.
    pub(crate) fn as_dml(&self) -> String {
        let expression = self.text.split(" where ").next().unwrap_or_default();
        expression.replace("&&", "&").replace("||", "|")
    }

    /// The same with another operator in one place, for each place that has one.
    pub(crate) fn mutants(&self) -> Vec<Text> {
        mutants(&self.expr)
            .into_iter()
            .map(|expr| Text::new(&expr.to_string()))
            .collect()
    }

    pub(crate) fn letters(&self) -> &[String] {
        &self.letters
    }

    /// All ways to give the letters shapes in which every operator fits its arguments.
    pub(crate) fn instances(&self) -> impl Iterator<Item = Instance> + '_ {
        let shapes: Vec<Shape> = std::iter::once(None).chain(SIZES.map(Some)).collect();
        let of_letter = |letter: &String| {
            let given = self.given.iter().find(|(given, _)| given == letter);
            given.map_or_else(|| shapes.clone(), |(_, size)| vec![Some(*size)])
        };
        let choices: Vec<Vec<Shape>> = self.letters.iter().map(of_letter).collect();
        let count: usize = choices.iter().map(Vec::len).product();
        (0..count).filter_map(move |number| {
            let mut rest = number;
            let mut chosen = Vec::new();
            for choices in &choices {
                chosen.push(choices[rest % choices.len()]);
                rest /= choices.len();
            }
            self.instance(chosen)
        })
    }

    fn instance(&self, shapes: Vec<Shape>) -> Option<Instance> {
        self.over(&self.letters, shapes)
    }

    /// The expression over these letters, which are all of its own at least.
    pub(crate) fn over(&self, letters: &[String], shapes: Vec<Shape>) -> Option<Instance> {
        let mut dag = Dag::default();
        for (letter, shape) in letters.iter().zip(&shapes) {
            let ty = shape.map_or_else(Type::scalar, |(rows, cols)| Type::matrix(rows, cols));
            dag.input(letter, ty);
        }
        let root = self.write(&self.expr, &mut dag)?;
        Some(Instance { dag, root, shapes })
    }

    /// `None` where an operator does not fit its arguments.
    fn write(&self, expr: &Expr, dag: &mut Dag) -> Option<NodeId> {
        let unknown = || -> ! { panic!("{}: no operator that the audit knows", self.text) };
        let (op, args): (Option<Op>, Vec<&Expr>) = match &expr.kind {
            // The type is that of the input that is there.
            ExprKind::Name(name) => return Some(dag.input(name, Type::scalar())),
            ExprKind::Number(value) => return Some(dag.num(*value)),
            ExprKind::Unary(sign, inner) => (prefix(sign), vec![inner]),
            ExprKind::Binary(sign, left, right) => (infix(sign), vec![left, right]),
            ExprKind::Call(name, args) => (
                Op::by_call_name(&name.text, args.len()),
                args.iter().collect(),
            ),
            _ => unknown(),
        };
        let mut made = Vec::new();
        for arg in args {
            made.push(self.write(arg, dag)?);
        }
        // `matrix` of a number fills; of a matrix it reshapes.
        let op = match op.unwrap_or_else(|| unknown()) {
            Op::Fill | Op::Reshape if dag.is_scalar(made[0]) => Op::Fill,
            Op::Fill | Op::Reshape => Op::Reshape,
            op => op,
        };
        dag.op(op, made).ok()
    }
}

/// Another operator of as many operands, by how either is written.
const OTHERS: [(&str, &str); 13] = [
    ("+", "-"),
    ("-", "+"),
    ("*", "+"),
    ("/", "*"),
    ("^", "/"),
    ("%*%", "*"),
    ("sum", "max"),
    ("rowSums", "rowMaxs"),
    ("colSums", "colMaxs"),
    ("t", "rev"),
    ("trace", "sum"),
    ("diag", "exp"),
    ("as.scalar", "sum"),
];

fn other(name: &str) -> Option<&'static str> {
    let row = OTHERS.iter().find(|(own, _)| *own == name);
    row.map(|(_, other)| *other)
}

fn mutants(expr: &Expr) -> Vec<Expr> {
    let with = |kind: ExprKind| Expr {
        range: expr.range,
        kind,
    };
    match &expr.kind {
        ExprKind::Binary(sign, left, right) => {
            let own =
                other(sign).map(|other| with(ExprKind::Binary(other, left.clone(), right.clone())));
            let in_left = mutants(left)
                .into_iter()
                .map(|left| with(ExprKind::Binary(sign, Box::new(left), right.clone())));
            let in_right = mutants(right)
                .into_iter()
                .map(|right| with(ExprKind::Binary(sign, left.clone(), Box::new(right))));
            own.into_iter().chain(in_left).chain(in_right).collect()
        }
        ExprKind::Unary(sign, inner) if !matches!(inner.kind, ExprKind::Number(_)) => {
            let own = with(ExprKind::Unary("!", inner.clone()));
            let inner = mutants(inner)
                .into_iter()
                .map(|inner| with(ExprKind::Unary(sign, Box::new(inner))));
            std::iter::once(own).chain(inner).collect()
        }
        ExprKind::Call(name, args) if args.len() == 1 => {
            let called = |text: &str, arg: Expr| {
                let name = Name {
                    text: text.into(),
                    ..name.clone()
                };
                with(ExprKind::Call(name, vec![arg]))
            };
            let own = other(&name.text).map(|other| called(other, args[0].clone()));
            let inner = mutants(&args[0])
                .into_iter()
                .map(|arg| called(&name.text, arg));
            own.into_iter().chain(inner).collect()
        }
        _ => Vec::new(),
    }
}
