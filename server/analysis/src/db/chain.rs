//! A main program, section by section: what each is analysed with follows from those before it and behind it, restricted to
//! what it mentions. A section that is the same and is given the same is not analysed again.
//!
//! The sections are gone through in a loop, first to last, so that no query waits for a chain of others.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::queries::{MainRecorded, Prepared, Recorded, checked};
use super::sections::{Section, Sections, labelled};
use super::{Db, Function, Kept, SourceFile, World, key};
use crate::analyzer::{Analyzer, Env, Var, is_constant_name};
use crate::equalities::Equality;
use crate::functions::{Calls, Made, most_signatures};
use crate::liveness::Liveness;
use crate::names::Names;
use crate::sites::{Facts, Lines};

/// A section as a key: the very same one.
#[derive(Clone, Debug)]
struct SectionKey(Arc<Section>);

impl PartialEq for SectionKey {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SectionKey {}

impl Hash for SectionKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

/// What a section is analysed with. Places are labelled.
#[derive(PartialEq, Debug)]
struct Around {
    /// What is known of the names that it mentions and whose value it may pass on or read.
    env: Env,
    /// All names that are known, if it may read one that is not.
    elsewhere: Option<Arc<[Arc<str>]>>,
    equalities: Arc<[Equality]>,
    /// What it assigns and is read behind it.
    live: Names,
    /// What it mentions and stands where the script cannot be read.
    unreadable: BTreeSet<Arc<str>>,
    /// How often what it assigns was assigned before.
    earlier: BTreeMap<Arc<str>, usize>,
    /// What it mentions and is surely set before it.
    set: Names,
    /// The calls before it that count, if there are too many to follow all.
    calls: Vec<Made>,
}

/// The same as a key.
#[derive(Clone, Debug)]
struct Key(u64, Arc<Around>);

impl Key {
    fn of(around: Around) -> Self {
        let names = around.env.iter().map(|(name, var)| {
            let info = &var.info;
            (name, info.kind, &info.rows, &info.cols, &info.size)
        });
        let names: Vec<_> = names.collect();
        let calls = around.calls.len();
        let hash = key((names, &around.live, &around.earlier, &around.set, calls));
        Key(hash, Arc::new(around))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.1, &other.1) || (self.0 == other.0 && self.1 == other.1)
    }
}

// A sparsity is a number between 0 and 1, and constants compare by their bits.
impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

/// What comes out of a section.
struct Walked {
    recorded: Arc<Recorded>,
    /// The variables that it changed.
    changed: Vec<(Arc<str>, Arc<Var>)>,
    /// The sizes that go by another name since.
    equalities: Vec<Equality>,
}

#[salsa::tracked(returns(clone), no_eq)]
fn section_analysis(
    db: &dyn Db,
    file: SourceFile,
    section: SectionKey,
    around: Key,
) -> Arc<Walked> {
    let (section, around) = (section.0, around.1);
    let unit = section.unit.clone();
    let (program, text) = (&unit.program, &unit.text);
    let mut facts = Facts::of(program, &Lines::of(text), &[], &file.globals(db));
    facts.earlier.clone_from(&around.earlier);
    let prepared = Prepared {
        facts,
        liveness: Liveness::behind(program, text, around.live.clone()),
        unreadable: around.unreadable.clone(),
        options: file.options(db),
        unit: unit.clone(),
    };
    let world = World::new(db, file, None);
    let mut analyzer = Analyzer::new(&prepared, world.clone());
    analyzer.env = around.env.clone();
    analyzer.elsewhere.clone_from(&around.elsewhere);
    analyzer.equalities = around.equalities.to_vec();
    analyzer.calls = Calls::after(around.calls.iter());
    analyzer.record_main();
    let label = section.label;
    let changed = analyzer.env.iter().filter(|(name, var)| {
        let before = around.env.get(*name);
        before.is_none_or(|before| !Arc::ptr_eq(before, var))
    });
    let changed = changed.map(|(name, var)| (Arc::clone(name), Arc::new(outside(var, label))));
    let changed = changed.collect();
    let new = analyzer.equalities[around.equalities.len()..].iter();
    let equalities = new.map(|equality| Equality {
        range: labelled(label, equality.range),
        ..equality.clone()
    });
    let equalities = equalities.collect();
    let recorded = Recorded {
        set_before: around.set.clone(),
        ..checked(&prepared, &world, analyzer.finish())
    };
    Arc::new(Walked {
        recorded: Arc::new(recorded),
        changed,
        equalities,
    })
}

/// A variable as other sections see it.
fn outside(var: &Var, label: usize) -> Var {
    let mut var = var.clone();
    var.defs = var.defs.iter().map(|def| labelled(label, *def)).collect();
    if let Some(origin) = &mut var.info.origin {
        origin.range = labelled(label, origin.range);
    }
    let read = var.info.unsized_read;
    var.info.unsized_read = read.map(|read| labelled(label, read));
    var
}

