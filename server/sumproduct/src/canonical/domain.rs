//! Where an expression has a value: what its divisions, roots and logarithms ask of the inputs, as comparisons in the deep
//! form. Two expressions whose forms are equal are equal where both have a value; that they have one at the same places is
//! decided here. Must never leave a condition out.

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_la::{Dag, Node, NodeId, Op};

use super::Refused;
use super::atom::Call;
use super::poly::{Algebra, Poly};
use super::term::Factor;
use super::translate::Polys;

/// Conditions of one expression.
const MAX_CONDITIONS: usize = 48;

/// What has to hold in each cell for an operator to have a value.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Condition {
    /// 1 where it holds, otherwise 0.
    pub(super) truth: Poly,
    /// As a person writes it.
    text: String,
    /// The outermost expression around that may have a value where there is none inside of it, as a comparison with NaN has.
    /// Which value that is, depends on how it is written: `(x + y) / 0` and `x / 0 + y / 0` have one form.
    within: Option<Written>,
}

/// An expression as it is written: equal numbers are equal expressions, up to the order of operands that change places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Written(usize);

/// The expressions of both sides, as they are written.
#[derive(Default)]
pub(super) struct Writing(BTreeMap<Key, Written>);

/// A name or a number, or an operator or a function with its arguments.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Leaf(String),
    Made(String, Vec<Written>),
}

impl Writing {
    fn of(
        &mut self,
        dag: &Dag,
        id: NodeId,
        call: Option<&Call>,
        known: &BTreeMap<NodeId, Written>,
    ) -> Written {
        let all = |args: &[NodeId]| args.iter().map(|arg| known[arg]).collect::<Vec<_>>();
        let key = match (dag.node(id), call) {
            (_, Some(call)) => Key::Made(call.function.to_string(), all(&call.args)),
            (Node::Op(op, args), None) => {
                let mut args = all(args);
                if matches!(
                    op,
                    Op::Add | Op::Mul | Op::Min2 | Op::Max2 | Op::Eq | Op::Ne | Op::And | Op::Or
                ) {
                    args.sort_unstable();
                }
                Key::Made(format!("{op:?}"), args)
            }
            (node, None) => Key::Leaf(match (node.value(), dag.input_of(id)) {
                (Some(number), _) => format!("{:x}", number.to_bits()),
                (None, input) => input.map_or_else(String::new, |input| input.name.to_string()),
            }),
        };
        let next = Written(self.0.len());
        *self.0.entry(key).or_insert(next)
    }
}

/// What a value is needed to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Need {
    Positive,
    NotNegative,
    NotZero,
}

/// Operators that give a number for NaN, for an infinity, or for some of both.
fn hides(op: Op, place: usize) -> bool {
    match op {
        Op::Div | Op::Mod | Op::IntDiv | Op::LogBase => place == 1,
        Op::IfElse => place == 0,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::And | Op::Or | Op::Not => true,
        Op::Min2 | Op::Max2 | Op::Min | Op::Max | Op::RowMins | Op::RowMaxs => true,
        Op::ColMins | Op::ColMaxs | Op::Pow | Op::Exp | Op::Sigmoid | Op::Tanh | Op::Atan => true,
        Op::Sign => true,
        _ => false,
    }
}

