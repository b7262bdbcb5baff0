//! Writes as a person does: types statements letter by letter, mistypes, takes back, cuts and pastes, renames, saves,
//! goes from file to file, and looks at things in between.

use std::collections::{BTreeMap, VecDeque};

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::Writer;
use super::world::{Ask, File, Step};
use crate::client::document::Edit;

/// What people type; `N` becomes a number.
const THINGS: &[&str] = &[
    "zN = N * sum(X)\n",
    "loss = sum((X - N * (U %*% t(V)))^2)\n",
    "wN = t(X) %*% (X %*% matrix(N, rows = ncol(X), cols = 1))\n",
    "if (zN > 1) {\n  print(zN)\n}\n",
    "# a thought about N\n",
    "name = \"𝕏 é N\"; print(name)\n",
    "print(\"so far N: \" + zN)\n",
    "[aN, bN] = fit1(X, N)\n",
    "for (i in 1:N) {\n  s = s + i\n}\n",
];

/// Requests about a place, as they come while someone writes.
const AT_A_PLACE: &[&str] = &[
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/signatureHelp",
    "textDocument/documentHighlight",
];
/// Requests about a document.
const ABOUT_ALL: &[&str] = &[
    "textDocument/inlayHint",
    "textDocument/codeLens",
    "textDocument/semanticTokens/full",
    "textDocument/documentSymbol",
];

/// How many edits can be taken back in a file.
const REMEMBERED: usize = 50;
/// Files that are open at once.
const MOST_OPEN: usize = 4;
/// Bytes that are written in a text before it is thrown away for its origin: so few that all texts of a long session are as
/// long in its second half as in its first, and what grows is the server's own.
const MOST_WRITTEN: usize = 600;

/// How often a thing is done, and how.
type Habit = (u32, fn(&mut Person, &File) -> Option<Step>);

#[rustfmt::skip]
const HABITS: &[Habit] = &[
    (30, Person::begin_to_type),
    (12, Person::delete_letters),
    (8,  Person::change_number),
    (6,  Person::take_back),
    (5,  Person::cut_lines),
    (6,  Person::paste),
    (5,  Person::new_line),
    (3,  Person::rename),
    (3,  Person::comment_out),
    (20, Person::ask),
    (8,  Person::look),
    (3,  Person::save),
];

/// A person at work.
pub(super) struct Person {
    rng: ChaCha8Rng,
    file: usize,
    typing: VecDeque<char>,
    cursor: usize,
    clipboard: String,
    takes_back: bool,
    /// By file, what takes each edit back.
    done: BTreeMap<usize, Vec<Vec<Edit>>>,
}

impl Writer for Person {
    fn next(&mut self, files: &[File]) -> (usize, Step) {
        if !files[self.file].is_open {
            self.typing.clear();
            return (self.file, Step::Open);
        }
        if self.typing.is_empty() && self.rng.random_ratio(1, 60) {
            return self.go_elsewhere(files);
        }
        let file = &files[self.file];
        let step = self.at_work(file);
        // What is taken back leaves nothing to be taken back.
        let is_undo = std::mem::take(&mut self.takes_back);
        if let (Step::Edit(edits), false) = (&step, is_undo) {
            let done = self.done.entry(self.file).or_default();
            done.push(inverse(&file.document.text, edits));
            if done.len() > REMEMBERED {
                done.remove(0);
            }
        }
        (self.file, step)
    }
}

impl Person {
    pub(super) fn new(rng: ChaCha8Rng) -> Self {
        Person {
            rng,
            file: 0,
            typing: VecDeque::new(),
            cursor: 0,
            clipboard: "s = 0\n".to_owned(),
            takes_back: false,
            done: BTreeMap::new(),
        }
    }

    /// Another file; with many open ones, one is closed first.
    fn go_elsewhere(&mut self, files: &[File]) -> (usize, Step) {
        let open: Vec<usize> = (0..files.len())
            .filter(|index| files[*index].is_open)
            .collect();
        if open.len() >= MOST_OPEN {
            let closed = open[self.rng.random_range(0..open.len())];
            self.done.remove(&closed);
            self.file = self.rng.random_range(0..files.len());
            return (closed, Step::Close);
        }
        self.file = self.rng.random_range(0..files.len());
        (self.file, Step::Open)
    }

    fn at_work(&mut self, file: &File) -> Step {
        let text = &file.document.text;
        if let Some(letter) = self.typing.pop_front() {
            let at = text.floor_char_boundary(self.cursor.min(text.len()));
            // A slip, noticed at once.
            if self.rng.random_ratio(1, 30) {
                self.typing.push_front(letter);
                self.typing.push_front('\u{8}');
                return self.put(at, 'q');
            }
            if letter == '\u{8}' {
                return self.replace(at.saturating_sub(1)..at, "");
            }
            return self.put(at, letter);
        }
        if text.len() > file.origin.len() + MOST_WRITTEN {
            self.cursor = 0;
            return edit(0..text.len(), &file.origin);
        }
        let total: u32 = HABITS.iter().map(|(weight, _)| weight).sum();
        loop {
            let mut chosen = self.rng.random_range(0..total);
            for (weight, habit) in HABITS {
                if chosen < *weight {
                    if let Some(step) = habit(self, file) {
                        return step;
                    }
                    break;
                }
                chosen -= weight;
            }
        }
    }

    fn put(&mut self, at: usize, letter: char) -> Step {
        self.cursor = at + letter.len_utf8();
        edit(at..at, &letter.to_string())
    }

    fn replace(&mut self, range: std::ops::Range<usize>, text: &str) -> Step {
        self.cursor = range.start + text.len();
        edit(range, text)
    }

