//! From text to AST and errors, whole or after an edit. It must never fail: broken text is normal.
//!
//! A script is read in [pieces]. After an edit only the pieces that it touched are read again; the typed tree
//! of the whole is put together when someone asks for it.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use sumac_text::{
    LineIndex, SyntaxError, TextEdit, TextRange, apply_edits, one_per_place, usable_edits,
};

use crate::ast::{Fact, Program, StmtKind};
use crate::chunks::{Piece, Pieces};
use crate::comments::{Comment, CommentKind};
use crate::damage::Damage;
use crate::facts::parse_fact;
use crate::lower::{self, Lowered};
use crate::moved::Moved;
use crate::pieces::{self, Cut};
use crate::ranges::map_fact;
use crate::tree::parse_tree;
use crate::units;
use crate::walk::{Node, walk};

/// Some editors put it in front of a text; to the grammar it is white space.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// A parsed script: a value that is cheap to clone and to send between threads.
#[derive(Clone)]
pub struct Parse {
    text: Arc<str>,
    pieces: Arc<Pieces>,
    /// Put together when first asked for.
    program: Arc<OnceLock<Arc<Program>>>,
    /// Likewise, and much cheaper.
    marks: Arc<OnceLock<Marks>>,
    /// Made when first asked for, or from the one before.
    lines: Arc<OnceLock<LineIndex>>,
}

/// What all pieces have beside statements.
struct Marks {
    errors: Vec<SyntaxError>,
    comments: Vec<Comment>,
    facts: Vec<Fact>,
}

/// Parses a script.
#[must_use]
pub fn parse(text: impl Into<Arc<str>>) -> Parse {
    let text = text.into();
    let mut found: Vec<(usize, Cut)> = Vec::new();
    let (mut start, mut broken_run) = (0, 0);
    while start < text.len() {
        let cut = pieces::next(&text, start, broken_run);
        found.push((start, cut));
        (start, broken_run) = (cut.end, cut.broken_run);
    }
    // A well-formed script is the same in pieces as in one, and cheaper to read so.
    let tree = parse_tree(&text);
    let together = || {
        let ranges = found.iter();
        let ranges = ranges.map(|(start, cut)| TextRange::new(*start, cut.end));
        lower::lower_readable(&text, &tree, ranges)
    };
    let is_readable = !tree.root_node().has_error();
    let lowered = is_readable.then(together).flatten().unwrap_or_else(|| {
        let alone = |(start, cut): &(usize, Cut)| lower::lower(&text[*start..cut.end]);
        found.iter().map(alone).collect()
    });
    let pieces = found.into_iter().zip(lowered);
    let pieces = pieces.map(|((start, cut), lowered)| Piece {
        start,
        cut,
        lowered: Arc::new(lowered),
    });
    let pieces: Vec<Piece> = pieces.collect();
    Parse::new(text.clone(), Pieces::new(&pieces))
}

