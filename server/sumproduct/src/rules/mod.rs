//! The equality rules over relations: finding where they fit, and stating what they say.
//!
//! A match is an e-node and, for most rules, an e-node of one of its children. [`search`] lists matches and never
//! changes the graph; [`apply`] builds the other side through [`Relations`] and states the equality. What the rules are, the
//! [`table`] says.

mod aggregates;
mod cells;
mod equation;
mod row;
mod site;
mod table;

use std::sync::LazyLock;

use egg::{Id, Language};

use self::row::{Fits, Head, Nested, Row};
use self::site::Site;
use self::table::TABLE;
use crate::axes::Term;
use crate::build::Relations;
use crate::ra::Ra;

#[cfg(test)]
pub use self::row::{Audited, Operands};
pub use self::row::{Match, Rule};

impl Rule {
    pub const ASSOCIATE_MULTIPLY: Rule = Rule::named("associate-multiply");
    pub const DISTRIBUTE: Rule = Rule::named("distribute");
    pub const DOUBLE: Rule = Rule::named("double");
    pub const MERGE_SUMS: Rule = Rule::named("merge-sums");
    pub const PULL_INTO_SUM: Rule = Rule::named("pull-into-sum");
    pub const REPEAT: Rule = Rule::named("repeat");
    pub const SIFT: Rule = Rule::named("sift");
    pub const SUM_OF_PLUS: Rule = Rule::named("sum-of-plus");

    /// How many groups there are: each rule is one, all equations of functions together are one.
    pub const GROUPS: usize = first_equation() + 1;

    /// All rules, in the order in which they are applied.
    pub fn all() -> impl Iterator<Item = Rule> {
        (0..TABLE.len()).map(at)
    }

    /// The rule of this name, which the table must have.
    const fn named(name: &str) -> Rule {
        let mut place = 0;
        while !is_same(TABLE[place].name, name) {
            place += 1;
        }
        #[expect(clippy::cast_possible_truncation, reason = "see `at`")]
        Rule(place as u8)
    }

    /// What there is to say of it.
    pub fn row(self) -> &'static Row {
        &TABLE[usize::from(self.0)]
    }

    /// The name by which explanations call it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The rule that reads its equation from right to left; itself where there is none.
    pub fn backwards(self) -> Rule {
        let name = self.row().backwards;
        let found = Rule::all().find(|rule| rule.name() == name);
        found.expect("a rule of the table")
    }

    /// The group of matches that a search samples from.
    pub fn group(self) -> usize {
        usize::from(self.0).min(Rule::GROUPS - 1)
    }
}

/// The rule in this place of the table.
fn at(place: usize) -> Rule {
    Rule(u8::try_from(place).expect("a table of a few dozen rows"))
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut k = 0;
    while k < a.len() && k < b.len() && a[k] == b[k] {
        k += 1;
    }
    k == a.len() && k == b.len()
}

/// The first equation's place: they stand together at the end.
const fn first_equation() -> usize {
    let mut place = 0;
    while !matches!(TABLE[place].fits, Fits::Equation(..)) {
        place += 1;
    }
    place
}

/// The rules that may fit at e-nodes of one head.
#[derive(Default)]
struct AtHead {
    alone: Vec<Rule>,
    nested: Vec<Rule>,
    both: Vec<Rule>,
}

static AT_HEADS: LazyLock<[AtHead; Head::COUNT]> = LazyLock::new(|| {
    let mut heads: [AtHead; Head::COUNT] = Default::default();
    for rule in Rule::all() {
        match &rule.row().fits {
            Fits::Alone(head, ..) => heads[*head as usize].alone.push(rule),
            Fits::Nested { outer, .. } => {
                for head in *outer {
                    heads[*head as usize].nested.push(rule);
                }
            }
            Fits::Both(head, ..) => heads[*head as usize].both.push(rule),
            Fits::Equation(..) => {}
        }
    }
    heads
});

/// The equations of functions whose left side may occur in a graph.
pub fn usable(relations: &Relations) -> Vec<Rule> {
    let occurs = |rule: &Rule| match &rule.row().fits {
        Fits::Equation(left, _) => left.may_occur(relations),
        _ => false,
    };
    Rule::all().filter(occurs).collect()
}

