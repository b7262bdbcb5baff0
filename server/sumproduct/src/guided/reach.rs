//! Whether a sketch could lead somewhere from an expression, by a look at both. Must never search: a menu asks this for
//! each sketch at every move of a cursor.

use std::collections::BTreeSet;

use egg::{ENodeOrVar, Id, Language, Pattern, PatternAst, RecExpr};
use sumac_la::{Dag, Dim, Kind, Op, ShapeRule};
use sumac_sketch::text::ast::Expr;
use sumac_sketch::text::{Filled, FilledStage};
use sumac_sketch::{Condition, Shape, SketchId, satisfies};

use super::asks::Asks;
use super::language::{Fact, La};
use super::listed;
use super::lower::graph_of;
use super::pattern::{LaSketches, Wanted};
use super::rules;
use super::run::{Asked, Plan, named, with_inputs};
use super::shapes::Shapes;

/// Whether a sketch could lead from an expression to another one, by a look at the sketch alone: the expression reads
/// what the sketch names, its kind and size can be those of the goal, the rules of each stage can make the operators
/// that it asks for, and it does not fit the goal as it is. Searches nothing.
#[must_use]
pub fn could_apply(asked: &Asked<'_>, sketch: &Filled) -> bool {
    let dag = with_inputs(asked.dag, asked.dag, asked.root);
    let plans = sketch
        .stages
        .iter()
        .map(|stage| Plan::new(asked, &dag, &stage.pattern));
    let Ok(plans) = plans.collect::<Result<Vec<Plan>, String>>() else {
        return false;
    };
    let Some(goal) = plans.last() else {
        return false;
    };
    let term = Term::of(&dag);
    if !could_be(&goal.sketches, goal.sketch, term.fact()) {
        return false;
    }
    let mut made = Made::of(&term);
    for (plan, stage) in plans.iter().zip(&sketch.stages) {
        made.grow(stage);
        let has_operators = could_have(&plan.sketches, plan.sketch, &made.ops);
        if !has_operators || !Shapes::could_have(&term, &made, plan) {
            return false;
        }
    }
    !term.fits(goal)
}

/// Whether an expression fits a pattern as it is written; `None` where the pattern names what it does not read.
#[must_use]
pub fn fits(asked: &Asked<'_>, pattern: &Expr) -> Option<bool> {
    let dag = with_inputs(asked.dag, asked.dag, asked.root);
    let plan = Plan::new(asked, &dag, pattern).ok()?;
    Some(Term::of(&dag).fits(&plan))
}

/// An expression as a term, with what is known of its parts.
pub(super) struct Term {
    expr: RecExpr<La>,
    pub(super) facts: Vec<Fact>,
}

impl Term {
    fn of(dag: &Dag) -> Self {
        let (graph, class) = graph_of(dag, dag.roots()[0]);
        let expr = graph.id_to_expr(class);
        let mut classes: Vec<Id> = Vec::new();
        for node in expr.as_ref() {
            let mut node = node.clone();
            node.update_children(|child| classes[usize::from(child)]);
            // Every part of a term of the graph is in the graph.
            classes.push(graph.lookup(node).map_or(class, |known| graph.find(known)));
        }
        let facts = classes.into_iter().map(|class| graph[class].data.clone());
        Term {
            facts: facts.collect(),
            expr,
        }
    }

    pub(super) fn node(&self, id: Id) -> &La {
        &self.expr[id]
    }

    pub(super) fn fact(&self) -> &Fact {
        self.facts.last().expect("a term has a root")
    }

    fn fits(&self, plan: &Plan) -> bool {
        let data = |id: Id| &self.facts[usize::from(id)];
        satisfies(&self.expr, &plan.sketches, plan.sketch, &data)
    }
}

fn op_of(node: &La) -> Option<Op> {
    match node {
        La::Op(op, _) => Some(*op),
        La::Input(_) | La::Num(_) => None,
    }
}

fn ops_of(ast: &PatternAst<La>) -> BTreeSet<Op> {
    let nodes = ast.as_ref().iter();
    let op = |node: &ENodeOrVar<La>| match node {
        ENodeOrVar::ENode(node) => op_of(node),
        ENodeOrVar::Var(_) => None,
    };
    nodes.filter_map(op).collect()
}

/// What terms can be made of: operators, and values of some kinds.
pub(super) struct Made {
    ops: BTreeSet<Op>,
    pub(super) kinds: Kinds,
    /// A rule makes values of sizes that no part of the expression has.
    pub(super) has_new_sizes: bool,
}

/// Which kinds of values there are or can be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Kinds {
    pub(super) scalar: bool,
    pub(super) matrix: bool,
    pub(super) column: bool,
    pub(super) row: bool,
}

impl Made {
    fn of(term: &Term) -> Self {
        let mut kinds = Kinds::default();
        for Fact { ty, .. } in &term.facts {
            // A size without a number could be one.
            let could_be_one = |dim: &Dim| dim.is_one() || *dim == Dim::Unknown;
            let is_matrix = ty.kind == Kind::Matrix;
            kinds.scalar |= !is_matrix;
            kinds.matrix |= is_matrix;
            kinds.column |= is_matrix && could_be_one(&ty.cols);
            kinds.row |= is_matrix && could_be_one(&ty.rows);
        }
        Made {
            ops: term.expr.as_ref().iter().filter_map(op_of).collect(),
            kinds,
            has_new_sizes: false,
        }
    }

