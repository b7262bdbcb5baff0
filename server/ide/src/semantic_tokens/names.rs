//! Which names of a script stand for what: from the tree and the analysis.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sumac_analysis::{NameUse, Symbol, ValueInfo, ValueKind, VariableFact};
use sumac_la::Type;
use sumac_syntax::ast::{Call, Expr, ExprKind, FunctionDef, Ident, Stmt, StmtKind, Target};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use super::token::{Modifier, Modifiers, Piece, SemanticKind, piece};
use crate::snapshot::Snapshot;

/// The names, strings and arguments of the script, in no order.
pub(super) fn pieces(snapshot: &Snapshot) -> Vec<Piece> {
    let mut names = Names::new(snapshot);
    walk(snapshot.parse.program(), &mut |node| match node {
        Node::Stmt(stmt) => names.statement(stmt),
        Node::Expr(expr) => names.expression(expr),
    });
    names.pieces
}

/// What an expression's names, strings and arguments are.
pub(super) fn in_expression(snapshot: &Snapshot, expr: &Expr) -> Vec<Piece> {
    let mut names = Names::new(snapshot);
    sumac_syntax::walk::walk_expr(expr, &mut |node| {
        if let Node::Expr(expr) = node {
            names.expression(expr);
        }
    });
    names.pieces
}

struct Names<'a> {
    snapshot: &'a Snapshot,
    uses: BTreeMap<TextRange, &'a NameUse>,
    facts: BTreeMap<TextRange, &'a VariableFact>,
    /// Parameters and results by function and name.
    params: BTreeSet<(&'a str, &'a str)>,
    functions: BTreeSet<&'a str>,
    pieces: Vec<Piece>,
}

impl<'a> Names<'a> {
    fn new(snapshot: &'a Snapshot) -> Self {
        let analysis = &*snapshot.analysis;
        let params = analysis.functions.iter().flat_map(|function| {
            let all = function.params.iter().chain(&function.results);
            all.map(|param| (&*function.name, &*param.name))
        });
        let is_variable = |name: &&NameUse| name.symbol == Symbol::Variable;
        Names {
            snapshot,
            uses: analysis
                .names
                .iter()
                .filter(is_variable)
                .map(|name| (name.range, name))
                .collect(),
            facts: analysis
                .variables
                .iter()
                .map(|fact| (fact.range, fact))
                .collect(),
            params: params.collect(),
            functions: analysis.functions.iter().map(|f| &*f.name).collect(),
            pieces: Vec::new(),
        }
    }

    fn add(&mut self, range: TextRange, kind: SemanticKind, modifiers: Modifiers) {
        if !range.is_empty() {
            self.pieces.push(Piece {
                modifiers,
                ..piece(range, kind)
            });
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        let none = Modifiers::default();
        let declared = none.with(Modifier::Declaration);
        match &stmt.kind {
            StmtKind::Assign { target, .. } => self.target(target),
            StmtKind::MultiAssign { targets, .. } => {
                for target in targets {
                    self.target(target);
                }
            }
            StmtKind::For { var, options, .. } => {
                // A loop counts, or takes the cells of a vector one by one.
                let scalar = none.with(Modifier::Scalar);
                self.variable(var, scalar.with(Modifier::Declaration));
                for name in options.iter().filter_map(|option| option.name.as_ref()) {
                    self.add(name.range, SemanticKind::Property, none);
                }
            }
            StmtKind::Function(function) => self.function(function),
            StmtKind::Source { path, alias } => {
                if let Some(path) = path {
                    self.add(path.range, SemanticKind::String, none);
                }
                if let Some(alias) = alias {
                    self.add(alias.range, SemanticKind::Namespace, declared);
                }
            }
            StmtKind::SetWd { path: Some(path) } => {
                self.add(path.range, SemanticKind::String, none);
            }
            _ => {}
        }
    }

    fn target(&mut self, target: &Target) {
        let range = target.name.range;
        let modifiers = self.value(range).with(Modifier::Modification);
        self.variable(&target.name, modifiers);
    }

    fn function(&mut self, function: &FunctionDef) {
        let declared = Modifiers::default().with(Modifier::Declaration);
        self.add(function.name.range, SemanticKind::Function, declared);
        let info = self.snapshot.analysis.functions.iter();
        let info = info.clone().find(|f| f.range == function.name.range);
        for param in function.params.iter().chain(&function.results) {
            if let Some(ty) = &param.ty {
                self.add(ty.range, SemanticKind::Type, Modifiers::default());
            }
            let all = info
                .into_iter()
                .flat_map(|f| f.params.iter().chain(&f.results));
            let known = all.clone().find(|p| p.range == param.name.range);
            let modifiers =
                known.map_or(declared, |p| of_value(&p.info).with(Modifier::Declaration));
            self.add(param.name.range, SemanticKind::Parameter, modifiers);
        }
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => {
                let modifiers = self.value(name.range);
                self.variable(name, modifiers);
            }
            ExprKind::Arg(name) => {
                let info = self.snapshot.analysis.type_at(expr.range);
                let modifiers = info.map(of_value).unwrap_or_default();
                self.add(name.range, SemanticKind::Macro, modifiers);
            }
            ExprKind::Str(_) => {
                self.add(expr.range, SemanticKind::String, Modifiers::default());
            }
            ExprKind::Call(call) => self.call(call),
            _ => {}
        }
    }

