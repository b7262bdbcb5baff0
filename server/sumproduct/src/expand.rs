//! The polyterm of a node, planned by variable elimination and stated in the e-graph before the search starts.
//!
//! Lemma 2.1 says that every expression equals a sum of aggregated products. Rules alone meet that form late in a
//! large graph; stated at once, it gives the search its far end, and saturation works from both ends. The plan
//! of each monomial sums an index away as soon as no other factor needs it, cheapest first.

use smallvec::SmallVec;
use sumac_la::{Dag, Node, NodeId, Op};

use crate::axes::{BOUND, Label, Map, Term};
use crate::ra::DimId;
use crate::translate::{COL, ROW, Translation};

/// More monomials than this are not worth writing out.
const MAX_MONOMIALS: usize = 32;
/// Neither is a monomial of more factors: squares of squares double them each time.
const MAX_FACTORS: usize = 24;
/// First label of a bound index.
const FIRST_BOUND: Label = 2;

/// `coefficient * Σ_bound Π factors`.
#[derive(Clone, Debug)]
struct Monomial {
    coefficient: f64,
    factors: Vec<Term>,
    bound: SmallVec<[(Label, DimId); 6]>,
}

impl Monomial {
    fn factor(term: Term) -> Self {
        Monomial {
            coefficient: 1.0,
            factors: vec![term],
            bound: SmallVec::new(),
        }
    }

    fn relabel(&mut self, f: impl Fn(Label) -> Label) {
        for factor in &mut self.factors {
            factor.map = factor.map.relabel(&f);
        }
        for (label, _) in &mut self.bound {
            *label = f(*label);
        }
    }

    /// First label that is free.
    fn next_label(&self) -> Label {
        self.bound
            .iter()
            .map(|(label, _)| label + 1)
            .max()
            .unwrap_or(FIRST_BOUND)
    }

    /// The product; `other`'s bound indices are renamed apart, the label `keep` stays. `None` when labels run out, or where it is too long.
    fn times(&self, other: &Monomial, keep: Label) -> Option<Monomial> {
        if self.factors.len() + other.factors.len() > MAX_FACTORS {
            return None;
        }
        let shift = self.next_label() - FIRST_BOUND;
        if other.next_label() + shift > keep {
            return None;
        }
        let mut other = other.clone();
        other.relabel(|l| {
            if l >= FIRST_BOUND && l != keep {
                l + shift
            } else {
                l
            }
        });
        let mut product = self.clone();
        product.coefficient *= other.coefficient;
        product.factors.extend(other.factors);
        product.bound.extend(other.bound);
        Some(product)
    }

    /// Σ over the free label `free` of size `dim`.
    fn bind(&mut self, t: &mut Translation, free: Label, dim: DimId) -> Option<()> {
        if self.factors.iter().any(|f| f.map.has(free)) {
            let label = self.next_label();
            if label >= BOUND {
                return None;
            }
            self.relabel(|l| if l == free { label } else { l });
            self.bound.push((label, dim));
        } else {
            let size = t.relations.size_of(dim)?;
            match t.relations.constant_of(size) {
                Some(number) => self.coefficient *= number,
                None => self.factors.push(size),
            }
        }
        Some(())
    }
}

/// States the planned polyterm of each of `nodes`.
pub fn expand(t: &mut Translation, dag: &Dag, nodes: &[NodeId]) {
    let mut polys: Vec<Option<Option<Vec<Monomial>>>> = vec![None; dag.len()];
    for id in nodes {
        for id in dag.reachable(&[*id]) {
            if polys[id.index()].is_none() {
                let poly = polyterm(t, dag, id, &polys);
                polys[id.index()] = Some(poly);
            }
        }
        let Some(Some(poly)) = polys[id.index()].clone() else {
            continue;
        };
        let root = t.term(*id);
        if let Some(plan) = plan(t, &poly) {
            // The root's own axes as labels.
            let place = |label| root.map.axis(label);
            if plan.map.len() == root.map.len() && plan.map.iter().all(|l| place(l).is_some()) {
                #[expect(clippy::cast_possible_truncation, reason = "at most two axes")]
                let map = plan.map.relabel(|l| place(l).expect("checked") as u8);
                t.relations
                    .equate(root.id, Term { map, ..plan }, "polyterm");
            }
        }
    }
    t.relations.rebuild();
}

