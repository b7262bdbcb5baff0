//! From text to AST and errors, whole or after an edit. It must never fail: broken text is normal.
//!
//! A script is read in [pieces]. After an edit only the pieces that it touched are read again; the typed tree
//! of the whole is put together when someone asks for it.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use tree_sitter::{Parser, Tree};

use crate::ast::{Fact, Program};
use crate::comments::{Comment, CommentKind};
use crate::edit::{apply_edits, usable_edits};
use crate::error::{SyntaxError, one_per_place};
use crate::facts::parse_fact;
use crate::line_index::LineIndex;
use crate::lower::{self, Lowered};
use crate::moved::Moved;
use crate::pieces::{self, Cut};
use crate::ranges::map_fact;
use crate::text::{TextEdit, TextRange};
use crate::units;

/// A parsed script: a value that is cheap to clone and to send between threads.
#[derive(Clone)]
pub struct Parse {
    text: Arc<str>,
    pieces: Arc<Vec<Piece>>,
    /// Put together when first asked for.
    program: Arc<OnceLock<Arc<Program>>>,
    /// Likewise, and much cheaper.
    marks: Arc<OnceLock<Marks>>,
    /// Made when first asked for, or from the one before.
    lines: Arc<OnceLock<LineIndex>>,
}

/// A piece of a script and how it is read. Places inside count from its start.
#[derive(Clone)]
struct Piece {
    start: usize,
    cut: Cut,
    /// Whether something in it cannot be read.
    is_broken: bool,
    lowered: Arc<Lowered>,
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
    let lowered: Vec<Lowered> = if tree.root_node().has_error() {
        let alone = |(start, cut): &(usize, Cut)| lower::lower(&text[*start..cut.end]);
        found.iter().map(alone).collect()
    } else {
        let ranges = found
            .iter()
            .map(|(start, cut)| TextRange::new(*start, cut.end));
        lower::lower_readable(&text, &tree, ranges)
    };
    let pieces = found.into_iter().zip(lowered);
    let pieces = pieces.map(|((start, cut), lowered)| Piece::new(start, cut, Arc::new(lowered)));
    Parse::new(text.clone(), pieces.collect())
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
            let pieces = self.pieces.iter();
            let statements = pieces.flat_map(|Piece { start, lowered, .. }| {
                lowered.statements.iter().map(|stmt| stmt.moved(*start))
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
        self.pieces[numbers].iter().map(|piece| {
            let text = &self.text[piece.start..piece.cut.end];
            units::Piece::new(piece.start, text, &piece.lowered)
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
        let is_same = |(new, old): &(&Piece, &Piece)| Arc::ptr_eq(&new.lowered, &old.lowered);
        let pairs = self.pieces.iter().zip(&*old.pieces);
        let front = pairs.take_while(is_same).count();
        let (new, old) = (&self.pieces[front..], &old.pieces[front..]);
        let pairs = new.iter().rev().zip(old.iter().rev());
        (front, pairs.take_while(is_same).count())
    }

    /// What is wrong with the text, in the order of its places, one message a place. Empty if and only if the
    /// script is well-formed.
    #[must_use]
    pub fn errors(&self) -> &[SyntaxError] {
        &self.marks().errors
    }

    /// Every comment in the order of the text, `#@` lines included.
    #[must_use]
    pub fn comments(&self) -> &[Comment] {
        &self.marks().comments
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
        let same_before = old.partition_point(|piece| piece.cut.looked < first);
        // How far a piece looked does not grow from piece to piece where one never closes.
        let same_before = old[..same_before]
            .iter()
            .position(|piece| piece.cut.looked >= first)
            .unwrap_or(same_before);
        let mut pieces = old[..same_before].to_vec();
        let mut same_behind = 0;
        let (mut start, mut broken_run) = pieces
            .last()
            .map_or((0, 0), |piece| (piece.cut.end, piece.cut.broken_run));
        while start < text.len() {
            // Behind the edits the pieces are the old ones, once one of them starts as it did.
            if text.len() - start <= kept {
                let before = self.text.len() - (text.len() - start);
                let at = old.partition_point(|piece| piece.start < before);
                let run_before = at.checked_sub(1).map_or(0, |at| old[at].cut.broken_run);
                if old.get(at).is_some_and(|piece| piece.start == before)
                    && run_before == broken_run
                {
                    same_behind = old.len() - at;
                    pieces.extend(
                        old[at..]
                            .iter()
                            .map(|piece| piece.at(start + piece.start - before, before, start)),
                    );
                    break;
                }
            }
            let cut = pieces::next(&text, start, broken_run);
            let lowered = self.unchanged(start, cut.end, first, kept, text.len());
            let lowered = lowered.unwrap_or_else(|| Arc::new(lower::lower(&text[start..cut.end])));
            pieces.push(Piece::new(start, cut, lowered));
            (start, broken_run) = (cut.end, cut.broken_run);
        }
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
        let at = self
            .pieces
            .binary_search_by_key(&before, |piece| piece.start)
            .ok()?;
        let piece = &self.pieces[at];
        (piece.cut.end - piece.start == end - start).then(|| Arc::clone(&piece.lowered))
    }

    fn new(text: Arc<str>, pieces: Vec<Piece>) -> Parse {
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
        let pieces = self.pieces[numbers].iter();
        let comments = pieces.flat_map(|Piece { start, lowered, .. }| {
            lowered.comments.iter().map(|comment| Comment {
                range: comment.range.moved(*start),
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

    fn all_errors(&self) -> Vec<SyntaxError> {
        let broken = self.pieces.iter().filter(|piece| piece.is_broken);
        let errors = broken.flat_map(|Piece { start, lowered, .. }| {
            let line = |at| self.lines().line(at) + 1;
            let errors = lowered.errors.iter();
            errors.map(move |error| error.placed(*start, &line))
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

impl Piece {
    fn new(start: usize, cut: Cut, lowered: Arc<Lowered>) -> Self {
        Piece {
            start,
            cut,
            is_broken: !lowered.errors.is_empty(),
            lowered,
        }
    }

    /// The piece when byte `before` of the old text has become byte `now`.
    fn at(&self, start: usize, before: usize, now: usize) -> Piece {
        Piece {
            start,
            cut: Cut {
                end: self.cut.end - before + now,
                looked: self.cut.looked - before + now,
                ..self.cut
            },
            is_broken: self.is_broken,
            lowered: Arc::clone(&self.lowered),
        }
    }
}

impl std::fmt::Debug for Parse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parse")
            .field("program", self.program())
            .field("errors", &self.errors())
            .finish()
    }
}

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new({
        let mut parser = Parser::new();
        let language = tree_sitter_dml::LANGUAGE.into();
        parser.set_language(&language).expect("the grammar and the parser library are built together");
        parser
    });
}

/// The tree of `text`.
pub(crate) fn parse_tree(text: &str) -> Tree {
    PARSER.with_borrow_mut(|parser| {
        parser.reset();
        parser
            .parse(text, None)
            .expect("a parser with a language and without a time limit always finishes")
    })
}
