//! Expressions, targets and arguments.

use sumac_text::TextRange;
use tree_sitter::Node;

use super::{Lowering, MAX_DEPTH};
use crate::ast::{
    Arg, BinaryOp, Call, Expr, ExprKind, Ident, Index, Literal, LoopRange, Span, Target, UnaryOp,
};

/// The names that have a dot; there are no others.
const DOTTED_NAMES: &[&str] = &[
    "as.scalar",
    "as.matrix",
    "as.frame",
    "as.list",
    "as.double",
    "as.integer",
    "as.logical",
    "as.boolean",
    "index.return",
    "empty.return",
    "lower.tail",
    "lower.tri",
    "upper.tri",
    "is.na",
    "is.nan",
    "is.infinite",
];

const BINARY_OPS: &[BinaryOp] = &[
    BinaryOp::Pow,
    BinaryOp::MatMul,
    BinaryOp::Mod,
    BinaryOp::IntDiv,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::And,
    BinaryOp::Or,
];

impl Lowering<'_> {
    pub(crate) fn expr_field(&mut self, node: Node<'_>, field: &str) -> Expr {
        match node.child_by_field_name(field) {
            Some(child) => self.expr(child),
            None => Expr {
                range: self.view.range(node.end_byte(), node.end_byte()),
                kind: ExprKind::Missing,
            },
        }
    }

    pub(crate) fn expr(&mut self, node: Node<'_>) -> Expr {
        let range = self.trimmed_range(node);
        if self.view.is_appended(node) {
            return Expr {
                range,
                kind: ExprKind::Missing,
            };
        }
        if self.depth >= MAX_DEPTH {
            self.error(
                range,
                format!("nested deeper than {MAX_DEPTH} levels; split it into several assignments"),
            );
            return Expr {
                range,
                kind: ExprKind::Missing,
            };
        }
        self.depth += 1;
        let kind = self.expr_kind(node, range);
        self.depth -= 1;
        Expr { range, kind }
    }

    fn expr_kind(&mut self, node: Node<'_>, range: TextRange) -> ExprKind {
        match node.kind() {
            "identifier" => ExprKind::Name(self.name(node)),
            "command_argument" => ExprKind::Arg(self.command_argument(node)),
            "integer" => self.integer(node, range),
            "float" => self.float(node, range),
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "string" => ExprKind::Str(self.literal(node)),
            "parenthesized_expression" => {
                ExprKind::Paren(Box::new(self.expr_field(node, "expression")))
            }
            "unary_expression" => {
                let op = match self.operator(node) {
                    "-" => UnaryOp::Neg,
                    "+" => UnaryOp::Plus,
                    _ => UnaryOp::Not,
                };
                ExprKind::Unary(op, Box::new(self.expr_field(node, "operand")))
            }
            "binary_expression" => self.binary(node),
            "call" => ExprKind::Call(self.call(node)),
            "ifdef_expression" => ExprKind::Call(self.ifdef(node)),
            "index_expression" => {
                let operand = self.expr_field(node, "operand");
                match self.index_field(node) {
                    Some(index) => ExprKind::Index(Box::new(operand), index),
                    None => operand.kind,
                }
            }
            "list" => ExprKind::List(self.each_field(node, "element", Self::expr)),
            _ => ExprKind::Missing,
        }
    }

    fn operator(&self, node: Node<'_>) -> &str {
        node.child_by_field_name("operator")
            .map_or("", |operator| self.text(operator))
    }

    fn binary(&mut self, node: Node<'_>) -> ExprKind {
        let sign = match self.operator(node) {
            "&&" => "&",
            "||" => "|",
            sign => sign,
        };
        let op = BINARY_OPS
            .iter()
            .find(|op| op.sign_and_strength().0 == sign)
            .copied();
        if let (Some(BinaryOp::Lt), Some(operator)) = (op, node.child_by_field_name("operator"))
            && self.view.text[operator.end_byte()..].starts_with('-')
        {
            let range = self
                .view
                .range(operator.start_byte(), operator.end_byte() + 1);
            self.error(
                range,
                "`<-` is an assignment and cannot stand here; write `< -` to compare",
            );
        }
        let left = self.expr_field(node, "left");
        let right = self.expr_field(node, "right");
        match op {
            Some(op) => ExprKind::Binary(op, Box::new(left), Box::new(right)),
            None => ExprKind::Missing,
        }
    }

    /// An identifier; a dot in it must be one that the language knows.
    pub(crate) fn name(&mut self, node: Node<'_>) -> Ident {
        let ident = self.ident(node);
        if ident.name.contains('.') && !DOTTED_NAMES.contains(&&*ident.name) {
            self.error(
                ident.range,
                format!(
                    "unknown name `{}`: dots stand only in names such as `as.scalar`, `is.nan`, `lower.tri`; write `{}`",
                    ident.name,
                    ident.name.replace('.', "_")
                ),
            );
        }
        ident
    }

    fn command_argument(&self, node: Node<'_>) -> Ident {
        let range = self.range(node);
        Ident {
            range,
            name: self.text(node).trim_start_matches('$').into(),
        }
    }

    fn integer(&mut self, node: Node<'_>, range: TextRange) -> ExprKind {
        let digits = self.text(node).trim_end_matches(['L', 'l']);
        match digits.parse() {
            Ok(value) => ExprKind::Int(value),
            Err(_) => {
                self.error(
                    range,
                    format!("integer larger than {}; write it as `{digits}.0`", i64::MAX),
                );
                ExprKind::Double(digits.parse().unwrap_or(f64::INFINITY))
            }
        }
    }

    fn float(&mut self, node: Node<'_>, range: TextRange) -> ExprKind {
        let digits = self.text(node).trim_end_matches(['L', 'l']);
        match digits.parse() {
            Ok(value) => ExprKind::Double(value),
            Err(_) => {
                self.error(range, format!("`{digits}` is no number"));
                ExprKind::Missing
            }
        }
    }

    pub(crate) fn literal(&mut self, node: Node<'_>) -> Literal {
        let range = self.range(node);
        let mut written = String::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let text = self.text(child);
            written.push_str(text);
            let is_escape = child.kind() == "escape_sequence";
            if is_escape && text != "\\\\" && escaped(text.chars().nth(1)).is_none() {
                let at = self.range(child);
                let message = format!(
                    "unknown escape `{}`: expected one of \\b \\t \\n \\f \\r \\\" \\' \\\\, the last for two backslashes",
                    text.escape_default().to_string().replace("\\\\", "\\")
                );
                self.error(at, message);
            }
        }
        Literal {
            range,
            value: unescaped(&written).into(),
        }
    }

    pub(crate) fn call(&mut self, node: Node<'_>) -> Call {
        let mut namespace = None;
        let name = match node.child_by_field_name("function") {
            Some(function) if function.kind() == "qualified_name" => {
                namespace = Some(self.ident_field(function, "namespace"));
                self.ident_field(function, "name")
            }
            Some(function) => self.name(function),
            None => self.ident_field(node, "function"),
        };
        let (args, parens) = match node.child_by_field_name("arguments") {
            Some(arguments) => (
                self.each_field(arguments, "argument", Self::arg),
                self.range(arguments),
            ),
            None => (
                Vec::new(),
                self.view.range(node.end_byte(), node.end_byte()),
            ),
        };
        Call {
            namespace,
            name,
            args,
            parens,
        }
    }

    pub(crate) fn arg(&mut self, node: Node<'_>) -> Arg {
        if node.kind() != "named_argument" {
            return Arg {
                name: None,
                value: self.expr(node),
            };
        }
        let name = node.child_by_field_name("name").map(|name| self.name(name));
        Arg {
            name,
            value: self.expr_field(node, "value"),
        }
    }

    /// `ifdef($x, 1)` is a call of `ifdef` to everyone above.
    fn ifdef(&mut self, node: Node<'_>) -> Call {
        let word = self
            .view
            .range(node.start_byte(), node.start_byte() + "ifdef".len());
        let open = node
            .child(1)
            .map_or(node.end_byte(), |open| open.start_byte());
        let mut args = Vec::new();
        for field in ["argument", "default"] {
            args.push(Arg {
                name: None,
                value: self.expr_field(node, field),
            });
        }
        Call {
            namespace: None,
            name: Ident {
                range: word,
                name: "ifdef".into(),
            },
            args,
            parens: self.view.range(open, node.end_byte()),
        }
    }

    pub(crate) fn target(&mut self, node: Node<'_>) -> Target {
        let range = self.range(node);
        match node.kind() {
            "index_expression" => {
                let name = match node.child_by_field_name("operand") {
                    Some(operand) => self.name(operand),
                    None => self.ident_field(node, "operand"),
                };
                Target {
                    range,
                    name,
                    index: self.index_field(node),
                }
            }
            _ => Target {
                range,
                name: self.name(node),
                index: None,
            },
        }
    }

    fn index_field(&mut self, node: Node<'_>) -> Option<Index> {
        let index = node.child_by_field_name("index")?;
        let rows = self.span(index.child_by_field_name("rows"));
        let cols = index
            .child_by_field_name("comma")
            .map(|_| self.span(index.child_by_field_name("columns")));
        Some(Index {
            range: self.range(index),
            rows,
            cols,
        })
    }

    fn span(&mut self, node: Option<Node<'_>>) -> Span {
        let Some(node) = node else { return Span::All };
        if node.kind() != "range" {
            return Span::At(Box::new(self.expr(node)));
        }
        let mut ends = ["from", "to"].map(|field| {
            let end = node.child_by_field_name(field).map(|end| Box::new(self.expr(end)));
            if end.is_none() {
                let side = if field == "from" { "before" } else { "after" };
                let range = self.range(node);
                self.error(range, format!("expected an expression {side} `:`; leave the whole range out to take everything"));
            }
            end
        });
        Span::Range(ends[0].take(), ends[1].take())
    }

    /// What a `for` runs over.
    pub(crate) fn loop_range(&mut self, node: Node<'_>) -> LoopRange {
        match node.child_by_field_name("range") {
            Some(range) if range.kind() == "range" => {
                let place = self.range(range);
                for (field, side) in [("from", "before"), ("to", "after")] {
                    if range.child_by_field_name(field).is_none() {
                        self.error(place, format!("expected an expression {side} `:`"));
                    }
                }
                LoopRange::FromTo(self.expr_field(range, "from"), self.expr_field(range, "to"))
            }
            Some(other) => {
                let expr = self.expr(other);
                let is_seq = matches!(&expr.kind, ExprKind::Call(call)
                    if matches!(call.args.len(), 2 | 3) && call.args.iter().all(|arg| arg.name.is_none()));
                if !is_seq && !matches!(expr.kind, ExprKind::Missing) {
                    self.error(
                        expr.range,
                        "expected `from:to` or `seq(from, to, step)` after `in`",
                    );
                }
                LoopRange::Over(expr)
            }
            None => LoopRange::Over(self.expr_field(node, "range")),
        }
    }

    /// What `read` makes of each child in a field.
    pub(crate) fn each_field<T>(
        &mut self,
        node: Node<'_>,
        field: &str,
        mut read: impl FnMut(&mut Self, Node<'_>) -> T,
    ) -> Vec<T> {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node
            .children_by_field_name(field, &mut cursor)
            .filter(Node::is_named)
            .collect();
        children
            .into_iter()
            .map(|child| read(self, child))
            .collect()
    }
}

/// The value of what stands between quotes, as SystemDS has it: a backslash and what it escapes are one character wherever they
/// stand, behind another backslash, too, and every other backslash is itself. So `\\` is two of them, and `\\n` one and a
/// newline.
fn unescaped(written: &str) -> String {
    let mut value = String::with_capacity(written.len());
    let mut chars = written.chars().peekable();
    while let Some(c) = chars.next() {
        let found = if c == '\\' {
            escaped(chars.peek().copied())
        } else {
            None
        };
        if found.is_some() {
            chars.next();
        }
        value.push(found.unwrap_or(c));
    }
    value
}

/// What a backslash and this are together.
fn escaped(letter: Option<char>) -> Option<char> {
    Some(match letter? {
        'b' => '\u{8}',
        't' => '\t',
        'n' => '\n',
        'f' => '\u{c}',
        'r' => '\r',
        quote @ ('"' | '\'') => quote,
        _ => return None,
    })
}
