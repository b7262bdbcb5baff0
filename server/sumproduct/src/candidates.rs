//! From relations back to linear algebra: which operators can compute a class, and from what.
//!
//! A *state* is a class with its axes labelled [`ROW`] and [`COL`], so a class of two axes has two: the matrix and
//! its transpose; of a symmetric one these are one state. Only classes of at most two axes have states (section 3.2); a join with more lives on only
//! inside the product that aggregates it at once. Nothing here chooses.

use smallvec::SmallVec;
use sumac_cost::{Cost, Machine, matrix_bytes};
use sumac_la::{Kind, Limits, Op, Type};

use crate::axes::{BOUND, Map, Term};
use crate::build::Relations;
use crate::fusions::Inside;
use crate::ra::{Opaque, Ra};
use crate::translate::{COL, ROW, flipped};

/// How a state is computed from its children.
#[derive(Clone, PartialEq, Debug)]
pub enum Build {
    /// A leaf as it is.
    Leaf(u32),
    /// A value that the caller holds already, by its place in the caller's list.
    Held(usize),
    /// A scalar.
    Number(f64),
    /// A matrix full of a number.
    Fill(f64),
    /// An operator over the children.
    Op(Op),
    /// The child squared.
    Square,
    /// `a - k * b`.
    MinusScaled(f64),
    /// `a / c`.
    DivideBy(f64),
    /// `a %*% b` where either side may be read transposed, which costs a product nothing.
    Product {
        /// Whether the left and the right side are the child's transpose.
        flipped: [bool; 2],
        /// Whether the result is 1 x 1 and wanted as a scalar.
        dot: bool,
    },
    /// An operator over whole matrices.
    Opaque(Box<Opaque>),
    /// Several candidates that the engine runs as one; the children are all that it reads.
    Fused(Box<Inside>),
}

/// One way to compute a state.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// How.
    pub build: Build,
    /// From which states.
    pub children: SmallVec<[Term; 2]>,
    /// What it costs beside its children.
    pub cost: Cost,
    /// Bytes of its result and its children, which are alive at once.
    pub footprint: f64,
}

/// Lists candidates of states.
pub struct Candidates<'a> {
    /// The graph.
    pub relations: &'a Relations,
    /// For each leaf, its axes' labels as the script has them.
    pub leaves: &'a [Map],
    /// Values that the caller holds already.
    pub held: &'a [Term],
    /// For estimates.
    pub machine: &'a Machine,
}