impl Parse {
    /// The script's text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The typed tree.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        self.program.get_or_init(|| {
            let pieces = self.pieces.within(0..self.pieces.len());
            let statements = pieces.flat_map(|(start, Piece { lowered, .. })| {
                lowered.statements.iter().map(move |stmt| stmt.moved(start))
            });
            Arc::new(Program {
                facts: self.facts().to_vec(),
                statements: statements.collect(),
            })
        })
    }

    /// The pieces in which the script is read, in the order of the text. Those that edits left alone are not read again.
    pub fn pieces(&self) -> impl Iterator<Item = units::Piece<'_>> {
        self.pieces_in(0..self.pieces.len())
    }

    /// Some of the pieces, by their numbers.
    pub fn pieces_in(&self, numbers: Range<usize>) -> impl Iterator<Item = units::Piece<'_>> {
        let pieces = self.pieces.within(numbers);
        pieces.map(|(start, piece)| {
            let text = &self.text[start..start + piece.len()];
            units::Piece::new(start, text, &piece.lowered)
        })
    }

    /// Where a piece starts; the text's end for the number behind the last.
    #[must_use]
    pub fn piece_start(&self, number: usize) -> usize {
        self.pieces
            .get(number)
            .map_or(self.text.len(), |piece| piece.start)
    }

    /// How many pieces there are.
    #[must_use]
    pub fn piece_count(&self) -> usize {
        self.pieces.len()
    }

    /// How many pieces at the start, and how many others at the end, are those of another text that edits left alone. To know it
    /// costs no look at any of them.
    #[must_use]
    pub fn kept_of(&self, old: &Parse) -> (usize, usize) {
        self.pieces.kept_of(&old.pieces)
    }

    /// What is wrong with the text, in the order of its places, one message a place. Empty if and only if the
    /// script is well-formed. The language passes over some of it: [`Parse::refusals`] has the rest.
    #[must_use]
    pub fn errors(&self) -> &[SyntaxError] {
        &self.marks().errors
    }

    /// What the language refuses the script for, in the order of its places. Where there is nothing, the script runs.
    pub fn refusals(&self) -> impl Iterator<Item = &SyntaxError> {
        self.errors().iter().filter(|error| error.is_refused())
    }

    /// Every comment in the order of the text, `#@` lines included.
    #[must_use]
    pub fn comments(&self) -> &[Comment] {
        &self.marks().comments
    }

    /// The comments that lie wholly inside `range`.
    #[must_use]
    pub fn comments_in(&self, range: TextRange) -> &[Comment] {
        let comments = self.comments();
        let first = comments.partition_point(|comment| comment.range.start < range.start);
        let len = comments[first..].partition_point(|comment| comment.range.end <= range.end);
        &comments[first..first + len]
    }

    /// What the errors damage.
    #[must_use]
    pub fn damage(&self) -> Damage {
        let damage = Damage::in_text(self.text(), self.errors().iter(), self.comments());
        if damage.is_empty() {
            return damage;
        }
        let mut unreadable = Vec::new();
        walk(self.program(), &mut |node| {
            if let Node::Stmt(stmt) = node
                && stmt.kind == StmtKind::Error
            {
                unreadable.push(stmt.range);
            }
        });
        damage.with_names(self.text(), self.comments(), unreadable)
    }

    /// Every `#@` line in the order of the text.
    #[must_use]
    pub fn facts(&self) -> &[Fact] {
        &self.marks().facts
    }

    /// Where the text's lines start.
    #[must_use]
    pub fn lines(&self) -> &LineIndex {
        self.lines
            .get_or_init(|| LineIndex::new(Arc::clone(&self.text)))
    }

    /// The script after `edits`, which refer to this parse's text. Pieces that they leave alone are not read again.
    /// Edits that overlap or lie outside the text are left out.
    #[must_use]
    pub fn edit(&self, edits: &[TextEdit]) -> Parse {
        let edits = usable_edits(&self.text, edits);
        let (Some(first), Some(last)) = (edits.first(), edits.last()) else {
            return self.clone();
        };
        let text: Arc<str> = apply_edits(&self.text, &edits).into();
        // Bytes before `first` and the last `kept` ones are those of the old text.
        let first = first.range.start;
        let kept = self.text.len() - last.range.end;
        let old = &self.pieces;
        let same_before = old.before(first);
        let same = |count: usize| old.get(count.checked_sub(1)?);
        let (mut start, mut broken_run) =
            same(same_before).map_or((0, 0), |piece| (piece.cut.end, piece.cut.broken_run));
        let mut new = Vec::new();
        let mut same_behind = 0;
        while start < text.len() {
            // Behind the edits the pieces are the old ones, once one of them starts as it did.
            if text.len() - start <= kept
                && let Some(at) = old.at(self.text.len() - (text.len() - start))
                && broken_run == same(at).map_or(0, |piece| piece.cut.broken_run)
            {
                same_behind = old.len() - at;
                break;
            }
            let cut = pieces::next(&text, start, broken_run);
            let lowered = self.unchanged(start, cut.end, first, kept, text.len());
            let lowered = lowered.unwrap_or_else(|| Arc::new(lower::lower(&text[start..cut.end])));
            new.push(Piece {
                start,
                cut,
                lowered,
            });
            (start, broken_run) = (cut.end, cut.broken_run);
        }
        let moved = (self.text.len(), text.len());
        let pieces = old.spliced(same_before, new, same_behind, moved);
        let parse = Parse::new(text, pieces);
        if let Some(lines) = self.lines.get() {
            let replaced = TextRange::new(first, last.range.end);
            let len = parse.text.len() - kept - first;
            let lines = lines.edited(Arc::clone(&parse.text), replaced, len);
            // The new parse has none yet.
            let _ = parse.lines.set(lines);
        }
        if let Some(marks) = self.marks.get() {
            let same = Same {
                old: self,
                marks,
                before: same_before,
                behind: same_behind,
            };
            let _ = parse.marks.set(parse.marks_beside(&same));
        }
        parse
    }

    /// How the piece was read before, if bytes `start..end` of the new text are a piece of the old one.
    fn unchanged(
        &self,
        start: usize,
        end: usize,
        first: usize,
        kept: usize,
        new_len: usize,
    ) -> Option<Arc<Lowered>> {
        let before = if end <= first {
            start
        } else if new_len - start <= kept {
            self.text.len() - (new_len - start)
        } else {
            return None;
        };
        let piece = self.pieces.get(self.pieces.at(before)?)?;
        (piece.len() == end - start).then_some(piece.lowered)
    }

    fn new(text: Arc<str>, pieces: Pieces) -> Parse {
        Parse {
            text,
            pieces: Arc::new(pieces),
            program: Arc::default(),
            marks: Arc::default(),
            lines: Arc::default(),
        }
    }

    fn marks(&self) -> &Marks {
        self.marks.get_or_init(|| {
            let (comments, facts) = self.marks_in(0..self.pieces.len());
            Marks {
                errors: self.all_errors(),
                comments,
                facts,
            }
        })
    }

    /// The marks when most pieces are those of another text: what these say is not looked at again.
    fn marks_beside(&self, same: &Same<'_>) -> Marks {
        let Same { old, marks, .. } = same;
        let behind = self.pieces.len() - same.behind;
        let from = self.piece_start(same.before);
        let now = self.piece_start(behind);
        let before = old.piece_start(old.pieces.len() - same.behind);
        let moved = |range: &mut TextRange| {
            *range = TextRange::new(range.start - before + now, range.end - before + now);
        };
        let (new_comments, new_facts) = self.marks_in(same.before..behind);
        let place = |at: usize| marks.comments.partition_point(|one| one.range.start < at);
        let mut comments = marks.comments[..place(from)].to_vec();
        comments.extend(new_comments);
        comments.extend(marks.comments[place(before)..].iter().map(|comment| {
            let mut comment = *comment;
            moved(&mut comment.range);
            comment
        }));
        let place = |at: usize| marks.facts.partition_point(|one| one.range.start < at);
        let mut facts = marks.facts[..place(from)].to_vec();
        facts.extend(new_facts);
        facts.extend(marks.facts[place(before)..].iter().map(|fact| {
            let mut fact = fact.clone();
            map_fact(&mut fact, &moved);
            fact
        }));
        Marks {
            errors: self.all_errors(),
            comments,
            facts,
        }
    }

    /// The comments in some pieces, and the `#@` lines among them.
    fn marks_in(&self, numbers: Range<usize>) -> (Vec<Comment>, Vec<Fact>) {
        let pieces = self.pieces.within(numbers);
        let comments = pieces.flat_map(|(start, Piece { lowered, .. })| {
            lowered.comments.iter().map(move |comment| Comment {
                range: comment.range.moved(start),
                kind: comment.kind,
            })
        });
        let comments: Vec<Comment> = comments.collect();
        let facts = comments
            .iter()
            .filter(|comment| comment.kind == CommentKind::Fact)
            .map(|fact| parse_fact(&self.text[fact.range], fact.range.start));
        let facts = facts.collect();
        (comments, facts)
    }

    /// Whether this is the mark that some editors put in front of a text: it is not the author's.
    fn is_byte_order_mark(&self, range: TextRange) -> bool {
        (range.start, range.end) == (0, BYTE_ORDER_MARK.len_utf8())
            && self.text.starts_with(BYTE_ORDER_MARK)
    }

    fn all_errors(&self) -> Vec<SyntaxError> {
        let errors = self.pieces.broken().flat_map(|(start, piece)| {
            let line = |at| self.lines().line(at) + 1;
            let errors = piece.lowered.errors.iter();
            let errors = errors.map(move |error| error.placed(start, &line));
            errors.filter(|error| !self.is_byte_order_mark(error.range))
        });
        one_per_place(errors.collect())
    }
}

/// What a text has in common with the one before it.
struct Same<'a> {
    old: &'a Parse,
    /// The old text's marks.
    marks: &'a Marks,
    /// So many pieces at the start, and so many at the end.
    before: usize,
    behind: usize,
}

impl std::fmt::Debug for Parse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parse")
            .field("program", self.program())
            .field("errors", &self.errors())
            .finish()
    }
}