/// The conditions under which `root` has a value.
pub(super) fn conditions(
    algebra: &mut Algebra<'_>,
    (dag, root): (&Dag, NodeId),
    polys: &Polys,
    writing: &mut Writing,
) -> Result<Vec<Condition>, Refused> {
    let mut of: BTreeMap<NodeId, Vec<Condition>> = BTreeMap::new();
    let mut written: BTreeMap<NodeId, Written> = BTreeMap::new();
    for id in algebra.ctx.order(dag, root) {
        let mut own: Vec<Condition> = Vec::new();
        let call = algebra.ctx.call(dag, id);
        let this = writing.of(dag, id, call.as_ref(), &written);
        written.insert(id, this);
        if let Some(call) = call {
            for condition in call.args.iter().flat_map(|arg| &of[arg]) {
                let within = Some(this);
                push(
                    &mut own,
                    Condition {
                        within,
                        ..condition.clone()
                    },
                );
            }
            if !call.is_total {
                own.push(algebra.has_value(&polys[&id], &dag.print(id))?);
            }
        }
        if let Node::Op(op, args) = dag.node(id) {
            // The size of a matrix does not depend on its cells.
            if matches!(op, Op::Nrow | Op::Ncol | Op::Length) {
                of.insert(id, own);
                continue;
            }
            for (place, arg) in args.iter().enumerate() {
                // What is not finite stays so in a positive power.
                let is_power = *op == Op::Pow
                    && place == 0
                    && polys[&args[1]].as_constant().is_some_and(|k| k.sign() > 0);
                for condition in &of[arg] {
                    let mut condition = condition.clone();
                    if hides(*op, place) && !is_power {
                        condition.within = Some(this);
                    }
                    if *op == Op::IfElse && place > 0 {
                        let test = algebra
                            .cellwise(Op::Ne, vec![polys[&args[0]].clone(), Poly::default()])?;
                        let guard = if place == 1 {
                            test
                        } else {
                            algebra.opposite(&test)?
                        };
                        condition.truth = algebra.implies(&guard, &condition.truth)?;
                    }
                    push(&mut own, condition);
                }
            }
            // Of a power with an open exponent it is not known where else it has a value.
            let is_open = *op == Op::Pow && polys[&args[1]].as_constant().is_none();
            let within = is_open.then_some(this);
            for (need, x, text) in needs(algebra, dag, *op, args, polys)? {
                algebra.need(need, &x, (text.as_str(), within), &mut own)?;
            }
            if own.len() > MAX_CONDITIONS {
                return Err(Refused::Steps(MAX_CONDITIONS));
            }
        }
        of.insert(id, own);
    }
    Ok(of.remove(&root).unwrap_or_default())
}

fn push(own: &mut Vec<Condition>, condition: Condition) {
    if condition.truth.is_number(1) {
        return;
    }
    let is_it = |known: &Condition| {
        known.truth.equals(&condition.truth) && known.within == condition.within
    };
    if !own.iter().any(is_it) {
        own.push(condition);
    }
}

/// What an operator needs of its arguments, and how a person writes each.
fn needs(
    algebra: &mut Algebra<'_>,
    dag: &Dag,
    op: Op,
    args: &[NodeId],
    polys: &Polys,
) -> Result<Vec<(Need, Poly, String)>, Refused> {
    let of = |n: usize| (polys[&args[n]].clone(), dag.print(args[n]));
    let one = |need: Need, n: usize| {
        let (x, text) = of(n);
        vec![(need, x, text)]
    };
    Ok(match op {
        Op::Div | Op::Mod | Op::IntDiv => one(Need::NotZero, 1),
        Op::Log => one(Need::Positive, 0),
        Op::Sqrt => one(Need::NotNegative, 0),
        Op::LogBase => {
            let (base, text) = of(1);
            let minus = algebra.integer(-1);
            let apart = algebra.add(base, &minus)?;
            let mut all = one(Need::Positive, 0);
            all.extend(one(Need::Positive, 1));
            all.push((Need::NotZero, apart, format!("({text} - 1)")));
            all
        }
        Op::Asin | Op::Acos => {
            let (x, text) = of(0);
            let (one, square) = (algebra.integer(1), algebra.mul(&x, &x)?);
            let rest = algebra.add(one, &square.negated())?;
            vec![(Need::NotNegative, rest, format!("(1 - {text}^2)"))]
        }
        Op::Pow => match polys[&args[1]].as_constant() {
            Some(k) if k.whole().is_some() => {
                if k.sign() < 0 {
                    one(Need::NotZero, 0)
                } else {
                    Vec::new()
                }
            }
            Some(k) if k.sign() > 0 => one(Need::NotNegative, 0),
            _ => one(Need::Positive, 0),
        },
        _ => Vec::new(),
    })
}

