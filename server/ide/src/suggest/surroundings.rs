//! What the suggestions for a block depend on beside the block: the loops around it, and names that others have. Each
//! function is looked at by itself, for what stands outside of it is nothing to its blocks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use sumac_analysis::{BlockStatement, Parts, PlacedUnit};
use sumac_syntax::lex::{TokenKind, lex};

use super::enclosing_loops::{EnclosingLoop, enclosing_loops};
use crate::suggest::temporaries::is_temporary;

/// The surrounding of one block.
#[derive(Debug)]
pub(crate) struct Surrounding {
    /// The loops around it, the innermost first.
    pub(crate) loops: Vec<Arc<EnclosingLoop>>,
    /// For each of its statements, how many before it in the loops of the function assign the same variable.
    pub(crate) earlier: Vec<usize>,
    /// In loops: names of the function that begin with that of a variable which the block assigns.
    pub(crate) longer: Vec<Arc<str>>,
    /// The names of the function, or of the main program.
    pub(crate) names: Arc<Names>,
}

/// The names of a function, or those of the main program that may be asked for in one of its sections: functions do not see
/// those of others.
#[derive(Debug)]
pub(crate) struct Names {
    all: BTreeSet<Arc<str>>,
    /// Those that could be ours, ascending.
    pub(crate) temporaries: Vec<Arc<str>>,
    /// What is said of names all over the script.
    pub(crate) said: Arc<Said>,
}

/// What a script says of names outside of the statements that use them: whatever is suggested anywhere must respect it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Said {
    /// Builtins whose names functions of the script have: a call reaches the function, wherever it stands.
    pub(crate) shadowed: BTreeSet<Arc<str>>,
    /// Names in `#@ assert` lines: their variables must stay.
    pub(crate) asserted: BTreeSet<Arc<str>>,
}

impl Said {
    /// By a unit.
    fn of(unit: PlacedUnit<'_>) -> Self {
        let analysis = unit.analysis();
        let functions = analysis.functions.iter().map(|function| &function.name);
        let text = &unit.unit().text;
        let equations = analysis.assertions.iter();
        let equations = equations
            .filter_map(|assertion| text.get(assertion.equation.start..assertion.equation.end));
        let names = equations.flat_map(|equation| {
            let names = lex(equation).filter(|token| token.kind == TokenKind::Word);
            names.map(|token| Arc::from(&equation[token.range]))
        });
        Said {
            shadowed: functions
                .filter(|name| sumac_builtins::find(name).is_some())
                .cloned()
                .collect(),
            asserted: names.collect(),
        }
    }

    fn extend(&mut self, other: &Said) {
        self.shadowed.extend(other.shadowed.iter().cloned());
        self.asserted.extend(other.asserted.iter().cloned());
    }
}

impl Names {
    /// Whether something is called so.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.all.contains(name)
    }
}

/// What a section of the main program must know of the others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Beside {
    /// Names that could be ours, and those that begin with that of a variable which a loop of the section assigns.
    names: BTreeSet<Arc<str>>,
    /// How many statements in loops before it assign the variables that its loops assign.
    pub(crate) earlier: BTreeMap<Arc<str>, usize>,
    said: Arc<Said>,
}

/// What the other sections must know of a unit.
#[derive(Debug, Default)]
pub(crate) struct Told {
    names: Vec<Arc<str>>,
    /// How many statements in its loops assign a variable.
    in_loops: BTreeMap<Arc<str>, usize>,
    said: Said,
}

impl Told {
    /// Of a unit; of one that is no section, what it says of names alone.
    pub(crate) fn of(unit: PlacedUnit<'_>) -> Self {
        let said = Said::of(unit);
        if !unit.is_segment() {
            return Told {
                said,
                ..Told::default()
            };
        }
        let analysis = unit.analysis();
        let names: BTreeSet<&Arc<str>> = analysis.names.iter().map(|name| &name.name).collect();
        let mut in_loops = BTreeMap::new();
        for statement in in_loops_of(unit) {
            *in_loops.entry(variable(statement).into()).or_default() += 1;
        }
        Told {
            names: names.into_iter().cloned().collect(),
            in_loops,
            said,
        }
    }
}

