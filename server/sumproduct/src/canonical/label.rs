//! One spelling for all isomorphic products: bound indices are numbered by colour refinement, and by trying where colours
//! leave a choice (Definition A.4 decided by equality). Must never change what a product means.

use super::Refused;
use super::atom::AtomId;
use super::term::{Factor, Ix, Term, collect_powers};

/// Spells `factors` so that isomorphic products become equal. `is_symmetric` tells which atoms do not mind the order of
/// their indices.
pub(super) fn canonical(
    factors: Vec<Factor>,
    is_symmetric: &dyn Fn(AtomId) -> bool,
    max_labelings: usize,
) -> Result<Term, Refused> {
    let sort_at = |mut f: Factor| {
        if f.at.len() == 2 && is_symmetric(f.atom) {
            f.at.sort();
        }
        f
    };
    let factors = collect_powers(factors.into_iter().map(sort_at).collect());
    let (mut all, components) = components(factors);
    if components.is_empty() {
        return Ok(Term(all));
    }
    let mut spelled = Vec::with_capacity(components.len());
    for (vertices, factors) in components {
        let mut search = Search {
            factors: &factors,
            is_symmetric,
            best: None,
            left: max_labelings,
        };
        let colours = search.refine(vec![0; vertices]);
        search
            .explore(&colours)
            .map_err(|()| Refused::Labelings(max_labelings))?;
        spelled.push((search.best.unwrap_or_default(), vertices));
    }
    spelled.sort();
    let mut offset = 0;
    for (factors, vertices) in spelled {
        all.extend(factors.into_iter().map(|f| f.map(|ix| shift(ix, offset))));
        offset += vertices;
    }
    all.sort();
    Ok(Term(all))
}

/// Adds to the numbers of bound indices.
pub(super) fn shift(ix: Ix, by: usize) -> Ix {
    ix.bound_number().map_or(ix, |n| Ix::bound(n + by))
}

/// The factors without bound indices, and the parts that share bound indices among themselves, each with its indices
/// numbered from zero and their number.
fn components(factors: Vec<Factor>) -> (Vec<Factor>, Vec<(usize, Vec<Factor>)>) {
    let is_bound = |f: &Factor| f.at.iter().any(|i| i.bound_number().is_some());
    let (mut bound, free): (Vec<Factor>, Vec<Factor>) = factors.into_iter().partition(is_bound);
    let mut parts = Vec::new();
    while let Some(first) = bound.pop() {
        let mut part = vec![first];
        let mut numbers: Vec<usize> = Vec::new();
        let mut looked_at = 0;
        while looked_at < part.len() {
            for n in part[looked_at].at.iter().filter_map(|i| i.bound_number()) {
                if !numbers.contains(&n) {
                    numbers.push(n);
                }
            }
            looked_at += 1;
            let touches = |f: &Factor| {
                let mut own = f.at.iter().filter_map(|i| i.bound_number());
                own.any(|n| numbers.contains(&n))
            };
            let (joined, rest) = bound.into_iter().partition(touches);
            part.extend::<Vec<Factor>>(joined);
            bound = rest;
        }
        let local = |ix: Ix| {
            let position = ix
                .bound_number()
                .and_then(|n| numbers.iter().position(|m| *m == n));
            position.map_or(ix, Ix::bound)
        };
        let part = part.iter().map(|f| f.map(local)).collect();
        parts.push((numbers.len(), part));
    }
    (free, parts)
}

/// What one use of an index looks like from that index: atom, power, place, and for each place of the atom what stands
/// there (free: itself; bound: its colour; the index itself).
type Use = (AtomId, i32, usize, [(u8, u32); 2]);

struct Search<'a> {
    factors: &'a [Factor],
    is_symmetric: &'a dyn Fn(AtomId) -> bool,
    best: Option<Vec<Factor>>,
    left: usize,
}