    fn number(&mut self) -> String {
        self.rng.random_range(2..10_000).to_string()
    }

    /// The beginning of a line.
    fn line(&mut self, text: &str) -> usize {
        let starts: Vec<usize> = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        *starts.choose(&mut self.rng).unwrap_or(&0)
    }

    #[expect(clippy::unnecessary_wraps, reason = "a habit")]
    fn begin_to_type(&mut self, file: &File) -> Option<Step> {
        let number = self.number();
        let thing = THINGS.choose(&mut self.rng).copied().unwrap_or_default();
        self.typing = thing.replace('N', &number).chars().collect();
        self.cursor = self.line(&file.document.text);
        let first = self.typing.pop_front().unwrap_or('\n');
        let at = self.cursor;
        Some(self.put(at, first))
    }

    fn delete_letters(&mut self, file: &File) -> Option<Step> {
        let text = &file.document.text;
        let end = text.floor_char_boundary(self.rng.random_range(0..=text.len()));
        let start = text.floor_char_boundary(end.saturating_sub(self.rng.random_range(1..6)));
        (start < end).then(|| self.replace(start..end, ""))
    }

    fn change_number(&mut self, file: &File) -> Option<Step> {
        let text = &file.document.text;
        let digits: Vec<usize> = text
            .char_indices()
            .filter(|(_, c)| c.is_ascii_digit())
            .map(|(at, _)| at)
            .collect();
        let at = *digits.choose(&mut self.rng)?;
        let digit = self.rng.random_range(1..10).to_string();
        Some(self.replace(at..at + 1, &digit))
    }

    fn take_back(&mut self, _: &File) -> Option<Step> {
        let edits = self.done.get_mut(&self.file)?.pop()?;
        self.takes_back = true;
        Some(Step::Edit(edits))
    }

    fn cut_lines(&mut self, file: &File) -> Option<Step> {
        let text = &file.document.text;
        let start = self.line(text);
        let lines = self.rng.random_range(1..5);
        let len: usize = text[start..]
            .split_inclusive('\n')
            .take(lines)
            .map(str::len)
            .sum();
        (len > 0).then(|| {
            self.clipboard = text[start..start + len].to_owned();
            self.replace(start..start + len, "")
        })
    }

    #[expect(clippy::unnecessary_wraps, reason = "a habit")]
    fn paste(&mut self, file: &File) -> Option<Step> {
        let at = self.line(&file.document.text);
        let pasted = self.clipboard.clone();
        Some(self.replace(at..at, &pasted))
    }

    #[expect(clippy::unnecessary_wraps, reason = "a habit")]
    fn new_line(&mut self, file: &File) -> Option<Step> {
        let at = self.line(&file.document.text);
        Some(self.replace(at..at, "\n"))
    }

    /// Every place of a word, in one change.
    fn rename(&mut self, file: &File) -> Option<Step> {
        let text = &file.document.text;
        let word = ["loss", "step", "w", "X", "k"].choose(&mut self.rng)?;
        let new = format!("{word}{}", self.rng.random_range(0..10));
        let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let mut edits: Vec<Edit> = text
            .match_indices(word)
            .filter(|(at, _)| {
                !text[..*at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter)
            })
            .map(|(at, _)| Edit {
                range: at..at + word.len(),
                text: new.clone(),
            })
            .collect();
        edits.reverse();
        (!edits.is_empty()).then_some(Step::Edit(edits))
    }

    #[expect(clippy::unnecessary_wraps, reason = "a habit")]
    fn comment_out(&mut self, file: &File) -> Option<Step> {
        let at = self.line(&file.document.text);
        let is_comment = file.document.text[at..].starts_with('#');
        let range = at..at + usize::from(is_comment);
        Some(self.replace(range, if is_comment { "" } else { "#" }))
    }

    fn ask(&mut self, file: &File) -> Option<Step> {
        if self.rng.random_ratio(1, 3) {
            let method = ABOUT_ALL.choose(&mut self.rng)?;
            return Some(Step::Ask(Ask::Whole(method)));
        }
        let text = &file.document.text;
        let byte = text.floor_char_boundary(self.rng.random_range(0..=text.len()));
        let method = AT_A_PLACE.choose(&mut self.rng)?;
        Some(Step::Ask(Ask::At(method, byte)))
    }

    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "a habit")]
    fn look(&mut self, _: &File) -> Option<Step> {
        Some(Step::Look)
    }

    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "a habit")]
    fn save(&mut self, _: &File) -> Option<Step> {
        Some(Step::Save)
    }
}

fn edit(range: std::ops::Range<usize>, text: &str) -> Step {
    Step::Edit(vec![Edit {
        range,
        text: text.to_owned(),
    }])
}

/// What takes these edits back.
fn inverse(text: &str, edits: &[Edit]) -> Vec<Edit> {
    let mut text = text.to_owned();
    let mut back = Vec::new();
    for Edit { range, text: new } in edits {
        back.push(Edit {
            range: range.start..range.start + new.len(),
            text: text[range.clone()].to_owned(),
        });
        text.replace_range(range.clone(), new);
    }
    back.reverse();
    back
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_back_is_as_it_was() {
        let edits = [
            Edit {
                range: 0..1,
                text: "long".to_owned(),
            },
            Edit {
                range: 5..6,
                text: String::new(),
            },
        ];
        let mut text = "a = b".to_owned();
        let back = inverse(&text, &edits);
        for Edit { range, text: new } in edits.iter().chain(&back) {
            text.replace_range(range.clone(), new);
        }
        assert_eq!(text, "a = b");
    }
}
