//! What a rule of the search is: one row, from which the search, explanations, proofs of soundness and audits take all that they know.
//!
//! A row says where it fits as data wherever that is possible; the other side is an [`Equation`](Fits::Equation)'s right side, or built
//! by a function. What a row says must never depend on costs.

use egg::Id;
use smallvec::SmallVec;

use super::equation::Pattern;
use super::site::Site;
use crate::axes::Term;
use crate::build::Relations;
use crate::ra::Ra;

/// A rule: its place in the [table](super::table::TABLE).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Rule(pub(super) u8);

/// Where a rule fits.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Match {
    /// The class whose e-node it is.
    pub class: Id,
    /// The e-node.
    pub node: Ra,
    /// E-nodes of its children that take part, each with the child's place.
    pub inner: SmallVec<[(u8, Ra); 2]>,
    /// Which of several ways.
    pub pick: u8,
    /// Which rule.
    pub rule: Rule,
}

/// What an e-node is, without its children.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Head {
    /// Nothing that a rule looks at.
    Leaf,
    Mul,
    Add,
    Sum,
    Fold,
    Eye,
    Fun,
    Opaque,
}

impl Head {
    /// How many there are.
    pub const COUNT: usize = Head::Opaque as usize + 1;

    pub fn of(node: &Ra) -> Head {
        match node {
            Ra::Const(..) | Ra::Leaf(_) => Head::Leaf,
            Ra::Mul(..) => Head::Mul,
            Ra::Add(..) => Head::Add,
            Ra::Sum(..) => Head::Sum,
            Ra::Fold(..) => Head::Fold,
            Ra::Eye(_) => Head::Eye,
            Ra::Fun(..) => Head::Fun,
            Ra::Opaque(..) => Head::Opaque,
        }
    }
}

/// An e-node and one of a child.
pub struct Nested<'a> {
    pub outer: &'a Ra,
    /// The child's place.
    pub place: usize,
    pub inner: &'a Ra,
}

/// The other side of a match, with the axes of its class as labels; `None` where the rule says nothing there.
pub type OtherSide = fn(&mut Site<'_>) -> Option<Term>;

/// Where a rule fits, and what it says there.
pub enum Fits {
    /// At an e-node by itself.
    Alone(Head, fn(&Ra) -> bool, OtherSide),
    /// At an e-node with one of any of its children, in so many ways.
    Nested {
        outer: &'static [Head],
        inner: &'static [Head],
        ways: fn(&Relations, &Nested<'_>) -> u8,
        other: OtherSide,
    },
    /// At an e-node with one of each of its two children, both of one head.
    Both(Head, Head, OtherSide),
    /// Where the left pattern fits.
    Equation(Pattern, Pattern),
}

/// A kind of operands that an audit tries a rule on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Operands {
    Scalar,
    OneByOne,
    Row,
    Column,
    #[cfg_attr(not(test), expect(dead_code, reason = "every rule has such operands"))]
    Matrix,
    #[cfg_attr(not(test), expect(dead_code, reason = "every rule has such operands"))]
    Square,
    /// No rows, or no columns.
    Empty,
    /// Operands of several shapes: something may be repeated.
    Mixed,
}

/// What an audit holds a rule against. Letters are matrices and scalars of all small shapes unless an expression says
/// `where A: 3 x 3`.
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "read by the audit, which is a test")
)]
pub struct Audited {
    /// Expressions on which the rule fires.
    pub fires: &'static [&'static str],
    /// Near misses, on which it does not.
    pub misses: &'static [&'static str],
    /// No expression that fires has operands of these kinds.
    pub never: &'static [Operands],
}

/// All that there is to say of a rule.
pub struct Row {
    /// The name by which explanations call it.
    pub name: &'static str,
    /// The equation as people read it; an [`Equation`](Fits::Equation) says it itself.
    says: &'static str,
    /// The rule that reads the equation from right to left; the rule itself where there is none.
    pub backwards: &'static str,
    /// Whether it only brings others about: it names a step where no other law does.
    pub is_minor: bool,
    /// Whether its right side is written by fewer operators, or moves no cell, once and for all.
    pub simplifies: bool,
    pub fits: Fits,
    pub audited: Audited,
}

/// A rule at an e-node and one of its children.
pub const fn nested(
    name: &'static str,
    says: &'static str,
    (outer, inner): (&'static [Head], &'static [Head]),
    other: OtherSide,
) -> Row {
    let ways: fn(&Relations, &Nested<'_>) -> u8 = |_, _| 1;
    row(
        name,
        says,
        Fits::Nested {
            outer,
            inner,
            ways,
            other,
        },
    )
}

/// A rule at an e-node and one of each of its two children.
pub const fn both(
    name: &'static str,
    says: &'static str,
    (outer, inner): (Head, Head),
    other: OtherSide,
) -> Row {
    row(name, says, Fits::Both(outer, inner, other))
}

/// A rule at an e-node by itself.
pub const fn alone(
    name: &'static str,
    says: &'static str,
    (head, fits): (Head, fn(&Ra) -> bool),
    other: OtherSide,
) -> Row {
    row(name, says, Fits::Alone(head, fits, other))
}

/// An equality of cellwise functions. It must hold for all finite arguments, cell by cell; that axes repeat is the builder's business.
pub const fn equation(name: &'static str, left: Pattern, right: Pattern) -> Row {
    row(name, "", Fits::Equation(left, right)).simplifies()
}

const fn row(name: &'static str, says: &'static str, fits: Fits) -> Row {
    Row {
        name,
        says,
        backwards: name,
        is_minor: false,
        simplifies: false,
        fits,
        audited: Audited {
            fires: &[],
            misses: &[],
            never: &[],
        },
    }
}

impl Row {
    /// The rule that reads the equation from right to left.
    pub const fn backwards(self, name: &'static str) -> Row {
        Row {
            backwards: name,
            ..self
        }
    }

    /// It only brings others about.
    pub const fn minor(self) -> Row {
        Row {
            is_minor: true,
            ..self
        }
    }

    /// Its right side is simpler, whatever else is there.
    pub const fn simplifies(self) -> Row {
        Row {
            simplifies: true,
            ..self
        }
    }

    /// In how many ways it fits at an e-node and one of its child.
    pub const fn ways(self, ways: fn(&Relations, &Nested<'_>) -> u8) -> Row {
        let Fits::Nested {
            outer,
            inner,
            other,
            ..
        } = self.fits
        else {
            panic!("only what fits at a child has several ways");
        };
        Row {
            fits: Fits::Nested {
                outer,
                inner,
                ways,
                other,
            },
            ..self
        }
    }

    /// Expressions on which it fires.
    pub const fn fires(self, fires: &'static [&'static str]) -> Row {
        Row {
            audited: Audited {
                fires,
                ..self.audited
            },
            ..self
        }
    }

    /// Near misses, on which it does not.
    pub const fn misses(self, misses: &'static [&'static str]) -> Row {
        Row {
            audited: Audited {
                misses,
                ..self.audited
            },
            ..self
        }
    }

    /// Operands that no expression on which it fires has.
    pub const fn never(self, never: &'static [Operands]) -> Row {
        Row {
            audited: Audited {
                never,
                ..self.audited
            },
            ..self
        }
    }

    /// The equation as people read it.
    pub fn says(&self) -> String {
        match &self.fits {
            Fits::Equation(left, right) => left.equals(right),
            _ => self.says.to_owned(),
        }
    }

    /// Whether it is an equality of cellwise functions.
    #[cfg(test)]
    pub fn is_equation(&self) -> bool {
        matches!(self.fits, Fits::Equation(..))
    }
}