/// What each unit of a script must know of the others.
pub(crate) fn of_parts(parts: &Parts) -> Vec<Beside> {
    let told: Vec<Told> = parts.units().map(Told::of).collect();
    Together::of(told.iter()).beside(told.iter())
}

/// What the sections of a main program tell of themselves, all together.
#[derive(Debug, Default)]
pub(crate) struct Together {
    /// In how many of them a name stands.
    names: BTreeMap<Arc<str>, usize>,
    /// Of these, those that could be ours, and those of one letter.
    temporaries: Vec<Arc<str>>,
    letters: Vec<Arc<str>>,
    /// The variables that are assigned in their loops.
    in_loops: BTreeSet<Arc<str>>,
    said: Arc<Said>,
}

impl Together {
    pub(crate) fn of<'a>(told: impl Iterator<Item = &'a Told>) -> Self {
        let mut together = Together::default();
        let mut said = Said::default();
        for told in told {
            together.add(told);
            together.in_loops.extend(told.in_loops.keys().cloned());
            said.extend(&told.said);
        }
        together.said = Arc::new(said);
        let all = together.names.keys();
        let temporaries = all.clone().filter(|name| is_temporary(name));
        together.temporaries = temporaries.cloned().collect();
        together.letters = all.filter(|name| name.len() == 1).cloned().collect();
        together
    }

    fn add(&mut self, told: &Told) {
        for name in &told.names {
            *self.names.entry(Arc::clone(name)).or_default() += 1;
        }
    }

    /// Puts sections in the place of as many others. `false`: others may notice, or it cannot be done.
    pub(crate) fn exchange(&mut self, gone: &[Arc<Told>], new: &[Arc<Told>]) -> bool {
        fn noticed(
            told: &[Arc<Told>],
        ) -> impl Iterator<Item = (&BTreeMap<Arc<str>, usize>, &Said)> {
            told.iter().map(|told| (&told.in_loops, &told.said))
        }
        if !noticed(gone).eq(noticed(new)) {
            return false;
        }
        let names = gone.iter().chain(new).flat_map(|told| &told.names);
        let was: BTreeMap<Arc<str>, bool> = names
            .map(|name| (Arc::clone(name), self.names.contains_key(name)))
            .collect();
        for told in new {
            self.add(told);
        }
        for name in gone.iter().flat_map(|told| &told.names) {
            if let Some(count) = self.names.get_mut(name) {
                *count -= 1;
                if *count == 0 {
                    self.names.remove(name);
                }
            }
        }
        let mut changed = was
            .iter()
            .filter(|(name, was)| self.names.contains_key(*name) != **was);
        !changed.any(|(name, _)| self.is_noticed(name))
    }

    /// Whether some section must know of a name in another one.
    fn is_noticed(&self, name: &str) -> bool {
        let ends = name.char_indices().map(|(at, c)| at + c.len_utf8());
        is_temporary(name)
            || (name.len() == 1 && self.in_loops.contains(""))
            || ends
                .into_iter()
                .any(|end| self.in_loops.contains(&name[..end]))
    }

    /// What each of the units, all that there are, must know of the others.
    pub(crate) fn beside<'a>(&self, told: impl Iterator<Item = &'a Told>) -> Vec<Beside> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let of_one = |told: &'a Told| {
            let counted = told.in_loops.iter().map(|(variable, count)| {
                let earlier = counts.entry(variable).or_default();
                let before = *earlier;
                *earlier += count;
                (Arc::clone(variable), before)
            });
            let earlier = counted.collect();
            self.beside_one(told, earlier)
        };
        told.map(of_one).collect()
    }

    /// What one of the units must know of the others, before which so many statements in loops assign what it assigns in loops.
    pub(crate) fn beside_one(&self, told: &Told, earlier: BTreeMap<Arc<str>, usize>) -> Beside {
        let said = Arc::clone(&self.said);
        if told.names.is_empty() {
            return Beside {
                said,
                ..Beside::default()
            };
        }
        let mut names: BTreeSet<Arc<str>> = self.temporaries.iter().cloned().collect();
        for variable in told.in_loops.keys() {
            if variable.is_empty() {
                // A part of no variable's statement may be called `once_b`, which would be one of `b`.
                names.extend(self.letters.iter().cloned());
            } else {
                let from = (Bound::Included(variable), Bound::Unbounded);
                let longer = self.names.range::<Arc<str>, _>(from).map(|(name, _)| name);
                let longer = longer.take_while(|name| name.starts_with(&**variable));
                names.extend(longer.cloned());
            }
        }
        Beside {
            names,
            earlier,
            said,
        }
    }
}

