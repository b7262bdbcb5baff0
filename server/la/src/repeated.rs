//! Second operands that other data could make a single row or column: the language repeats such a one beside the first operand,
//! so that what holds of equal sizes need not hold there. A diagonal likewise is made of a single column and taken of a matrix.
//!
//! Must never count a size that the script itself says, nor data on which the form as written has no value: a first operand is
//! not repeated, but for a column before a row.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crate::dag::{Dag, Node, NodeId};
use crate::scale::retyped;
use crate::symbols::Symbols;
use crate::table::{Op, ShapeRule};
use crate::types::{Dim, Kind, Type};

/// A size that is many as it is stated, and could be one: `nrow(Y) = nrow(X)` says that it is not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repeatable {
    size: Dim,
    beside: Dim,
    /// The names that are one where it is one.
    ones: BTreeSet<Arc<str>>,
    /// The rows and the columns of each input that they are.
    inputs: BTreeSet<(Arc<str>, Side)>,
}

/// Which size of an input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Side {
    /// How many rows it has.
    Rows,
    /// How many columns it has.
    Cols,
    /// What a scalar holds.
    Value,
}

/// The rows or the columns.
type SizeOf = fn(&Type) -> &Dim;

const ROWS: SizeOf = |ty| &ty.rows;
const COLS: SizeOf = |ty| &ty.cols;

impl fmt::Display for Repeatable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.beside {
            Dim::Unknown => write!(f, "{} > 1", self.size),
            beside => write!(f, "{} = {beside}", self.size),
        }
    }
}

impl Repeatable {
    /// The inputs of which that size is one.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().map(|(name, _)| &**name)
    }

    /// A form of the same expression with that size being one, over symbols. `None` where it has no value there.
    #[must_use]
    pub fn as_one(&self, form: &Dag) -> Option<Dag> {
        let is_one = |name: &Arc<str>, side| self.inputs.contains(&(Arc::clone(name), side));
        let of_one = retyped(form, |input| {
            let mut ty = input.ty.clone();
            for (dim, side) in [(&mut ty.rows, Side::Rows), (&mut ty.cols, Side::Cols)] {
                if is_one(&input.name, side) {
                    *dim = Dim::Known(1);
                }
            }
            if is_one(&input.name, Side::Value) {
                (ty.size, ty.assumed) = (Dim::Known(1), Some(1.0));
            }
            ty
        })?;
        Some(of_one.symbolic(&|_| false))
    }

    /// The same of a form that is to be written: `None` also where a first operand would have to be repeated that need not be in the
    /// form as it is, as in `X * Y` where `X` becomes a single row and `Y` does not.
    #[must_use]
    pub fn as_one_to_write(&self, form: &Dag) -> Option<Dag> {
        let of_one = self.as_one(form)?;
        // Both have the same nodes by the same numbers.
        let of_many = retyped(form, |input| input.ty.clone())?;
        let repeats_first = |id: NodeId| {
            let Node::Op(op, args) = of_one.node(id) else {
                return false;
            };
            let (ShapeRule::Cellwise, &[left, right]) = (op.info().shape, &**args) else {
                return false;
            };
            let is_matrix = |id: NodeId| !of_one.is_scalar(id);
            let is_one = |side: SizeOf, id: NodeId| side(of_one.ty(id)).is_one();
            let is_table = is_one(COLS, left) && is_one(ROWS, right);
            let is_repeated = |side: SizeOf| {
                is_one(side, left) && !is_one(side, right) && !side(of_many.ty(left)).is_one()
            };
            is_matrix(left)
                && is_matrix(right)
                && !is_table
                && [ROWS, COLS].into_iter().any(is_repeated)
        };
        let runs = !of_one.ids().any(repeats_first);
        runs.then_some(of_one)
    }
}

