//! Operators that an engine fuses, as candidates of their own: several candidates of several states that run as one.
//!
//! A skeleton says where such an operator may be; whether the engine fuses it, and what it costs then, is `la`'s answer
//! for the form itself. What is inside is never formed, so it is no state of a plan; another reader forms it anew.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use sumac_cost::{Cost, Engine, Priced, matrix_bytes};
use sumac_la::{Dag, NodeId, Op, ShapeError};

use self::Skeleton::{Any, Of, Product, Square};
use crate::axes::Term;
use crate::candidates::{Build, Candidate, Candidates};

/// Forms that are looked at for one state and one skeleton.
const MOST_FORMS: usize = 32;
/// A fused operator must gain at least this share to be a candidate beside its parts.
const LEAST_GAIN: f64 = 1e-3;

/// The operators of a form, with holes.
enum Skeleton {
    Any,
    Of(Op, &'static [Skeleton]),
    Square(&'static Skeleton),
    Product(&'static Skeleton, &'static Skeleton),
}

impl Skeleton {
    /// Whether its outermost operator is this one.
    fn is(&self, build: &Build) -> bool {
        match (self, build) {
            (Of(op, _), Build::Op(found)) => op == found,
            (Square(_), Build::Square) | (Product(..), Build::Product { .. }) => true,
            _ => false,
        }
    }
}

const OUTER: Skeleton = Product(&Any, &Any);
const ERROR: Skeleton = Of(Op::Sub, &[Any, OUTER]);
const ERROR_TURNED: Skeleton = Of(Op::Sub, &[OUTER, Any]);
const WEIGHTED_ERROR: Skeleton = Of(Op::Sub, &[Any, Of(Op::Mul, &[Any, OUTER])]);
const SHIFTED: Skeleton = Of(Op::Add, &[OUTER, Any]);
const PAIR: Skeleton = Of(Op::Mul, &[Any, Any]);
const DIFFERENCE: Skeleton = Of(Op::Sub, &[Any, Any]);
const SIGMOID: Skeleton = Of(Op::Sigmoid, &[OUTER]);
const SIGMOID_OF_MINUS: Skeleton = Of(Op::Sigmoid, &[Of(Op::Neg, &[OUTER])]);

const SAMPLED_ERROR: Skeleton = Of(Op::Mul, &[Any, ERROR]);
const SAMPLED_ERROR_TURNED: Skeleton = Of(Op::Mul, &[Any, ERROR_TURNED]);
const SAMPLED_SQUARE: Skeleton = Of(Op::Mul, &[Any, Square(&ERROR)]);
const SAMPLED_SQUARE_TURNED: Skeleton = Of(Op::Mul, &[Any, Square(&ERROR_TURNED)]);
const SAMPLED_LOG: Skeleton = Of(Op::Mul, &[Any, Of(Op::Log, &[OUTER])]);
const SAMPLED_LOG_SHIFTED: Skeleton = Of(Op::Mul, &[Any, Of(Op::Log, &[SHIFTED])]);

/// Where SystemDS's fused operators may be: wsloss, wcemm, wsigmoid, wdivmm, mmchain, tsmm, uasqk+, tak+*, sprop, 1-*,
/// +* and -*.
const SYSTEMDS: &[Skeleton] = &[
    Of(Op::Sum, &[Square(&ERROR)]),
    Of(Op::Sum, &[Square(&ERROR_TURNED)]),
    Of(Op::Sum, &[Square(&WEIGHTED_ERROR)]),
    Of(Op::Sum, &[Of(Op::Mul, &[Any, Square(&ERROR)])]),
    Of(Op::Sum, &[Of(Op::Mul, &[Any, Square(&ERROR_TURNED)])]),
    Of(Op::Sum, &[Of(Op::Mul, &[Any, Of(Op::Log, &[OUTER])])]),
    Of(Op::Sum, &[Of(Op::Mul, &[Any, Of(Op::Log, &[SHIFTED])])]),
    Of(Op::Mul, &[Any, SIGMOID]),
    Of(Op::Mul, &[Any, SIGMOID_OF_MINUS]),
    Of(Op::Mul, &[Any, Of(Op::Log, &[SIGMOID])]),
    Of(Op::Mul, &[Any, Of(Op::Log, &[SIGMOID_OF_MINUS])]),
    Product(&Any, &Of(Op::Mul, &[Any, OUTER])),
    Product(&Of(Op::Mul, &[Any, OUTER]), &Any),
    Product(&Any, &Of(Op::Mul, &[Any, ERROR_TURNED])),
    Product(&Of(Op::Mul, &[Any, ERROR_TURNED]), &Any),
    Product(&Any, &Of(Op::Div, &[Any, OUTER])),
    Product(&Of(Op::Div, &[Any, OUTER]), &Any),
    Product(&Any, &Of(Op::Div, &[Any, SHIFTED])),
    Product(&Of(Op::Div, &[Any, SHIFTED]), &Any),
    Product(&Any, &OUTER),
    Product(&Any, &ERROR_TURNED),
    Product(&Any, &Any),
    Of(Op::Sum, &[Square(&Any)]),
    Of(Op::RowSums, &[Square(&Any)]),
    Of(Op::ColSums, &[Square(&Any)]),
    Of(Op::Mul, &[Any, DIFFERENCE]),
    Of(Op::Mul, &[DIFFERENCE, Any]),
    Of(Op::Add, &[Any, PAIR]),
    Of(Op::Add, &[PAIR, Any]),
    Of(Op::Sub, &[Any, PAIR]),
    Of(Op::Sum, &[PAIR]),
    Of(Op::Sum, &[Of(Op::Mul, &[PAIR, Any])]),
    Of(Op::Sum, &[Of(Op::Mul, &[Any, PAIR])]),
    Of(Op::ColSums, &[PAIR]),
    Of(Op::ColSums, &[Of(Op::Mul, &[PAIR, Any])]),
    Of(Op::ColSums, &[Of(Op::Mul, &[Any, PAIR])]),
];

/// Where our own runtime fuses: chains of two products, and products that a sparse matrix samples.
const LOCAL: &[Skeleton] = &[
    Product(&Any, &OUTER),
    Product(&Any, &Of(Op::Mul, &[Any, OUTER])),
    Product(&Any, &Of(Op::Mul, &[OUTER, Any])),
    SAMPLED_ERROR,
    SAMPLED_ERROR_TURNED,
    SAMPLED_SQUARE,
    SAMPLED_SQUARE_TURNED,
    SAMPLED_LOG,
    SAMPLED_LOG_SHIFTED,
    Of(Op::Div, &[Any, OUTER]),
    Of(Op::Div, &[Any, SHIFTED]),
    Of(Op::Sum, &[SAMPLED_SQUARE]),
    Of(Op::Sum, &[SAMPLED_SQUARE_TURNED]),
    Of(Op::Sum, &[SAMPLED_LOG]),
    Of(Op::Sum, &[SAMPLED_LOG_SHIFTED]),
];

/// A part of a fused operator.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    /// A state that it reads.
    Read(Term),
    /// What is computed inside.
    Inside(Inside),
}

/// A candidate, with its children inside or read.
#[derive(Clone, PartialEq, Debug)]
pub struct Inside {
    /// The state.
    pub state: Term,
    /// How it is computed.
    pub build: Build,
    /// From what.
    pub parts: Vec<Part>,
    /// What all candidates inside cost as operators of their own.
    pub seconds: f64,
}

/// Adds to each state the fused operators that compute it.
pub fn add_fused(
    candidates: &mut [(Term, Vec<Candidate>)],
    places: &FxHashMap<Term, usize>,
    lister: &Candidates<'_>,
) {
    let skeletons = match lister.machine.engine {
        Engine::Local => LOCAL,
        Engine::SystemDs | Engine::Spark => SYSTEMDS,
        Engine::NumPy => &[],
    };
    let fitter = Fitter { candidates, places };
    let of_state = |(term, _): &(Term, Vec<Candidate>)| -> Vec<Candidate> {
        let forms = skeletons.iter().flat_map(|s| fitter.fit(s, *term));
        forms.filter_map(|part| fused(part, lister)).collect()
    };
    let found: Vec<Vec<Candidate>> = fitter.candidates.iter().map(of_state).collect();
    for ((_, known), fused) in candidates.iter_mut().zip(found) {
        known.extend(fused);
    }
}

struct Fitter<'a> {
    candidates: &'a [(Term, Vec<Candidate>)],
    places: &'a FxHashMap<Term, usize>,
}

