//! Whether a sketch could lead somewhere from an expression, by a look at both. Must never search: a menu asks this for
//! each sketch at every move of a cursor.

use std::collections::BTreeSet;
use std::sync::Arc;

use egg::{ENodeOrVar, Id, Language, Pattern, PatternAst, RecExpr};
use sumac_la::{Dag, Kind, Op, ShapeRule};
use sumac_sketch::text::Filled;
use sumac_sketch::text::ast::Expr;
use sumac_sketch::{Condition, Shape, SketchId, satisfies};

use super::language::{Fact, La};
use super::lower::graph_of;
use super::pattern::{LaSketches, Wanted};
use super::rules;
use super::run::{Asked, Plan, named, with_inputs};

/// Whether a sketch could lead from an expression to another one, by a look at the sketch alone: the expression reads
/// what the sketch names, its kind and size can be those of the goal, the rules of each stage can make the operators
/// that it asks for, and it does not fit the goal as it is. Searches nothing.
#[must_use]
pub fn could_apply(asked: &Asked<'_>, sketch: &Filled) -> bool {
    let dag = with_inputs(asked, asked.dag, asked.root);
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
    let nodes = term.expr.as_ref().iter();
    let mut made: BTreeSet<Op> = nodes.filter_map(op_of).collect();
    for (plan, stage) in plans.iter().zip(&sketch.stages) {
        grow(&mut made, &stage.rules);
        if !could_have(&plan.sketches, plan.sketch, &made) {
            return false;
        }
    }
    !term.fits(goal)
}

/// Whether an expression fits a pattern as it is written; `None` where the pattern names what it does not read.
#[must_use]
pub fn fits(asked: &Asked<'_>, pattern: &Expr) -> Option<bool> {
    let dag = with_inputs(asked, asked.dag, asked.root);
    let plan = Plan::new(asked, &dag, pattern).ok()?;
    Some(Term::of(&dag).fits(&plan))
}

/// An expression as a term, with what is known of its parts.
struct Term {
    expr: RecExpr<La>,
    facts: Vec<Fact>,
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

    fn fact(&self) -> &Fact {
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

/// Adds the operators that these rules can make of those that are there, and of what they make.
fn grow(made: &mut BTreeSet<Op>, rules: &[Arc<str>]) {
    let rules = rules::chosen(named(rules));
    let mut before = usize::MAX;
    while before != made.len() {
        before = made.len();
        for rule in &rules {
            let fires = |pattern: &Pattern<La>| ops_of(&pattern.ast).is_subset(made);
            if rule.patterns.iter().any(fires) {
                made.extend(ops_of(&rule.right));
            }
        }
    }
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
