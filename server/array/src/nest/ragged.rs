//! Sizes that tiles do not divide: the nest of the next larger sizes that they do divide, without what is beyond the real ones.
//!
//! While a program becomes a nest, whatever reads an element notes when there is one: a sum of counters stays below a size
//! ([`Limit`]). What lies beyond is never computed and never read: a loop ends where its element does, and a loop around it is cut
//! into pieces in each of which the inner ones run equally often. So counts stay numbers, and bounds are proven as for
//! any nest. This module must never decide what a program computes.

use std::collections::{HashMap, HashSet};

use super::narrow::part;
use super::{Buffer, BufferId, Counter, Ex, How, Index, Stmt};

/// Pieces of one loop at most.
const MOST_PIECES: usize = 16;

/// An element that is there only while an index is below a number.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Limit {
    pub(super) at: Index,
    pub(super) below: i64,
}

impl Limit {
    fn at(&self, counter: Counter, value: i64) -> Limit {
        Limit {
            at: self.at.at(counter, value),
            below: self.below,
        }
    }

    /// Whether it holds for all values of all counters.
    fn holds(&self) -> bool {
        self.at.most() < self.below
    }

    /// Whether it holds wherever the other one does.
    fn follows_from(&self, other: &Limit) -> bool {
        let way = self.at.plus(&other.at.times(-1));
        way.terms().is_empty() && way.offset() <= self.below - other.below
    }
}

/// What was noted while a nest was made.
#[derive(Default)]
pub(super) struct Noted {
    /// What the elements need that were read since loops began that are still open.
    pub(super) open: Vec<Limit>,
    loops: HashMap<u32, Vec<Limit>>,
    written_out: HashSet<u32>,
    /// Vectors by their first number and length; the counter of their lanes is at zero, and each lane moves the index by one.
    vectors: Vec<((BufferId, Index, i64), Limit)>,
    stores: Vec<(Stmt, Vec<Limit>)>,
}

impl Noted {
    /// Notes what an element needs that is read now.
    pub(super) fn note(&mut self, limit: Limit) {
        let is_known = limit.holds() || self.open.iter().any(|known| limit.follows_from(known));
        if !is_known {
            self.open.push(limit);
        }
    }

    /// A loop whose body was made since there were `from` limits.
    pub(super) fn close(&mut self, counter: Counter, from: usize) -> Result<(), String> {
        for limit in self.open.split_off(from) {
            match limit.at.step(counter) {
                Some(0) => self.note(limit),
                Some(step) if step > 0 => {
                    let around = limit.at(counter, 0);
                    let own = self.loops.entry(counter.number).or_default();
                    if !own.contains(&limit) {
                        own.push(limit);
                    }
                    self.note(around);
                }
                _ => return Err(uncut()),
            }
        }
        Ok(())
    }

    /// Loops of such a counter are written out.
    pub(super) fn write_out(&mut self, counter: Counter) {
        self.written_out.insert(counter.number);
    }

    /// A vector whose number was read since there were `from` limits, by a counter for its lanes.
    pub(super) fn vector(&mut self, ex: &Ex, lane: Counter, from: usize) -> Result<(), String> {
        for limit in self.open.split_off(from) {
            match limit.at.step(lane) {
                Some(0) => self.note(limit),
                Some(1) => {
                    let start = limit.at(lane, 0);
                    self.add(ex, &start);
                    self.note(start);
                }
                _ => return Err(uncut()),
            }
        }
        Ok(())
    }

    fn add(&mut self, ex: &Ex, limit: &Limit) {
        each_vector(ex, &mut |vector| {
            let known = (vector, limit.clone());
            if !self.vectors.contains(&known) {
                self.vectors.push(known);
            }
        });
    }

    /// What the lanes of a vector need.
    pub(super) fn lanes(&self, ex: &Ex) -> Vec<Limit> {
        let mut found: Vec<Limit> = Vec::new();
        each_vector(ex, &mut |vector| {
            for (known, limit) in &self.vectors {
                if *known == vector && !found.contains(limit) {
                    found.push(limit.clone());
                }
            }
        });
        found
    }

    /// A vector in memory that holds what another one is.
    pub(super) fn holds(&mut self, memory: &Ex, value: &Ex) {
        for limit in self.lanes(value) {
            self.add(memory, &limit);
        }
    }

    /// A vector that is written.
    pub(super) fn store(&mut self, stmt: &Stmt) {
        if let Stmt::Store(_, _, width, value) = stmt
            && *width > 1
        {
            let limits = self.lanes(value);
            if !limits.is_empty() {
                self.stores.push((stmt.clone(), limits));
            }
        }
    }
}

