//! `W * f(U %*% V)` and `X / f(U %*% V)` for sparse W and X: the product is computed in their stored cells only.
//!
//! As in SystemDS's operators for the same patterns, what the product has elsewhere plays no part, be it NaN.

use std::borrow::Cow;

use sumac_la::{Dag, MOST_SAMPLED, Node, NodeId, Op};

use super::Done;
use super::cells::{is_of_one_shape, push};
use crate::kernels::cell;
use crate::kernels::fused::{Program, Source};
use crate::kernels::reorg;
use crate::kernels::sampled::{self, Factors, Sample};
use crate::matrix::{Csr, Matrix, View};
use crate::value::Value;

/// A cellwise operator with a sparse argument, and what lies between it and the products below.
pub(super) struct Sampled {
    /// The operator's own node.
    id: NodeId,
    driver: NodeId,
    /// Products, whose values are gathered.
    products: Vec<Product>,
    /// Products and cellwise nodes, arguments before their readers.
    pub(super) inner: Vec<NodeId>,
}

/// A product that is never formed.
struct Product {
    id: NodeId,
    left: NodeId,
    /// Whether the left factor is the transpose of the node `left`.
    left_turned: bool,
    right: NodeId,
    right_turned: bool,
}

impl Sampled {
    /// `free` says whether a node may be inside: nobody else reads it, and no other pattern has it.
    pub(super) fn of(
        dag: &Dag,
        id: NodeId,
        lazy: &[bool],
        free: &dyn Fn(NodeId) -> bool,
    ) -> Option<Sampled> {
        let Node::Op(op @ (Op::Mul | Op::Div), args) = dag.node(id) else {
            return None;
        };
        let sides = [(args[0], args[1]), (args[1], args[0])];
        let sides = if *op == Op::Mul {
            &sides[..]
        } else {
            &sides[..1]
        };
        sides.iter().find_map(|(driver, body)| {
            let ty = dag.ty(*driver);
            let is_driver = is_of_one_shape(dag, id, *driver)
                && ty.sparsity.is_some_and(|share| share <= MOST_SAMPLED);
            if !is_driver {
                return None;
            }
            let mut found = Sampled {
                id,
                driver: *driver,
                products: Vec::new(),
                inner: Vec::new(),
            };
            found.descend(dag, *body, lazy, free);
            found.inner.sort_unstable();
            (!found.products.is_empty()).then_some(found)
        })
    }

    fn descend(&mut self, dag: &Dag, at: NodeId, lazy: &[bool], free: &dyn Fn(NodeId) -> bool) {
        let Node::Op(op, args) = dag.node(at) else {
            return;
        };
        if !free(at) || !is_of_one_shape(dag, self.id, at) {
            return;
        }
        if *op == Op::MatMul {
            let plain = |id: NodeId| match lazy[id.index()] {
                true => (dag.args(id)[0], true),
                false => (id, false),
            };
            let ((left, left_turned), (right, right_turned)) = (plain(args[0]), plain(args[1]));
            self.products.push(Product {
                id: at,
                left,
                left_turned,
                right,
                right_turned,
            });
            self.inner.push(at);
        } else if Program::takes(*op, args.len()) && !cell::may_thin_out(*op) {
            self.inner.push(at);
            for arg in args {
                self.descend(dag, *arg, lazy, free);
            }
        }
    }

    /// The matrix with the driver's structure.
    pub(super) fn compute<'a>(
        &self,
        dag: &Dag,
        value: impl Fn(NodeId) -> Option<&'a Value>,
    ) -> Option<Done> {
        self.with(dag, value, |driver, program, inputs| {
            let values = sampled::values(driver, program, inputs);
            Value::from(Matrix::from(driver.with_values(values)).settled_if_sparse())
        })
    }

    /// The sum of its cells.
    pub(super) fn sum<'a>(
        &self,
        dag: &Dag,
        value: impl Fn(NodeId) -> Option<&'a Value>,
    ) -> Option<Done> {
        self.with(dag, value, |driver, program, inputs| {
            Value::Double(sampled::sum(driver, program, inputs))
        })
    }

    fn with<'a>(
        &self,
        dag: &Dag,
        value: impl Fn(NodeId) -> Option<&'a Value>,
        run: impl FnOnce(&Csr, &Program, &[Sample<'_>]) -> Value,
    ) -> Option<Done> {
        let driver = value(self.driver)?.as_matrix()?;
        let View::Sparse(stored) = driver.view() else {
            return None;
        };
        let factors: Option<Vec<Factors>> = self
            .products
            .iter()
            .map(|product| product.factors(&value))
            .collect();
        let factors = factors?;
        let mut inputs = vec![Sample::Stored];
        inputs.extend(factors.iter().map(Sample::Product));
        let mut names = vec![self.driver];
        names.extend(self.products.iter().map(|product| product.id));
        let is_product = |id: &NodeId| self.products.iter().any(|product| product.id == *id);
        let mut steps: Vec<NodeId> = self
            .inner
            .iter()
            .copied()
            .filter(|id| !is_product(id))
            .collect();
        if steps.last() != Some(&self.id) {
            steps.push(self.id);
        }
        let mut nodes: Vec<(Op, &[NodeId])> = Vec::new();
        for step in &steps {
            let Node::Op(op, args) = dag.node(*step) else {
                return None;
            };
            nodes.push((*op, args));
            for arg in args {
                if names.contains(arg) || steps.binary_search(arg).is_ok() {
                    continue;
                }
                if let Value::Matrix(m) = value(*arg)?
                    && m.len() != 1
                {
                    names.push(*arg);
                    inputs.push(sample(m, driver.shape())?);
                }
            }
        }
        let mut program = Program::new(inputs.len());
        for (op, args) in nodes {
            push(&mut program, op, args, &mut |arg| {
                if let Ok(place) = steps.binary_search(&arg) {
                    return Some(Source::Step(place));
                }
                match names.iter().position(|known| *known == arg) {
                    Some(place) => Some(Source::Input(place)),
                    None => Some(Source::Number(value(arg)?.number("*").ok()?)),
                }
            })?;
        }
        Some(("sampled product", Ok(run(stored, &program, &inputs))))
    }
}

impl Product {
    /// Both factors, where they are dense.
    fn factors<'a>(&self, value: &impl Fn(NodeId) -> Option<&'a Value>) -> Option<Factors> {
        let left = rows_of(value(self.left)?.as_matrix()?, self.left_turned);
        // The right factor is read by its columns.
        let right = rows_of(value(self.right)?.as_matrix()?, !self.right_turned);
        match (left.view(), right.view()) {
            (View::Dense(a), View::Dense(b)) => Some(Factors::new(a, b, left.cols())),
            _ => None,
        }
    }
}

/// A factor row by row, or its transpose.
fn rows_of(factor: &Matrix, turned: bool) -> Cow<'_, Matrix> {
    if turned {
        Cow::Owned(reorg::transpose(factor))
    } else {
        Cow::Borrowed(factor)
    }
}

/// How a matrix is read at the stored cells of one of this shape.
fn sample(m: &Matrix, (rows, cols): (usize, usize)) -> Option<Sample<'_>> {
    match (m.view(), m.shape()) {
        (View::Dense(cells), shape) if shape == (rows, cols) => Some(Sample::Dense(cells)),
        (View::Sparse(csr), shape) if shape == (rows, cols) => Some(Sample::Sparse(csr)),
        (View::Dense(cells), (m, 1)) if m == rows => Some(Sample::Column(cells)),
        (View::Dense(cells), (1, n)) if n == cols => Some(Sample::Row(cells)),
        _ => None,
    }
}
