//! From the concrete tree to the typed one. What the tree could not read goes to [`crate::recover`]; what the
//! grammar is lenient about is reported here. No statement is ever dropped and nothing panics.

mod expr;
mod stmt;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::OnceLock;

use sumac_text::{SyntaxError, TextRange};
use tree_sitter::{Node, Tree};

use crate::ast::{Ident, Stmt, StmtKind};
use crate::comments::{Comment, CommentKind, Trivia};
use crate::damage::Damage;
use crate::recover;
use crate::tree::parse_tree;
use crate::unit::PlacedUnit;

/// Deeper than this nothing is read: everything that walks a tree may recurse.
pub(crate) const MAX_DEPTH: usize = 500;

/// What a piece of a script is lowered to. Places count from the piece's start.
#[derive(Default)]
pub(crate) struct Lowered {
    pub(crate) statements: Vec<Stmt>,
    pub(crate) errors: Vec<SyntaxError>,
    pub(crate) comments: Vec<Comment>,
    /// Made when first asked for.
    pub(crate) functions: OnceLock<Vec<PlacedUnit>>,
}

impl Lowered {
    /// Of the piece `text`. Marks the statements that its errors damage; what the language passes over damages none.
    fn new(
        text: &str,
        mut statements: Vec<Stmt>,
        errors: Vec<SyntaxError>,
        comments: Vec<Comment>,
    ) -> Self {
        let refused = errors.iter().filter(|error| error.is_refused());
        Damage::in_text(text, refused, &comments).mark(&mut statements);
        Lowered {
            statements,
            errors,
            comments,
            ..Lowered::default()
        }
    }
}

/// Lowers a piece of a script.
pub(crate) fn lower(text: &str) -> Lowered {
    let tree = parse_tree(text);
    if !tree.root_node().has_error() {
        let all = std::iter::once(TextRange::new(0, text.len()));
        let lowered = lower_readable(text, &tree, all).unwrap_or_default();
        return lowered.into_iter().next().unwrap_or_default();
    }
    let mut findings = Findings {
        budget: recover::budget(text),
        ..Findings::default()
    };
    let view = View {
        text,
        base: 0,
        skip: 0,
        limit: text.len(),
    };
    let mut lowering = Lowering {
        view,
        findings: &mut findings,
        depth: 0,
        nested: false,
        ends: Ends::default(),
    };
    let statements = lowering.statements(tree.root_node());
    let comments = lowering.comments(&tree);
    let Findings { mut errors, .. } = findings;
    if errors.is_empty() {
        errors.extend(recover::first_error(&tree, view));
    }
    Lowered::new(text, statements, errors, comments)
}

/// Lowers the pieces of a text that has no error in its tree; `None` where a statement lies in several of them: two braces that
/// are wrong in different functions can fit each other.
pub(crate) fn lower_readable(
    text: &str,
    tree: &Tree,
    pieces: impl Iterator<Item = TextRange>,
) -> Option<Vec<Lowered>> {
    let mut cursor = tree.walk();
    let mut more = cursor.goto_first_child();
    let mut lowered = Vec::new();
    for piece in pieces {
        let mut findings = Findings::default();
        let mut statements = Vec::new();
        let mut lowering = Lowering {
            view: View {
                text,
                base: 0,
                skip: piece.start,
                limit: piece.len(),
            },
            findings: &mut findings,
            depth: 0,
            nested: false,
            ends: Ends::default(),
        };
        while more && cursor.node().start_byte() < piece.end {
            let node = cursor.node();
            if !node.is_extra() {
                if node.end_byte() > piece.end {
                    return None;
                }
                statements.push(lowering.statement(node));
            }
            more = cursor.goto_next_sibling();
        }
        let trivia = Trivia::of_readable(&text[piece]);
        findings
            .errors
            .extend(trivia.skipped.into_iter().map(skipped));
        findings.errors.extend(trivia.stray.into_iter().map(stray));
        lowered.push(Lowered::new(
            &text[piece],
            statements,
            findings.errors,
            trivia.comments,
        ));
    }
    Some(lowered)
}

/// What is said about `$name` where no value is read: the tree has no place for it there, and passes its sign over.
pub(crate) fn stray(range: TextRange) -> SyntaxError {
    SyntaxError::new(
        range,
        "a value of the command line cannot stand here, but only where a value is read",
    )
}

/// What is said about signs that the language leaves out.
pub(crate) fn skipped(range: TextRange) -> SyntaxError {
    SyntaxError::passed_over(
        range,
        "this is no sign of the language and is passed over; remove it",
    )
}

/// What lowering collects beside the tree.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) errors: Vec<SyntaxError>,
    /// Regions of the text that the tree does not describe.
    pub(crate) broken: Vec<TextRange>,
    /// How many more bytes the recovery may parse again.
    pub(crate) budget: usize,
}

