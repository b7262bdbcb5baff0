//! What the suggestions for a block depend on beside the block: the loops around it, and names that others have. Made once
//! for a script, for all of its blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use sumac_analysis::{Analysis, BlockStatement};
use sumac_syntax::Parse;

use super::around::{Around, around};
use super::is_temporary;

/// The surroundings of all blocks of a script.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// In the order of the blocks.
    pub(crate) blocks: Vec<Surrounding>,
    /// The script's names that could be ours, ascending.
    pub(crate) temporaries: Vec<Arc<str>>,
}

/// The surrounding of one block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surrounding {
    /// The loops around it, the innermost first.
    pub(crate) loops: Vec<Arc<Around>>,
    /// For each of its statements, how many before it in the loops of the function assign the same variable.
    pub(crate) earlier: Vec<usize>,
    /// In loops: names of the script that begin with that of a variable which the block assigns.
    pub(crate) longer: Vec<Arc<str>>,
}

impl Surroundings {
    /// The surroundings of a script's blocks.
    #[must_use]
    pub fn new(parse: &Parse, analysis: &Analysis) -> Self {
        let names: BTreeSet<Arc<str>> = analysis.names.iter().map(|n| n.name.clone()).collect();
        let mut counts: BTreeMap<(Option<&str>, &str), usize> = BTreeMap::new();
        let mut blocks = Vec::with_capacity(analysis.blocks.len());
        for (block, loops) in analysis.blocks.iter().zip(around(parse, analysis)) {
            let mut surrounding = Surrounding {
                loops,
                earlier: vec![0; block.statements.len()],
                longer: Vec::new(),
            };
            if block.loop_depth > 0 {
                for (earlier, statement) in surrounding.earlier.iter_mut().zip(&block.statements) {
                    let of = (block.function.as_deref(), variable(statement));
                    let count = counts.entry(of).or_default();
                    *earlier = *count;
                    *count += 1;
                }
                let targets: BTreeSet<&str> = block.statements.iter().map(variable).collect();
                let longer = targets.iter().filter(|target| !target.is_empty());
                surrounding.longer = longer
                    .flat_map(|target| longer_than(&names, target))
                    .cloned()
                    .collect();
            }
            blocks.push(surrounding);
        }
        let temporaries = names.iter().filter(|name| is_temporary(name));
        Surroundings {
            temporaries: temporaries.cloned().collect(),
            blocks,
        }
    }
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