    fn call(&mut self, call: &Call) {
        let none = Modifiers::default();
        let is_builtin = match &call.namespace {
            Some(namespace) => {
                self.add(namespace.range, SemanticKind::Namespace, none);
                false
            }
            None => {
                !self.functions.contains(&*call.name.name)
                    && sumac_builtins::find(&call.name.name).is_some()
            }
        };
        let modifiers = none.with_if(Modifier::DefaultLibrary, is_builtin);
        self.add(call.name.range, SemanticKind::Function, modifiers);
        for name in call.args.iter().filter_map(|arg| arg.name.as_ref()) {
            self.add(name.range, SemanticKind::Property, none);
        }
    }

    fn variable(&mut self, name: &Ident, modifiers: Modifiers) {
        let scope = self
            .uses
            .get(&name.range)
            .and_then(|name| name.scope.as_deref());
        let is_parameter = scope.is_some_and(|scope| self.params.contains(&(scope, &*name.name)));
        let kind = if is_parameter {
            SemanticKind::Parameter
        } else {
            SemanticKind::Variable
        };
        self.add(name.range, kind, modifiers);
    }

    /// What is known of the value of the name at `range`.
    fn value(&self, range: TextRange) -> Modifiers {
        if let Some(info) = self.snapshot.analysis.type_at(range) {
            return of_value(info);
        }
        let fact = self.facts.get(&range);
        fact.map_or_else(Modifiers::default, |fact| {
            of_kind(fact.kind, &fact.ty, fact.constant.is_some())
        })
    }
}

fn of_value(info: &ValueInfo) -> Modifiers {
    of_kind(info.kind, &info.ty(), info.constant.is_some())
}

fn of_kind(kind: ValueKind, ty: &Type, is_constant: bool) -> Modifiers {
    let is_matrix = kind == ValueKind::Matrix;
    Modifiers::default()
        .with_if(Modifier::Matrix, is_matrix)
        .with_if(Modifier::Sparse, is_matrix && ty.is_stored_sparse())
        .with_if(Modifier::Scalar, kind.is_scalar())
        .with_if(Modifier::Constant, is_constant)
}

/// What is known of a variable by its name alone: what its last assignment in the main program says.
pub(super) fn by_name(snapshot: &Snapshot, name: &Arc<str>) -> Modifiers {
    let facts = snapshot.analysis.variables.iter();
    let fact = facts.rev().find(|fact| fact.name == *name);
    fact.map_or_else(Modifiers::default, |fact| {
        of_kind(fact.kind, &fact.ty, fact.constant.is_some())
    })
}
