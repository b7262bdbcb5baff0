//! A DAG with symbols for the sizes of its inputs: what is said of data becomes an assumption, and what is proved or folded
//! over the symbols holds for all sizes.
//!
//! A size of one stays a number: it decides what is a vector. Must never let two sizes be equal because the same number
//! is assumed of both; only an operator that needs them to be equal says so.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::dag::{Dag, Input, Node, NodeId};
use crate::rules;
use crate::table::{Op, ShapeRule};
use crate::types::{Dim, Kind, Type};

/// An input that is said to be all zero is estimated to have hardly any other cells: that it has none is no fact.
const HARDLY_ANY: f64 = 1e-12;

impl Dag {
    /// The same nodes over inputs whose sizes are symbols. Numbers that were known of the sizes are assumed of the symbols. Of
    /// the inputs that `is_open` names, not even a size of one stays a number.
    #[must_use]
    pub fn symbolic(&self, is_open: &dyn Fn(&str) -> bool) -> Dag {
        let mut symbols = Symbols::of(self, is_open);
        let mut dag = self.clone();
        // What an operator needs to be equal is known once all of them were looked at.
        loop {
            let known = symbols.known();
            dag.infer_with(self, &mut symbols);
            if symbols.known() == known {
                return dag;
            }
        }
    }

    /// The same with the numbers that are assumed of sizes and scalars in their place.
    #[must_use]
    pub fn as_assumed(&self) -> Dag {
        let mut dag = self.clone();
        dag.for_each_type(|ty| *ty = ty.as_assumed());
        dag
    }

    /// Gives all names of sizes other names, in all types.
    pub fn map_sizes(&mut self, name: &dyn Fn(&str) -> Option<Dim>) {
        self.for_each_type(|ty| {
            for dim in [&mut ty.rows, &mut ty.cols, &mut ty.size] {
                if matches!(dim, Dim::Named(_)) {
                    *dim = dim.rename(name);
                }
            }
        });
    }
}

impl Input {
    /// Its type with symbols for its sizes, of which its numbers are assumed: for all of them where it `is_open`, otherwise for those
    /// above one. `symbol` makes one.
    #[must_use]
    pub fn over_symbols(&self, is_open: bool, symbol: &dyn Fn(String, Option<u64>) -> Dim) -> Type {
        let mut ty = self.ty.clone();
        let own = plain(&self.name);
        if ty.kind == Kind::Scalar {
            let whole = ty.assumed.filter(|v| v.fract() == 0.0);
            let number = rules::size(whole).known();
            ty.size = match ty.size {
                // A scalar that the script itself says to be one.
                Dim::Known(1) => ty.size,
                Dim::Named(_) => ty.size.assuming(number),
                Dim::Known(_) | Dim::Unknown => symbol(own, number.filter(|n| *n > 0)),
            };
            return ty;
        }
        for (dim, function) in [(&mut ty.rows, "nrow"), (&mut ty.cols, "ncol")] {
            if let Dim::Known(n) = *dim
                && (n > 1 || n == 1 && is_open)
            {
                *dim = symbol(format!("{function}({own})"), Some(n));
            }
        }
        if ty.sparsity == Some(0.0) {
            ty.sparsity = Some(HARDLY_ANY);
            ty.limits = crate::Limits::NONE;
        }
        ty
    }
}

/// The symbols of a DAG.
pub(crate) struct Symbols {
    /// The types of the inputs, over symbols.
    inputs: Vec<Type>,
    /// Names that are equal to something else.
    equal: BTreeMap<Arc<str>, Dim>,
}