fn in_loops_of(unit: PlacedUnit<'_>) -> impl Iterator<Item = &BlockStatement> {
    let blocks = unit.analysis().blocks.iter();
    blocks
        .filter(|block| block.loop_depth > 0)
        .flat_map(|block| &block.statements)
}

/// The surroundings of a unit's blocks in its own places, in the order in which it has them.
pub(crate) fn of_unit(unit: PlacedUnit<'_>, beside: &Beside) -> Vec<Arc<Surrounding>> {
    let analysis = unit.analysis();
    let own = analysis.names.iter().map(|name| &name.name);
    let all: BTreeSet<Arc<str>> = own.chain(&beside.names).cloned().collect();
    let temporaries = all.iter().filter(|name| is_temporary(name));
    let names = Arc::new(Names {
        temporaries: temporaries.cloned().collect(),
        all,
        said: Arc::clone(&beside.said),
    });
    let mut in_order: Vec<usize> = (0..analysis.blocks.len()).collect();
    in_order.sort_by_key(|at| analysis.blocks[*at].statements.first().map(|s| s.range));
    let mut surroundings: Vec<Surrounding> = enclosing_loops(unit)
        .into_iter()
        .zip(&analysis.blocks)
        .map(|(loops, block)| Surrounding {
            loops,
            earlier: vec![0; block.statements.len()],
            longer: Vec::new(),
            names: Arc::clone(&names),
        })
        .collect();
    let earlier = beside.earlier.iter();
    let mut counts: BTreeMap<&str, usize> = earlier.map(|(name, n)| (&**name, *n)).collect();
    for at in in_order {
        let (surrounding, block) = (&mut surroundings[at], &analysis.blocks[at]);
        if block.loop_depth == 0 {
            continue;
        }
        for (earlier, statement) in surrounding.earlier.iter_mut().zip(&block.statements) {
            let count = counts.entry(variable(statement)).or_default();
            *earlier = *count;
            *count += 1;
        }
        let targets: BTreeSet<&str> = block.statements.iter().map(variable).collect();
        let longer = targets.iter().filter(|target| !target.is_empty());
        surrounding.longer = longer
            .flat_map(|target| longer_than(&names.all, target))
            .cloned()
            .collect();
    }
    surroundings.into_iter().map(Arc::new).collect()
}

/// The variable that a statement assigns; nothing where it assigns none.
fn variable(statement: &BlockStatement) -> &str {
    statement.target.as_ref().map_or("", |target| &target.name)
}

/// The names that begin with `name` and are longer.
fn longer_than<'a>(
    names: &'a BTreeSet<Arc<str>>,
    name: &'a str,
) -> impl Iterator<Item = &'a Arc<str>> {
    names
        .range::<str, _>((Bound::Excluded(name), Bound::Unbounded))
        .take_while(move |known| known.starts_with(name))
}