/// All sections of a main program.
pub(super) fn analysis(db: &dyn Db, file: SourceFile, sections: &Sections) -> MainRecorded {
    let (mut told, mut needed) = (Names::new(), Names::new());
    let mut wanted = Vec::with_capacity(sections.0.len());
    for section in sections.0.iter().rev() {
        let writes = section.writes.keys().filter(|name| told.contains(*name));
        let behind = writes.cloned().collect();
        section.told.before(&mut told);
        section.needs.before(&mut needed);
        let mentions = section
            .mentions
            .iter()
            .filter(|name| needed.contains(*name));
        let before = mentions.cloned().collect();
        wanted.push(Wanted { before, behind });
    }
    let unreadable = sections.0.iter().flat_map(|section| &section.unreadable);
    let mut chain = Chain {
        unreadable: unreadable.cloned().collect(),
        ..Chain::new(World::new(db, file, None))
    };
    let mut out = MainRecorded::default();
    for (section, wanted) in sections.0.iter().zip(wanted.into_iter().rev()) {
        chain.world.poll();
        let walk = |around: Around| {
            let around = Key::of(around);
            let key = key((Arc::as_ptr(section), &around));
            db.keep(Kept::Record, key, section.unit.text.len());
            section_analysis(db, file, SectionKey(Arc::clone(section)), around)
        };
        let mut walked = walk(chain.around(section, &wanted));
        let calls = chain.counted(&walked.recorded.calls);
        if !calls.is_empty() {
            let around = chain.around(section, &wanted);
            walked = walk(Around { calls, ..around });
        }
        chain.pass(section, &walked);
        out.units.push(Arc::clone(&walked.recorded));
    }
    out.calls = chain.calls;
    out
}

/// Which of the names that a section mentions are read later than their place.
struct Wanted {
    /// Before it.
    before: Names,
    /// Behind it, of those that it assigns.
    behind: Names,
}

/// What is known between two sections.
struct Chain<'a> {
    world: World<'a>,
    unreadable: BTreeSet<Arc<str>>,
    env: Env,
    equalities: Arc<[Equality]>,
    earlier: HashMap<Arc<str>, usize>,
    set: HashSet<Arc<str>>,
    calls: Vec<Made>,
    /// The same by what they call.
    made: HashMap<Function, HashSet<Made>>,
}

impl<'a> Chain<'a> {
    fn new(world: World<'a>) -> Self {
        Chain {
            world,
            unreadable: BTreeSet::new(),
            env: Env::new(),
            equalities: Arc::new([]),
            earlier: HashMap::new(),
            set: HashSet::new(),
            calls: Vec::new(),
            made: HashMap::new(),
        }
    }

    /// What a section is analysed with.
    fn around(&self, section: &Section, wanted: &Wanted) -> Around {
        let mentions = || section.mentions.iter();
        let known = wanted.before.iter();
        let known = known.filter_map(|name| Some((Arc::clone(name), self.env.get(name)?.clone())));
        let is_known = |name: &Arc<str>| {
            self.env.contains_key(name) || self.unreadable.contains(name) || is_constant_name(name)
        };
        let elsewhere = || self.env.keys().cloned().collect();
        let writes = section.writes.keys();
        let earlier = writes.filter_map(|name| Some((Arc::clone(name), *self.earlier.get(name)?)));
        Around {
            env: known.collect(),
            elsewhere: (!section.needs.reads.iter().all(is_known)).then(elsewhere),
            equalities: Arc::clone(&self.equalities),
            live: wanted.behind.clone(),
            unreadable: mentions()
                .filter(|name| self.unreadable.contains(*name))
                .cloned()
                .collect(),
            earlier: earlier.collect(),
            set: mentions()
                .filter(|name| self.set.contains(*name))
                .cloned()
                .collect(),
            calls: Vec::new(),
        }
    }

    /// The earlier calls of the functions that a section calls, if not all of them and the section's can be followed.
    fn counted(&self, made: &[Made]) -> Vec<Made> {
        let mut own: HashMap<Function, HashSet<&Made>> = HashMap::new();
        for made in made {
            own.entry(made.callee).or_default().insert(made);
        }
        let mut counted = HashSet::new();
        for (callee, mut all) in own {
            let earlier = || self.made.get(&callee).into_iter().flatten();
            all.extend(earlier());
            if all.len() > most_signatures(self.world.height(callee)) {
                counted.extend(earlier());
            }
        }
        let counted = self.calls.iter().filter(|made| counted.contains(made));
        counted.cloned().collect()
    }

    /// Goes on behind a section.
    fn pass(&mut self, section: &Section, walked: &Walked) {
        for equality in &walked.equalities {
            let renamed = self.env.iter().filter_map(|(name, var)| {
                let mut info = var.info.clone();
                equality.rename(&mut info);
                let defs = || var.defs.clone();
                (info != var.info).then(|| (Arc::clone(name), Arc::new(Var { info, defs: defs() })))
            });
            for (name, var) in renamed.collect::<Vec<_>>() {
                self.env.insert(name, var);
            }
        }
        if !walked.equalities.is_empty() {
            let all = self.equalities.iter().chain(&walked.equalities);
            self.equalities = all.cloned().collect();
        }
        for (name, var) in &walked.changed {
            self.env.insert(Arc::clone(name), Arc::clone(var));
        }
        for (name, count) in &section.writes {
            *self.earlier.entry(Arc::clone(name)).or_default() += count;
        }
        self.set.extend(section.sets.iter().cloned());
        for made in &walked.recorded.calls {
            let known = self.made.entry(made.callee).or_default();
            if known.insert(made.clone()) {
                self.calls.push(made.clone());
            }
        }
    }
}
