//! Expressions, arguments and whatever else stands between brackets.

use tree_sitter::Node;

use super::builder::Builder;
use super::doc::Doc;

/// How a chain of one operator is broken when it does not fit a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chain {
    /// Never.
    Whole,
    /// As many operands a line as fit.
    Filled,
    /// One operand a line.
    Listed,
}

/// The binary operators: how strongly they bind, and how their chains are broken. A line ends behind an operator: one
/// that starts with `-` would continue the statement above for the reader's eye only by luck.
const OPERATORS: &[(&[&str], Chain)] = &[
    (&["|", "||"], Chain::Listed),
    (&["&", "&&"], Chain::Listed),
    (&["<", "<=", ">", ">=", "==", "!="], Chain::Filled),
    (&["+", "-"], Chain::Filled),
    (&["*", "/"], Chain::Filled),
    (&["%%", "%/%"], Chain::Filled),
    (&["%*%"], Chain::Filled),
    (&["^"], Chain::Whole),
];

impl Builder<'_> {
    pub(super) fn expr(&mut self, node: Node<'_>) {
        self.expr_in(node, true);
    }

    /// An expression whose later lines are indented, or which stands between brackets that indent it already.
    fn expr_in(&mut self, node: Node<'_>, indent: bool) {
        self.deeper(node, |this| match node.kind() {
            "binary_expression" => this.binary(node, indent),
            "unary_expression" => this.tight(node),
            "parenthesized_expression" => this.parenthesized(node),
            "call" | "ifdef_expression" | "index_expression" | "qualified_name" => this.tight(node),
            "arguments" => this.arguments(node),
            "list" | "parameters" => this.brackets(&parts(node)),
            "index" => this.index(node),
            "named_argument" => this.tight(node),
            "parameter" => this.parameter(node),
            "range" => this.range(node),
            "type" => this.tight(node),
            _ => this.token(node),
        });
    }

    /// The parts of a node without blanks between them.
    fn tight(&mut self, node: Node<'_>) {
        if node.kind() == "ifdef_expression" {
            return self.ifdef(node);
        }
        for child in parts(node) {
            self.expr(child);
        }
    }

    fn ifdef(&mut self, node: Node<'_>) {
        let parts = parts(node);
        let Some((word, rest)) = parts.split_first() else {
            return;
        };
        self.token(*word);
        self.brackets(rest);
    }

    fn binary(&mut self, node: Node<'_>, indent: bool) {
        let (strength, how) = operator(self.text, node);
        // Left operands of the same strength are part of the chain; the tree leans to the left.
        let mut links = Vec::new();
        let mut first = node;
        while first.kind() == "binary_expression" && operator(self.text, first).0 == strength {
            let [left, sign, right] = parts(first)[..] else {
                break;
            };
            links.push((sign, right));
            first = left;
            if how == Chain::Whole {
                break;
            }
        }
        links.reverse();
        if how == Chain::Whole {
            self.expr(first);
            for (sign, right) in links {
                self.token(sign);
                self.expr(right);
            }
            return;
        }
        let chain = |this: &mut Self| {
            this.expr(first);
            this.indent_if(indent, |this| this.links(&links, how));
        };
        if how == Chain::Listed {
            self.group(chain);
        } else {
            chain(self);
        }
    }

    fn links(&mut self, links: &[(Node<'_>, Node<'_>)], how: Chain) {
        for (at, (sign, right)) in links.iter().enumerate() {
            if at == 0 {
                self.space();
                self.token(*sign);
            }
            let link = |this: &mut Self| {
                this.push(Doc::LINE);
                this.expr(*right);
                if let Some((next, _)) = links.get(at + 1) {
                    this.space();
                    this.token(*next);
                }
            };
            if how == Chain::Filled {
                self.group(link);
            } else {
                link(self);
            }
        }
    }

    fn indent_if(&mut self, indent: bool, build: impl FnOnce(&mut Self)) {
        if indent {
            self.indent(build);
        } else {
            build(self);
        }
    }

    fn parenthesized(&mut self, node: Node<'_>) {
        let parts = parts(node);
        match parts[..] {
            [open, inner, close] if inner.kind() == "binary_expression" => {
                self.condition(open, inner, close);
            }
            _ => parts.into_iter().for_each(|part| self.expr(part)),
        }
    }

    /// An expression in parentheses, on lines of its own if it does not fit.
    pub(super) fn condition(&mut self, open: Node<'_>, inner: Node<'_>, close: Node<'_>) {
        self.group(|this| {
            this.token(open);
            this.indent(|this| {
                this.push(Doc::SOFT);
                this.expr_in(inner, false);
                this.comments_before(close.start_byte(), false);
            });
            this.push(Doc::SOFT);
            this.token(close);
        });
    }

    fn arguments(&mut self, node: Node<'_>) {
        let parts = parts(node);
        match parts[..] {
            // A single argument does not leave its parentheses: `print("a" +`, `t(f(`.
            [open, sole, close] if hugs(sole) => {
                self.token(open);
                self.expr(sole);
                self.token(close);
            }
            _ => self.brackets(&parts),
        }
    }

    /// An index has no places of its own to end a line.
    fn index(&mut self, node: Node<'_>) {
        let parts = parts(node);
        for (at, part) in parts.iter().enumerate() {
            if at > 0 && parts[at - 1].kind() == "," && part.kind() != "]" {
                self.space();
            }
            self.expr(*part);
        }
    }

    /// An opening bracket, parts with commas behind them, and a closing bracket: on one line; else the parts on the
    /// next line; else each on its own line, but plain words as many as fit.
    pub(super) fn brackets(&mut self, parts: &[Node<'_>]) {
        self.group(|this| this.open_brackets(parts));
    }

    /// As [`Builder::brackets`], in a group of the caller's.
    pub(super) fn open_brackets(&mut self, parts: &[Node<'_>]) {
        let [open, inner @ .., close] = parts else {
            return parts.iter().for_each(|part| self.token(*part));
        };
        self.token(*open);
        let (first, last) = if inner.is_empty() {
            (None, None)
        } else {
            (Some(Doc::SOFT), Some(Doc::SOFT))
        };
        self.indent(|this| {
            first.into_iter().for_each(|line| this.push(line));
            this.group(|this| this.items(inner));
            this.comments_before(close.start_byte(), false);
        });
        last.into_iter().for_each(|line| self.push(line));
        self.token(*close);
    }

    fn items(&mut self, parts: &[Node<'_>]) {
        let filled = parts
            .iter()
            .all(|part| part.kind() == "," || is_word(*part));
        for (at, item) in parts.split_inclusive(|part| part.kind() == ",").enumerate() {
            let build = |this: &mut Self| {
                if at > 0 {
                    this.push(Doc::LINE);
                }
                item.iter().for_each(|part| this.expr(*part));
            };
            if filled {
                self.group(build);
            } else {
                build(self);
            }
        }
    }

    fn parameter(&mut self, node: Node<'_>) {
        for (at, part) in parts(node).into_iter().enumerate() {
            if at > 0 {
                self.space();
            }
            self.expr(part);
        }
    }

    /// `1:n`, and `a + 1 : b` where an end is more than a word.
    fn range(&mut self, node: Node<'_>) {
        let parts = parts(node);
        let loose = parts.iter().any(|part| part.kind() == "binary_expression");
        for (at, part) in parts.into_iter().enumerate() {
            if loose && at > 0 {
                self.space();
            }
            self.expr(part);
        }
    }
}

/// The children of a node without comments and semicolons.
pub(super) fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .filter(|child| !child.is_extra() && child.kind() != ";")
        .collect()
}

fn operator(text: &str, node: Node<'_>) -> (usize, Chain) {
    let sign = node
        .child_by_field_name("operator")
        .map_or("", |sign| &text[sign.byte_range()]);
    OPERATORS
        .iter()
        .position(|(signs, _)| signs.contains(&sign))
        .map_or((usize::MAX, Chain::Filled), |at| (at, OPERATORS[at].1))
}

/// Whether an argument brings its own places to end a line.
fn hugs(node: Node<'_>) -> bool {
    match node.kind() {
        "binary_expression" | "call" | "parenthesized_expression" | "list" => true,
        "unary_expression" => node.child_by_field_name("operand").is_some_and(hugs),
        _ => false,
    }
}

/// A name, a literal, a negative number, or one of them by name: `rows=10`.
fn is_word(node: Node<'_>) -> bool {
    match node.kind() {
        "identifier" | "command_argument" | "integer" | "float" | "string" | "true" | "false" => {
            true
        }
        "unary_expression" => node.child_by_field_name("operand").is_some_and(is_word),
        "named_argument" => node.child_by_field_name("value").is_some_and(is_word),
        _ => false,
    }
}
