//! A small relational algebra as an egg language: unions, joins, and sums over one index at a time.
//!
//! A term means a number for each choice of its free indices, so a side that lacks an index repeats itself. The nodes
//! that rename are here for all encodings; which of them occur, each encoding's rules decide. Nothing here knows rules.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use egg::{Analysis, DidMerge, Id, Language, Pattern, Rewrite, Subst, Symbol, define_language};
use rustc_hash::FxHashMap;

/// An e-graph of this bench.
pub type Graph = egg::EGraph<Ra, Facts>;
/// A rule of this bench.
pub type Rule = Rewrite<Ra, Facts>;

/// An index: the letter of its size and a number. The number is a name, or with De Bruijn the binders in between.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Index {
    /// The size that it runs over.
    pub dim: Dim,
    /// Which one.
    pub at: u32,
}

/// The letter of a size. As a term it is that size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Dim(pub char);

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dim.0, self.at)
    }
}

impl FromStr for Index {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let letter = text.chars().next().filter(char::is_ascii_lowercase);
        let dim = Dim(letter.ok_or(())?);
        let at = text[1..].parse().map_err(drop)?;
        Ok(Index { dim, at })
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl FromStr for Dim {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let letter = text.strip_prefix('#').ok_or(())?;
        letter.parse().map(Dim).map_err(drop)
    }
}

define_language! {
    /// An e-node.
    pub enum Ra {
        "+" = Add([Id; 2]),
        "*" = Mul([Id; 2]),
        // Of an index by name, or with De Bruijn of a size; and the body.
        "sum" = Sum([Id; 2]),
        // By which index, which one, where.
        "subst" = Subst([Id; 3]),
        // De Bruijn: from which level on, where. Makes room for a binder, takes a binder away, exchanges two.
        "up" = Up([Id; 2]),
        "down" = Down([Id; 2]),
        "swap" = Swap([Id; 2]),
        Number(i64),
        Dim(Dim),
        Index(Index),
        Tensor(Symbol, Vec<Id>),
    }
}

/// What an e-node does to the free indices of its last child.
#[derive(Clone, Copy)]
pub enum Scope {
    /// Nothing.
    Open,
    /// Binds a name.
    Name(Index),
    /// Binds level 0.
    Level,
    /// Gives a name in place of another.
    Subst { to: Index, from: Index },
    /// Levels from this one on are one more.
    Up(u32),
    /// Levels above this one are one less.
    Down(u32),
    /// This level and the next are exchanged.
    Swap(u32),
}

impl Scope {
    /// Of an e-node.
    pub fn of(graph: &Graph, node: &Ra) -> Self {
        let level = |id: &Id| match graph[*id].data.best {
            Ra::Number(level) => u32::try_from(level).expect("a level"),
            ref other => panic!("{other} is no level"),
        };
        match node {
            Ra::Sum([bound, _]) => match graph[*bound].data.best {
                Ra::Index(name) => Scope::Name(name),
                _ => Scope::Level,
            },
            Ra::Subst([to, from, _]) => Scope::Subst {
                to: index(graph, *to),
                from: index(graph, *from),
            },
            Ra::Up([c, _]) => Scope::Up(level(c)),
            Ra::Down([c, _]) => Scope::Down(level(c)),
            Ra::Swap([c, _]) => Scope::Swap(level(c)),
            _ => Scope::Open,
        }
    }

    /// What a free index of the last child is outside; `None` for a bound one.
    pub fn outer(self, inner: Index) -> Option<Index> {
        let Index { dim, at } = inner;
        let at = match self {
            Scope::Name(name) if name == inner => return None,
            Scope::Level => at.checked_sub(1)?,
            Scope::Subst { to, from } if from == inner => to.at,
            Scope::Up(c) if at >= c => at + 1,
            Scope::Down(c) if at > c => at - 1,
            Scope::Swap(c) if at == c => c + 1,
            Scope::Swap(c) if at == c + 1 => c,
            _ => at,
        };
        Some(Index { dim, at })
    }
}

/// The class invariants, and the names given so far.
#[derive(Default)]
pub struct Facts {
    /// The fresh name of each place where one was wanted, so that a rule that fires again says the same.
    pub fresh: FxHashMap<(Id, Id, Index), Index>,
}