    /// Adds the operators that the rules of a stage can make of those that are there, and of what they make.
    fn grow(&mut self, stage: &FilledStage) {
        // What is no rule is said when it is searched.
        let own = listed::all(&stage.equations).unwrap_or_default();
        let mut rules = rules::chosen(named(&stage.rules));
        rules.extend(own.iter().map(|rule| &**rule));
        let mut before = None;
        while before != Some((self.ops.len(), self.kinds)) {
            before = Some((self.ops.len(), self.kinds));
            for rule in &rules {
                let fires = |pattern: &Pattern<La>| ops_of(&pattern.ast).is_subset(&self.ops);
                let asks = rule.asks.iter().all(|asked| self.kinds.could_be(asked));
                if asks && rule.patterns.iter().any(fires) {
                    self.ops.extend(ops_of(&rule.right));
                    let mut right = rule.right.as_ref().iter();
                    self.kinds.scalar |=
                        right.any(|node| matches!(node, ENodeOrVar::ENode(La::Num(_))));
                    let mut made = ops_of(&rule.right).into_iter();
                    self.has_new_sizes |= made.any(|op| !keeps_sizes(op));
                }
            }
            self.close();
        }
    }

    /// Adds the kinds of values that the operators make.
    fn close(&mut self) {
        let has = |rule: ShapeRule| self.ops.iter().any(|op| op.info().shape == rule);
        let turns = has(ShapeRule::Transpose);
        let Kinds { column, row, .. } = self.kinds;
        let scalars = [
            ShapeRule::FullAgg,
            ShapeRule::Trace,
            ShapeRule::AsScalar,
            ShapeRule::Meta,
        ];
        self.kinds.scalar |= scalars.into_iter().any(has);
        let square = has(ShapeRule::AsMatrix) || has(ShapeRule::Diag);
        self.kinds.matrix |= square;
        self.kinds.column |= square || has(ShapeRule::RowAgg) || (row && turns);
        self.kinds.row |= square || has(ShapeRule::ColAgg) || (column && turns);
    }
}

impl Kinds {
    /// Whether there could be values as a rule asks for them.
    fn could_be<L>(&self, asked: &Asks<L>) -> bool {
        match asked {
            Asks::Scalar(_) => self.scalar,
            Asks::Matrix(_) => self.matrix,
            Asks::Column(_) => self.column,
            Asks::Row(_) => self.row,
            Asks::Vector(_) => self.column || self.row,
            Asks::Same(..) | Asks::Equal(..) | Asks::One(_) => true,
        }
    }
}

/// Whether an operator's result has sizes of its arguments only, or one.
pub(super) fn keeps_sizes(op: Op) -> bool {
    !matches!(
        op.info().shape,
        ShapeRule::Cbind
            | ShapeRule::Rbind
            | ShapeRule::RightIndex
            | ShapeRule::Fill
            | ShapeRule::Reshape
            | ShapeRule::Seq
    )
}

/// Whether a term of these operators could fit a sketch.
fn could_have(sketches: &LaSketches, sketch: SketchId, made: &BTreeSet<Op>) -> bool {
    let part = |part: &SketchId| could_have(sketches, *part, made);
    match sketches.shape(sketch) {
        Shape::Any => true,
        Shape::Node(head, parts, _) => {
            op_of(head).is_none_or(|op| made.contains(&op)) && parts.iter().all(part)
        }
        Shape::Contains(inner) | Shape::Such(inner, _) => part(inner),
        Shape::Either(parts) => parts.iter().any(part),
    }
}

/// Whether a value of this kind and size could fit a sketch.
fn could_be(sketches: &LaSketches, sketch: SketchId, fact: &Fact) -> bool {
    match sketches.shape(sketch) {
        Shape::Any | Shape::Contains(_) | Shape::Node(La::Input(_), ..) => true,
        Shape::Node(La::Num(_), ..) => fact.ty.is_scalar(),
        Shape::Node(La::Op(op, _), ..) => {
            let scalar = matches!(
                op.info().shape,
                ShapeRule::FullAgg | ShapeRule::Trace | ShapeRule::AsScalar | ShapeRule::Meta
            );
            let matrix = matches!(op, Op::MatMul | Op::Transpose | Op::RowSums | Op::ColSums);
            (!scalar || fact.ty.is_scalar()) && (!matrix || fact.ty.kind == Kind::Matrix)
        }
        Shape::Either(parts) => parts.iter().any(|part| could_be(sketches, *part, fact)),
        Shape::Such(part, condition) => {
            // Sparsity is an estimate, and another form may have a tighter one.
            let estimate = matches!(condition, Wanted::Sparse(..) | Wanted::Dense);
            (estimate || condition.holds(fact)) && could_be(sketches, *part, fact)
        }
    }
}
