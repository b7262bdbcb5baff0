//! Which statements of a block are optimized together, and in what terms.
//!
//! An intermediate variable that only one later statement of the block reads, and only inside its linear algebra,
//! can be inlined into that statement, unless an `#@ assert` line names it. All other variables stay: a search may use their values for nothing.

mod strands;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sumac_analysis::{BlockStatement, Part, StatementBlock};
use sumac_la::{Dag, Node, NodeId};
use sumac_text::TextRange;

use super::held::{Held, SEEN_THROUGH, held};
use super::site::Site;
pub(crate) use strands::Strand;

/// Statements that are searched as one at most: what that costs grows faster than their number.
const MOST_JOINED: usize = 16;

/// Statements that are optimized together.
pub(super) struct Group<'a> {
    /// Their block.
    pub(super) block: &'a StatementBlock,
    /// Their places in the block, ascending. The last one stays; the others may be inlined into it.
    pub(super) members: Vec<usize>,
    /// The places of all statements of the block that may be inlined into others.
    inlinable: Arc<BTreeSet<usize>>,
    /// Parts of the statement that stays which are left as they are.
    left: Vec<TextRange>,
    /// Operators of other statements' values that its search sees, beside its own.
    seen_through: usize,
    /// What [`Group::held`] says, once it was asked.
    held: OnceCell<Vec<Held>>,
}

