//! From a chosen operator to its kernel: equal steps once, transposes read in the other direction, numbers in place.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use sumac_la::{NodeId, Op};

use crate::graph::Graph;
use crate::kernel::{Access, Finish, Kernel, Output, Step};
use crate::opened::{Opened, drivers, visited};
use crate::template::Template;
use crate::templates::{is_column_fold, is_full_fold, is_row_fold};

/// A kernel, and the values that its slots are.
#[derive(Clone, PartialEq, Debug)]
pub struct Built {
    /// The kernel.
    pub kernel: Kernel,
    /// By slot: the value.
    pub inputs: Vec<NodeId>,
}

/// The kernel of one operator, or of several that are computed in one pass. `None` where one of them is no such
/// operator.
#[must_use]
pub fn build(graph: &Graph<'_>, opened: &[Opened]) -> Option<Built> {
    let first = opened.first()?;
    let template = if opened.len() > 1 {
        Template::MAgg
    } else {
        first.template?
    };
    let mut builder = Builder {
        graph,
        template,
        slots: Vec::new(),
        inputs: Vec::new(),
        steps: Vec::new(),
        known: FxHashMap::default(),
        numbered: FxHashMap::default(),
    };
    let mut outputs = Vec::new();
    let mut common: Option<Vec<NodeId>> = None;
    for operator in opened {
        builder.numbered.clear();
        outputs.push(builder.operator(operator)?);
        if template != Template::Row {
            let value = visited(graph, operator.root, &operator.covers, &operator.inside)?;
            let mut own = drivers(graph, value, &operator.covers);
            if let Some(others) = &common {
                own.retain(|id| others.contains(id));
            }
            common = Some(own);
        }
    }
    let common = common.unwrap_or_default();
    let driving = (0..builder.slots.len())
        .filter(|i| builder.slots[*i] == Access::Cells && common.contains(&builder.inputs[*i]))
        .collect();
    Some(Built {
        kernel: Kernel {
            template,
            slots: builder.slots,
            steps: builder.steps,
            outputs,
            drivers: driving,
        },
        inputs: builder.inputs,
    })
}

struct Builder<'a> {
    graph: &'a Graph<'a>,
    template: Template,
    slots: Vec<Access>,
    inputs: Vec<NodeId>,
    steps: Vec<Step>,
    known: FxHashMap<Step, usize>,
    /// The steps of the operator at hand.
    numbered: FxHashMap<NodeId, usize>,
}