impl Symbols {
    pub(crate) fn of(dag: &Dag, is_open: &dyn Fn(&str) -> bool) -> Self {
        let taken: BTreeSet<&str> = dag
            .inputs()
            .iter()
            .flat_map(|input| [&input.ty.rows, &input.ty.cols, &input.ty.size])
            .filter_map(Dim::lone_name)
            .collect();
        let symbol = |name: String, number: Option<u64>| {
            let mut name = name;
            while taken.contains(name.as_str()) {
                name.push('\'');
            }
            Dim::symbol(name, number)
        };
        let inputs = dag.inputs().iter();
        let inputs = inputs.map(|input| input.over_symbols(is_open(&input.name), &symbol));
        Symbols {
            inputs: inputs.collect(),
            equal: BTreeMap::new(),
        }
    }

    /// Keeps the types of the inputs that `stay` names as they are in `dag`.
    pub(crate) fn keep(&mut self, dag: &Dag, stay: &dyn Fn(&str) -> bool) {
        for (ty, input) in self.inputs.iter_mut().zip(dag.inputs()) {
            if stay(&input.name) {
                *ty = input.ty.clone();
            }
        }
    }

    /// How many names are known to be equal to something else.
    pub(crate) fn known(&self) -> usize {
        self.equal.len()
    }

    /// The types of the inputs in the names that are left.
    pub(crate) fn resolved_inputs(&self) -> Vec<Type> {
        let mut types = self.inputs.clone();
        types.iter_mut().for_each(|ty| self.resolve(ty));
        types
    }

    /// The size in the names that are left.
    fn resolved(&self, dim: &Dim) -> Dim {
        let mut dim = dim.clone();
        // Each name is replaced by one that is not replaced, or by a number.
        while let Dim::Named(symbol) = &dim
            && let Some((name, to)) = self.equal.iter().find(|(name, _)| dim.mentions(name))
        {
            let number = symbol.assumed;
            dim = dim.with_name(name, to).assuming(number);
        }
        dim
    }

    pub(crate) fn resolve(&self, ty: &mut Type) {
        for dim in [&mut ty.rows, &mut ty.cols, &mut ty.size] {
            *dim = self.resolved(dim);
        }
    }

    /// Both are one size.
    pub(crate) fn unite(&mut self, a: &Dim, b: &Dim) {
        let (a, b) = (self.resolved(a), self.resolved(b));
        if a == b || a.estimate().is_none() || a.estimate() != b.estimate() {
            return;
        }
        let goes = |dim: &Dim, other: &Dim| {
            let name = dim.lone_name().filter(|name| !other.mentions(name))?;
            Some((Arc::from(name), other.clone()))
        };
        // What someone chose stays before what says whose size it is, and what comes first before what comes later.
        let is_own = |dim: &Dim| {
            dim.lone_name()
                .is_some_and(|name| name.starts_with("nrow(") || name.starts_with("ncol("))
        };
        let (from_a, from_b) = (goes(&a, &b), goes(&b, &a));
        let goes = match (from_a, from_b) {
            (Some(x), Some(y)) => Some(if is_own(&a) && !is_own(&b) { x } else { y }),
            (x, y) => x.or(y),
        };
        if let Some((name, to)) = goes {
            self.equal.insert(name, to);
        }
    }
}

/// The name of an input as a part of a name of a size.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '#' | '=');
    let kept: String = name.chars().filter(|c| is_plain(*c)).collect();
    if kept.len() == name.len() {
        kept
    } else {
        format!("<{kept}>")
    }
}