impl Fitter<'_> {
    /// The forms of a state that a skeleton fits, in a fixed order.
    fn fit(&self, skeleton: &Skeleton, state: Term) -> Vec<Part> {
        let inner: SmallVec<[&Skeleton; 3]> = match skeleton {
            Any => return vec![Part::Read(state)],
            Of(_, inner) => inner.iter().collect(),
            Square(inner) => std::iter::once(*inner).collect(),
            Product(left, right) => [*left, *right].into_iter().collect(),
        };
        let (_, candidates) = &self.candidates[self.places[&state]];
        let mut found = Vec::new();
        for candidate in candidates.iter().filter(|c| skeleton.is(&c.build)) {
            // Unary and binary forms of one operator have different skeletons.
            if candidate.children.len() != inner.len() {
                continue;
            }
            let mut ways: Vec<Vec<Part>> = vec![Vec::new()];
            for (inner, child) in inner.iter().zip(&candidate.children) {
                let parts = self.fit(inner, *child);
                ways = ways
                    .iter()
                    .flat_map(|way| {
                        parts
                            .iter()
                            .map(|part| [&way[..], std::slice::from_ref(part)].concat())
                    })
                    .take(MOST_FORMS)
                    .collect();
            }
            let inside = |parts: Vec<Part>| {
                let seconds_inside: f64 = parts.iter().map(Part::seconds).sum();
                Part::Inside(Inside {
                    state,
                    build: candidate.build.clone(),
                    parts,
                    seconds: candidate.cost.seconds + seconds_inside,
                })
            };
            found.extend(ways.into_iter().map(inside));
            if found.len() >= MOST_FORMS {
                found.truncate(MOST_FORMS);
                break;
            }
        }
        found
    }
}

