//! Simple statements: what they assign, what facts say of it, and how it is recorded.

use std::sync::Arc;

use sumac_la::{Dim, NodeId, Type};
use sumac_syntax::ast::{AssignOp, BinaryOp, Expr, ExprKind, Ident, Stmt, StmtKind, Target};

use crate::analyzer::{Analyzer, Var};
use crate::block::Builder;
use crate::expr::{Form, Val};
use crate::names::{self, strip};
use crate::provenance::Provenance;
use crate::result::{BlockTarget, NameUse, Part, Symbol, VariableFact};
use crate::sites::Facts;
use crate::stated::Effect;
use crate::value::{ValueInfo, ValueKind};

impl Analyzer<'_> {
    pub(crate) fn simple(&mut self, stmt: &Stmt) {
        // What a condition said is not known to hold behind it.
        self.size_constraints.clear();
        self.simple_statement(stmt);
        self.settle();
    }

    fn simple_statement(&mut self, stmt: &Stmt) {
        let reads = names::reads(stmt, self.text);
        self.parts.clear();
        match &stmt.kind {
            StmtKind::Assign {
                target,
                op: AssignOp::Set,
                value,
            } if target.index.is_none() => {
                let mut val = self.eval(value);
                self.settle();
                if let Form::La(root) = val.form {
                    self.parts.clear();
                    self.parts.push(Part {
                        range: value.range,
                        root,
                    });
                }
                self.draft(
                    stmt.range,
                    reads,
                    vec![target.name.name.clone()],
                    Some(&target.name),
                );
                let from_read = matches!(&strip(value).kind, ExprKind::Call(call) if &*call.name.name == "read");
                if val.info.kind == ValueKind::Matrix {
                    val.info.stated = self.stated(value);
                }
                self.assign_whole(&target.name, val, from_read);
            }
            StmtKind::Assign { target, op, value } => {
                let val = self.eval_part(value);
                let old = self.variable(&target.name);
                self.eval_index(target);
                if let (Some(index), Some(old)) = (&target.index, &old) {
                    self.check_target(target, index, &old.info, &val.info);
                }
                self.draft(stmt.range, reads, vec![target.name.name.clone()], None);
                if *op == AssignOp::Accumulate && target.index.is_none() {
                    self.accumulate(stmt, target, old, val);
                } else {
                    // Cells change; the shape stays.
                    let mut info = old.map_or_else(ValueInfo::unknown, |v| v.info.clone());
                    if info.kind != ValueKind::List && info.kind != ValueKind::Frame {
                        info = ValueInfo::matrix(info.rows, info.cols, None);
                    }
                    self.assign(&target.name, info, None);
                    self.define(&target.name, true);
                }
            }
            StmtKind::MultiAssign { targets, value } => {
                let infos = self.eval_multi(value, targets.len());
                for target in targets {
                    self.eval_index(target);
                }
                let writes = targets.iter().map(|t| t.name.name.clone()).collect();
                self.draft(stmt.range, reads, writes, None);
                for (target, info) in targets.iter().zip(infos) {
                    if target.index.is_none() {
                        let val = Val {
                            info,
                            form: Form::Impure,
                        };
                        self.assign_whole(&target.name, val, false);
                    } else {
                        self.assign(&target.name, ValueInfo::unknown(), None);
                        self.define(&target.name, true);
                    }
                }
            }
            StmtKind::Expr(value) => {
                self.eval_part(value);
                self.draft(stmt.range, reads, Vec::new(), None);
            }
            _ => {}
        }
    }

    /// `X += e`: the DAG knows the sum, but no expression of the script is it.
    fn accumulate(&mut self, stmt: &Stmt, target: &Target, old: Option<Arc<Var>>, val: Val) {
        let name = Expr {
            range: target.name.range,
            kind: ExprKind::Name(target.name.clone()),
        };
        let old_info = old.map_or_else(ValueInfo::unknown, |v| v.info.clone());
        let form = match old_info.la_type() {
            Some(ty) => Form::La(self.block.variable(&target.name.name, || ty)),
            None => Form::Opaque,
        };
        let StmtKind::Assign { value, .. } = &stmt.kind else {
            return;
        };
        let sum = Expr {
            range: stmt.range,
            kind: ExprKind::Missing,
        };
        let old_val = Val {
            info: old_info,
            form,
        };
        let result = self.binary(BinaryOp::Add, &sum, (&name, old_val), (value, val));
        self.parts.clear();
        let node = match result.form {
            Form::La(node) => Some(node),
            Form::Opaque | Form::Impure => None,
        };
        self.assign(&target.name, result.info, node);
        self.define(&target.name, true);
    }

    /// A plain assignment: facts, the variable's new node, the record.
    fn assign_whole(&mut self, ident: &Ident, val: Val, from_read: bool) {
        let node = match val.form {
            Form::La(node) => Some(node),
            Form::Opaque | Form::Impure => None,
        };
        if let (Some(root), Some(draft)) = (node, self.block.drafts.last_mut()) {
            draft.target = Some(BlockTarget {
                name: ident.name.clone(),
                range: ident.range,
                version_node: root,
            });
        }
        let mut info = val.info;
        if info.stated.is_some() {
            self.settle_assumed_ones(val.form, &mut info);
        }
        if let (Some(origin), true) = (&info.origin, from_read && info.is_sparse()) {
            info.provenance = Provenance::of(&ident.name, Some(Arc::clone(&origin.label)));
        }
        let mut source = match &info.origin {
            Some(origin) if from_read => origin.label.to_string(),
            _ => "propagated".to_owned(),
        };
        let mut cut = false;
        if let Some(fact) = self.facts.at_assignment.get(&ident.range).cloned() {
            let (stated, effect) = self.apply_fact(info, &fact, &source);
            info = stated;
            cut = effect == Effect::Refines;
            source = match effect {
                Effect::Ignored => {
                    format!("{source}; {} does not hold, and is ignored", fact.label)
                }
                Effect::Refines | Effect::SaysNothing => fact.label.to_string(),
            };
        }
        if !info.is_sparse() {
            info.provenance = Provenance::default();
        } else {
            info.provenance = info.provenance.named(&ident.name);
        }
        self.name_sizes(ident, &mut info);
        info = self.with_known_sizes(info);
        // Where a fact says more than the DAG can know, the variable goes on as an input with the fact's type. So does a
        // constant, which keeps its name: what is computed with it is right for any other value as well.
        let is_number = |node: &NodeId| self.block.dag.value(*node).is_some();
        let is_constant = node.as_ref().is_some_and(is_number);
        let node = if cut || is_constant { None } else { node };
        let opaque = node.is_none() && info.la_type().is_some();
        self.assign(ident, info.clone(), node);
        if opaque
            && let Some(draft) = self.block.drafts.last_mut()
            && draft.target.is_none()
        {
            let ty = info.la_type().unwrap_or_else(Type::scalar);
            let version_node = self.block.variable(&ident.name, || ty);
            draft_target(&mut self.block, ident, version_node);
        }
        self.define(ident, false);
        if self.recording {
            let ty = hide_own_names(ident, self.facts, info.ty());
            if source == "propagated" && (info.kind == ValueKind::Unknown || !is_sized(&ty)) {
                "unknown".clone_into(&mut source);
            }
            self.out.variables.push(VariableFact {
                name: ident.name.clone(),
                range: ident.range,
                function: self.scope.clone(),
                kind: info.kind,
                ty,
                constant: info.constant.clone(),
                source,
                provenance: info.provenance,
            });
        }
    }

    /// A matrix whose size nothing tells has the size `nrow(X)` by `ncol(X)`; later versions are told apart.
    pub(crate) fn name_sizes(&self, ident: &Ident, info: &mut ValueInfo) {
        if info.kind != ValueKind::Matrix {
            return;
        }
        let (rows, cols) = own_names(ident, self.facts);
        if info.rows == Dim::Unknown {
            info.rows = rows;
        }
        if info.cols == Dim::Unknown {
            info.cols = cols;
        }
    }

    /// Gives the variable a value: a node of the DAG, or a fresh input where it is numeric.
    pub(crate) fn assign(&mut self, ident: &Ident, info: ValueInfo, node: Option<NodeId>) {
        let node = node.or_else(|| {
            let ty = info.la_type()?;
            let (input, node) = self.block.fresh(&ident.name, ty);
            if let Some(stated) = &info.stated {
                self.block.stated.insert(input.clone(), stated.clone());
            }
            if let Some(read) = info.unsized_read {
                self.block
                    .unsized_inputs
                    .insert(input, (read, ident.name.clone()));
            }
            Some(node)
        });
        self.block.assign(&ident.name, node);
        self.env.insert(
            ident.name.clone(),
            Arc::new(Var {
                info,
                defs: [ident.range].into(),
            }),
        );
    }

    /// Records a definition. `adds`: the old value is part of the new one.
    pub(crate) fn define(&mut self, ident: &Ident, adds: bool) {
        if !self.recording {
            return;
        }
        self.out.names.push(NameUse {
            range: ident.range,
            name: ident.name.clone(),
            scope: self.scope.clone(),
            symbol: Symbol::Variable,
            is_definition: true,
            definitions: vec![ident.range],
        });
        if adds && let Some(var) = self.env.get(&ident.name) {
            let info = var.info.clone();
            self.out.variables.push(VariableFact {
                name: ident.name.clone(),
                range: ident.range,
                function: self.scope.clone(),
                kind: info.kind,
                ty: hide_own_names(ident, self.facts, info.ty()),
                constant: info.constant,
                source: "propagated".to_owned(),
                provenance: info.provenance,
            });
        }
    }
}