impl Dag {
    /// Infers all types anew over symbols; `numbers` is the DAG with the numbers that are known.
    fn infer_with(&mut self, numbers: &Dag, symbols: &mut Symbols) {
        for (place, ty) in symbols.resolved_inputs().into_iter().enumerate() {
            self.set_input_type(place, ty);
        }
        for id in numbers.ids() {
            let old = numbers.ty(id);
            let ty = match self.node(id).clone() {
                Node::Input(n) => self.inputs()[n as usize].ty.clone(),
                Node::Num(_) => old.clone(),
                Node::Op(op, args) => {
                    for (a, b) in self.needed_equal(op, &args) {
                        symbols.unite(&a, &b);
                    }
                    let mut ty = match self.infer(op, &args) {
                        Ok(ty) => ty,
                        // What is no vector for the numbers that are assumed may be one for others.
                        Err(_) => Type {
                            rows: Dim::Unknown,
                            cols: Dim::Unknown,
                            ..old.clone()
                        },
                    };
                    symbols.resolve(&mut ty);
                    // What these compute depends on what is a vector.
                    let by_vectors =
                        matches!(op.info().shape, ShapeRule::Cellwise | ShapeRule::Diag);
                    if !self.is_clear(op, &args) {
                        (ty.rows, ty.cols) = (Dim::Unknown, Dim::Unknown);
                    } else if !by_vectors {
                        let named = |of: &str, dim: &mut Dim, old: &Dim| {
                            if let (Dim::Unknown, Some(n)) = (&*dim, old.known())
                                && n > 1
                            {
                                *dim = Dim::symbol(format!("{of}(<{}>)", id.index()), Some(n));
                            }
                        };
                        named("nrow", &mut ty.rows, &old.rows);
                        named("ncol", &mut ty.cols, &old.cols);
                    }
                    ty
                }
            };
            self.set_type(id, ty);
        }
    }

    /// Whether it is certain which sides of the arguments are repeated, or what is a vector.
    fn is_clear(&self, op: Op, args: &[NodeId]) -> bool {
        let types: Vec<&Type> = args.iter().map(|arg| self.ty(*arg)).collect();
        let is_alike = |x: &Dim, y: &Dim| x.is_one() || y.is_one() || x == y && *x != Dim::Unknown;
        match op.info().shape {
            ShapeRule::Cellwise => {
                let matrices: Vec<&&Type> = types.iter().filter(|ty| !ty.is_scalar()).collect();
                let mut pairs = matrices
                    .iter()
                    .enumerate()
                    .flat_map(|(i, a)| matrices[i + 1..].iter().map(move |b| (**a, **b)));
                pairs.all(|(a, b)| is_alike(&a.rows, &b.rows) && is_alike(&a.cols, &b.cols))
            }
            ShapeRule::Diag => types[0].cols.is_one() || types[0].rows == types[0].cols,
            _ => true,
        }
    }