impl Search<'_> {
    /// Splits colours by how their indices are used until that splits no more. Colours come out as 0, 1, 2, …
    fn refine(&self, mut colours: Vec<u32>) -> Vec<u32> {
        loop {
            let signatures: Vec<(u32, Vec<Use>)> = (0..colours.len())
                .map(|v| (colours[v], self.uses(v, &colours)))
                .collect();
            let mut ranks: Vec<&(u32, Vec<Use>)> = signatures.iter().collect();
            ranks.sort();
            ranks.dedup();
            let refined: Vec<u32> = signatures
                .iter()
                .map(|s| ranks.partition_point(|r| *r < s))
                .map(|rank| u32::try_from(rank).expect("fewer than 2^32 colours"))
                .collect();
            if refined == colours {
                return colours;
            }
            colours = refined;
        }
    }

    fn uses(&self, vertex: usize, colours: &[u32]) -> Vec<Use> {
        let own = Ix::bound(vertex);
        let mut uses = Vec::new();
        for f in self.factors {
            let is_symmetric = (self.is_symmetric)(f.atom);
            for (place, ix) in f.at.iter().enumerate() {
                if *ix != own {
                    continue;
                }
                let mut seen = [(0, 0); 2];
                for (slot, ix) in seen.iter_mut().zip(&f.at) {
                    *slot = match ix.bound_number() {
                        _ if *ix == own => (3, 0),
                        Some(n) => (2, colours[n]),
                        None => (1, ix.raw()),
                    };
                }
                if is_symmetric {
                    seen.sort_unstable();
                }
                uses.push((f.atom, f.power, if is_symmetric { 0 } else { place }, seen));
            }
        }
        uses.sort_unstable();
        uses
    }

    fn explore(&mut self, colours: &[u32]) -> Result<(), ()> {
        let Some(class) = first_shared_colour(colours) else {
            self.left = self.left.checked_sub(1).ok_or(())?;
            let spelled = self.spell(colours);
            if self.best.as_ref().is_none_or(|best| spelled < *best) {
                self.best = Some(spelled);
            }
            return Ok(());
        };
        let mut tried: Vec<usize> = Vec::new();
        for v in (0..colours.len()).filter(|v| colours[*v] == class) {
            if tried.iter().any(|u| self.are_twins(*u, v)) {
                continue;
            }
            tried.push(v);
            let singled = colours
                .iter()
                .enumerate()
                .map(|(u, c)| 2 * c + u32::from(u != v));
            let refined = self.refine(singled.collect());
            self.explore(&refined)?;
        }
        Ok(())
    }

    /// Whether exchanging two indices changes nothing.
    fn are_twins(&self, u: usize, v: usize) -> bool {
        let (u, v) = (Ix::bound(u), Ix::bound(v));
        let swap = |ix: Ix| match ix {
            _ if ix == u => v,
            _ if ix == v => u,
            _ => ix,
        };
        self.sorted(&swap) == self.sorted(&|ix| ix)
    }

    fn spell(&self, colours: &[u32]) -> Vec<Factor> {
        self.sorted(&|ix| {
            ix.bound_number()
                .map_or(ix, |n| Ix::bound(colours[n] as usize))
        })
    }

    fn sorted(&self, ix: &dyn Fn(Ix) -> Ix) -> Vec<Factor> {
        let renamed = self.factors.iter().map(|f| {
            let mut f = f.map(ix);
            if (self.is_symmetric)(f.atom) {
                f.at.sort();
            }
            f
        });
        let mut factors: Vec<Factor> = renamed.collect();
        factors.sort();
        factors
    }
}

fn first_shared_colour(colours: &[u32]) -> Option<u32> {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find(|w| w[0] == w[1]).map(|w| w[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spell(edges: &[(usize, usize)]) -> Result<Term, Refused> {
        let factors = edges
            .iter()
            .map(|(a, b)| Factor::new(AtomId::for_test(9), [Ix::bound(*a), Ix::bound(*b)]))
            .collect();
        canonical(factors, &|_| false, 5_000)
    }

    #[test]
    fn renamed_cycles_are_one_term_and_two_triangles_are_not_a_hexagon() {
        let hexagon = spell(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]).unwrap();
        let renamed = spell(&[(3, 0), (0, 5), (5, 1), (1, 4), (4, 2), (2, 3)]).unwrap();
        let triangles = spell(&[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]).unwrap();
        assert_eq!(hexagon, renamed);
        assert_ne!(hexagon, triangles);
    }

    #[test]
    fn renumbering_never_changes_the_spelling() {
        let vertices = 7;
        let mut spellings = std::collections::BTreeSet::new();
        for graph in 0..60usize {
            let edge = |n: usize| {
                (
                    (graph * 5 + n * n) % vertices,
                    (graph / 3 + n * 3) % vertices,
                )
            };
            let edges: Vec<(usize, usize)> = (0..6 + graph % 5).map(edge).collect();
            let first = spell(&edges).unwrap();
            for factor in 1..vertices {
                for offset in 0..vertices {
                    let rename = |v: usize| (v * factor + offset) % vertices;
                    let renamed: Vec<_> = edges
                        .iter()
                        .rev()
                        .map(|(a, b)| (rename(*a), rename(*b)))
                        .collect();
                    assert_eq!(spell(&renamed).unwrap(), first, "{edges:?}");
                }
            }
            spellings.insert(first);
        }
        assert!(spellings.len() > 10, "the graphs are not all alike");
    }

    #[test]
    fn too_symmetric_products_are_refused_and_stars_are_not() {
        let both_ways = |n: usize| -> Vec<(usize, usize)> {
            let around = (0..n).flat_map(|i| [(i, (i + 1) % n), ((i + 1) % n, i)]);
            around.collect()
        };
        let factors: Vec<Factor> = both_ways(12)
            .iter()
            .map(|(a, b)| Factor::new(AtomId::for_test(9), [Ix::bound(*a), Ix::bound(*b)]))
            .collect();
        assert_eq!(
            canonical(factors, &|_| false, 5),
            Err(Refused::Labelings(5))
        );
        let star: Vec<(usize, usize)> = (1..20).map(|i| (0, i)).collect();
        assert!(spell(&star).is_ok());
    }
}
