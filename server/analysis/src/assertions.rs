//! `#@ assert` lines: both sides as algebra over what the script knows there. Whether the sides are equal is not for this module:
//! that takes longer than a keystroke.

use sumac_la::{Dag, Dim, Node, Type};
use sumac_syntax::ast::{Expr, FactKind};
use sumac_text::TextRange;

use crate::analyzer::Analyzer;
use crate::given::{Given, Values};
use crate::names;
use crate::result::{AssertInput, Assertion, Severity};

impl Analyzer<'_> {
    /// The asserts in front of a list's first statement.
    pub(crate) fn asserts_before(&mut self, stmt: TextRange) {
        let facts = self.facts;
        if let Some(found) = facts.asserts.before.get(&stmt) {
            self.assertions(found);
        }
    }

    /// The asserts between a statement and the next.
    pub(crate) fn asserts_behind(&mut self, stmt: TextRange) {
        let facts = self.facts;
        if let Some(found) = facts.asserts.behind.get(&stmt) {
            self.assertions(found);
        }
    }

    /// The asserts that no statement stands beside.
    pub(crate) fn lone_asserts(&mut self) {
        let facts = self.facts;
        self.assertions(&facts.asserts.alone);
    }

    fn assertions(&mut self, indices: &[usize]) {
        if !self.recording || self.in_dead_branch {
            return;
        }
        let program = self.program;
        for index in indices {
            let Some(fact) = program.facts.get(*index) else {
                continue;
            };
            if let FactKind::Assert { lhs, rhs } = &fact.kind {
                let assertion = self.assertion(fact.range, lhs, rhs);
                self.out.assertions.push(assertion);
            }
        }
    }

    /// Both sides over what the block knows now. Nothing of it stays in the block, and nothing of it is a use of a name.
    fn assertion(&mut self, range: TextRange, lhs: &Expr, rhs: &Expr) -> Assertion {
        let block = self.block.clone();
        let (parts, size_constraints) = (
            std::mem::take(&mut self.parts),
            std::mem::take(&mut self.size_constraints),
        );
        let (calls, provenance) = (self.calls.clone(), self.provenance.clone());
        let (uses, types) = (self.out.names.len(), self.out.expr_types.len());
        let told = self.out.diagnostics.len();
        let sides = [lhs, rhs].map(|side| {
            let val = self.eval(side);
            self.node(&(side, val))
        });
        let is_error = |d: &crate::result::Diagnostic| d.severity == Severity::Error;
        let is_wrong = self.out.diagnostics[told..].iter().any(is_error);
        let mut dag = Dag::default();
        let (mut inputs, mut variables) = (Vec::new(), Vec::new());
        if let [Some(left), Some(right)] = sides
            && !is_wrong
        {
            for side in [left, right] {
                // What a scalar is known to be there is part of what the assert is about.
                let own = &self.block.dag;
                let root = dag.import_with(own, side, &mut |dag, id| {
                    let number = own.input_of(id)?.ty.assumed?;
                    Some(dag.num(number))
                });
                dag.push_root(root);
            }
            inputs = self.assert_inputs(&dag);
            variables = self.assert_variables(lhs, rhs);
        }
        self.out.names.truncate(uses);
        self.out.expr_types.truncate(types);
        self.block = block;
        (self.parts, self.size_constraints) = (parts, size_constraints);
        (self.calls, self.provenance) = (calls, provenance);
        Assertion {
            range,
            equation: lhs.range.cover(rhs.range),
            dag: (!dag.roots().is_empty()).then_some(dag),
            inputs,
            variables,
            is_wrong,
        }
    }

    /// The variables of both sides that go by their own name in the block's DAG.
    fn assert_variables(&mut self, lhs: &Expr, rhs: &Expr) -> Vec<(AssertInput, Type)> {
        let mut reads = names::Names::new();
        for side in [lhs, rhs] {
            names::for_each_read(side, &mut |ident| {
                reads.insert(ident.name.clone());
            });
        }
        let mut dag = Dag::default();
        for name in reads {
            let Some(ty) = self.env.get(&name).and_then(|var| var.info.la_type()) else {
                continue;
            };
            let node = self.block.variable(&name, || ty);
            if let Some(input) = self.block.dag.input_of(node)
                && *input.name == *name
            {
                dag.input(&name, input.ty.clone());
            }
        }
        let inputs = self.assert_inputs(&dag);
        let types = dag.inputs().iter().map(|input| input.ty.clone());
        inputs.into_iter().zip(types).collect()
    }

    /// What the inputs of an assert's sides are to the script.
    fn assert_inputs(&self, dag: &Dag) -> Vec<AssertInput> {
        let known = self.block.snapshot();
        let variable = |input: &str| {
            known.iter().find_map(|(name, node)| {
                let Node::Input(_) = self.block.dag.node(*node) else {
                    return None;
                };
                let own = self.block.dag.input_of(*node)?;
                let var = self.env.get(name)?;
                (*own.name == *input).then_some((name, var))
            })
        };
        let is_sized = |dim: &Dim| match dim {
            Dim::Known(_) => true,
            Dim::Named(name) => !name.contains('('),
            Dim::Unknown => false,
        };
        let inputs = dag.inputs().iter().map(|input| {
            let found = variable(&input.name);
            let is_stated = |range: &TextRange| {
                let mut facts = self.facts.at_entry.values();
                facts.any(|fact| fact.range == *range)
            };
            let given = |range: &TextRange| match self.facts.asserts.given.get(range) {
                Some(given) => Some(given.clone()),
                None => is_stated(range).then_some(Given {
                    values: Values::Any,
                    source: None,
                }),
            };
            let all: Option<Vec<Given>> = match found {
                Some((_, var)) => var.defs.iter().map(given).collect(),
                None => input.name.starts_with('$').then(|| {
                    vec![Given {
                        values: Values::Any,
                        source: Some(input.name.clone()),
                    }]
                }),
            };
            let all = all.unwrap_or_default();
            let mut values = all.iter().map(|given| Some(given.values));
            let first = values.next().flatten();
            AssertInput {
                name: found.map_or_else(|| input.name.clone(), |(name, _)| name.clone()),
                values: values.fold(first, |met, other| met?.meet(other?)),
                sources: all.into_iter().filter_map(|given| given.source).collect(),
                is_sized: is_sized(&input.ty.rows) && is_sized(&input.ty.cols),
            }
        });
        inputs.collect()
    }
}