/// The groups of a block in the order of their last statements.
pub(super) fn groups(site: Site<'_>) -> Vec<Group<'_>> {
    let block = site.block;
    // The statement that each one is inlined into; itself where it stays.
    let mut into: Vec<usize> = (0..block.statements.len()).collect();
    let mut sizes = vec![1; into.len()];
    for place in (0..block.statements.len()).rev() {
        let statement = &block.statements[place];
        if let Some(reader) = only_reader(site, statement)
            && sizes[into[reader]] < MOST_JOINED
        {
            into[place] = into[reader];
            sizes[into[reader]] += 1;
        }
    }
    let inlinable: Arc<BTreeSet<usize>> = Arc::new(
        (0..into.len())
            .filter(|place| into[*place] != *place)
            .collect(),
    );
    let mut groups: Vec<Group<'_>> = Vec::new();
    for last in 0..block.statements.len() {
        let statement = &block.statements[last];
        let is_whole = !site.is_damaged(statement.range);
        if into[last] == last && !statement.parts.is_empty() && is_whole {
            let members = (0..=last).filter(|place| into[*place] == last).collect();
            groups.push(Group {
                block,
                members,
                inlinable: Arc::clone(&inlinable),
                left: Vec::new(),
                seen_through: SEEN_THROUGH,
                held: OnceCell::new(),
            });
        }
    }
    groups
}

fn only_reader(site: Site<'_>, statement: &BlockStatement) -> Option<usize> {
    let block = site.block;
    let target = statement.target.as_ref()?;
    let whole = matches!(statement.parts.as_slice(), [part] if part.root == target.version_node);
    let [reader] = statement.readers.as_slice() else {
        return None;
    };
    // A scalar costs nothing to keep, and its name tells the reader something.
    if !whole || statement.live_after_block || block.dag.is_scalar(target.version_node) {
        return None;
    }
    if site.around.names.said.asserted.contains(&target.name) {
        return None;
    }
    // What a syntax error damages is a guess: it keeps its place.
    let is_damaged = |statement: &BlockStatement| site.is_damaged(statement.range);
    if is_damaged(statement) || is_damaged(&block.statements[*reader]) {
        return None;
    }
    // Every mention of the variable in the reader must be inside a part, where its definition takes its place, and none in what
    // goes on under its own text.
    let reading = &block.statements[*reader];
    if block.reads_by_text(reading, &target.name) {
        return None;
    }
    // Where a `#@` line says more of a variable than its definition does, it is read as an input of its own.
    if reading.env.get(&target.name) != Some(&target.version_node) {
        return None;
    }
    let inside = |range| reading.parts.iter().any(|part| part.range.contains(range));
    let all_inside = site
        .names_in(reading.range)
        .filter(|name| name.name == target.name && !name.is_definition)
        .all(|name| inside(name.range));
    all_inside.then_some(*reader)
}

impl<'a> Group<'a> {
    /// The place in the block of the statement that stays.
    pub(super) fn last_place(&self) -> usize {
        *self.members.last().expect("a group has a last statement")
    }

    /// The statement that stays.
    pub(super) fn last(&self) -> &'a BlockStatement {
        &self.block.statements[self.last_place()]
    }

    /// The statements that are inlined into it.
    pub(super) fn inlined(&self) -> impl Iterator<Item = &'a BlockStatement> + '_ {
        self.members[..self.members.len() - 1]
            .iter()
            .map(|place| &self.block.statements[*place])
    }

    /// Each statement as a group of its own; none of them is inlined then.
    pub(super) fn split(&self) -> impl Iterator<Item = Group<'a>> + '_ {
        let stay = self.members.iter().copied().collect();
        self.members
            .iter()
            .map(move |place| self.of(vec![*place], &stay, Vec::new()))
    }

    /// Some of its statements, of which none of those that `stay` is inlined any more, without some parts of the one that stays.
    fn of(&self, members: Vec<usize>, stay: &BTreeSet<usize>, left: Vec<TextRange>) -> Group<'a> {
        Group {
            block: self.block,
            members,
            inlinable: Arc::new(self.inlinable.difference(stay).copied().collect()),
            left,
            seen_through: self.seen_through,
            held: OnceCell::new(),
        }
    }

    /// The same statements, where every value that a variable holds counts as an input; `None` where that is so already.
    pub(super) fn over_values(&self) -> Option<Group<'a>> {
        let sees_through = self.held().iter().any(|held| !held.is_far);
        sees_through.then(|| Group {
            block: self.block,
            members: self.members.clone(),
            inlinable: Arc::clone(&self.inlinable),
            left: self.left.clone(),
            seen_through: 0,
            held: OnceCell::new(),
        })
    }

    /// Whether a `#@ off` line asks for silence.
    pub(super) fn is_silenced(&self) -> bool {
        self.members
            .iter()
            .any(|place| self.block.statements[*place].hints_off)
    }

    /// The ranges of its statements.
    pub(super) fn ranges(&self) -> Vec<TextRange> {
        self.members
            .iter()
            .map(|place| self.block.statements[*place].range)
            .collect()
    }

    /// The variables that the statement which stays assigns.
    pub(super) fn targets(&self) -> Vec<Arc<str>> {
        self.last()
            .target
            .iter()
            .map(|target| Arc::clone(&target.name))
            .collect()
    }

    /// What each variable holds before the statement that stays, once the others are inlined: a variable that an
    /// inlined statement wrote keeps its older value.
    fn env(&self) -> BTreeMap<Arc<str>, NodeId> {
        let mut env = self.last().env.clone();
        let mut inlined: Vec<_> = self.inlined().collect();
        inlined.reverse();
        for statement in inlined {
            if let Some(target) = &statement.target
                && env.get(&target.name) == Some(&target.version_node)
            {
                match statement.env.get(&target.name) {
                    Some(older) => env.insert(Arc::clone(&target.name), *older),
                    None => env.remove(&target.name),
                };
            }
        }
        env
    }

    /// The expressions to optimize: those that compute something which no variable holds yet.
    pub(super) fn parts(&self) -> Vec<Part> {
        let env = self.env();
        let computes = |part: &&Part| {
            matches!(self.block.symbolic().node(part.root), Node::Op(..))
                && !env.values().any(|held| *held == part.root)
                && !self.left.contains(&part.range)
        };
        self.last().parts.iter().filter(computes).copied().collect()
    }

    /// Their nodes.
    pub(super) fn roots(&self) -> Vec<NodeId> {
        self.parts().iter().map(|part| part.root).collect()
    }

    /// Whether the statement that wrote this value may be gone once another suggestion is applied.
    fn may_inline(&self, name: &str, node: NodeId) -> bool {
        self.inlinable.iter().any(|place| {
            let target = self.block.statements[*place].target.as_ref();
            target.is_some_and(|target| *target.name == *name && target.version_node == node)
        })
    }

    /// The variables that hold a computed value which the roots need, other than those that are inlined.
    pub(super) fn held(&self) -> &[Held] {
        self.held.get_or_init(|| {
            let (dag, roots, env) = (self.block.symbolic(), self.roots(), self.env());
            // Of several names of one value the first counts.
            let mut names: BTreeMap<NodeId, Arc<str>> = BTreeMap::new();
            for (name, node) in &env {
                let is_computed = matches!(dag.node(*node), Node::Op(..));
                if is_computed && !roots.contains(node) && !self.may_inline(name, *node) {
                    names.entry(*node).or_insert_with(|| Arc::clone(name));
                }
            }
            let has_name = |id: &NodeId| {
                let input = dag.input_of(*id);
                input.is_none_or(|input| self.name_of_input(&input.name, &env).is_some())
            };
            held((dag, &roots), &names, &has_name, self.seen_through)
        })
    }

    /// What a value that counts as an input is called in a search, and in what is proved and run.
    fn far(&self, node: NodeId) -> Option<&str> {
        let mut held = self.held().iter();
        held.find(|held| held.is_far && held.node == node)
            .map(|held| &*held.marker)
    }

    /// The inputs of the block that the roots need, but for those behind values that count as inputs themselves.
    pub(super) fn inputs(&self) -> Vec<NodeId> {
        let dag = self.block.symbolic();
        let reads = |id: NodeId| match self.far(id) {
            Some(_) => <&[NodeId]>::default(),
            None => dag.args(id),
        };
        let mut found = dag.reachable_by(&self.roots(), reads);
        found.retain(|id| dag.input_of(*id).is_some());
        found
    }

    /// Some nodes of the block over its inputs and the values that count as inputs, in a DAG of their own.
    pub(super) fn within(&self, nodes: &[NodeId]) -> (Dag, Vec<NodeId>) {
        let mut dag = Dag::default();
        let import =
            |node: &NodeId| dag.import_cut(self.block.symbolic(), *node, &|id| self.far(id));
        let nodes = nodes.iter().map(import).collect();
        (dag, nodes)
    }

    /// The roots as written: over the inputs and the held values, under the script's names.
    pub(super) fn original(&self) -> Dag {
        let dag = self.with_markers();
        self.in_script_names(&dag).unwrap_or(dag)
    }

    /// The roots over the inputs and the held values, under names that are unique: as a search gives them back.
    pub(super) fn with_markers(&self) -> Dag {
        let held = self.held();
        let mut dag = Dag::default();
        for root in self.roots() {
            let marker = |id: NodeId| {
                let value = held.iter().find(|held: &&Held| held.node == id)?;
                Some(&*value.marker)
            };
            let node = dag.import_cut(self.block.symbolic(), root, &marker);
            dag.push_root(node);
        }
        dag
    }

    /// The roots as a sketch may read them: over the values that variables hold, and with these seen through.
    pub(super) fn readings(&self) -> Vec<Dag> {
        let mut readings = vec![self.with_markers()];
        if !self.held().is_empty() {
            readings.push(self.over_inputs());
        }
        readings
    }

    /// How the script calls an input of a search's result where the last statement stands. `None` if that value has no
    /// name there any more.
    pub(super) fn script_names(&self) -> impl Fn(&str) -> Option<Arc<str>> + '_ {
        let (held, env) = (self.held(), self.env());
        move |input: &str| {
            if let Some(held) = held.iter().find(|held| held.marker == input) {
                return Some(Arc::clone(&held.name));
            }
            self.name_of_input(input, &env)
        }
    }

    /// How the script calls an input of the block where the last statement stands: its own name, or that of a variable which was
    /// set to it and stays.
    fn name_of_input(&self, input: &str, env: &BTreeMap<Arc<str>, NodeId>) -> Option<Arc<str>> {
        let is_it = |node: NodeId| {
            let known = self.block.symbolic().input_of(node);
            known.is_some_and(|known| &*known.name == input)
        };
        if env.get(input).is_some_and(|node| is_it(*node)) {
            return Some(input.into());
        }
        env.iter()
            .find(|(name, node)| is_it(**node) && !self.may_inline(name, **node))
            .map(|(name, _)| Arc::clone(name))
    }

    /// A text over a search's names in the script's.
    pub(super) fn spoken(&self, text: &str) -> String {
        let held = self.held().iter();
        held.fold(text.to_owned(), |text, held| {
            text.replace(&held.marker, &held.name)
        })
    }

    /// A search's result with its inputs called as the script calls them where the last statement stands. `None` if
    /// a value has no name there any more.
    pub(super) fn in_script_names(&self, result: &Dag) -> Option<Dag> {
        let name_of = self.script_names();
        for id in result.reachable(result.roots()) {
            if let Some(input) = result.input_of(id) {
                name_of(&input.name)?;
            }
        }
        let mut dag = Dag::default();
        for root in result.roots() {
            let node = dag.import_with(result, *root, &mut |dag, id| {
                let input = result.input_of(id)?;
                Some(dag.input(&name_of(&input.name)?, input.ty.clone()))
            });
            dag.push_root(node);
        }
        Some(dag)
    }

    /// Which value of a search's result has no name where the last statement stands.
    pub(super) fn unnamed(&self, result: &Dag) -> String {
        let name_of = self.script_names();
        let used = result.reachable(result.roots()).into_iter();
        let mut inputs = used.filter_map(|id| result.input_of(id));
        let lost = inputs.find(|input| name_of(&input.name).is_none());
        lost.map_or_else(
            || "a value that it needs has no name at this place".to_owned(),
            |input| {
                let name = input.name.split('#').next().unwrap_or_default();
                format!("it needs an earlier value of `{name}`, which has no name at this place any more")
            },
        )
    }

    /// The roots over the block's own inputs, and the values that count as such.
    pub(super) fn over_inputs(&self) -> Dag {
        let (mut dag, roots) = self.within(&self.roots());
        for root in roots {
            dag.push_root(root);
        }
        dag
    }

    /// A form over the block's inputs, with the variables that hold a part of it in the place of that part.
    pub(super) fn over_held(&self, form: &Dag) -> Dag {
        let mut whole = form.clone();
        let mut values: Vec<(NodeId, &str)> = Vec::new();
        for held in self.held().iter().filter(|held| !held.is_far) {
            let value = whole.import_cut(self.block.symbolic(), held.node, &|id| self.far(id));
            values.push((value, &held.marker));
        }
        let mut dag = Dag::default();
        for root in form.roots() {
            let marker = |id: NodeId| {
                let value = values.iter().find(|(value, _)| *value == id && id != *root);
                value.map(|(_, marker)| *marker)
            };
            let node = dag.import_cut(&whole, *root, &marker);
            dag.push_root(node);
        }
        dag
    }

    /// A search's result over the same inputs: held values replaced by what they are.
    pub(super) fn seen_through(&self, result: &Dag) -> Dag {
        let mut dag = Dag::default();
        for root in result.roots() {
            let node = dag.import_with(result, *root, &mut |dag, id| {
                let input = result.input_of(id)?;
                let value = self
                    .held()
                    .iter()
                    .find(|held| *held.marker == *input.name)?;
                Some(dag.import_cut(self.block.symbolic(), value.node, &|id| self.far(id)))
            });
            dag.push_root(node);
        }
        dag
    }

    /// What the block computes, with a search's result for this group's statements; without one, as it is written.
    pub(super) fn whole_block(&self, result: Option<&Dag>) -> Dag {
        let mut dag = result.map_or_else(|| self.over_inputs(), |result| self.seen_through(result));
        let all = self.block.statements.iter().enumerate();
        for (place, statement) in all {
            let is_other =
                |part: &&Part| !self.members.contains(&place) || self.left.contains(&part.range);
            for part in statement.parts.iter().filter(is_other) {
                let root = dag.import(self.block.symbolic(), part.root);
                dag.push_root(root);
            }
        }
        dag
    }

    /// The inputs whose sizes are not numbers, as the script calls them.
    pub(super) fn unknown_sizes(&self) -> Vec<Arc<str>> {
        let dag = self.over_inputs();
        let used = dag.reachable(dag.roots());
        let inputs = used.iter().filter_map(|id| dag.input_of(*id));
        let unknown = inputs.filter(|input| input.ty.cells().is_none());
        let name_of = self.script_names();
        let mut names: Vec<Arc<str>> = unknown
            .map(|input| name_of(&input.name).unwrap_or_else(|| input.name.clone()))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// The values of other statements that only the form as written reads, as these statements compute them; `None` where
    /// there are none. Both forms are in the script's names.
    pub(super) fn left_to_others(&self, written: &Dag, suggested: &Dag) -> Option<Dag> {
        let reads = |form: &Dag| -> BTreeSet<Arc<str>> {
            let used = form.reachable(form.roots());
            let inputs = used.iter().filter_map(|id| form.input_of(*id));
            inputs.map(|input| input.name.clone()).collect()
        };
        let (before, after) = (reads(written), reads(suggested));
        let is_left = |held: &&Held| before.contains(&held.name) && !after.contains(&held.name);
        let mut dag = Dag::default();
        for value in self.held().iter().filter(is_left) {
            let others = |id: NodeId| {
                let known = self.held().iter().find(|held| held.node == id);
                known
                    .filter(|held| held.node != value.node)
                    .map(|held| &*held.marker)
            };
            let node = dag.import_cut(self.block.symbolic(), value.node, &others);
            dag.push_root(node);
        }
        (!dag.roots().is_empty()).then_some(dag)
    }

    /// The sizes and sparsities that the costs lean on.
    pub(super) fn facts(&self) -> Vec<String> {
        let dag = self.original();
        let used = dag.reachable(dag.roots());
        let mut facts: Vec<String> = used
            .iter()
            .filter_map(|id| dag.input_of(*id))
            .filter(|input| !input.ty.is_scalar())
            .map(|input| format!("{} is {}", input.name, input.ty))
            .collect();
        facts.sort();
        facts.dedup();
        facts
    }
}