impl Algebra<'_> {
    /// That a function of which nothing is known has a value.
    fn has_value(&mut self, value: &Poly, text: &str) -> Result<Condition, Refused> {
        let atoms: Vec<String> = value
            .terms
            .keys()
            .flat_map(|t| &t.0)
            .map(|f| format!("{:?}", f.atom))
            .collect();
        let name: Arc<str> = format!("value of {}", atoms.join(" ")).into();
        let one = self.ctx.sizes.known(1);
        let atom = self.ctx.input(&name, (one, one));
        let exists = self.atom(atom, [])?;
        let truth = self.positive(&exists)?;
        Ok(Condition {
            truth,
            text: format!("{text} has a value"),
            within: None,
        })
    }

    /// 1 - a + a b.
    fn implies(&mut self, a: &Poly, b: &Poly) -> Result<Poly, Refused> {
        let both = self.mul(a, b)?;
        let rest = self.opposite(a)?;
        self.add(rest, &both)
    }

    /// Adds the condition that `x` is what is needed.
    fn need(
        &mut self,
        need: Need,
        x: &Poly,
        (text, within): (&str, Option<Written>),
        own: &mut Vec<Condition>,
    ) -> Result<(), Refused> {
        // No factor of a product may be zero, each by itself.
        if need == Need::NotZero
            && let Some((factors, c)) = Self::factors(x)
            && factors.len() > 1
            && !c.is_zero()
        {
            for factor in factors {
                let single = self.product(vec![Factor { power: 1, ..factor }])?;
                self.need(need, &single, (text, within), own)?;
            }
            return Ok(());
        }
        let minus = x.clone().negated();
        let (truth, sign) = match need {
            Need::Positive => (self.positive(x)?, "> 0"),
            Need::NotNegative => {
                let below = self.positive(&minus)?;
                (self.opposite(&below)?, ">= 0")
            }
            Need::NotZero => {
                let (above, below) = (self.positive(x)?, self.positive(&minus)?);
                (self.add(above, &below)?, "!= 0")
            }
        };
        let swapped = self.swap(&truth)?;
        let key = |p: &Poly| p.terms.keys().cloned().collect::<Vec<_>>();
        let truth = if key(&swapped) < key(&truth) {
            swapped
        } else {
            truth
        };
        push(
            own,
            Condition {
                truth,
                text: format!("{text} {sign}"),
                within,
            },
        );
        Ok(())
    }

    /// Where all of the conditions hold.
    pub(super) fn all_of(&mut self, conditions: &[Condition]) -> Result<Poly, Refused> {
        let mut all = self.integer(1);
        for condition in conditions {
            all = self.mul(&all, &condition.truth)?;
        }
        Ok(all)
    }

    /// The conditions that have to be named where both sides have one form: those of one side that do not follow from those
    /// of the other, and those behind which a side may have a value all the same.
    pub(super) fn unshared(
        &mut self,
        left: &[Condition],
        right: &[Condition],
    ) -> Result<Vec<String>, Refused> {
        let mut named: Vec<(Poly, String)> = Vec::new();
        for (own, other) in [(left, right), (right, left)] {
            let all = self.all_of(other)?;
            for condition in own {
                let with = self.mul(&all, &condition.truth)?;
                let is_same = |known: &Condition| {
                    known.truth.equals(&condition.truth) && known.within == condition.within
                };
                let is_hidden = condition.within.is_some() && !other.iter().any(is_same);
                let is_named = named
                    .iter()
                    .any(|(truth, _)| truth.equals(&condition.truth));
                if (is_hidden || !with.equals(&all)) && !is_named {
                    named.push((condition.truth.clone(), condition.text.clone()));
                }
            }
        }
        Ok(named.into_iter().map(|(_, text)| text).collect())
    }
}