/// What is known of a class.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The free indices: equal for all its e-nodes, as no rule loses or adds one.
    pub free: BTreeSet<Index>,
    /// Nodes of its smallest term.
    size: usize,
    /// The root of that term. Whoever follows these roots ends.
    pub best: Ra,
}

impl Analysis<Ra> for Facts {
    type Data = Fact;

    fn make(graph: &mut Graph, node: &Ra, _: Id) -> Fact {
        let scope = Scope::of(graph, node);
        let size = 1 + node.fold(0, |sum, child| sum + graph[child].data.size);
        let bodies = match node {
            Ra::Add(_) | Ra::Mul(_) | Ra::Tensor(..) => node.children(),
            _ => node.children().last().map_or(&[][..], std::slice::from_ref),
        };
        let inner = bodies.iter().flat_map(|body| &graph[*body].data.free);
        let mut free: BTreeSet<Index> = inner.filter_map(|x| scope.outer(*x)).collect();
        if let Ra::Index(own) = node {
            free.insert(*own);
        }
        let best = node.clone();
        Fact { free, size, best }
    }

    fn merge(&mut self, a: &mut Fact, b: Fact) -> DidMerge {
        assert_eq!(a.free, b.free, "{} is not {}", a.best, b.best);
        let order = (a.size, &a.best).cmp(&(b.size, &b.best));
        if order.is_gt() {
            *a = b;
        }
        DidMerge(order.is_gt(), order.is_lt())
    }
}

/// The index that a class is.
pub fn index(graph: &Graph, id: Id) -> Index {
    match graph[id].data.best {
        Ra::Index(index) => index,
        ref other => panic!("{other} is no index"),
    }
}

/// The first number of this size that is not taken.
pub fn unused(dim: Dim, taken: impl Fn(Index) -> bool) -> Index {
    let mut all = (0..).map(|at| Index { dim, at });
    all.find(|index| !taken(*index)).expect("one of many")
}

/// A rule whose right side is built by a function of what the pattern's variables match, in the order in which they
/// stand; `None` where a side condition does not hold.
pub fn rule<const N: usize>(
    name: &str,
    left: &str,
    build: impl Fn(&mut Graph, [Id; N]) -> Option<Id> + Send + Sync + 'static,
) -> Rule {
    struct Build<F, const N: usize>(F, [egg::Var; N]);
    impl<F, const N: usize> egg::Applier<Ra, Facts> for Build<F, N>
    where
        F: Fn(&mut Graph, [Id; N]) -> Option<Id>,
    {
        fn apply_one(
            &self,
            graph: &mut Graph,
            class: Id,
            subst: &Subst,
            _: Option<&egg::PatternAst<Ra>>,
            _: Symbol,
        ) -> Vec<Id> {
            match self.0(graph, self.1.map(|var| subst[var])) {
                Some(built) if graph.union(class, built) => vec![class],
                _ => Vec::new(),
            }
        }
    }
    let left: Pattern<Ra> = left.parse().expect("a pattern");
    let vars = left.vars().try_into().expect("as many as the rule takes");
    Rewrite::new(name, left, Build(build, vars)).expect("a rule")
}

/// A rule between two patterns.
pub fn equal(name: &str, left: &str, right: &str) -> Rule {
    let pattern = |text: &str| text.parse::<Pattern<Ra>>().expect("a pattern");
    Rewrite::new(name, pattern(left), pattern(right)).expect("a rule")
}

/// The rules without bound indices, the same for all encodings.
pub fn ring() -> Vec<Rule> {
    vec![
        equal("distribute", "(* ?a (+ ?b ?c))", "(+ (* ?a ?b) (* ?a ?c))"),
        equal("factor", "(+ (* ?a ?b) (* ?a ?c))", "(* ?a (+ ?b ?c))"),
        equal("one", "(* 1 ?a)", "?a"),
        equal("associate-*", "(* (* ?a ?b) ?c)", "(* ?a (* ?b ?c))"),
        equal("associate-+", "(+ (+ ?a ?b) ?c)", "(+ ?a (+ ?b ?c))"),
        equal("commute-*", "(* ?a ?b)", "(* ?b ?a)"),
        equal("commute-+", "(+ ?a ?b)", "(+ ?b ?a)"),
    ]
}
