//! A DAG's nodes as DML text, with as few parentheses as the grammar allows.

use crate::dag::{Dag, Node, NodeId};
use crate::table::{Op, Print};

/// Strength of something that never needs parentheses.
const ATOM: u8 = 10;
/// Strength of the prefix minus.
const PREFIX: u8 = 8;

/// The widest that a cell of a table makes its column.
const WIDEST: usize = 200;

/// The text with blanks behind it, so that it takes so many columns; what is longer than a table can bear stands out of it.
#[must_use]
pub fn padded(text: &str, width: usize) -> String {
    let missing = width.min(WIDEST).saturating_sub(text.chars().count());
    let mut padded = text.to_owned();
    padded.extend(std::iter::repeat_n(' ', missing));
    padded
}

/// A number as DML writes it: shortest text that reads back as the same value.
#[must_use]
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if !value.is_finite() {
        match (value.is_nan(), value > 0.0) {
            (true, _) => "NaN".to_owned(),
            (false, true) => "(1.0/0)".to_owned(),
            (false, false) => "(-1.0/0)".to_owned(),
        }
    } else if !(1e-4..1e15).contains(&size) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

impl Dag {
    /// The expression of `id` as DML text.
    #[must_use]
    pub fn print(&self, id: NodeId) -> String {
        self.print_with(id, &|_| None)
    }

    /// How many operators, inputs and numbers the text of `id` has: what several parts share stands in it for each of them, so that a
    /// few dozen nodes may have a text that fills any memory.
    #[must_use]
    pub fn text_nodes(&self, id: NodeId) -> usize {
        let mut counts = vec![0_usize; self.len()];
        for node in self.reachable(&[id]) {
            let of_args = self.args(node).iter().map(|arg| counts[arg.index()]);
            counts[node.index()] = of_args.fold(1, usize::saturating_add);
        }
        counts[id.index()]
    }

    /// As [`Dag::print`]; where `name` knows a node, its name stands for it (variables that hold a shared part).
    #[must_use]
    pub fn print_with(&self, id: NodeId, name: &dyn Fn(NodeId) -> Option<String>) -> String {
        Printer { dag: self, name }.node(id, true).0
    }
}

struct Printer<'a> {
    dag: &'a Dag,
    name: &'a dyn Fn(NodeId) -> Option<String>,
}

