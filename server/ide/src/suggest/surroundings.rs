//! What the suggestions for a block depend on beside the block: the loops around it, and names that others have. Each
//! function is looked at by itself, for what stands outside of it is nothing to its blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use sumac_analysis::{BlockStatement, PlacedUnit};

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

/// The names of a function, or of the main program: functions do not see those of others.
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

/// The surroundings of a unit's blocks in its own places, in the order in which it has them.
pub(crate) fn of_unit(unit: PlacedUnit<'_>) -> Vec<Arc<Surrounding>> {
    let analysis = unit.analysis();
    let all: BTreeSet<Arc<str>> = analysis.names.iter().map(|n| n.name.clone()).collect();
    let temporaries = all.iter().filter(|name| is_temporary(name));
    let names = Arc::new(Names {
        temporaries: temporaries.cloned().collect(),
        all,
    });
    let mut in_order: Vec<usize> = (0..analysis.blocks.len()).collect();
    in_order.sort_by_key(|at| analysis.blocks[*at].statements.first().map(|s| s.range));
    let mut surroundings: Vec<Surrounding> = around(unit.unit(), analysis)
        .into_iter()
        .zip(&analysis.blocks)
        .map(|(loops, block)| Surrounding {
            loops,
            earlier: vec![0; block.statements.len()],
            longer: Vec::new(),
            names: Arc::clone(&names),
        })
        .collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
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