/// A text that was parsed, and how its offsets relate to the script's.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    /// What was parsed: a piece of the script, perhaps with closing signs appended.
    pub(crate) text: &'a str,
    /// Where the piece starts in the script.
    pub(crate) base: usize,
    /// How much was put in front of the piece.
    pub(crate) skip: usize,
    /// Length of the piece without what was put around it.
    pub(crate) limit: usize,
}

impl View<'_> {
    /// The range in the script; what was appended has the empty range at the piece's end.
    pub(crate) fn range(self, start: usize, end: usize) -> TextRange {
        let place = |at: usize| self.base + at.saturating_sub(self.skip).min(self.limit);
        TextRange::new(place(start), place(end))
    }

    fn is_appended(self, node: Node<'_>) -> bool {
        let end = self.skip + self.limit;
        node.start_byte() >= end && self.text.len() > end
    }
}

pub(crate) struct Lowering<'a> {
    pub(crate) view: View<'a>,
    pub(crate) findings: &'a mut Findings,
    pub(crate) depth: usize,
    /// Whether the statements stand inside another one, where no function may be defined.
    pub(crate) nested: bool,
    /// Of the tree that is lowered.
    pub(crate) ends: Ends,
}

impl<'a> Lowering<'a> {
    fn error(&mut self, range: TextRange, message: impl Into<String>) {
        self.findings.errors.push(SyntaxError::new(range, message));
    }

    fn text(&self, node: Node<'_>) -> &'a str {
        let view: View<'a> = self.view;
        &view.text[node.byte_range()]
    }

    fn range(&self, node: Node<'_>) -> TextRange {
        self.view.range(node.start_byte(), node.end_byte())
    }

    /// The node's range without semicolons and comments behind it.
    fn trimmed_range(&self, node: Node<'_>) -> TextRange {
        self.view.range(node.start_byte(), self.ends.of(node))
    }

    fn ident(&self, node: Node<'_>) -> Ident {
        let text = if self.view.is_appended(node) {
            ""
        } else {
            self.text(node)
        };
        Ident {
            range: self.range(node),
            name: text.into(),
        }
    }

    /// The identifier in a field, or an empty one where there is none.
    fn ident_field(&mut self, node: Node<'_>, field: &str) -> Ident {
        match node.child_by_field_name(field) {
            Some(child) => self.ident(child),
            None => Ident {
                range: self.view.range(node.end_byte(), node.end_byte()),
                name: "".into(),
            },
        }
    }

    /// The statements of a script or a block.
    pub(crate) fn statements(&mut self, list: Node<'_>) -> Vec<Stmt> {
        let mut statements = Vec::new();
        for run in runs(self.view.text, list) {
            match run {
                Run::Readable(statement) => statements.push(self.statement(statement)),
                Run::Broken(range) => statements.extend(self.recover(range.start, range.end)),
            }
        }
        statements
    }

    fn recover(&mut self, start: usize, end: usize) -> Vec<Stmt> {
        let end = end.min(self.view.limit);
        if start >= end {
            return Vec::new();
        }
        let region = View {
            text: &self.view.text[start..end],
            base: self.view.base + start,
            skip: 0,
            limit: end - start,
        };
        self.findings.broken.push(region.range(0, region.limit));
        if self.depth >= MAX_DEPTH {
            let range = region.range(0, region.limit);
            return vec![Stmt {
                range,
                kind: StmtKind::Error,
                is_damaged: true,
            }];
        }
        recover::statements(region, self.findings, self.depth + 1, self.nested)
    }

    /// Comments of the readable parts from the tree, of the broken ones from the scanner.
    fn comments(&mut self, tree: &Tree) -> Vec<Comment> {
        let mut comments = Vec::new();
        let broken = std::mem::take(&mut self.findings.broken);
        let is_broken = |range: TextRange| broken.iter().any(|region| region.contains(range));
        let mut cursor = tree.walk();
        'walk: loop {
            let node = cursor.node();
            if node.kind() == "skipped" && !is_broken(self.range(node)) {
                let range = self.range(node);
                self.findings.errors.push(skipped(range));
            }
            if node.is_extra() && matches!(node.kind(), "comment" | "fact") {
                let range = self.range(node);
                if !is_broken(range) {
                    comments.push(Comment {
                        range,
                        kind: CommentKind::of(&self.view.text[range]),
                    });
                }
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'walk;
                }
            }
        }
        for (at, region) in broken.iter().enumerate() {
            // Recovery inside of recovery: the outer region has it already.
            if broken
                .iter()
                .enumerate()
                .any(|(other, outer)| other != at && outer.contains(*region) && outer != region)
                || broken[..at].contains(region)
            {
                continue;
            }
            comments.extend(recover::comments(&self.view.text[*region], region.start));
        }
        comments.sort_by_key(|comment| comment.range);
        comments.dedup();
        comments
    }
}