impl Builder<'_> {
    fn step(&mut self, step: Step) -> usize {
        if let Some(known) = self.known.get(&step) {
            return *known;
        }
        self.steps.push(step.clone());
        self.known.insert(step, self.steps.len() - 1);
        self.steps.len() - 1
    }

    fn slot(&mut self, id: NodeId, access: Access) -> usize {
        let known =
            (0..self.slots.len()).find(|i| self.slots[*i] == access && self.inputs[*i] == id);
        known.unwrap_or_else(|| {
            self.slots.push(access);
            self.inputs.push(id);
            self.slots.len() - 1
        })
    }

    /// A factor as it is in memory.
    fn factor(&mut self, id: NodeId) -> usize {
        if self.graph.is_lazy(id) {
            self.slot(self.graph.stored(id), Access::Transposed)
        } else {
            self.slot(id, Access::Whole)
        }
    }

    /// A factor of which the columns are wanted.
    fn factor_turned(&mut self, id: NodeId) -> usize {
        if self.graph.is_lazy(id) {
            self.slot(self.graph.stored(id), Access::Whole)
        } else {
            self.slot(id, Access::Transposed)
        }
    }

    /// The step of a value that is read from memory, where the operator goes through the rows and columns of `like`.
    ///
    /// What decides how it is read is the shape that the operator sees, never the shape in memory: a transpose that is not formed
    /// lies there in the other direction. Of a vector that changes nothing; the rows of a matrix are not there then.
    fn leaf(&mut self, id: NodeId, like: NodeId) -> Option<usize> {
        if let Some(value) = self.graph.dag.value(id) {
            return Some(self.step(Step::Number(value.to_bits())));
        }
        let graph = self.graph;
        let rows = graph.rows(id) == graph.rows(like);
        let cols = self.template == Template::Row || graph.cols(id) == graph.cols(like);
        let access = if graph.is_single(id) {
            Access::Scalar
        } else if self.template == Template::Row && rows && graph.cols(id).is_one() {
            Access::Column
        } else if rows && cols {
            Access::Cells
        } else if rows && graph.cols(id).is_one() {
            Access::Column
        } else if cols && graph.rows(id).is_one() {
            Access::Row
        } else {
            return None;
        };
        let is_vector = graph.rows(id).is_one() || graph.cols(id).is_one();
        if graph.is_lazy(id) && !is_vector {
            return None;
        }
        let slot = self.slot(graph.stored(id), access);
        Some(self.step(Step::Slot(slot)))
    }

    /// The step of an argument: inside, or read from memory.
    fn argument(
        &mut self,
        operator: &Opened,
        (h, at): (NodeId, usize),
        like: NodeId,
    ) -> Option<usize> {
        let arg = self.graph.dag.args(h)[at];
        if operator.inside.binary_search(&(h, at)).is_ok() {
            return self.numbered.get(&arg).copied();
        }
        self.leaf(arg, like)
    }

    /// The left factor of `t(A) %*% B`, as A.
    fn turned_argument(&mut self, operator: &Opened, h: NodeId, like: NodeId) -> Option<usize> {
        let transposed = self.graph.dag.args(h)[0];
        if operator.inside.binary_search(&(h, 0)).is_ok() {
            return self.argument(operator, (transposed, 0), like);
        }
        if !self.graph.is_lazy(transposed) {
            // It is there as it stands, and its rows are no rows of `like`.
            return None;
        }
        self.leaf(self.graph.stored(transposed), like)
    }

    fn operator(&mut self, operator: &Opened) -> Option<Output> {
        let (graph, root) = (self.graph, operator.root);
        let like = match (operator.template?, graph.op(root)?) {
            // The rows of B in t(A) %*% B.
            (Template::Row, Op::MatMul) if graph.is_lazy(graph.dag.args(root)[0]) => {
                graph.dag.args(root)[1]
            }
            (Template::Cell, Op::MatMul) => graph.dag.args(root)[1],
            (Template::Row, op) if is_column_fold(op) || op == Op::Sum => graph.dag.args(root)[0],
            (Template::Row, _) => root,
            _ => visited(graph, root, &operator.covers, &operator.inside)?,
        };
        let mut last = None;
        for &id in &operator.covers {
            let op = graph.op(id)?;
            let step = match op {
                Op::Transpose => continue,
                Op::RightIndex => {
                    let (from, to) = graph.column_range(id)?;
                    let row = self.argument(operator, (id, 0), like)?;
                    Some(self.step(Step::Slice(row, from, to)))
                }
                Op::MatMul if self.template == Template::Outer && id != root => {
                    let args = graph.dag.args(id);
                    let left = self.factor(args[0]);
                    let right = self.factor_turned(args[1]);
                    Some(self.step(Step::Product(left, right)))
                }
                Op::MatMul
                    if self.template == Template::Row
                        && !(id == root && graph.is_lazy(graph.dag.args(id)[0])) =>
                {
                    let row = self.argument(operator, (id, 0), like)?;
                    let matrix = self.factor(graph.dag.args(id)[1]);
                    Some(self.step(Step::Times(row, matrix)))
                }
                Op::MatMul => None,
                _ if is_row_fold(op) && self.template == Template::Row => {
                    let row = self.argument(operator, (id, 0), like)?;
                    Some(self.step(Step::Fold(op, row)))
                }
                _ if is_full_fold(op) || is_row_fold(op) || is_column_fold(op) => None,
                _ if graph.is_cellwise(id) => {
                    let mut args = SmallVec::new();
                    for at in 0..graph.dag.args(id).len() {
                        args.push(self.argument(operator, (id, at), like)?);
                    }
                    Some(self.step(Step::Cell(op, args)))
                }
                _ => return None,
            };
            if let Some(step) = step {
                self.numbered.insert(id, step);
                last = (id == root).then_some(step);
            }
        }
        if let Some(step) = last {
            return Some(Output {
                step,
                finish: Finish::Keep,
            });
        }
        self.finish(operator, like)
    }

    /// What becomes of the value below an operator's root.
    fn finish(&mut self, operator: &Opened, like: NodeId) -> Option<Output> {
        let (graph, root) = (self.graph, operator.root);
        let op = graph.op(root)?;
        let args = graph.dag.args(root);
        if op != Op::MatMul {
            let step = self.argument(operator, (root, 0), like)?;
            let finish = if is_full_fold(op) {
                Finish::All(op)
            } else if is_row_fold(op) {
                Finish::Rows(op)
            } else {
                Finish::Columns(op)
            };
            return Some(Output { step, finish });
        }
        let is_inside = |at: usize| operator.inside.binary_search(&(root, at)).is_ok();
        match self.template {
            Template::Row => {
                let left = self.turned_argument(operator, root, like)?;
                let step = self.argument(operator, (root, 1), like)?;
                Some(Output {
                    step,
                    finish: Finish::Sums(left),
                })
            }
            Template::Outer if is_inside(0) && graph.is(args[0], Op::Transpose) => {
                let step = self.argument(operator, (args[0], 0), like)?;
                let slot = self.factor(args[1]);
                Some(Output {
                    step,
                    finish: Finish::LeftProduct {
                        slot,
                        transposed: false,
                    },
                })
            }
            Template::Outer if is_inside(0) => {
                let step = self.argument(operator, (root, 0), like)?;
                let slot = self.factor(args[1]);
                Some(Output {
                    step,
                    finish: Finish::RightProduct(slot),
                })
            }
            Template::Outer => {
                let step = self.argument(operator, (root, 1), like)?;
                let slot = self.factor_turned(args[0]);
                Some(Output {
                    step,
                    finish: Finish::LeftProduct {
                        slot,
                        transposed: true,
                    },
                })
            }
            Template::Cell | Template::MAgg => {
                let left = self.turned_argument(operator, root, like)?;
                let right = self.argument(operator, (root, 1), like)?;
                let step = self.step(Step::Cell(Op::Mul, SmallVec::from_slice(&[left, right])));
                Some(Output {
                    step,
                    finish: Finish::All(Op::Sum),
                })
            }
        }
    }
}