/// Every match in the class, in a fixed order.
pub fn search(relations: &Relations, class: Id, usable: &[Rule], found: &mut Vec<Match>) {
    for node in relations.nodes(class) {
        search_node(relations, (class, node), usable, found);
    }
}

/// How many matches of two e-nodes of its children there are at an e-node: as many as the product of their numbers, which may be more
/// than fit into memory.
pub fn pairs_at(relations: &Relations, node: &Ra) -> usize {
    let pairs = AT_HEADS[Head::of(node) as usize].both.iter().map(|rule| {
        let Fits::Both(_, inner, _) = rule.row().fits else {
            return 0;
        };
        let count = |id: &Id| {
            let nodes = relations.nodes(*id);
            nodes.filter(|node| Head::of(node) == inner).count()
        };
        let counts = node.children().iter().map(count);
        counts.fold(1, usize::saturating_mul)
    });
    pairs.fold(0, usize::saturating_add)
}

/// The matches at one e-node of a class: of a class of many there may be more than fit into memory.
pub fn search_node(
    relations: &Relations,
    (class, node): (Id, &Ra),
    usable: &[Rule],
    found: &mut Vec<Match>,
) {
    let mut push = |rule, inner: &[(usize, &Ra)], pick| {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "an operator has few arguments"
        )]
        let inner = inner.iter().map(|(place, n)| (*place as u8, (*n).clone()));
        found.push(Match {
            rule,
            class,
            node: node.clone(),
            inner: inner.collect(),
            pick,
        });
    };
    let here = &AT_HEADS[Head::of(node) as usize];
    for rule in &here.alone {
        if matches!(&rule.row().fits, Fits::Alone(_, fits, _) if fits(node)) {
            push(*rule, &[], 0);
        }
    }
    if !here.nested.is_empty() {
        for (place, id) in node.children().iter().enumerate() {
            for inner in relations.nodes(*id) {
                let head = Head::of(inner);
                let nested = Nested {
                    outer: node,
                    place,
                    inner,
                };
                for rule in &here.nested {
                    if let Fits::Nested {
                        inner: heads, ways, ..
                    } = &rule.row().fits
                        && heads.contains(&head)
                    {
                        for pick in 0..ways(relations, &nested) {
                            push(*rule, &[(place, inner)], pick);
                        }
                    }
                }
            }
        }
    }
    if let ([left, right], false) = (node.children(), here.both.is_empty()) {
        for a in relations.nodes(*left) {
            for b in relations.nodes(*right) {
                let heads = [Head::of(a), Head::of(b)];
                for rule in &here.both {
                    if matches!(rule.row().fits, Fits::Both(_, inner, _) if heads == [inner; 2]) {
                        push(*rule, &[(0, a), (1, b)], 0);
                    }
                }
            }
        }
    }
    if matches!(node, Ra::Mul(..) | Ra::Add(..) | Ra::Fun(..)) {
        let axes = relations.axes(class);
        for rule in usable {
            if matches!(&rule.row().fits, Fits::Equation(left, _) if left.is(relations, node, axes))
            {
                push(*rule, &[], 0);
            }
        }
    }
}

/// Adds the other side of a match and states that it is equal. Returns whether that was new.
pub fn apply(relations: &mut Relations, found: &Match) -> bool {
    let name = found.rule.name();
    let mut is_new = false;
    for term in other_sides(relations, found) {
        is_new |= relations.equate(found.class, term, name);
    }
    is_new
}

/// The other side of a match, with the axes of its class as labels; several where an equation fits in several ways.
/// Nothing is stated.
pub fn other_sides(relations: &mut Relations, found: &Match) -> Vec<Term> {
    let other = match &found.rule.row().fits {
        Fits::Equation(left, right) => {
            return left.rewritten(right, relations, (&found.node, found.class));
        }
        Fits::Alone(.., other) | Fits::Both(.., other) | Fits::Nested { other, .. } => other,
    };
    let term = other(&mut Site::new(relations, found));
    term.into_iter().collect()
}
