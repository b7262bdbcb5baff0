//! The shapes of a DAG's nodes as sizes with identity, so that equal sizes are known to be equal before any term is made.
//! Must never look at values other than those that make sizes.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use sumac_la::{Dag, Dim, Node, NodeId, Op, ShapeRule};

use super::atom::Context;
use super::sizes::{Size, SizeId};

/// Rows and columns.
pub(super) type Shape = (SizeId, SizeId);

/// The shape of each node below a root.
pub(super) type Shapes = HashMap<NodeId, Shape, FxBuildHasher>;

/// Infers all shapes below `root` and tells `ctx` which sizes are equal.
pub(super) fn infer(ctx: &mut Context, dag: &Dag, root: NodeId) -> Shapes {
    let mut shapes = Shapes::default();
    let nodes = ctx.order(dag, root);
    let inputs = || nodes.iter().filter_map(|id| dag.input_of(*id));
    let is_of_a_matrix = |name: &str| {
        let mut matrices = inputs().filter(|input| !input.ty.is_scalar());
        matrices.any(|input| {
            [&input.ty.rows, &input.ty.cols]
                .map(Dim::lone_name)
                .contains(&Some(name))
        })
    };
    for input in inputs() {
        // A scalar is the size that a matrix has. What only makes a matrix, as an argument of the script, may be no whole number,
        // and then makes a smaller one.
        if let (true, Dim::Named(symbol), Some(name)) = (
            input.ty.is_scalar(),
            &input.ty.size,
            input.ty.size.lone_name(),
        ) && (name.contains('(') || is_of_a_matrix(name) && !name.starts_with('$'))
        {
            ctx.sizes.is_value(&symbol.name, &input.name);
        }
    }
    for id in nodes {
        let shape = of_node(ctx, dag, id, &shapes);
        shapes.insert(id, shape);
    }
    shapes
}

fn of_node(ctx: &mut Context, dag: &Dag, id: NodeId, shapes: &Shapes) -> Shape {
    let one = ctx.sizes.known(1);
    let (op, args) = match dag.node(id) {
        Node::Num(_) => return (one, one),
        Node::Input(_) => return of_input(ctx, dag, id),
        Node::Op(op, args) => (*op, args),
    };
    let arg = |i: usize| shapes[&args[i]];
    let (rows, cols) = arg(0);
    match op.info().shape {
        ShapeRule::Cellwise => args[1..].iter().fold((rows, cols), |(r, c), a| {
            let (ar, ac) = shapes[a];
            (join(ctx, r, ar), join(ctx, c, ac))
        }),
        ShapeRule::MatMul => {
            ctx.sizes.meet(cols, arg(1).0);
            (rows, arg(1).1)
        }
        ShapeRule::Transpose => (cols, rows),
        ShapeRule::Same => (rows, cols),
        ShapeRule::FullAgg | ShapeRule::Meta => (one, one),
        ShapeRule::RowAgg => (rows, one),
        ShapeRule::ColAgg => (one, cols),
        ShapeRule::Trace => {
            ctx.sizes.meet(rows, cols);
            (one, one)
        }
        ShapeRule::AsScalar => {
            ctx.sizes.meet(rows, one);
            ctx.sizes.meet(cols, one);
            (one, one)
        }
        ShapeRule::AsMatrix => (rows, cols),
        ShapeRule::Diag => match diag(ctx, (rows, cols)) {
            Some(Diag::Build) => (rows, rows),
            Some(Diag::Extract) => (rows, one),
            None => stated(ctx, dag, id),
        },
        ShapeRule::Fill => (
            of_value(ctx, dag, args[1], shapes),
            of_value(ctx, dag, args[2], shapes),
        ),
        ShapeRule::Cbind | ShapeRule::Rbind => {
            let is_cbind = op == Op::Cbind;
            let along = args[1..]
                .iter()
                .fold(if is_cbind { rows } else { cols }, |along, a| {
                    let (r, c) = shapes[a];
                    ctx.sizes.meet(along, if is_cbind { r } else { c })
                });
            let (r, c) = stated(ctx, dag, id);
            if is_cbind { (along, c) } else { (r, along) }
        }
        ShapeRule::RightIndex => {
            let (r, c) = stated(ctx, dag, id);
            let is_whole = |low: usize, high: usize, size: Op| {
                dag.value(args[low]) == Some(1.0)
                    && matches!(dag.node(args[high]), Node::Op(op, of) if *op == size && of[0] == args[0])
            };
            (
                if is_whole(1, 2, Op::Nrow) { rows } else { r },
                if is_whole(3, 4, Op::Ncol) { cols } else { c },
            )
        }
        ShapeRule::Reshape | ShapeRule::Seq => stated(ctx, dag, id),
    }
}