impl Dag {
    /// The sizes of second operands, and of what a diagonal is taken of, that other data could make one. `is_stated` says which
    /// sizes of which inputs only a comment, a data file or a caller tells.
    #[must_use]
    pub fn repeatable(&self, is_stated: &dyn Fn(&str, Side) -> bool) -> Vec<Repeatable> {
        let sizes = Sizes::of(self, is_stated);
        let mut all: Vec<Repeatable> = Vec::new();
        for id in self.reachable(self.roots()) {
            let Node::Op(op, args) = self.node(id) else {
                continue;
            };
            let found = match (op.info().shape, &**args) {
                (ShapeRule::Cellwise, &[left, right]) if sizes.are_matrices(left, right) => {
                    let (left, right) = (sizes.dag.ty(left), sizes.dag.ty(right));
                    vec![
                        sizes.repeatable(&right.rows, &left.rows),
                        sizes.repeatable(&right.cols, &left.cols),
                        sizes.table(left, right),
                    ]
                }
                (ShapeRule::Diag, &[of]) if *op == Op::Diag => {
                    let of = sizes.dag.ty(of);
                    vec![sizes.single_column(&of.cols, &of.rows)]
                }
                _ => continue,
            };
            for found in found.into_iter().flatten() {
                if all.iter().all(|known| known.ones != found.ones) {
                    all.push(found);
                }
            }
        }
        all
    }
}

/// The types of all nodes, where no size is taken to be another's only because of an operator that repeats.
struct Sizes<'a> {
    dag: Dag,
    /// The sizes of inputs by the names that stand for them.
    names: Vec<(Arc<str>, Arc<str>, Side)>,
    is_stated: &'a dyn Fn(&str, Side) -> bool,
}

impl<'a> Sizes<'a> {
    fn of(dag: &Dag, is_stated: &'a dyn Fn(&str, Side) -> bool) -> Self {
        let mut symbols = Symbols::of(dag, &|_| false);
        // What the script itself says stays a number.
        let any_is_stated = |name: &str| {
            [Side::Rows, Side::Cols, Side::Value]
                .iter()
                .any(|side| is_stated(name, *side))
        };
        symbols.keep(dag, &|name| !any_is_stated(name));
        let mut sized = dag.clone();
        loop {
            let known = symbols.known();
            infer(&mut sized, dag, &mut symbols);
            if symbols.known() == known {
                break;
            }
        }
        let mut names = Vec::new();
        for input in sized.inputs() {
            let sides = [
                (&input.ty.rows, Side::Rows),
                (&input.ty.cols, Side::Cols),
                (&input.ty.size, Side::Value),
            ];
            for (dim, side) in sides {
                if let Some(name) = dim.lone_name() {
                    names.push((Arc::from(name), Arc::clone(&input.name), side));
                }
            }
        }
        Sizes {
            dag: sized,
            names,
            is_stated,
        }
    }

    fn are_matrices(&self, left: NodeId, right: NodeId) -> bool {
        !self.dag.is_scalar(left) && !self.dag.is_scalar(right)
    }

    /// What is one where `size` is, which stands behind `beside`. `None` where it cannot be, or the other is one as well.
    fn repeatable(&self, size: &Dim, beside: &Dim) -> Option<Repeatable> {
        let ones = self.with_all(BTreeSet::from([Arc::from(size.lone_name()?)]))?;
        self.with_ones(size, beside, ones)
    }

    /// A first operand of one column and a second one of one row: they give a table of all pairs of their cells.
    fn table(&self, left: &Type, right: &Type) -> Option<Repeatable> {
        let both = [&left.cols, &right.rows];
        let names = both.into_iter().filter(|dim| !dim.is_one());
        let names: Option<BTreeSet<Arc<str>>> =
            names.map(|dim| Some(Arc::from(dim.lone_name()?))).collect();
        let ones = self.with_all(names?)?;
        let is_one = |dim: &Dim| dim.lone_name().is_some_and(|name| ones.contains(name));
        if is_one(&right.cols) || is_one(&left.rows) || left.rows.is_one() {
            return None;
        }
        let (size, beside) = match right.cols.lone_name() {
            Some(_) => (&right.cols, &left.cols),
            None => (&left.cols, &right.cols),
        };
        self.of_stated(size, beside, ones)
    }

    /// The same of what a diagonal is taken of. What is made of a single column has another size than what is taken of a matrix, so
    /// nothing follows for other sizes from those that are known.
    fn single_column(&self, size: &Dim, beside: &Dim) -> Option<Repeatable> {
        self.with_ones(size, beside, BTreeSet::from([Arc::from(size.lone_name()?)]))
    }