fn polyterm(
    t: &mut Translation,
    dag: &Dag,
    id: NodeId,
    done: &[Option<Option<Vec<Monomial>>>],
) -> Option<Vec<Monomial>> {
    let atom = |t: &Translation| Some(vec![Monomial::factor(t.term(id))]);
    let own = t.term(id);
    if own.map.len() == 0
        && let Some(c) = t.relations.constant_of(own)
    {
        return Some(vec![Monomial {
            coefficient: c,
            factors: vec![],
            bound: SmallVec::new(),
        }]);
    }
    let Node::Op(op, args) = dag.node(id) else {
        return atom(t);
    };
    let poly = |k: usize| done[args[k].index()].clone().flatten();
    let scaled = |mut p: Vec<Monomial>, c: f64| {
        p.iter_mut().for_each(|m| m.coefficient *= c);
        p
    };
    let product = |a: &[Monomial], b: &[Monomial]| -> Option<Vec<Monomial>> {
        if a.len() * b.len() > MAX_MONOMIALS {
            return None;
        }
        a.iter()
            .flat_map(|x| b.iter().map(|y| x.times(y, BOUND)))
            .collect()
    };
    let result = match op {
        Op::Add | Op::Sub => {
            let mut sum = poly(0)?;
            sum.extend(scaled(poly(1)?, if *op == Op::Add { 1.0 } else { -1.0 }));
            Some(sum)
        }
        Op::Neg => Some(scaled(poly(0)?, -1.0)),
        Op::Mul => product(&poly(0)?, &poly(1)?),
        Op::Pow if dag.value(args[1]) == Some(2.0) => product(&poly(0)?, &poly(0)?),
        Op::Div => {
            let divisor = t.term(args[1]);
            match t.relations.constant_of(divisor) {
                Some(0.0) => atom(t),
                Some(c) if divisor.map.len() == 0 => Some(scaled(poly(0)?, 1.0 / c)),
                _ => {
                    let reciprocal = t.reciprocal(divisor)?;
                    product(&poly(0)?, &[Monomial::factor(reciprocal)])
                }
            }
        }
        Op::Transpose => {
            let mut p = poly(0)?;
            p.iter_mut()
                .for_each(|m| m.relabel(|l| if l <= COL { 1 - l } else { l }));
            Some(p)
        }
        Op::AsScalar | Op::AsMatrix => poly(0),
        Op::MatMul => {
            let inner = t
                .axes_of(dag.ty(args[0]))
                .iter()
                .find(|(l, _)| *l == COL)
                .map(|(_, dim)| *dim);
            let Some(dim) = inner else {
                return product(&poly(0)?, &poly(1)?);
            };
            // A label that no monomial uses, for the moment of the join.
            const MEET: Label = BOUND - 1;
            let (mut a, mut b) = (poly(0)?, poly(1)?);
            if a.iter().chain(&b).any(|m| m.next_label() >= MEET) {
                return None;
            }
            a.iter_mut()
                .for_each(|m| m.relabel(|l| if l == COL { MEET } else { l }));
            b.iter_mut()
                .for_each(|m| m.relabel(|l| if l == ROW { MEET } else { l }));
            let mut sum = Vec::new();
            for x in &a {
                for y in &b {
                    let mut m = x.times(y, MEET)?;
                    m.bind(t, MEET, dim)?;
                    sum.push(m);
                }
            }
            (sum.len() <= MAX_MONOMIALS).then_some(sum)
        }
        Op::Sum | Op::RowSums | Op::ColSums => {
            let mut p = poly(0)?;
            for (label, dim) in t.axes_of(dag.ty(args[0])) {
                let summed = match op {
                    Op::RowSums => label == COL,
                    Op::ColSums => label == ROW,
                    _ => true,
                };
                if summed {
                    for m in &mut p {
                        m.bind(t, label, dim)?;
                    }
                }
            }
            Some(p)
        }
        _ => atom(t),
    };
    // Too long to write out: the node itself is the atom.
    result
        .filter(|p| p.len() <= MAX_MONOMIALS)
        .or_else(|| atom(t))
}