fn of_input(ctx: &mut Context, dag: &Dag, id: NodeId) -> Shape {
    let one = ctx.sizes.known(1);
    let Some(input) = dag.input_of(id) else {
        return (one, one);
    };
    let mut axis = |dim: &Dim, function: &str| {
        let named = Size::Named(format!("{function}({})", input.name).into());
        if dim.is_one() {
            return one;
        }
        let size = ctx.sizes.dim(dim, || named.clone());
        let named = ctx.sizes.size(named);
        ctx.sizes.declare(size, named);
        size
    };
    let shape = (axis(&input.ty.rows, "nrow"), axis(&input.ty.cols, "ncol"));
    if let Some((rows, cols)) = ctx.inputs.get(&input.name).copied() {
        ctx.sizes.declare(shape.0, rows);
        ctx.sizes.declare(shape.1, cols);
    } else {
        ctx.inputs.insert(input.name.clone(), shape);
    }
    shape
}

/// A size of one repeats; any other two must be equal.
fn join(ctx: &mut Context, a: SizeId, b: SizeId) -> SizeId {
    if ctx.sizes.is_one(a) {
        b
    } else if ctx.sizes.is_one(b) {
        a
    } else {
        ctx.sizes.meet(a, b)
    }
}

/// What `diag` does to an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Diag {
    /// Column vector to diagonal matrix.
    Build,
    /// Diagonal of a square matrix.
    Extract,
}

/// What `diag` does to an argument of this shape; `None` where that depends on an unknown size.
pub(super) fn diag(ctx: &Context, (rows, cols): Shape) -> Option<Diag> {
    if ctx.sizes.is_one(cols) {
        Some(Diag::Build)
    } else if ctx.sizes.find(rows) == ctx.sizes.find(cols) {
        Some(Diag::Extract)
    } else {
        None
    }
}

/// The shape that the DAG states; what it leaves open gets a name of its own.
fn stated(ctx: &mut Context, dag: &Dag, id: NodeId) -> Shape {
    let ty = dag.ty(id);
    let mut axis = |dim: &Dim, function: &str| {
        ctx.sizes.dim(dim, || {
            Size::Opaque(format!("{function}({})", dag.print(id)).into())
        })
    };
    (axis(&ty.rows, "nrow"), axis(&ty.cols, "ncol"))
}

/// The size that is the value of a scalar node.
fn of_value(ctx: &mut Context, dag: &Dag, id: NodeId, shapes: &Shapes) -> SizeId {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a size"
    )]
    if let Some(v) = dag.value(id)
        && (0.0..9e15).contains(&v)
    {
        return ctx.sizes.known(v.floor() as u64);
    }
    match dag.node(id) {
        Node::Op(Op::Nrow, args) => shapes[&args[0]].0,
        Node::Op(Op::Ncol, args) => shapes[&args[0]].1,
        Node::Input(_) => {
            let name = dag
                .input_of(id)
                .map_or_else(|| "?".into(), |i| i.name.clone());
            ctx.sizes.size(Size::Value(name))
        }
        Node::Num(_) | Node::Op(..) => ctx.sizes.size(Size::Opaque(dag.print(id).into())),
    }
}