impl Candidates<'_> {
    /// What is known of a state's value.
    pub fn ty(&self, state: Term) -> Type {
        let data = self.relations.data(state.id);
        let side = |label| match self.relations.dim_of(state, label) {
            Some(dim) => self.relations.graph.analysis.sizes[usize::from(dim.0)].clone(),
            None => sumac_la::Dim::Known(1),
        };
        let kind = if state.map.len() == 0 {
            Kind::Scalar
        } else {
            Kind::Matrix
        };
        let limits = match (state.map.axis(ROW), state.map.axis(COL)) {
            (Some(rows), Some(cols)) => data.degrees.limits(rows, cols),
            _ => Limits::NONE,
        };
        Type {
            kind,
            sparsity: Some(data.sparsity),
            limits,
            ..Type::matrix(side(ROW), side(COL))
        }
    }

    /// All candidates of a state, in a fixed order.
    pub fn of(&self, state: Term) -> Vec<Candidate> {
        let mut found = Vec::new();
        for (place, held) in self.held.iter().enumerate() {
            if *held == state {
                self.push(state, Build::Held(place), &[], &mut found);
            }
        }
        for node in self.relations.nodes(state.id) {
            match node {
                Ra::Const(bits, schema) => {
                    let value = f64::from_bits(*bits);
                    if schema.is_empty() {
                        self.push(state, Build::Number(value), &[], &mut found);
                    } else if schema
                        .iter()
                        .all(|dim| self.relations.graph.analysis.has_size(*dim))
                    {
                        self.push(state, Build::Fill(value), &[], &mut found);
                    }
                }
                Ra::Leaf(n) => {
                    if self.leaves[*n as usize] == state.map {
                        self.push(state, Build::Leaf(*n), &[], &mut found);
                    }
                }
                Ra::Mul(maps, ids) => {
                    let [x, y] = self.children(maps, ids, &state.map);
                    self.join(state, x, y, &mut found);
                }
                Ra::Add(maps, ids) => {
                    let [x, y] = self.children(maps, ids, &state.map);
                    self.union(state, x, y, &mut found);
                }
                Ra::Sum(map, ids) => self.aggregate(state, map, ids[0], &mut found),
                Ra::Fold(op, map, ids) => {
                    let labels = inner_labels(map, state);
                    self.over_axes(state, labels, ids[0], by_direction(*op), &mut found);
                }
                // Only ever a factor of a `diag`.
                Ra::Eye(_) => {}
                Ra::Fun(op, maps, ids) => {
                    let children: SmallVec<[Term; 2]> = maps
                        .iter()
                        .zip(ids)
                        .map(|(m, id)| self.relations.resolve(Term::inside(*id, m, &state.map)))
                        .collect();
                    if let Some(children) = in_dml_order(*op, state, children) {
                        self.push(state, Build::Op(*op), &children, &mut found);
                    }
                }
                Ra::Opaque(opaque, ids) => {
                    let native = [ROW, COL]
                        .into_iter()
                        .filter(|side| opaque.shape[usize::from(*side)].is_some());
                    if Map::collect(native).as_ref() == Some(&state.map) {
                        let children: SmallVec<[Term; 2]> = opaque
                            .children
                            .iter()
                            .zip(ids)
                            .map(|((m, _), id)| self.relations.resolve(Term { id: *id, map: *m }))
                            .collect();
                        self.push(state, Build::Opaque(opaque.clone()), &children, &mut found);
                    }
                }
            }
        }
        let turned = self.relations.resolve(flipped(state));
        if turned != state && self.relations.data(state.id).constant.is_none() {
            self.push(state, Build::Op(Op::Transpose), &[turned], &mut found);
        }
        found
    }

    fn children(&self, maps: &[Map; 2], ids: &[egg::Id; 2], outer: &Map) -> [Term; 2] {
        [0, 1].map(|k| {
            self.relations
                .resolve(Term::inside(ids[k], &maps[k], outer))
        })
    }

    fn push(&self, state: Term, build: Build, children: &[Term], found: &mut Vec<Candidate>) {
        let out = self.ty(state);
        let types: SmallVec<[Type; 2]> = children.iter().map(|c| self.ty(*c)).collect();
        let refs: SmallVec<[&Type; 2]> = types.iter().collect();
        let cost = crate::prices::of(&build, &refs, &out, self.machine);
        let footprint = refs.iter().chain([&&out]).map(|ty| matrix_bytes(ty)).sum();
        if let (Some(cost), Some(footprint)) = (cost, footprint) {
            found.push(Candidate {
                build,
                children: children.into(),
                cost,
                footprint,
            });
        }
    }

    /// `x * y` in its forms.
    fn join(&self, state: Term, x: Term, y: Term, found: &mut Vec<Candidate>) {
        let full = |t: Term| t.map.len() == state.map.len();
        if x == y {
            self.push(state, Build::Square, &[x], found);
            return;
        }
        for (eye, vector) in [(x, y), (y, x)] {
            if self.relations.data(eye.id).is_eye && vector.map.len() == 1 {
                let map = vector.map.relabel(|_| ROW);
                let column = self.relations.resolve(Term { map, ..vector });
                self.push(state, Build::Op(Op::Diag), &[column], found);
            }
        }
        for (a, b) in [(x, y), (y, x)] {
            // The reciprocal of something: a division. The dividend must have the whole shape or be a number.
            if full(a) || a.map.len() == 0 {
                for node in self.relations.nodes(b.id) {
                    if let Ra::Fun(Op::Div, maps, ids) = node {
                        let one = Term::inside(ids[0], &maps[0], &b.map);
                        if self.relations.constant_of(one) == Some(1.0) {
                            let divisor = self
                                .relations
                                .resolve(Term::inside(ids[1], &maps[1], &b.map));
                            self.push(state, Build::Op(Op::Div), &[a, divisor], found);
                        }
                    }
                }
            }
            if let Some(c) = self.relations.constant_of(a).filter(|_| a.map.len() == 0) {
                if c == -1.0 {
                    self.push(state, Build::Op(Op::Neg), &[b], found);
                    return;
                }
                if let Some(divisor) = as_divisor(c) {
                    self.push(state, Build::DivideBy(divisor), &[b], found);
                    return;
                }
            }
        }
        match (full(x), full(y)) {
            // The number stands first, a vector that repeats second, as DML wants it.
            (true, true) if y.map.len() == 0 => {
                let number_first = if self.relations.constant_of(y).is_some() {
                    [y, x]
                } else {
                    [x, y]
                };
                self.push(state, Build::Op(Op::Mul), &number_first, found);
            }
            (_, true) if x.map.len() == 0 => self.push(state, Build::Op(Op::Mul), &[x, y], found),
            (true, _) if y.map.len() == 0 => self.push(state, Build::Op(Op::Mul), &[y, x], found),
            (true, _) => self.push(state, Build::Op(Op::Mul), &[x, y], found),
            (false, true) => self.push(state, Build::Op(Op::Mul), &[y, x], found),
            (false, false) => {
                // A column and a row: the outer product.
                let (column, row) = if x.map.has(ROW) { (x, y) } else { (y, x) };
                self.product(state, column, row, found);
            }
        }
    }

    /// `x + y` in its forms.
    fn union(&self, state: Term, x: Term, y: Term, found: &mut Vec<Candidate>) {
        let full = |t: Term| t.map.len() == state.map.len();
        for (a, b) in [(x, y), (y, x)] {
            if !(full(a) || a.map.len() == 0 && full(b)) {
                continue;
            }
            for (k, z) in self.negative_multiples(b) {
                if k == -1.0 {
                    self.push(state, Build::Op(Op::Sub), &[a, z], found);
                } else {
                    self.push(state, Build::MinusScaled(-k), &[a, z], found);
                }
            }
        }
        match (full(x), full(y)) {
            (true, true) => {
                // `X + 1` reads better than `1 + X`.
                let swap = self.relations.constant_of(x).is_some();
                self.push(
                    state,
                    Build::Op(Op::Add),
                    &if swap { [y, x] } else { [x, y] },
                    found,
                );
            }
            (true, false) => self.push(state, Build::Op(Op::Add), &[x, y], found),
            (false, true) => self.push(state, Build::Op(Op::Add), &[y, x], found),
            (false, false) => {
                // A column and a row meet in every cell: one of them has to be written out, as the price says.
                let (column, row) = if x.map.has(ROW) { (x, y) } else { (y, x) };
                self.push(state, Build::Op(Op::Add), &[column, row], found);
            }
        }
    }

    /// `(k, z)` for each `k * z` with a negative number `k` in the state's class.
    fn negative_multiples(&self, state: Term) -> Vec<(f64, Term)> {
        let mut multiples = Vec::new();
        for node in self.relations.nodes(state.id) {
            if let Ra::Mul(maps, ids) = node {
                let pair = self.children(maps, ids, &state.map);
                for (k, z) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                    if k.map.len() == 0
                        && z.map.len() == state.map.len()
                        && let Some(value) = self.relations.constant_of(k)
                        && value < 0.0
                    {
                        multiples.push((value, z));
                    }
                }
            }
        }
        multiples
    }

    /// Σ over some axes of `child`: an aggregate of it, or a matrix product if it is a join.
    fn aggregate(&self, state: Term, map: &Map, child: egg::Id, found: &mut Vec<Candidate>) {
        let labels = inner_labels(map, state);
        self.over_axes(state, labels, child, by_direction(Op::Sum), found);
        self.diagonal(state, labels, child, found);
        // Exactly one axis summed: a product, if the class holds a join whose sides meet in that axis alone.
        const MEET: u8 = 2;
        if map.iter().filter(|axis| *axis == BOUND).count() != 1 {
            return;
        }
        for node in self.relations.nodes(child) {
            let Ra::Mul(maps, ids) = node else { continue };
            let [x, y] = self.children(maps, ids, &labels);
            let free =
                |t: Term| -> SmallVec<[u8; 2]> { t.map.iter().filter(|l| *l != MEET).collect() };
            let (fx, fy) = (free(x), free(y));
            if !x.map.has(MEET)
                || !y.map.has(MEET)
                || fx.len() > 1
                || fy.len() > 1
                || (!fx.is_empty() && fx == fy)
            {
                continue;
            }
            let x_is_left = fx.first() == Some(&ROW)
                || fy.first() == Some(&COL)
                || (fx.is_empty() && fy.is_empty());
            let (left, right) = if x_is_left { (x, y) } else { (y, x) };
            let left = Term {
                map: left.map.relabel(|l| if l == MEET { COL } else { ROW }),
                ..left
            };
            let right = Term {
                map: right.map.relabel(|l| if l == MEET { ROW } else { COL }),
                ..right
            };
            self.product(state, left, right, found);
        }
    }

    /// An aggregate of `child`, whose axes are labelled as [`inner_labels`] does, by the operator for each direction.
    fn over_axes(
        &self,
        state: Term,
        labels: Map,
        child: egg::Id,
        [all, by_row, by_col]: [Option<Op>; 3],
        found: &mut Vec<Candidate>,
    ) {
        let mut push = |op: Option<Op>, map: Map| {
            let child = self.relations.resolve(Term { id: child, map });
            if let Some(op) = op {
                self.push(state, Build::Op(op), &[child], found);
            }
        };
        match (labels.len(), state.map.labels()) {
            (1 | 2, []) => {
                let mut place = 0;
                let matrix = labels.relabel(|_| {
                    place += 1;
                    place - 1
                });
                push(all, matrix);
                push(all, matrix.relabel(|l| 1 - l));
            }
            (2, [free]) => {
                let map = labels.relabel(|l| if l == *free { l } else { 1 - free });
                push(if *free == ROW { by_row } else { by_col }, map);
            }
            _ => {}
        }
    }

    /// Σ of `x * δ` over one axis or both: the diagonal of x, or its trace.
    fn diagonal(&self, state: Term, labels: Map, child: egg::Id, found: &mut Vec<Candidate>) {
        let op = match state.map.labels() {
            [] => Op::Trace,
            [ROW] => Op::Diag,
            _ => return,
        };
        if labels.len() != 2 {
            return;
        }
        // The label that stays becomes the rows.
        let mut place = COL + 1;
        let matrix = labels.relabel(|l| {
            place -= 1;
            if op == Op::Diag { l.min(COL) } else { place }
        });
        for node in self.relations.nodes(child) {
            let Ra::Mul(maps, ids) = node else { continue };
            for k in 0..2 {
                let x = Term::inside(ids[1 - k], &maps[1 - k], &matrix);
                if self.relations.data(ids[k]).is_eye && x.map.len() == 2 {
                    let x = self.relations.resolve(x);
                    self.push(state, Build::Op(op), &[x], found);
                }
            }
        }
    }

    /// `left %*% right`, each side as it is or as the transpose of its transpose.
    fn product(&self, state: Term, left: Term, right: Term, found: &mut Vec<Candidate>) {
        let sides = [left, right].map(|side| self.relations.resolve(side));
        let others = sides.map(|side| self.relations.resolve(flipped(side)));
        for turn in [[false, false], [true, false], [false, true], [true, true]] {
            // What is its own transpose is never read as that.
            if (0..2).any(|k| turn[k] && others[k] == sides[k]) {
                continue;
            }
            let children = [0, 1].map(|k| if turn[k] { others[k] } else { sides[k] });
            let dot = state.map.len() == 0;
            self.push(
                state,
                Build::Product { flipped: turn, dot },
                &children,
                found,
            );
        }
    }
}