/// Calls `visit` with each vector that is read: where it stands, and how long it is; where it is gathered, its first number.
fn each_vector(ex: &Ex, visit: &mut dyn FnMut((BufferId, Index, i64))) {
    match ex {
        Ex::Load(buffer, at, width) if *width > 1 => visit((*buffer, at.clone(), *width)),
        Ex::Gather(parts) => {
            if let Some(Ex::Load(buffer, at, _)) = parts.first() {
                visit((*buffer, at.clone(), -ex.width()));
            }
        }
        Ex::Calc(_, a, b) => {
            each_vector(a, visit);
            each_vector(b, visit);
        }
        Ex::Number(_) | Ex::Load(..) | Ex::Splat(..) => {}
    }
}

pub(super) fn uncut() -> String {
    "a loop cannot be cut where these sizes end; choose sizes that the tiles divide".to_owned()
}

/// A step with what it needs.
#[derive(Clone)]
enum Step {
    Loop {
        counter: Counter,
        how: How,
        is_written_out: bool,
        limits: Vec<Limit>,
        body: Vec<Step>,
    },
    Declare(BufferId),
    Store {
        stmt: Stmt,
        limits: Vec<Limit>,
    },
}

/// A block that does only what the limits allow.
///
/// # Errors
/// A loop cannot be cut there: text for a person.
pub(super) fn cut(
    block: &[Stmt],
    noted: &Noted,
    counters: &mut u32,
    buffers: &mut Vec<Buffer>,
) -> Result<Vec<Stmt>, String> {
    let mut made = Vec::new();
    for step in steps(block, noted) {
        made.extend(cut_step(step, counters)?);
    }
    Ok(made
        .into_iter()
        .flat_map(|step| settled(step, buffers))
        .collect())
}

fn steps(block: &[Stmt], noted: &Noted) -> Vec<Step> {
    let step = |stmt: &Stmt| match stmt {
        Stmt::Declare(buffer) => Step::Declare(*buffer),
        Stmt::Loop(counter, how, body) => Step::Loop {
            counter: *counter,
            how: *how,
            is_written_out: noted.written_out.contains(&counter.number),
            limits: noted
                .loops
                .get(&counter.number)
                .cloned()
                .unwrap_or_default(),
            body: steps(body, noted),
        },
        Stmt::Store(..) => {
            let known = noted.stores.iter().find(|(known, _)| known == stmt);
            Step::Store {
                stmt: stmt.clone(),
                limits: known.map(|(_, limits)| limits.clone()).unwrap_or_default(),
            }
        }
    };
    block.iter().map(step).collect()
}

fn cut_step(step: Step, counters: &mut u32) -> Result<Vec<Step>, String> {
    match step {
        Step::Declare(_) => Ok(vec![step]),
        Step::Store { stmt, mut limits } => {
            let Stmt::Store(buffer, at, width, value) = stmt else {
                return Ok(Vec::new());
            };
            limits.retain(|limit| limit.at.most() + width > limit.below);
            let mut lanes = width;
            for limit in &limits {
                if !limit.at.terms().is_empty() {
                    return Err(uncut());
                }
                lanes = lanes.min(limit.below - limit.at.offset());
            }
            if lanes < 1 {
                return Ok(Vec::new());
            }
            let value = if lanes < width {
                part(&value, 0, lanes)
            } else {
                value
            };
            Ok(vec![Step::Store {
                stmt: Stmt::Store(buffer, at, lanes, value),
                limits: Vec::new(),
            }])
        }
        Step::Loop {
            counter,
            how,
            is_written_out,
            limits,
            mut body,
        } => {
            let mut count = counter.count;
            for limit in limits.iter().filter(|limit| !limit.holds()) {
                let rest = limit.at.at(counter, 0);
                match limit.at.step(counter) {
                    Some(step) if step > 0 && rest.terms().is_empty() => {
                        let left = limit.below - rest.offset();
                        count = count.min((left + step - 1).div_euclid(step));
                    }
                    _ => return Err(uncut()),
                }
            }
            if count < 1 {
                return Ok(Vec::new());
            }
            let own = Counter { count, ..counter };
            if own != counter {
                replace(&mut body, counter, &Index::counter(own));
            }
            let mut made = Vec::new();
            let pieces = pieces(own, &body)?;
            for (n, (start, len)) in pieces.iter().enumerate() {
                let mut body = body.clone();
                settle(&mut body, own, *start, *len);
                let mut piece = Counter {
                    number: own.number,
                    count: *len,
                };
                if n > 0 {
                    piece.number = *counters;
                    *counters += 1;
                }
                if pieces.len() > 1 {
                    let to = Index::counter(piece).plus(&Index::number(*start));
                    replace(&mut body, own, &to);
                }
                let mut inner = Vec::new();
                for step in body {
                    inner.extend(cut_step(step, counters)?);
                }
                made.push(Step::Loop {
                    counter: piece,
                    how: if *len > 1 { how } else { How::InOrder },
                    is_written_out,
                    limits: Vec::new(),
                    body: inner,
                });
            }
            Ok(made)
        }
    }
}

