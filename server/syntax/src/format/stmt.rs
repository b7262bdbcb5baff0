//! Statements, blocks and lists of statements.

use sumac_text::TextRange;
use tree_sitter::Node;

use super::builder::{Builder, is_gap, is_gap_char};
use super::doc::Doc;
use super::expr::{self, parts};
use crate::comments::CommentKind;
use crate::lower;

/// The comments between which a region stays as it is.
const OFF: &str = "# fmt: off";
const ON: &str = "# fmt: on";

/// What a list of statements holds.
enum Element<'t> {
    Statement(Node<'t>),
    /// Text that stays as it is, because nothing is known of it or its author wants it so.
    Verbatim(TextRange),
}

impl Element<'_> {
    fn start(&self) -> usize {
        match self {
            Element::Statement(node) => node.start_byte(),
            Element::Verbatim(range) => range.start,
        }
    }
}

impl Builder<'_> {
    /// The statements of a script or a block, and the comments before, between and behind them up to `end`.
    pub(super) fn list(&mut self, list: Node<'_>, end: usize) {
        let elements = self.elements(list, end);
        for (at, element) in elements.iter().enumerate() {
            self.comments_before(element.start(), true);
            self.separator(element.start());
            match element {
                Element::Statement(node) => {
                    if let Some(next) = elements.get(at + 1) {
                        self.keep_semicolon = self.needs_semicolon(*node, next);
                    }
                    self.statement(*node);
                    self.keep_semicolon = None;
                }
                Element::Verbatim(range) => self.verbatim(*range),
            }
        }
        self.comments_before(end, true);
    }

    fn elements<'t>(&self, list: Node<'t>, end: usize) -> Vec<Element<'t>> {
        let mut elements = Vec::new();
        let mut regions = self.regions_off(list, end).into_iter().peekable();
        for run in lower::runs(self.text, list) {
            let start = run.start();
            while let Some(region) = regions.next_if(|region| region.start <= start) {
                elements.push(Element::Verbatim(region));
            }
            if let Some(Element::Verbatim(last)) = elements.last()
                && last.end > start
            {
                continue;
            }
            elements.push(match run {
                lower::Run::Readable(node) => Element::Statement(node),
                lower::Run::Broken(range) => Element::Verbatim(self.whole_lines(range)),
            });
        }
        elements.extend(regions.map(Element::Verbatim));
        elements
    }

    /// The regions of a list between `# fmt: off` and `# fmt: on`, or the list's end.
    fn regions_off(&self, list: Node<'_>, end: usize) -> Vec<TextRange> {
        let mut regions: Vec<TextRange> = Vec::new();
        let mut open = None;
        for (range, text) in line_comments(self.text, list) {
            if !self.starts_line(range.start) {
                continue;
            }
            match (text.trim_end(), open) {
                (OFF, None) => open = Some(range.start),
                (ON, Some(start)) => {
                    regions.push(TextRange::new(start, range.start));
                    open = None;
                }
                _ => {}
            }
        }
        regions.extend(open.map(|start| TextRange::new(start, end)));
        let whole = |range: TextRange| {
            let text = self.text[range].trim_end();
            self.whole_lines(TextRange::new(range.start, range.start + text.len()))
        };
        regions.into_iter().map(whole).collect()
    }

    fn starts_line(&self, offset: usize) -> bool {
        let before = self.text[..offset].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    }

    /// The range with the blanks before it on its line and the semicolons behind it.
    fn whole_lines(&self, range: TextRange) -> TextRange {
        let start = if self.starts_line(range.start) {
            self.text[..range.start].trim_end_matches([' ', '\t']).len()
        } else {
            range.start
        };
        let behind = &self.text[range.end..];
        let line = behind.split('\n').next().unwrap_or(behind);
        let gap = &line[..line.find(|c| !is_gap_char(c)).unwrap_or(line.len())];
        TextRange::new(start, range.end + gap.trim_end().len())
    }

    /// The end of a statement whose semicolon keeps the next one apart: `a = b; [c, d] = f()` would index `b`.
    fn needs_semicolon(&self, node: Node<'_>, next: &Element<'_>) -> Option<usize> {
        let end = self.ends.of(node);
        let is_name = self.text[..end].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let apart = match next {
            Element::Statement(next) => is_name && self.text[next.start_byte()..].starts_with('['),
            Element::Verbatim(range) => !self.text[*range].trim_start().starts_with('#'),
        };
        (apart && self.text[end..].trim_start().starts_with(';')).then_some(end)
    }

    fn statement(&mut self, node: Node<'_>) {
        self.deeper(node, |this| match node.kind() {
            "if_statement" => this.if_else(node),
            "while_statement" => this.while_loop(node),
            "for_statement" | "parfor_statement" => this.for_loop(node),
            "function_definition" | "external_function_definition" => this.function(node),
            "multiple_assignment" => this.multiple_assignment(node),
            "expression_statement" => parts(node).into_iter().for_each(|part| this.expr(part)),
            "setwd_statement" => parts(node).into_iter().for_each(|part| this.token(part)),
            "source_statement" => this.source(node),
            // An assignment: the target, the sign, the value.
            _ => this.spaced(&parts(node)),
        });
    }

    fn spaced(&mut self, parts: &[Node<'_>]) {
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                self.space();
            }
            self.expr(*part);
        }
    }

    fn source(&mut self, node: Node<'_>) {
        for part in parts(node) {
            if matches!(part.kind(), "as" | "identifier") {
                self.space();
            }
            self.token(part);
        }
    }

    fn multiple_assignment(&mut self, node: Node<'_>) {
        let parts = parts(node);
        let close = parts.iter().position(|part| part.kind() == "]");
        let (targets, rest) = parts.split_at(close.map_or(0, |close| close + 1));
        self.brackets(targets);
        self.space();
        self.spaced(rest);
    }

    fn while_loop(&mut self, node: Node<'_>) {
        if let [word, open, condition, close, body] = parts(node)[..] {
            self.head(word, open, condition, close);
            self.body(close, body);
        }
    }

    fn head(&mut self, word: Node<'_>, open: Node<'_>, condition: Node<'_>, close: Node<'_>) {
        self.token(word);
        self.space();
        self.condition(open, condition, close);
    }

    fn for_loop(&mut self, node: Node<'_>) {
        let parts = parts(node);
        let Some((body, head)) = parts.split_last() else {
            return;
        };
        for (at, part) in head.iter().enumerate() {
            // `for (i in 1:n, check=0)`
            let before = at.checked_sub(1).map_or("", |before| head[before].kind());
            if !matches!((before, part.kind()), ("" | "(", _) | (_, "," | ")")) {
                self.space();
            }
            self.expr(*part);
        }
        if let Some(close) = head.last() {
            self.body(*close, *body);
        }
    }

    /// `if`, every `else if` behind it, and the `else`.
    fn if_else(&mut self, node: Node<'_>) {
        let on_one_line = !self.text[node.start_byte()..self.ends.of(node)].contains('\n');
        if on_one_line {
            self.group(|this| this.branches(node, true));
        } else {
            self.branches(node, false);
        }
    }

    /// The branches, `together` in the caller's group if they stood on one line.
    fn branches(&mut self, node: Node<'_>, together: bool) {
        let mut next = Some(node);
        while let Some(node) = next.take() {
            let parts = parts(node);
            let [word, open, condition, close, then, otherwise @ ..] = &parts[..] else {
                return;
            };
            self.head(*word, *open, *condition, *close);
            self.branch(*close, *then, !together);
            let [word, alternative] = otherwise else {
                return;
            };
            if then.kind() == "block" {
                self.space();
            } else {
                self.push(if together { Doc::LINE } else { Doc::Hard(0) });
            }
            self.token(*word);
            if alternative.kind() == "if_statement" {
                self.space();
                next = Some(*alternative);
            } else {
                self.branch(*word, *alternative, !together);
            }
        }
    }

    fn body(&mut self, head: Node<'_>, body: Node<'_>) {
        self.branch(head, body, true);
    }

    /// What a condition or loop governs: a block, or a statement on the same line or the next, as it was.
    fn branch(&mut self, head: Node<'_>, body: Node<'_>, own_group: bool) {
        if body.kind() == "block" {
            self.space();
            return self.block(body);
        }
        let next_line = self.text[head.end_byte()..body.start_byte()].contains('\n');
        let line = if next_line { Doc::Hard(0) } else { Doc::LINE };
        let build = |this: &mut Self| {
            this.indent(|this| {
                this.push(line);
                this.statement(body);
            });
        };
        if own_group {
            self.group(build);
        } else {
            build(self);
        }
    }

    fn block(&mut self, block: Node<'_>) {
        let (Some(open), Some(close)) = (
            block.child(0),
            block
                .child_count()
                .checked_sub(1)
                .and_then(|last| block.child(last)),
        ) else {
            return;
        };
        self.token(open);
        let inside = &self.text[open.end_byte()..close.start_byte()];
        if !is_gap(inside) {
            self.indent(|this| this.list(block, close.start_byte()));
            self.push(Doc::Hard(0));
        }
        self.token(close);
    }

    /// `f = function(…) return (…) {`, with the parameters on lines of their own if that does not fit.
    fn function(&mut self, node: Node<'_>) {
        let parts = parts(node);
        let (body, head) = match parts.split_last() {
            Some((body, head)) if body.kind() == "block" => (Some(*body), head),
            _ => (None, &parts[..]),
        };
        let options = head.iter().position(|part| part.kind() == "(");
        let (head, options) = head.split_at(options.unwrap_or(head.len()));
        self.group(|this| {
            let mut before = "";
            for part in head {
                let is_first = matches!(before, "function" | "externalFunction");
                if !before.is_empty() && !is_first {
                    this.space();
                }
                before = part.kind();
                if is_first {
                    this.open_brackets(&expr::parts(*part));
                } else {
                    this.expr(*part);
                }
            }
            if !options.is_empty() {
                this.space();
                this.brackets(options);
            }
        });
        if let Some(body) = body {
            self.space();
            self.block(body);
        }
    }
}

/// The `#` comments of a list of statements that stand outside of all of them.
fn line_comments<'a>(text: &'a str, list: Node<'_>) -> Vec<(TextRange, &'a str)> {
    let mut cursor = list.walk();
    let range = |node: Node<'_>| TextRange::new(node.start_byte(), node.end_byte());
    list.children(&mut cursor)
        .filter(|child| child.is_extra() && !child.is_error())
        .map(|child| (range(child), &text[child.byte_range()]))
        .filter(|(_, comment)| CommentKind::of(comment) == CommentKind::Line)
        .collect()
}