    /// The same where these names are one. `None` where `beside` is one then.
    fn with_ones(&self, size: &Dim, beside: &Dim, ones: BTreeSet<Arc<str>>) -> Option<Repeatable> {
        if beside.is_one() || beside.lone_name().is_some_and(|name| ones.contains(name)) {
            return None;
        }
        self.of_stated(size, beside, ones)
    }

    /// The same where the script itself says none of the sizes.
    fn of_stated(&self, size: &Dim, beside: &Dim, ones: BTreeSet<Arc<str>>) -> Option<Repeatable> {
        let sides = self.names.iter().filter(|(name, ..)| ones.contains(name));
        let inputs: BTreeSet<_> = sides
            .map(|(_, input, side)| (Arc::clone(input), *side))
            .collect();
        let may_be = !inputs.is_empty()
            && inputs
                .iter()
                .all(|(name, side)| (self.is_stated)(name, *side));
        may_be.then(|| Repeatable {
            size: size.clone(),
            beside: beside.clone(),
            ones,
            inputs,
        })
    }

    /// These names and all that must be one with them. `None` where one of those has no name.
    fn with_all(&self, mut ones: BTreeSet<Arc<str>>) -> Option<BTreeSet<Arc<str>>> {
        while let Some(more) = self.one_as_well(&ones) {
            ones.insert(more?);
        }
        Some(ones)
    }

    /// A further size that must be one where `ones` are, as a second operand beside one row is one row. `Some(None)` where that
    /// has no name.
    fn one_as_well(&self, ones: &BTreeSet<Arc<str>>) -> Option<Option<Arc<str>>> {
        let is_one =
            |dim: &Dim| dim.is_one() || dim.lone_name().is_some_and(|name| ones.contains(name));
        let becomes_one = |dim: &Dim| is_one(dim) && !dim.is_one();
        self.dag.ids().find_map(|id| {
            let Node::Op(op, args) = self.dag.node(id) else {
                return None;
            };
            let (ShapeRule::Cellwise, &[left, right]) = (op.info().shape, &**args) else {
                return None;
            };
            if !self.are_matrices(left, right) {
                return None;
            }
            let (left, right) = (self.dag.ty(left), self.dag.ty(right));
            // A column beside a row gives a table of all pairs.
            let is_outer = is_one(&left.cols) && is_one(&right.rows);
            [ROWS, COLS].into_iter().find_map(|side| {
                let must = becomes_one(side(left)) && !is_one(side(right)) && !is_outer;
                must.then(|| side(right).lone_name().map(Arc::from))
            })
        })
    }
}

