//! Layouts as data: a document says where lines may end, [`render`] chooses where they do. Knows no DML, and never
//! drops a text.
//!
//! White space is asked for and written only when the next text comes: the strongest wish wins, so nothing here can
//! write blanks at the end of a line or forget the newline behind a `#` comment.

mod columns;

use columns::Aligned;

/// A piece of layout.
#[derive(Clone, Debug)]
pub(super) enum Doc<'a> {
    /// Text as it is; it may hold newlines of its own.
    Text(&'a str),
    /// A blank.
    Space,
    /// A newline, unless its group fits its line.
    Line {
        /// Whether it is a blank then, or nothing.
        blank: bool,
    },
    /// A newline with so many empty lines before it.
    Hard(usize),
    /// A comment that others follow on its line.
    Inline(&'a str),
    /// A comment at the end of a line, and the column where it stood.
    Trailing(&'a str, usize),
    /// A comment on lines of its own, and the column where it stood.
    Own(&'a str, usize),
    /// Lines exactly as they are, from the left edge.
    Verbatim(&'a str),
    /// All on one line if it fits, else every [`Doc::Line`] in it is a newline.
    Group(Vec<Doc<'a>>),
    /// One level deeper.
    Indent(Vec<Doc<'a>>),
}

impl Doc<'_> {
    /// A newline, or nothing.
    pub(super) const SOFT: Self = Doc::Line { blank: false };
    /// A newline, or a blank.
    pub(super) const LINE: Self = Doc::Line { blank: true };
}

/// Where lines end and how deep they start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'e> {
    pub(super) width: usize,
    pub(super) indent: usize,
    pub(super) newline: &'e str,
}

/// The text of a document, without a newline at its end.
pub(super) fn render(docs: &[Doc<'_>], page: Page<'_>) -> String {
    let mut writer = Writer {
        page,
        out: String::new(),
        col: 0,
        wish: Wish::Newline(0),
        must_break: false,
        aligned: Aligned::default(),
    };
    let mut stack: Vec<Item<'_, '_>> = docs.iter().rev().map(|doc| (0, false, doc)).collect();
    while let Some((indent, flat, doc)) = stack.pop() {
        match doc {
            Doc::Text(text) => writer.text(text, indent),
            Doc::Space => writer.wish(Wish::Space),
            Doc::Line { blank } if flat && !writer.must_break => {
                if *blank {
                    writer.wish(Wish::Space);
                }
            }
            Doc::Line { .. } => writer.wish(Wish::Newline(0)),
            Doc::Hard(empty) => writer.wish(Wish::Newline(*empty)),
            Doc::Inline(text) => writer.inline(text, indent),
            Doc::Trailing(text, column) => writer.trailing(text, *column, indent),
            Doc::Own(text, column) => writer.own(text, *column, indent),
            Doc::Verbatim(text) => writer.verbatim(text),
            Doc::Indent(inner) => {
                stack.extend(inner.iter().rev().map(|doc| (indent + 1, flat, doc)));
            }
            Doc::Group(inner) => {
                let flat = flat || (!writer.must_break && fits(writer.room(indent), inner, &stack));
                stack.extend(inner.iter().rev().map(|doc| (indent, flat, doc)));
            }
        }
    }
    writer.aligned.apply(writer.out)
}

type Item<'d, 'a> = (usize, bool, &'d Doc<'a>);

/// Whether a group fits into the room on one line, with what follows it up to the next place where a line may end.
fn fits(room: usize, group: &[Doc<'_>], rest: &[Item<'_, '_>]) -> bool {
    let mut left = room;
    let mut behind = rest.iter().rev();
    let mut commented = false;
    let mut stack: Vec<(bool, &Doc<'_>)> = group.iter().rev().map(|doc| (true, doc)).collect();
    let mut in_group = true;
    loop {
        let (flat, doc) = match stack.pop() {
            Some(item) => item,
            None => match behind.next() {
                Some((_, flat, doc)) => {
                    in_group = false;
                    (*flat, *doc)
                }
                None => return true,
            },
        };
        let width = match doc {
            // A group in which code follows a comment has more than one line.
            Doc::Text(_) | Doc::Inline(_) if commented => return !in_group,
            Doc::Text(text) => match text.split_once('\n') {
                Some((first, _)) => return width(first) <= left,
                None => width(text),
            },
            Doc::Inline(text) => width(text) + 2,
            Doc::Space => 1,
            Doc::Line { blank } if flat => usize::from(*blank),
            Doc::Line { .. } => return true,
            Doc::Hard(_) | Doc::Own(..) | Doc::Verbatim(_) => return !in_group,
            Doc::Trailing(text, _) => {
                commented = true;
                // It may have stood before a bracket that has moved to the next line: as wide as it was there.
                if is_block(text) { width(text) + 2 } else { 0 }
            }
            Doc::Group(inner) | Doc::Indent(inner) => {
                stack.extend(inner.iter().rev().map(|doc| (flat, doc)));
                0
            }
        };
        if width > left {
            return false;
        }
        left -= width;
    }
}

fn is_block(comment: &str) -> bool {
    comment.starts_with("/*")
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// White space that the next text is to have before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wish {
    Nothing,
    /// A blank, unless a comma or a closing bracket follows.
    Loose,
    Space,
    /// A newline with so many empty lines.
    Newline(usize),
}

struct Writer<'e> {
    page: Page<'e>,
    out: String,
    col: usize,
    wish: Wish,
    /// The last thing was a comment that ends its line.
    must_break: bool,
    aligned: Aligned,
}

impl Writer<'_> {
    fn wish(&mut self, wish: Wish) {
        self.wish = match (self.wish, wish) {
            (Wish::Newline(a), Wish::Newline(b)) => Wish::Newline(a.max(b)),
            (newline @ Wish::Newline(_), _) | (_, newline @ Wish::Newline(_)) => newline,
            (_, wish) => wish,
        };
        if matches!(self.wish, Wish::Newline(_)) {
            self.must_break = false;
        }
    }

    /// What is left of the line for the next text.
    fn room(&self, indent: usize) -> usize {
        let col = match self.wish {
            Wish::Newline(_) => indent * self.page.indent,
            Wish::Space | Wish::Loose => self.col + 1,
            Wish::Nothing => self.col,
        };
        self.page.width.saturating_sub(col)
    }

    /// Writes the white space that is due.
    fn open(&mut self, indent: usize, next: &str) {
        if self.must_break {
            self.wish(Wish::Newline(0));
        }
        match std::mem::replace(&mut self.wish, Wish::Nothing) {
            Wish::Nothing => {}
            Wish::Loose if next.starts_with([',', ')', ']', ';']) => {}
            Wish::Loose | Wish::Space => self.push(" "),
            Wish::Newline(empty) => {
                self.newlines(empty);
                let indent = indent * self.page.indent;
                self.out.extend(std::iter::repeat_n(' ', indent));
                self.col = indent;
            }
        }
    }

    fn newlines(&mut self, empty: usize) {
        if self.out.is_empty() {
            return;
        }
        for _ in 0..=empty {
            self.out.push_str(self.page.newline);
            self.aligned.next_line();
        }
        self.col = 0;
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        match text.rfind('\n') {
            Some(last) => {
                self.col = width(&text[last + 1..]);
                self.aligned.next_line();
            }
            None => self.col += width(text),
        }
    }

    fn text(&mut self, text: &str, indent: usize) {
        self.open(indent, text);
        self.push(text);
    }

    fn inline(&mut self, text: &str, indent: usize) {
        if self.wish == Wish::Nothing && !self.out.ends_with(['(', '[', '{']) {
            self.wish = Wish::Space;
        }
        self.text(text, indent);
        self.wish = Wish::Loose;
    }

    fn trailing(&mut self, text: &str, column: usize, indent: usize) {
        if self.out.is_empty() {
            return self.own(text, column, indent);
        }
        let wish = std::mem::replace(&mut self.wish, Wish::Nothing);
        if is_block(text) {
            self.push(" ");
        } else {
            self.aligned.comment(self.out.len(), self.col, column);
            self.push("  ");
        }
        self.push(text);
        self.must_break = true;
        self.wish(wish);
    }

    fn own(&mut self, text: &str, column: usize, indent: usize) {
        self.wish(Wish::Newline(0));
        self.open(indent, text);
        let shift = self.col;
        for (at, line) in text.split('\n').enumerate() {
            if at == 0 {
                self.push(line);
                continue;
            }
            self.push("\n");
            let body = line.trim_start_matches([' ', '\t']);
            if shift == column || body.trim_end().is_empty() {
                self.push(line);
                continue;
            }
            // The lines of a comment move together.
            let old = width(&line[..line.len() - body.len()]);
            self.push(&" ".repeat((old + shift).saturating_sub(column)));
            self.push(body);
        }
        self.must_break = true;
    }

    fn verbatim(&mut self, text: &str) {
        self.must_break = false;
        let empty = match std::mem::replace(&mut self.wish, Wish::Nothing) {
            Wish::Newline(empty) => empty,
            _ => 0,
        };
        self.newlines(empty);
        self.push(text);
        self.wish = Wish::Newline(0);
    }
}