fn draft_target(block: &mut Builder, ident: &Ident, version_node: NodeId) {
    if let Some(draft) = block.drafts.last_mut() {
        draft.target = Some(BlockTarget {
            name: ident.name.clone(),
            range: ident.range,
            version_node,
        });
    }
}

fn own_names(ident: &Ident, facts: &Facts) -> (Dim, Dim) {
    let name = &ident.name;
    let earlier = facts.earlier.get(name).copied().unwrap_or_default();
    let version = match facts.ordinals.get(&ident.range) {
        Some(n) if n + earlier > 0 => format!("#{}", n + earlier + 1),
        _ => String::new(),
    };
    (
        Dim::Named(format!("nrow({name}{version})").into()),
        Dim::Named(format!("ncol({name}{version})").into()),
    )
}

/// To say that `X` has `nrow(X)` rows says nothing.
fn hide_own_names(ident: &Ident, facts: &Facts, mut ty: Type) -> Type {
    let (rows, cols) = own_names(ident, facts);
    if ty.rows == rows {
        ty.rows = Dim::Unknown;
    }
    if ty.cols == cols {
        ty.cols = Dim::Unknown;
    }
    ty
}

fn is_sized(ty: &Type) -> bool {
    ty.rows != Dim::Unknown && ty.cols != Dim::Unknown
}