/// A part of a list of statements.
pub(crate) enum Run<'t> {
    /// A statement of which at most the blocks inside are broken.
    Readable(Node<'t>),
    /// A region that the tree does not describe.
    Broken(TextRange),
}

impl Run<'_> {
    /// Its first byte.
    pub(crate) fn start(&self) -> usize {
        match self {
            Run::Readable(node) => node.start_byte(),
            Run::Broken(range) => range.start,
        }
    }
}

/// The parts of a script or a block in the order of the text.
pub(crate) fn runs<'t>(text: &str, list: Node<'t>) -> Vec<Run<'t>> {
    if list.is_error() {
        let start = text.len() - text.trim_start().len();
        let region = TextRange::new(list.start_byte().min(start), list.end_byte());
        return vec![Run::Broken(region)];
    }
    let items = items(list);
    let mut runs = Vec::with_capacity(items.len());
    let mut at = 0;
    while at < items.len() {
        if is_readable(items[at]) && !swallowed_by_next(text, &items, at) {
            runs.push(Run::Readable(items[at]));
            at += 1;
            continue;
        }
        let start = items[at].start_byte();
        let mut end = items[at].end_byte();
        at += 1;
        while at < items.len()
            && (!is_readable(items[at])
                || swallowed_by_next(text, &items, at)
                || same_line(text, end, items[at].start_byte()))
        {
            end = items[at].end_byte();
            at += 1;
        }
        runs.push(Run::Broken(TextRange::new(start, end)));
    }
    runs
}

/// The statements and the broken pieces of a list, without comments and braces.
fn items(list: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = list.walk();
    let mut items: Vec<Node<'_>> = Vec::new();
    for child in list.children(&mut cursor) {
        let is_piece = child.is_error() || (child.is_named() && !child.is_extra());
        let is_brace = list.kind() == "block" && child.is_missing();
        if is_piece && !is_brace {
            items.push(child);
        }
    }
    items
}

/// Whether a statement's own parts are readable: what is broken lies in the blocks inside. A chain of `else if` is as deep as it
/// is long, so nothing here calls itself.
pub(crate) fn is_readable(node: Node<'_>) -> bool {
    let mut parts = vec![node];
    while let Some(node) = parts.pop() {
        if node.is_error() || node.is_missing() {
            return false;
        }
        if !node.has_error() {
            continue;
        }
        if !matches!(
            node.kind(),
            "if_statement"
                | "while_statement"
                | "for_statement"
                | "parfor_statement"
                | "function_definition"
        ) {
            return false;
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.kind() != "block" {
                parts.push(child);
            } else if !block_is_closed(child) {
                return false;
            }
        }
    }
    true
}

fn block_is_closed(block: Node<'_>) -> bool {
    let last = block
        .child_count()
        .checked_sub(1)
        .and_then(|last| block.child(last));
    last.is_some_and(|brace| brace.kind() == "}" && !brace.is_missing())
}

/// Whether what follows on the same line is broken: then the statement's end is a guess of the parser, which may
/// have taken the next line's beginning for it (`y =`, newline, `z = 3`).
fn swallowed_by_next(text: &str, items: &[Node<'_>], at: usize) -> bool {
    items.get(at + 1).is_some_and(|next| {
        !is_readable(*next) && same_line(text, trimmed_end(items[at]), next.start_byte())
    })
}

fn same_line(text: &str, end: usize, start: usize) -> bool {
    end >= start || !text[end..start].contains('\n')
}

/// The ends of the nodes of one tree without semicolons and comments behind them. What ends together is looked at once:
/// `else if` behind `else if` is a way of as many nodes as there are, and each of them asks.
#[derive(Default)]
pub(crate) struct Ends(RefCell<HashMap<usize, usize>>);

/// Ways that are shorter are not worth keeping.
const LONG_WAY: usize = 32;

impl Ends {
    pub(crate) fn of(&self, node: Node<'_>) -> usize {
        let mut known = self.0.borrow_mut();
        let mut way = Vec::new();
        let mut node = node;
        let end = loop {
            if !known.is_empty()
                && let Some(end) = known.get(&node.id())
            {
                break *end;
            }
            way.push(node.id());
            match last_child(node) {
                Some(child) => node = child,
                None => break node.end_byte(),
            }
        };
        if way.len() >= LONG_WAY {
            known.extend(way.into_iter().map(|node| (node, end)));
        }
        end
    }
}

/// The last child that is neither a semicolon nor a comment.
fn last_child(node: Node<'_>) -> Option<Node<'_>> {
    let children = (0..node.child_count()).rev();
    let mut children = children.filter_map(|at| node.child(at));
    children.find(|child| child.kind() != ";" && !child.is_extra())
}

/// The end of a node without semicolons and comments behind it.
fn trimmed_end(node: Node<'_>) -> usize {
    Ends::default().of(node)
}