    /// The sizes that an operator needs to be equal, where the sizes that are assumed are.
    fn needed_equal(&self, op: Op, args: &[NodeId]) -> Vec<(Dim, Dim)> {
        let types: Vec<&Type> = args.iter().map(|arg| self.ty(*arg)).collect();
        let mut equal: Vec<(&Dim, &Dim)> = crate::equal_sizes(op, &types);
        // Of a matrix that is no column, the diagonal is taken, so it is square.
        if op == Op::Diag && types[0].cols.estimate().is_some_and(|n| n > 1) {
            equal.push((&types[0].rows, &types[0].cols));
        }
        if op.info().shape == ShapeRule::Cellwise {
            // Of sides that are no vectors, neither is repeated.
            let is_many = |dim: &Dim| !dim.is_one() && dim.estimate().is_some_and(|n| n > 1);
            let matrices: Vec<&&Type> = types.iter().filter(|ty| !ty.is_scalar()).collect();
            for (i, a) in matrices.iter().enumerate() {
                for b in &matrices[i + 1..] {
                    for (x, y) in [(&a.rows, &b.rows), (&a.cols, &b.cols)] {
                        if is_many(x) && is_many(y) {
                            equal.push((x, y));
                        }
                    }
                }
            }
        }
        equal
            .into_iter()
            .map(|(a, b)| (a.clone(), b.clone()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(dag: &Dag, id: NodeId) -> String {
        let ty = dag.ty(id);
        format!("{} x {}", ty.rows, ty.cols)
    }

    #[test]
    fn operators_make_sizes_equal_and_numbers_do_not() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::matrix(1000, 20));
        let y = dag.input("Y", Type::matrix(1000, 20));
        let z = dag.input("Z", Type::matrix(20, 1000));
        let product = dag.op(Op::MatMul, [x, z]).unwrap();
        let symbolic = dag.symbolic(&|_| false);
        assert_eq!(shape(&symbolic, x), "nrow(X) x ncol(X)");
        assert_eq!(shape(&symbolic, y), "nrow(Y) x ncol(Y)");
        assert_eq!(shape(&symbolic, z), "ncol(X) x ncol(Z)");
        assert_eq!(shape(&symbolic, product), "nrow(X) x ncol(Z)");
        assert_eq!(symbolic.ty(product).cells(), Some(1e6));
        assert_eq!(symbolic.as_assumed(), dag);
        dag.op(Op::Add, [x, y]).unwrap();
        assert_eq!(shape(&dag.symbolic(&|_| false), y), "nrow(X) x ncol(X)");
    }

    #[test]
    fn a_vector_stays_one_and_repeats() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::matrix(1000, 20));
        let means = dag.op(Op::ColMeans, [x]).unwrap();
        let centred = dag.op(Op::Sub, [x, means]).unwrap();
        let symbolic = dag.symbolic(&|_| false);
        assert_eq!(shape(&symbolic, means), "1 x ncol(X)");
        assert_eq!(shape(&symbolic, centred), "nrow(X) x ncol(X)");
    }

    #[test]
    fn a_size_that_a_scalar_says_goes_by_its_name() {
        let n = Type {
            size: Dim::Known(200),
            assumed: Some(200.0),
            ..Type::scalar()
        };
        let mut dag = Dag::default();
        let (n, one, x) = (
            dag.input("n", n),
            dag.num(1.0),
            dag.input("X", Type::matrix(200, 3)),
        );
        let ones = dag.op(Op::Fill, [one, n, one]).unwrap();
        assert_eq!(shape(&dag, ones), "200 x 1");
        let scaled = dag.op(Op::Mul, [x, ones]).unwrap();
        let symbolic = dag.symbolic(&|_| false);
        assert_eq!(shape(&symbolic, ones), "n x 1");
        assert_eq!(shape(&symbolic, scaled), "n x ncol(X)");
    }

    #[test]
    fn what_is_said_to_be_zero_is_not_zero() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::sparse(1000, 20, 0.0));
        let symbolic = dag.symbolic(&|_| false);
        assert!(symbolic.ty(x).sparsity.is_some_and(|share| share > 0.0));
    }

    #[test]
    fn the_diagonal_is_that_of_a_square_matrix() {
        let mut dag = Dag::default();
        let (x, y) = (
            dag.input("X", Type::matrix(500, 20)),
            dag.input("Y", Type::matrix(20, 500)),
        );
        let product = dag.op(Op::MatMul, [x, y]).unwrap();
        let diagonal = dag.op(Op::Diag, [product]).unwrap();
        let symbolic = dag.symbolic(&|_| false);
        assert_eq!(shape(&symbolic, product), "nrow(X) x nrow(X)");
        assert_eq!(shape(&symbolic, diagonal), "nrow(X) x 1");
    }

    #[test]
    fn what_a_call_passes_may_be_no_vector() {
        let mut dag = Dag::default();
        let (x, v) = (
            dag.input("X", Type::matrix(500, 20)),
            dag.input("v", Type::matrix(20, 1)),
        );
        let (product, scaled) = (
            dag.op(Op::MatMul, [x, v]).unwrap(),
            dag.input("w", Type::matrix(500, 1)),
        );
        let sum = dag.op(Op::Add, [product, scaled]).unwrap();
        let symbolic = dag.symbolic(&|name| name == "v");
        assert_eq!(shape(&symbolic, product), "nrow(X) x ncol(v)");
        assert_eq!(shape(&symbolic, sum), "nrow(X) x ncol(v)");
        let symbolic = dag.symbolic(&|name| matches!(name, "v" | "w"));
        assert_eq!(shape(&symbolic, sum), "? x ?");
        assert_eq!(shape(&dag.symbolic(&|_| false), sum), "nrow(X) x 1");
    }
}