impl Printer<'_> {
    /// Text and binding strength. The root itself is never replaced by its name.
    fn node(&self, id: NodeId, is_root: bool) -> (String, u8) {
        if !is_root && let Some(name) = (self.name)(id) {
            return (name, ATOM);
        }
        match self.dag.node(id) {
            Node::Input(n) => (self.dag.inputs()[*n as usize].name.to_string(), ATOM),
            Node::Num(bits) => {
                let value = f64::from_bits(*bits);
                (number(value), if value < 0.0 { PREFIX } else { ATOM })
            }
            Node::Op(op, args) => self.op(*op, args),
        }
    }

    fn inside(&self, id: NodeId, at_least: u8) -> String {
        let (text, strength) = self.node(id, false);
        if strength < at_least {
            format!("({text})")
        } else {
            text
        }
    }

    fn plain(&self, id: NodeId) -> String {
        self.inside(id, 0)
    }

    fn op(&self, op: Op, args: &[NodeId]) -> (String, u8) {
        match op.info().print {
            Print::Infix(sign, strength) => {
                // `^` groups to the right, all others to the left; comparisons do not chain.
                let (left, right) = match op {
                    Op::Pow => (strength + 1, strength),
                    _ if strength == 3 => (strength + 1, strength + 1),
                    _ => (strength, strength + 1),
                };
                // `A %*% B * C` is right but hard to read.
                let loose = |arg: NodeId, strength: u8| match self.dag.node(arg) {
                    Node::Op(Op::MatMul, _) if matches!(op, Op::Mul | Op::Div) => ATOM,
                    _ => strength,
                };
                let (left, right) = (loose(args[0], left), loose(args[1], right));
                let spaced = if op == Op::Pow {
                    "^".to_owned()
                } else {
                    format!(" {sign} ")
                };
                (
                    format!(
                        "{}{spaced}{}",
                        self.inside(args[0], left),
                        self.inside(args[1], right)
                    ),
                    strength,
                )
            }
            Print::Prefix(sign, strength) => (
                format!("{sign}{}", self.inside(args[0], strength)),
                strength,
            ),
            Print::Call(name) => {
                let args: Vec<String> = args.iter().map(|a| self.plain(*a)).collect();
                (format!("{name}({})", args.join(", ")), ATOM)
            }
            Print::RightIndex => {
                let rows = self.span(args[0], args[1], args[2], Op::Nrow);
                let cols = self.span(args[0], args[3], args[4], Op::Ncol);
                (
                    format!("{}[{rows}, {cols}]", self.inside(args[0], ATOM)),
                    ATOM,
                )
            }
            Print::LeftIndex => {
                // No expression of DML says this; shown so that a person can still read the node.
                let args: Vec<String> = args.iter().map(|a| self.plain(*a)).collect();
                (format!("leftIndex({})", args.join(", ")), ATOM)
            }
            Print::Fill => {
                let (value, rows, cols) = (
                    self.plain(args[0]),
                    self.plain(args[1]),
                    self.plain(args[2]),
                );
                (format!("matrix({value}, rows={rows}, cols={cols})"), ATOM)
            }
        }
    }

    /// One side of an index; `1 : size` of the indexed matrix is left out.
    fn span(&self, base: NodeId, low: NodeId, high: NodeId, size: Op) -> String {
        let whole = match self.dag.node(high) {
            Node::Op(op, args) => *op == size && args[0] == base,
            Node::Num(_) => {
                let ty = self.dag.ty(base);
                let dim = if size == Op::Nrow { &ty.rows } else { &ty.cols };
                dim.known().map(crate::rules::as_f64) == self.dag.value(high)
            }
            Node::Input(_) => false,
        };
        if whole && self.dag.value(low) == Some(1.0) {
            String::new()
        } else if low == high {
            self.plain(low)
        } else {
            format!("{}:{}", self.inside(low, PREFIX), self.inside(high, PREFIX))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Type;

    #[test]
    fn parentheses_stand_only_where_they_are_needed() {
        let mut d = Dag::default();
        let (a, b, c) = (
            d.input("A", Type::matrix(4, 4)),
            d.input("B", Type::matrix(4, 4)),
            d.input("C", Type::matrix(4, 4)),
        );
        let two = d.num(2.0);
        let minus = d.op(Op::Sub, [b, c]).unwrap();
        let left = d.op(Op::Sub, [a, minus]).unwrap();
        assert_eq!(d.print(left), "A - (B - C)");
        let product = d.op(Op::MatMul, [a, minus]).unwrap();
        assert_eq!(d.print(product), "A %*% (B - C)");
        let square = d.op(Op::Pow, [product, two]).unwrap();
        assert_eq!(d.print(square), "(A %*% (B - C))^2");
        let neg = d.op(Op::Neg, [a]).unwrap();
        let neg_square = d.op(Op::Pow, [neg, two]).unwrap();
        assert_eq!(d.print(neg_square), "(-A)^2");
        let square_neg = d.op(Op::Pow, [a, two]).unwrap();
        let square_neg = d.op(Op::Neg, [square_neg]).unwrap();
        assert_eq!(d.print(square_neg), "-A^2");
        let scaled = d.num(-2.0);
        let scaled = d.op(Op::Mul, [scaled, a]).unwrap();
        let sum = d.op(Op::Add, [b, scaled]).unwrap();
        assert_eq!(d.print(sum), "B + -2 * A");
    }

    #[test]
    fn names_stand_for_shared_parts() {
        let mut d = Dag::default();
        let x = d.input("X", Type::matrix(4, 4));
        let t = d.op(Op::Transpose, [x]).unwrap();
        let p = d.op(Op::MatMul, [t, x]).unwrap();
        let text = d.print_with(p, &|n| (n == t).then(|| "Xt".to_owned()));
        assert_eq!(text, "Xt %*% X");
    }

    #[test]
    fn numbers_read_back() {
        for (value, text) in [
            (2.0, "2"),
            (0.5, "0.5"),
            (1e-15, "1e-15"),
            (-3.0, "-3"),
            (1e20, "1e20"),
            (0.0, "0"),
        ] {
            assert_eq!(number(value), text);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
    }

    #[test]
    fn a_whole_side_of_an_index_is_left_out() {
        let mut d = Dag::default();
        let x = d.input("X", Type::matrix(4, 6));
        let (one, four, k) = (d.num(1.0), d.num(4.0), d.num(3.0));
        let part = d.op(Op::RightIndex, [x, one, four, one, k]).unwrap();
        assert_eq!(d.print(part), "X[, 1:3]");
        assert_eq!(d.ty(part).to_string(), "4 x 3");
    }
}