/// The arguments of a cellwise function as DML takes them: one that repeats stands second, where that can be. `None` where
/// DML repeats nothing.
fn in_dml_order(op: Op, state: Term, mut args: SmallVec<[Term; 2]>) -> Option<SmallVec<[Term; 2]>> {
    let fits = |arg: &Term| arg.map.len() == state.map.len() || arg.map.len() == 0;
    match args.as_slice() {
        [a, b] => {
            if !fits(a) && fits(b) && op.info().commutative {
                args.reverse();
            }
            Some(args)
        }
        _ => args.iter().all(fits).then_some(args),
    }
}

/// Labels of an aggregate's child: those that stay as outside, the others from 2 on.
fn inner_labels(map: &Map, state: Term) -> Map {
    let mut next = 2;
    map.relabel(|axis| {
        if axis == BOUND {
            next += 1;
            next - 1
        } else {
            state.map.labels()[usize::from(axis)]
        }
    })
}

/// An aggregate over all cells, then the same by row and by column, where DML has it.
fn by_direction(op: Op) -> [Option<Op>; 3] {
    match op {
        Op::Min => [Some(Op::Min), Some(Op::RowMins), Some(Op::ColMins)],
        Op::Max => [Some(Op::Max), Some(Op::RowMaxs), Some(Op::ColMaxs)],
        Op::Sum => [Some(Op::Sum), Some(Op::RowSums), Some(Op::ColSums)],
        other => [Some(other), None, None],
    }
}

/// `c` as a division where that is shorter to read: 1/3, not 0.3333333333333333.
fn as_divisor(c: f64) -> Option<f64> {
    let inverse = (1.0 / c).round();
    let is_inverse = inverse.abs() >= 2.0 && (1.0 / inverse).to_bits() == c.to_bits();
    (is_inverse && sumac_la::number(c).len() > 8).then_some(inverse)
}