/// Calls `visit` with each limit below, and how many lanes it is of.
fn each_limit(steps: &[Step], visit: &mut dyn FnMut(&Limit, i64)) {
    for step in steps {
        match step {
            Step::Declare(_) => {}
            Step::Store { stmt, limits } => {
                let width = match stmt {
                    Stmt::Store(_, _, width, _) => *width,
                    _ => 1,
                };
                limits.iter().for_each(|limit| visit(limit, width));
            }
            Step::Loop { limits, body, .. } => {
                limits.iter().for_each(|limit| visit(limit, 1));
                each_limit(body, visit);
            }
        }
    }
}

/// How far a limit goes at a value of a counter around it: for all inner ones, or how often the innermost may step.
fn reach(limit: &Limit, lanes: i64, counter: Counter, value: i64) -> Option<i64> {
    let there = limit.at.at(counter, value);
    if there.most() + lanes <= limit.below {
        return None;
    }
    let left = limit.below - there.offset();
    // Steps of one size reach as far until the next one is whole.
    let factors = there.terms().iter().map(|(_, factor)| *factor);
    let own = i64::from(lanes > 1);
    let by = factors.fold(own, gcd).max(1);
    Some((left + by - 1).div_euclid(by))
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// The pieces of a loop in which all limits of what is inside reach equally far: where each begins, and its length.
fn pieces(counter: Counter, body: &[Step]) -> Result<Vec<(i64, i64)>, String> {
    let mut limits: Vec<(Limit, i64)> = Vec::new();
    let mut is_known = true;
    each_limit(body, &mut |limit, lanes| {
        let is_own = limit.at.step(counter) != Some(0);
        if is_own && limit.at.most() + lanes > limit.below {
            is_known &= limit.at.step(counter).is_some();
            limits.push((limit.clone(), lanes));
        }
    });
    if !is_known {
        return Err(uncut());
    }
    if limits.is_empty() {
        return Ok(vec![(0, counter.count)]);
    }
    let mut made: Vec<(i64, i64)> = Vec::new();
    let mut last = Vec::new();
    for value in 0..counter.count {
        let reaches: Vec<Option<i64>> = limits
            .iter()
            .map(|(limit, lanes)| reach(limit, *lanes, counter, value))
            .collect();
        match made.last_mut() {
            Some((_, len)) if reaches == last => *len += 1,
            _ => made.push((value, 1)),
        }
        last = reaches;
        if made.len() > MOST_PIECES {
            return Err(uncut());
        }
    }
    Ok(made)
}

/// Limits of what is inside of a piece of a loop do not depend on its counter.
fn settle(steps: &mut [Step], counter: Counter, start: i64, len: i64) {
    let settled = |limits: &mut Vec<Limit>, lanes: i64| {
        limits.retain_mut(|limit| {
            if limit.at.step(counter) == Some(0) {
                return true;
            }
            // The last one of the piece reaches as far as the first, or everything is below the limit.
            let last = limit.at(counter, start + len - 1);
            if last.at.most() + lanes <= limit.below {
                return false;
            }
            *limit = limit.at(counter, start);
            true
        });
    };
    for step in steps {
        match step {
            Step::Declare(_) => {}
            Step::Store { stmt, limits } => {
                let width = match stmt {
                    Stmt::Store(_, _, width, _) => *width,
                    _ => 1,
                };
                settled(limits, width);
            }
            Step::Loop { limits, body, .. } => {
                settled(limits, 1);
                settle(body, counter, start, len);
            }
        }
    }
}

/// Puts an index for a counter everywhere.
fn replace(steps: &mut [Step], counter: Counter, to: &Index) {
    let limits_with = |limits: &mut Vec<Limit>| {
        for limit in limits {
            limit.at = limit.at.with(counter, to);
        }
    };
    for step in steps {
        match step {
            Step::Declare(_) => {}
            Step::Store { stmt, limits } => {
                limits_with(limits);
                if let Stmt::Store(_, at, _, value) = stmt {
                    *at = at.with(counter, to);
                    value.loads_mut(&mut |_, at, _| *at = at.with(counter, to));
                }
            }
            Step::Loop { limits, body, .. } => {
                limits_with(limits);
                replace(body, counter, to);
            }
        }
    }
}

/// The statements of a step.
fn settled(step: Step, buffers: &mut Vec<Buffer>) -> Vec<Stmt> {
    match step {
        Step::Declare(buffer) => vec![Stmt::Declare(buffer)],
        Step::Store { stmt, .. } => vec![stmt],
        Step::Loop {
            counter,
            how,
            is_written_out,
            body,
            ..
        } => {
            if !is_written_out {
                let body = body
                    .into_iter()
                    .flat_map(|step| settled(step, buffers))
                    .collect();
                return vec![Stmt::Loop(counter, how, body)];
            }
            let mut made = Vec::new();
            for value in 0..counter.count {
                let mut run = body.clone();
                replace(&mut run, counter, &Index::number(value));
                if value > 0 {
                    rename(&mut run, buffers);
                }
                made.extend(run.into_iter().flat_map(|step| settled(step, buffers)));
            }
            made
        }
    }
}

/// Gives other buffers to the ones that begin here.
fn rename(steps: &mut [Step], buffers: &mut Vec<Buffer>) {
    let mut others: HashMap<BufferId, BufferId> = HashMap::new();
    for step in steps.iter() {
        if let Step::Declare(buffer) = step {
            let other = buffers.len();
            buffers.push(Buffer {
                name: format!("t{other}"),
                ..buffers[*buffer].clone()
            });
            others.insert(*buffer, other);
        }
    }
    if !others.is_empty() {
        renamed(steps, &others);
    }
}

fn renamed(steps: &mut [Step], others: &HashMap<BufferId, BufferId>) {
    let put = |buffer: &mut BufferId| {
        if let Some(other) = others.get(buffer) {
            *buffer = *other;
        }
    };
    for step in steps {
        match step {
            Step::Declare(buffer) => put(buffer),
            Step::Store { stmt, .. } => {
                if let Stmt::Store(buffer, _, _, value) = stmt {
                    put(buffer);
                    value.loads_mut(&mut |buffer, _, _| put(buffer));
                }
            }
            Step::Loop { body, .. } => renamed(body, others),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Nest, Role, run};
    use super::*;
    use crate::types::Scalar;

    const I: Counter = Counter {
        number: 0,
        count: 3,
    };
    const J: Counter = Counter {
        number: 1,
        count: 32,
    };

    fn flat() -> Limit {
        Limit {
            at: Index::counter(I).times(32).plus(&Index::counter(J)),
            below: 70,
        }
    }

    /// What a block makes of the numbers from 0 to 69, and how many statements it is.
    fn made(block: &[Stmt], noted: &Noted) -> (usize, Vec<f64>) {
        let buffer = |name: &str, role| Buffer {
            name: name.to_owned(),
            len: 70,
            role,
        };
        let mut buffers = vec![buffer("x", Role::Input), buffer("out", Role::Output)];
        let body = cut(block, noted, &mut 9, &mut buffers).unwrap();
        let statements = body.len();
        let nest = Nest {
            name: "p".to_owned(),
            scalar: Scalar::F64,
            buffers,
            inputs: 1,
            body,
        };
        let numbers: Vec<f64> = (0..70).map(f64::from).collect();
        (statements, run(&nest, &[numbers]).unwrap())
    }

    #[test]
    fn loops_in_either_order_end_with_the_size() {
        let all: Vec<f64> = (0..70).map(f64::from).collect();
        for order in [[I, J], [J, I]] {
            let mut noted = Noted::default();
            noted.note(flat());
            noted.close(order[1], 0).unwrap();
            noted.close(order[0], 0).unwrap();
            assert_eq!(noted.open, []);
            let copy = Stmt::Store(1, flat().at, 1, Ex::Load(0, flat().at, 1));
            let inner = Stmt::Loop(order[1], How::InOrder, vec![copy]);
            let block = [Stmt::Loop(order[0], How::Parallel, vec![inner])];
            // Whole tiles and the last one, or the first places of all tiles and the others of whole ones.
            assert_eq!(made(&block, &noted), (2, all.clone()), "{order:?}");
        }
    }

    #[test]
    fn vectors_end_with_the_size() {
        let start = Index::counter(I).times(32);
        let value = Ex::Load(0, start.clone(), 32);
        let mut noted = Noted::default();
        noted.note(flat());
        noted.vector(&value, J, 0).unwrap();
        let copy = Stmt::Store(1, start, 32, value);
        noted.store(&copy);
        noted.close(I, 0).unwrap();
        let all: Vec<f64> = (0..70).map(f64::from).collect();
        let block = [Stmt::Loop(I, How::InOrder, vec![copy])];
        assert_eq!(made(&block, &noted), (2, all));
    }

    #[test]
    fn what_follows_from_another_limit_is_not_noted() {
        let mut noted = Noted::default();
        let beside = |offset: i64, below: i64| Limit {
            at: Index::counter(I).plus(&Index::number(offset)),
            below,
        };
        noted.note(beside(0, 4));
        assert_eq!(noted.open, []);
        noted.note(beside(2, 4));
        noted.note(beside(1, 3));
        noted.note(beside(1, 4));
        assert_eq!(noted.open, [beside(2, 4)]);
        noted.note(beside(2, 3));
        assert_eq!(noted.open.len(), 2);
    }
}
