//! Comments at the ends of lines that follow each other: those that stood below each other still do. Never moves
//! anything but the blanks before them.

/// A comment behind code.
#[derive(Clone, Copy, Debug)]
struct Comment {
    /// Where its blanks start in the output.
    offset: usize,
    line: usize,
    /// The column behind the code.
    code: usize,
    /// The column where its author wrote it.
    column: usize,
}

/// The comments behind code of one text, in its order.
#[derive(Debug, Default)]
pub(super) struct Aligned {
    line: usize,
    comments: Vec<Comment>,
}

impl Aligned {
    /// A line ends.
    pub(super) fn next_line(&mut self) {
        self.line += 1;
    }

    /// A comment follows behind code that ends at `code`.
    pub(super) fn comment(&mut self, offset: usize, code: usize, column: usize) {
        self.comments.push(Comment {
            offset,
            line: self.line,
            code,
            column,
        });
    }

    /// The text with blanks inserted.
    pub(super) fn apply(&self, text: String) -> String {
        let together = |a: &Comment, b: &Comment| a.line + 1 == b.line && a.column == b.column;
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for run in self.comments.chunk_by(together) {
            let widest = run.iter().map(|comment| comment.code).max().unwrap_or(0);
            for comment in run {
                out.push_str(&text[copied..comment.offset]);
                copied = comment.offset;
                out.extend(std::iter::repeat_n(' ', widest - comment.code));
            }
        }
        if copied == 0 {
            return text;
        }
        out.push_str(&text[copied..]);
        out
    }
}
