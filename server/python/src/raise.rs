//! From linear algebra back to an expression of NumPy.
//!
//! A column of linear algebra may be an array with one axis or with two, and a matrix may be at hand only transposed. Each node is written
//! in all the ways in which it can be, from its arguments' ways; the simplest of each is kept, and at last the one that is wanted. Must
//! never give a value of another rank, shape or kind of numbers than is wanted.

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_la::{Dag, Dim, Node, NodeId, Op, Print, Type};

use crate::lower::BY_AXIS;
use crate::make;
use crate::rewrite;
use crate::steps;
use crate::tree::{Step, Tree};
use crate::value::{DType, Value};

/// The longest text, in nodes, that is written.
const LONGEST: usize = 300;

/// How a node of linear algebra is there as an array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Way {
    /// As a number.
    Scalar,
    /// A row or a column, as an array with one axis.
    Vector,
    /// As an array with two axes.
    Matrix,
    /// As an array with two axes, rows and columns exchanged.
    Turned,
}

impl Way {
    /// All of them.
    pub(crate) const ALL: [Way; 4] = [Way::Scalar, Way::Vector, Way::Matrix, Way::Turned];
}

/// An expression, and how far from simple it is.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    /// What is counted: a step is ten.
    pub(crate) weight: u32,
    /// The expression.
    pub(crate) tree: Tree,
}

/// What may be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Means {
    /// Whether whole numbers are written as integers.
    pub(crate) integers: bool,
    /// Whether functions of NumPy can be called.
    pub(crate) functions: bool,
}

/// The expressions that mean a form: the simplest first, each with the rank, the shape and the kind of numbers of `wanted`. `atoms` has
/// the leaves by the names of the form's inputs.
///
/// # Errors
/// Why there is none, in a sentence without its full stop.
pub fn raise(
    form: &Dag,
    atoms: &BTreeMap<Arc<str>, Tree>,
    wanted: &Value,
) -> Result<Vec<Tree>, String> {
    raise_with(form, atoms, wanted, true)
}

/// As [`raise`], where functions of NumPy may have no name.
pub(crate) fn raise_with(
    form: &Dag,
    atoms: &BTreeMap<Arc<str>, Tree>,
    wanted: &Value,
    functions: bool,
) -> Result<Vec<Tree>, String> {
    let &[root] = form.roots() else {
        return Err("it is not one value".to_owned());
    };
    if form.text_nodes(root) > LONGEST {
        return Err("it is too long to be written as one expression".to_owned());
    }
    let mut problem = None;
    // With a point a number makes floats of whole numbers, which may be what is wanted.
    for integers in [true, false] {
        let means = Means {
            integers,
            functions,
        };
        let raised = Raising::new(form, atoms, means)
            .all(root)
            .and_then(|ways| pick(&ways, form.ty(root), wanted));
        match raised {
            Ok(tree) => {
                let mut found = rewrite::spellings(tree, functions);
                found.retain(|spelled| is_as_wanted(&spelled.value, wanted));
                return Ok(found);
            }
            Err(why) => {
                problem.get_or_insert(why);
            }
        }
    }
    Err(problem.unwrap_or_default())
}

/// The way in which the result is wanted.
fn pick(ways: &Ways, ty: &Type, wanted: &Value) -> Result<Tree, String> {
    let way = match wanted.rank() {
        0 => Way::Scalar,
        1 => Way::Vector,
        _ => Way::Matrix,
    };
    let Some(made) = ways.get(way) else {
        return Err(format!(
            "{} cannot be written as an array of shape {wanted}",
            if ty.is_scalar() {
                "a number"
            } else {
                "this form"
            }
        ));
    };
    if !is_as_wanted(&made.tree.value, wanted) {
        return Err("it gives another kind of numbers than is written".to_owned());
    }
    Ok(made.tree.clone())
}

/// The name under which a number that is written with a point is among the leaves.
pub(crate) fn number_key(value: f64) -> String {
    format!("{value:?}")
}

