//! Statements, blocks and function definitions.

use tree_sitter::Node;

use super::{Lowering, MAX_DEPTH};
use crate::ast::{AssignOp, Block, ExprKind, FunctionDef, Ident, Param, Stmt, StmtKind};

const VALUE_TYPES: &[&str] = &["int", "integer", "string", "boolean", "double", "unknown"];
const DATA_TYPES: &[&str] = &["matrix", "frame", "list", "scalar"];

impl Lowering<'_> {
    pub(crate) fn statement(&mut self, node: Node<'_>) -> Stmt {
        let range = self.trimmed_range(node);
        if self.depth >= MAX_DEPTH {
            self.error(
                range,
                format!(
                    "nested deeper than {MAX_DEPTH} levels; move the inner part into a function"
                ),
            );
            return Stmt {
                range,
                kind: StmtKind::Error,
                is_damaged: true,
            };
        }
        self.depth += 1;
        let kind = self.statement_kind(node);
        self.depth -= 1;
        Stmt {
            range,
            kind,
            is_damaged: false,
        }
    }

    fn statement_kind(&mut self, node: Node<'_>) -> StmtKind {
        match node.kind() {
            "assignment" => {
                let Some(target) = node.child_by_field_name("target") else {
                    return StmtKind::Error;
                };
                let op = match node.child_by_field_name("operator") {
                    Some(operator) if self.text(operator) == "+=" => AssignOp::Accumulate,
                    _ => AssignOp::Set,
                };
                StmtKind::Assign {
                    target: self.target(target),
                    op,
                    value: self.expr_field(node, "value"),
                }
            }
            "multiple_assignment" => StmtKind::MultiAssign {
                targets: self.each_field(node, "target", Self::target),
                value: self.expr_field(node, "value"),
            },
            "expression_statement" => StmtKind::Expr(self.expr_field(node, "expression")),
            "if_statement" => StmtKind::If {
                cond: self.expr_field(node, "condition"),
                then: self.body(node, "consequence"),
                otherwise: node
                    .child_by_field_name("alternative")
                    .map(|_| self.body(node, "alternative")),
            },
            "while_statement" => StmtKind::While {
                cond: self.expr_field(node, "condition"),
                body: self.body(node, "body"),
            },
            kind @ ("for_statement" | "parfor_statement") => StmtKind::For {
                parallel: kind == "parfor_statement",
                var: self.ident_field(node, "variable"),
                range: self.loop_range(node),
                options: self.each_field(node, "option", Self::arg),
                body: self.body(node, "body"),
            },
            "function_definition" => self.function(node, true),
            "external_function_definition" => self.function(node, false),
            "source_statement" => StmtKind::Source {
                path: node
                    .child_by_field_name("path")
                    .map(|path| self.literal(path)),
                alias: node
                    .child_by_field_name("alias")
                    .map(|alias| self.ident(alias)),
            },
            "setwd_statement" => StmtKind::SetWd {
                path: node
                    .child_by_field_name("path")
                    .map(|path| self.literal(path)),
            },
            _ => StmtKind::Error,
        }
    }

    fn body(&mut self, node: Node<'_>, field: &str) -> Block {
        let Some(body) = node.child_by_field_name(field) else {
            return Block {
                range: self.view.range(node.end_byte(), node.end_byte()),
                statements: Vec::new(),
            };
        };
        let outer = std::mem::replace(&mut self.nested, true);
        let block = if body.kind() == "block" {
            Block {
                range: self.range(body),
                statements: self.statements(body),
            }
        } else {
            let statement = self.statement(body);
            Block {
                range: statement.range,
                statements: vec![statement],
            }
        };
        self.nested = outer;
        block
    }

    fn function(&mut self, node: Node<'_>, with_body: bool) -> StmtKind {
        let name = self.ident_field(node, "name");
        if self.nested {
            self.error(
                name.range,
                "a function can only be defined outside of every block; move it to the top level",
            );
        }
        let params = self.params(node, "parameters", true);
        let results = self.params(node, "results", false);
        let body = with_body.then(|| self.body(node, "body"));
        let options = self.each_field(node, "option", Self::arg);
        for option in &options {
            if !matches!(option.value.kind, ExprKind::Str(_) | ExprKind::Missing) {
                self.error(
                    option.value.range,
                    "expected a text in quotes: only such can stand behind `implemented in`",
                );
            }
        }
        StmtKind::Function(FunctionDef {
            name,
            params,
            results,
            body,
            options,
        })
    }

    fn params(&mut self, node: Node<'_>, field: &str, defaults: bool) -> Vec<Param> {
        let Some(list) = node.child_by_field_name(field) else {
            return Vec::new();
        };
        self.each_field(list, "parameter", |this, parameter| {
            let range = this.range(parameter);
            let name = this.ident_field(parameter, "name");
            let ty = parameter.child_by_field_name("type").map(|ty| this.ty(ty));
            if ty.is_none() {
                let message = format!(
                    "expected a type before `{0}`, such as `Matrix[Double] {0}` or `Double {0}`",
                    name.name
                );
                this.error(name.range, message);
            }
            let default = parameter
                .child_by_field_name("default")
                .map(|default| this.expr(default));
            if let (false, Some(default)) = (defaults, &default) {
                this.error(
                    default.range,
                    "a result has no default value; assign it in the body",
                );
            }
            Param {
                range,
                ty,
                name,
                default,
            }
        })
    }

    fn ty(&mut self, node: Node<'_>) -> Ident {
        let value = node.child_by_field_name("value");
        if let Some(data) = node.child_by_field_name("data") {
            let found = self.text(data);
            if value.is_none() {
                let message = format!(
                    "unknown type `{found}`: expected {}, or such as `Matrix[Double]`",
                    VALUE_TYPES.join(", ")
                );
                self.error(self.range(data), message);
            } else if !is_one_of(DATA_TYPES, found) {
                self.error(
                    self.range(data),
                    format!("unknown type `{found}`: expected {}", DATA_TYPES.join(", ")),
                );
            }
        }
        if let Some(value) = value
            && !is_one_of(VALUE_TYPES, self.text(value))
        {
            let message = format!(
                "unknown type `{}`: expected {}",
                self.text(value),
                VALUE_TYPES.join(", ")
            );
            self.error(self.range(value), message);
        }
        let range = self.range(node);
        let text: String = self.text(node).split_whitespace().collect();
        Ident {
            range,
            name: text.into(),
        }
    }
}

/// Whether `word` is one of the lower-case `words`, perhaps with a capital first letter.
fn is_one_of(words: &[&str], word: &str) -> bool {
    let mut chars = word.chars();
    let Some(first) = chars.next() else {
        return false;
    };
    let rest = chars.as_str();
    words.iter().any(|known| {
        known.len() == word.len()
            && known.starts_with(first.to_ascii_lowercase())
            && known[1..] == *rest
    })
}
