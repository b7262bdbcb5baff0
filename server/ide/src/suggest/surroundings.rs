//! What the suggestions for a block depend on beside the block: the loops around it, and names that others have. Each
//! function is looked at by itself, for what stands outside of it is nothing to its blocks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use sumac_analysis::{BlockStatement, Parts, PlacedUnit};

use super::around::{Around, around};
use super::is_temporary;

/// The surrounding of one block.
#[derive(Debug)]
pub(crate) struct Surrounding {
    /// The loops around it, the innermost first.
    pub(crate) loops: Vec<Arc<Around>>,
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
    earlier: BTreeMap<Arc<str>, usize>,
}

/// What the other sections must know of a unit.
#[derive(Debug, Default)]
pub(crate) struct Told {
    names: Vec<Arc<str>>,
    /// How many statements in its loops assign a variable.
    in_loops: BTreeMap<Arc<str>, usize>,
}

impl Told {
    /// Of a unit; nothing if it is no section.
    pub(crate) fn of(unit: PlacedUnit<'_>) -> Self {
        if !unit.is_section() {
            return Told::default();
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
        }
    }
}

/// What each unit of a script must know of the others.
pub(crate) fn of_parts(parts: &Parts) -> Vec<Beside> {
    let told: Vec<Told> = parts.units().map(Told::of).collect();
    beside(told.iter())
}

/// What each of the units must know of the others.
pub(crate) fn beside<'a>(told: impl Iterator<Item = &'a Told> + Clone) -> Vec<Beside> {
    let all: BTreeSet<&Arc<str>> = told.clone().flat_map(|told| &told.names).collect();
    let temporaries = all.iter().filter(|name| is_temporary(name));
    let temporaries: Vec<&Arc<str>> = temporaries.copied().collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let of_one = |told: &'a Told| {
        if told.names.is_empty() {
            return Beside::default();
        }
        let mut beside = Beside {
            names: temporaries.iter().map(|name| Arc::clone(name)).collect(),
            earlier: BTreeMap::new(),
        };
        for (variable, count) in &told.in_loops {
            let earlier = counts.entry(variable).or_default();
            beside.earlier.insert(Arc::clone(variable), *earlier);
            *earlier += count;
            if variable.is_empty() {
                // A part of no variable's statement may be called `once_b`, which would be one of `b`.
                let letters = all.iter().filter(|name| name.len() == 1);
                beside.names.extend(letters.map(|name| Arc::clone(name)));
            } else {
                let from = (Bound::Included(variable), Bound::Unbounded);
                let longer = all.range::<Arc<str>, _>(from);
                let longer = longer.take_while(|name| name.starts_with(&**variable));
                beside.names.extend(longer.map(|name| Arc::clone(name)));
            }
        }
        beside
    };
    told.map(of_one).collect()
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
    });
    let mut in_order: Vec<usize> = (0..analysis.blocks.len()).collect();
    in_order.sort_by_key(|at| analysis.blocks[*at].statements.first().map(|s| s.range));
    let mut surroundings: Vec<Surrounding> = around(unit)
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