/// Whether a value can stand in the place of another. Where the kind of numbers is assumed, it is 64-bit floats.
fn is_as_wanted(value: &Value, wanted: &Value) -> bool {
    let kind = |dtype: DType| match dtype {
        DType::Assumed => DType::Float64,
        known => known,
    };
    let mut sizes = value.shape.iter().zip(&wanted.shape);
    value.rank() == wanted.rank()
        && sizes.all(|(a, b)| are_alike(a, b))
        && kind(value.dtype) == kind(wanted.dtype)
        && value.is_weak == wanted.is_weak
}

/// Whether two sizes may be the same: a name is not one.
fn are_alike(a: &Dim, b: &Dim) -> bool {
    a.is_one() == b.is_one()
        && match (a.known(), b.known()) {
            (Some(x), Some(y)) => x == y,
            _ => true,
        }
}

/// The simplest expression of a node in each way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ways([Option<Made>; 4]);

impl Ways {
    /// The expression in a way.
    pub(crate) fn get(&self, way: Way) -> Option<&Made> {
        self.0[way as usize].as_ref()
    }

    /// Keeps an expression if it is simpler than the one that is there; the earlier one of two that are equally simple.
    pub(crate) fn offer(&mut self, ty: &Type, way: Way, made: Option<Made>) {
        let Some(made) = made.filter(|made| fits(&made.tree.value, ty, way)) else {
            return;
        };
        let place = &mut self.0[way as usize];
        if place.as_ref().is_none_or(|old| made.weight < old.weight) {
            *place = Some(made);
        }
    }

    /// Whether nothing is there.
    fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }
}

/// Whether a value can be a node of this type in this way.
fn fits(value: &Value, ty: &Type, way: Way) -> bool {
    let (one_row, one_col) = (ty.rows.is_one(), ty.cols.is_one());
    match (way, value.shape.as_slice()) {
        (Way::Scalar, []) => ty.is_scalar() || (one_row && one_col),
        (Way::Vector, [n]) => {
            !ty.is_scalar()
                && ((one_col && are_alike(n, &ty.rows)) || (one_row && are_alike(n, &ty.cols)))
        }
        (Way::Matrix, [n, m]) => {
            !ty.is_scalar() && are_alike(n, &ty.rows) && are_alike(m, &ty.cols)
        }
        (Way::Turned, [m, n]) => {
            !ty.is_scalar() && are_alike(n, &ty.rows) && are_alike(m, &ty.cols)
        }
        _ => false,
    }
}

/// The ways of all nodes so far.
pub(crate) struct Raising<'a> {
    /// The form.
    pub(crate) form: &'a Dag,
    /// Leaves by the names of inputs.
    pub(crate) atoms: &'a BTreeMap<Arc<str>, Tree>,
    /// What may be written.
    pub(crate) means: Means,
    /// The ways of the nodes so far.
    made: BTreeMap<NodeId, Ways>,
}

impl<'a> Raising<'a> {
    /// Before the first node.
    fn new(form: &'a Dag, atoms: &'a BTreeMap<Arc<str>, Tree>, means: Means) -> Self {
        Raising {
            form,
            atoms,
            means,
            made: BTreeMap::new(),
        }
    }

    /// The ways of the root.
    fn all(mut self, root: NodeId) -> Result<Ways, String> {
        for id in self.form.reachable(&[root]) {
            let ways = self.ways(id)?;
            self.made.insert(id, ways);
        }
        self.made
            .remove(&root)
            .ok_or_else(|| "it has no value".to_owned())
    }