fn plan(t: &mut Translation, poly: &[Monomial]) -> Option<Term> {
    let mut parts: Vec<(Term, f64)> = Vec::new();
    for monomial in poly {
        let term = eliminate(t, monomial)?;
        match parts.iter_mut().find(|(other, _)| *other == term) {
            Some((_, c)) => *c += monomial.coefficient,
            None => parts.push((term, monomial.coefficient)),
        }
    }
    let mut sum: Option<Term> = None;
    for (term, coefficient) in parts {
        let part = t.scaled(coefficient, term)?;
        sum = Some(match sum {
            None => part,
            Some(rest) => t.relations.add(rest, part)?,
        });
    }
    sum
}

/// Variable elimination, the index with the smallest result first.
fn eliminate(t: &mut Translation, monomial: &Monomial) -> Option<Term> {
    let mut factors: Vec<Term> = monomial
        .factors
        .iter()
        .map(|f| t.relations.resolve(*f))
        .collect();
    let mut bound = monomial.bound.clone();
    while !bound.is_empty() {
        let mut best: Option<(f64, Label)> = None;
        for (label, _) in &bound {
            let cells = result_cells(t, &factors, &bound, *label);
            if best.is_none_or(|(least, _)| cells < least) {
                best = Some((cells, *label));
            }
        }
        let (_, label) = best?;
        let (mut with, without): (Vec<Term>, Vec<Term>) =
            factors.iter().partition(|f| f.map.has(label));
        with.sort_by(|a, b| estimate(t, *a).total_cmp(&estimate(t, *b)).then(a.cmp(b)));
        let gone: SmallVec<[(Label, DimId); 4]> = bound
            .iter()
            .copied()
            .filter(|(l, _)| {
                with.iter().any(|f| f.map.has(*l)) && !without.iter().any(|f| f.map.has(*l))
            })
            .collect();
        let mut product = with[0];
        for factor in &with[1..] {
            product = t.relations.mul(product, *factor)?;
        }
        let summed = t.relations.sum(&gone, product)?;
        bound.retain(|(l, _)| !gone.iter().any(|(g, _)| g == l));
        factors = without;
        factors.push(summed);
    }
    factors.sort_by(|a, b| estimate(t, *a).total_cmp(&estimate(t, *b)).then(a.cmp(b)));
    let mut product: Option<Term> = None;
    for factor in factors {
        product = Some(match product {
            None => factor,
            Some(p) => t.relations.mul(p, factor)?,
        });
    }
    Some(product.unwrap_or_else(|| t.relations.number(1.0)))
}

fn estimate(t: &Translation, term: Term) -> f64 {
    let data = t.relations.data(term.id);
    t.relations.graph.analysis.cells(&data.schema) * data.sparsity
}

fn result_cells(t: &Translation, factors: &[Term], bound: &[(Label, DimId)], label: Label) -> f64 {
    let with: SmallVec<[&Term; 4]> = factors.iter().filter(|f| f.map.has(label)).collect();
    let maps: SmallVec<[&Map; 4]> = with.iter().map(|f| &f.map).collect();
    let Some(labels) = crate::axes::union_labels(&maps) else {
        return f64::INFINITY;
    };
    let elsewhere = |l: Label| factors.iter().any(|f| !f.map.has(label) && f.map.has(l));
    let mut cells = 1.0;
    for l in labels.iter() {
        let is_bound = bound.iter().any(|(b, _)| *b == l);
        if l == label || (is_bound && !elsewhere(l)) {
            continue;
        }
        let dim = with.iter().find_map(|f| t.relations.dim_of(**f, l));
        cells *= dim.map_or(1.0, |d| t.relations.graph.analysis.size(d));
    }
    cells
}