impl Part {
    /// What is inside costs as operators of their own.
    pub fn seconds(&self) -> f64 {
        match self {
            Part::Read(_) => 0.0,
            Part::Inside(inside) => inside.seconds,
        }
    }

    /// The states that it reads, each once.
    pub fn reads(&self, found: &mut SmallVec<[Term; 2]>) {
        match self {
            Part::Read(term) if found.contains(term) => {}
            Part::Read(term) => found.push(*term),
            Part::Inside(inside) => inside.parts.iter().for_each(|part| part.reads(found)),
        }
    }
}

/// The form as one candidate, if the engine gains by fusing it.
fn fused(part: Part, lister: &Candidates<'_>) -> Option<Candidate> {
    let mut children = SmallVec::new();
    part.reads(&mut children);
    let mut dag = Dag::default();
    let mut read = |dag: &mut Dag, term: Term| {
        let number = lister
            .relations
            .constant_of(term)
            .filter(|_| term.map.len() == 0);
        Ok(match number {
            Some(number) => dag.num(number),
            None => {
                let place = children.iter().position(|child| *child == term);
                dag.input(&format!("read {place:?}"), lister.ty(term))
            }
        })
    };
    let root = write(&part, &mut dag, &mut read).ok()?;
    // Operators that run one by one are candidates of their own.
    dag.is_fused(root, lister.machine.engine).then_some(())?;
    let cost: Cost = dag.cost(&[root], lister.machine)?;
    let Part::Inside(inside) = part else {
        return None;
    };
    let out = lister.ty(inside.state);
    let read = children
        .iter()
        .map(|child| matrix_bytes(&lister.ty(*child)));
    let footprint = read.chain([matrix_bytes(&out)]).sum::<Option<f64>>()?;
    (cost.seconds < (1.0 - LEAST_GAIN) * inside.seconds).then_some(Candidate {
        build: Build::Fused(Box::new(inside)),
        children,
        cost,
        footprint,
    })
}

/// Writes a form into a DAG; `read` writes what it reads.
///
/// # Errors
/// A shape that does not fit.
pub fn write(
    part: &Part,
    dag: &mut Dag,
    read: &mut dyn FnMut(&mut Dag, Term) -> Result<NodeId, ShapeError>,
) -> Result<NodeId, ShapeError> {
    let inside = match part {
        Part::Read(term) => return read(dag, *term),
        Part::Inside(inside) => inside,
    };
    let mut args: SmallVec<[NodeId; 2]> = SmallVec::new();
    for part in &inside.parts {
        args.push(write(part, dag, read)?);
    }
    match &inside.build {
        Build::Square => {
            let two = dag.num(2.0);
            dag.op(Op::Pow, [args[0], two])
        }
        Build::Product { flipped, dot } => product(dag, [args[0], args[1]], *flipped, *dot),
        Build::Op(op) => dag.op(*op, args),
        other => unreachable!("no skeleton has {other:?}"),
    }
}

/// `left %*% right`, either of them turned; a scalar, where that is wanted.
///
/// # Errors
/// A shape that does not fit.
pub fn product(
    dag: &mut Dag,
    mut sides: [NodeId; 2],
    flipped: [bool; 2],
    dot: bool,
) -> Result<NodeId, ShapeError> {
    for (side, turn) in sides.iter_mut().zip(flipped) {
        if turn {
            *side = dag.op(Op::Transpose, [*side])?;
        }
    }
    let product = dag.op(Op::MatMul, sides)?;
    if dot {
        dag.op(Op::AsScalar, [product])
    } else {
        Ok(product)
    }
}
