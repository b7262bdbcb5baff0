//! Lines of pieces that run side by side, in the order of the pieces: those of the first one that has not ended are shown as they
//! come, those of later ones wait. So what is printed depends neither on the number of threads nor on their speed.
//!
//! What comes after a piece that failed is not shown: one after the other, nobody would have got there.

use std::collections::BTreeMap;

/// Shows lines in turn.
pub(super) struct InTurn<'a> {
    show: &'a mut (dyn FnMut(&str) + Send),
    /// The piece whose turn it is.
    next: usize,
    /// Of later pieces.
    waiting: BTreeMap<usize, Lines>,
}

#[derive(Default)]
struct Lines {
    lines: Vec<String>,
    has_ended: bool,
}

impl<'a> InTurn<'a> {
    pub(super) fn new(show: &'a mut (dyn FnMut(&str) + Send)) -> InTurn<'a> {
        InTurn {
            show,
            next: 0,
            waiting: BTreeMap::new(),
        }
    }

    /// A piece prints a line.
    pub(super) fn print(&mut self, piece: usize, line: &str) {
        if piece == self.next {
            (self.show)(line);
        } else {
            let waiting = self.waiting.entry(piece).or_default();
            waiting.lines.push(line.to_owned());
        }
    }

    /// A piece has ended well; one that fails never does.
    pub(super) fn end(&mut self, piece: usize) {
        self.waiting.entry(piece).or_default().has_ended = true;
        while let Some(Lines {
            has_ended: true, ..
        }) = self.waiting.get(&self.next)
        {
            self.waiting.remove(&self.next);
            self.next += 1;
            if let Some(now) = self.waiting.get_mut(&self.next) {
                std::mem::take(&mut now.lines)
                    .iter()
                    .for_each(|line| (self.show)(line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_in_the_order_of_the_pieces_and_end_with_the_one_that_failed() {
        let mut shown = Vec::new();
        let mut show = |line: &str| shown.push(line.to_owned());
        let mut in_turn = InTurn::new(&mut show);
        in_turn.print(1, "b");
        in_turn.print(2, "d");
        in_turn.end(2);
        in_turn.print(0, "a");
        in_turn.print(4, "f");
        in_turn.end(0);
        in_turn.print(1, "c");
        in_turn.end(1);
        in_turn.print(3, "e");
        in_turn.end(4);
        assert_eq!(shown, ["a", "b", "c", "d", "e"]);
    }
}