    /// The ways of a node, from those of its arguments.
    fn ways(&self, id: NodeId) -> Result<Ways, String> {
        let ty = self.form.ty(id);
        let mut ways = Ways::default();
        match self.form.node(id) {
            Node::Input(_) => {
                let name = self.form.input_of(id).map_or("", |input| &input.name);
                let Some(leaf) = self.atoms.get(name) else {
                    return Err(format!("`{name}` is not in what is written"));
                };
                let way = match leaf.value.rank() {
                    0 => Way::Scalar,
                    1 => Way::Vector,
                    _ => Way::Matrix,
                };
                let weight = 1;
                let tree = leaf.clone();
                ways.offer(ty, way, Some(Made { weight, tree }));
            }
            Node::Num(bits) => {
                let value = f64::from_bits(*bits);
                // As it is written, if it is.
                let known = self.atoms.get(&*number_key(value)).cloned();
                let tree = known.or_else(|| make::number(value, self.means.integers));
                ways.offer(ty, Way::Scalar, tree.map(|tree| Made { weight: 1, tree }));
            }
            Node::Op(op, args) => {
                steps::offer(self, *op, args, ty, &mut ways);
                if ways.is_empty() {
                    return Err(self.why_not(*op));
                }
            }
        }
        convert(ty, &mut ways);
        Ok(ways)
    }

    /// Why an operator cannot be written.
    fn why_not(&self, op: Op) -> String {
        let whole = BY_AXIS
            .iter()
            .find(|(_, rows, cols)| op == *rows || op == *cols);
        let op = whole.map_or(op, |(whole, ..)| *whole);
        let (sign, is_call) = match (op, op.info().print) {
            (Op::MatMul, _) => ("@", false),
            (Op::Pow, _) => ("**", false),
            (_, Print::Infix(sign, _) | Print::Prefix(sign, _)) => (sign, false),
            _ => (op.info().call_name().unwrap_or("[…]"), true),
        };
        match (is_call, self.means.functions) {
            (true, true) => format!("NumPy has no `{sign}` here"),
            (true, false) => {
                format!("`{sign}` is a function, and NumPy is not imported by a name")
            }
            (false, _) => format!("`{sign}` means something else in NumPy for these values"),
        }
    }

    /// A node in a way.
    pub(crate) fn get(&self, id: NodeId, way: Way) -> Option<&Made> {
        self.made.get(&id)?.get(way)
    }

    /// The simplest of a node in any of these ways.
    pub(crate) fn simplest(&self, id: NodeId, ways: &[Way]) -> Option<(Way, &Made)> {
        let made = ways
            .iter()
            .filter_map(|way| Some((*way, self.get(id, *way)?)));
        made.min_by_key(|(_, made)| made.weight)
    }
}

/// How much less simple an expression is when it is transposed: of arithmetic a little more than one of its arrays is, so that all of
/// it is transposed and not each, and of a product more than both are.
fn turning(tree: &Tree) -> u32 {
    match tree.step {
        _ if tree.args.is_empty() => 2,
        Step::Cell(_) | Step::Map(_) | Step::Square => 3,
        _ => 8,
    }
}

/// Steps that turn one way of a node into another, with their weights.
fn convert(ty: &Type, ways: &mut Ways) {
    let is_row = ty.rows.is_one();
    for _ in 0..2 {
        for (from, to) in [
            (Way::Matrix, Way::Turned),
            (Way::Turned, Way::Matrix),
            (Way::Vector, Way::Matrix),
            (Way::Vector, Way::Turned),
            (Way::Matrix, Way::Vector),
            (Way::Turned, Way::Vector),
            (Way::Vector, Way::Scalar),
            (Way::Matrix, Way::Scalar),
        ] {
            let Some(made) = ways.get(from).cloned() else {
                continue;
            };
            let (step, weight) = match (from, to) {
                (_, Way::Scalar) => {
                    let step = Step::Reduce {
                        by: Op::Sum,
                        axis: None,
                        keepdims: false,
                    };
                    (step, 25)
                }
                (Way::Vector, _) if is_row == (to == Way::Matrix) => (Step::AsRow, 4),
                (Way::Vector, _) => (Step::AsColumn, 4),
                (_, Way::Vector) => (Step::AsVector, 20),
                _ => (Step::Transpose, turning(&made.tree)),
            };
            let weight = made.weight + weight;
            let tree = make::step(step, vec![made.tree]);
            ways.offer(ty, to, tree.map(|tree| Made { weight, tree }));
        }
    }
}