/// Infers all types anew: of a cellwise operator those of its first operand, which is not repeated.
fn infer(sized: &mut Dag, numbers: &Dag, symbols: &mut Symbols) {
    for (place, ty) in symbols.resolved_inputs().into_iter().enumerate() {
        sized.set_input_type(place, ty);
    }
    for id in numbers.ids() {
        let old = numbers.ty(id);
        let ty = match sized.node(id).clone() {
            Node::Input(n) => sized.inputs()[n as usize].ty.clone(),
            Node::Num(_) => old.clone(),
            Node::Op(op, args) => {
                let types: Vec<&Type> = args.iter().map(|arg| sized.ty(*arg)).collect();
                let mut ty = if op.info().shape == ShapeRule::Cellwise && old.kind == Kind::Matrix {
                    let matrices = types.iter().filter(|ty| !ty.is_scalar());
                    let of = |side: SizeOf| {
                        let mut sides = matrices.clone().map(|ty| side(ty));
                        sides.find(|dim| !dim.is_one()).cloned()
                    };
                    Type {
                        rows: of(ROWS).unwrap_or(Dim::Known(1)),
                        cols: of(COLS).unwrap_or(Dim::Known(1)),
                        ..old.clone()
                    }
                } else {
                    for (a, b) in crate::equal_sizes(op, &types) {
                        symbols.unite(a, b);
                    }
                    sized.infer(op, &args).unwrap_or_else(|_| Type {
                        rows: Dim::Unknown,
                        cols: Dim::Unknown,
                        ..old.clone()
                    })
                };
                symbols.resolve(&mut ty);
                ty
            }
        };
        sized.set_type(id, ty);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(dag: &Dag, is_stated: &dyn Fn(&str) -> bool) -> Vec<String> {
        let all = dag.repeatable(&|name, _| is_stated(name));
        all.iter().map(ToString::to_string).collect()
    }

    fn sum_of(op: Op, left: Type, right: Type) -> Dag {
        let mut dag = Dag::default();
        let (x, y) = (dag.input("X", left), dag.input("Y", right));
        let both = dag.op(op, [x, y]).unwrap();
        let sum = dag.op(Op::Sum, [both]).unwrap();
        dag.push_root(sum);
        dag
    }

    #[test]
    fn a_second_operand_may_be_a_row_or_a_column_and_a_first_one_may_not() {
        let sum = sum_of(Op::Add, Type::matrix(100, 20), Type::matrix(100, 20));
        let both = said(&sum, &|_| true);
        assert_eq!(
            both,
            [
                "nrow(Y) = nrow(X)",
                "ncol(Y) = ncol(X)",
                "ncol(Y) = ncol(X)"
            ]
        );
        assert_eq!(said(&sum, &|name| name == "X"), [""; 0]);
        let product = sum_of(Op::MatMul, Type::matrix(100, 20), Type::matrix(20, 100));
        assert_eq!(said(&product, &|_| true), [""; 0]);
    }

    #[test]
    fn a_size_that_the_script_says_is_not_named() {
        let sum = sum_of(Op::Add, Type::matrix(100, 20), Type::matrix(100, 20));
        let rows_alone = sum.repeatable(&|_, side| side == Side::Rows);
        let texts: Vec<String> = rows_alone.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["nrow(Y) = nrow(X)"]);
    }

    #[test]
    fn sizes_of_one_name_are_one_size() {
        let named = || Type::matrix(Dim::symbol("n", Some(100)), 20);
        let sum = sum_of(Op::Sub, named(), named());
        assert_eq!(said(&sum, &|_| true), ["ncol(Y) = ncol(X)"]);
    }

    #[test]
    fn what_stands_behind_a_row_is_a_row() {
        // `X - Y * Z`: where Y is a row, so is Z.
        let mut dag = Dag::default();
        let [x, y, z] = ["X", "Y", "Z"].map(|name| dag.input(name, Type::matrix(100, 20)));
        let product = dag.op(Op::Mul, [y, z]).unwrap();
        let difference = dag.op(Op::Sub, [x, product]).unwrap();
        dag.push_root(difference);
        let all = dag.repeatable(&|_, _| true);
        let row = all
            .iter()
            .find(|it| it.to_string() == "nrow(Y) = nrow(X)")
            .unwrap();
        let of_one = row.as_one(&dag).unwrap();
        let [y, z] = [y, z].map(|id| of_one.ty(id).rows.is_one());
        assert!(y && z);
        // The script makes Z: then Y is no row.
        let made = said(&dag, &|name| name != "Z");
        assert!(!made.contains(&"nrow(Y) = nrow(X)".to_owned()), "{made:?}");
    }

    #[test]
    fn a_factor_makes_its_product_a_row() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::matrix(100, 50));
        let (u, v) = (
            dag.input("U", Type::matrix(100, 10)),
            dag.input("V", Type::matrix(50, 10)),
        );
        let transposed = dag.op(Op::Transpose, [v]).unwrap();
        let product = dag.op(Op::MatMul, [u, transposed]).unwrap();
        let difference = dag.op(Op::Sub, [x, product]).unwrap();
        dag.push_root(difference);
        let both = said(&dag, &|_| true);
        let columns = "nrow(V) = ncol(X)";
        assert_eq!(both, ["nrow(U) = nrow(X)", columns, columns]);
    }

    #[test]
    fn a_diagonal_is_made_of_a_column() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::matrix(100, 100));
        let diagonal = dag.op(Op::Diag, [x]).unwrap();
        dag.push_root(diagonal);
        assert_eq!(said(&dag, &|_| true), ["ncol(X) = nrow(X)"]);
    }
}
