//! What the analysis hands out. Pure data with look-ups: nothing here computes a shape.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use sumac_la::{Dag, NodeId, Type};
use sumac_text::TextRange;

pub use crate::catalogue::codes;
use crate::given::Values;
use crate::provenance::{Provenance, Stated};
use crate::value::{ValueInfo, ValueKind};

/// How serious a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The script cannot run as written.
    Error,
    /// The script or a fact is likely wrong.
    Warning,
    /// Something that a person may want to know.
    Information,
    /// Something that could be nicer.
    Hint,
}

/// Something to tell about a place of the script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The place.
    pub range: TextRange,
    /// How serious.
    pub severity: Severity,
    /// One of [`codes`].
    pub code: &'static str,
    /// For a person: what was found, what was expected, a way out.
    pub message: String,
    /// Other places that explain it.
    pub related: Vec<(TextRange, String)>,
}

impl Diagnostic {
    /// What likely was meant at the place, where the message says so.
    #[must_use]
    pub fn meant(&self) -> Option<&str> {
        crate::suggest::meant(&self.message)
    }
}

/// What is known of one assignment's variable.
#[derive(Clone, PartialEq, Debug)]
pub struct VariableFact {
    /// The variable.
    pub name: Arc<str>,
    /// The assigned name.
    pub range: TextRange,
    /// The function it stands in.
    pub function: Option<Arc<str>>,
    /// The kind of value.
    pub kind: ValueKind,
    /// Rows, columns, sparsity. Unknown where nothing tells; 1 x 1 for scalars.
    pub ty: Type,
    /// The value of a scalar, where it is known.
    pub constant: Option<crate::Constant>,
    /// Where it comes from: `#@ line 3`, `read: A.mtd`, `propagated`, `unknown`.
    pub source: String,
    /// What an estimated sparsity below 1 rests on.
    pub provenance: Provenance,
}

impl VariableFact {
    /// What is known of the value.
    #[must_use]
    pub fn info(&self) -> ValueInfo {
        ValueInfo {
            rows: self.ty.rows.clone(),
            cols: self.ty.cols.clone(),
            sparsity: self.ty.sparsity,
            limits: self.ty.limits,
            provenance: self.provenance.clone(),
            ..ValueInfo::of(self.kind).with_constant(self.constant.clone())
        }
    }
}

/// A maximal run of simple statements, or the condition of a compound one.
#[derive(Clone, Debug)]
pub struct StatementBlock {
    /// All linear algebra of the block. Its roots are not set: the parts name them.
    pub dag: Dag,
    /// The statements in source order.
    pub statements: Vec<BlockStatement>,
    /// How many loops stand around it; a `while`'s condition counts as inside.
    pub loop_depth: usize,
    /// The function it stands in.
    pub function: Option<Arc<str>>,
    /// Inputs of the DAG that hold what a caller passed: another one may pass something of another shape.
    open: BTreeSet<Arc<str>>,
    /// Inputs of the DAG whose sizes, or whose value, only a `#@` line, a data file or a caller tells.
    pub stated: BTreeMap<Arc<str>, Stated>,
    /// The variables that each input reads which stands for an expression under its own text.
    texts: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
    /// See [`StatementBlock::symbolic`].
    symbolic: OnceLock<Dag>,
}

impl StatementBlock {
    pub(crate) fn new(
        dag: Dag,
        statements: Vec<BlockStatement>,
        (loop_depth, function): (usize, Option<Arc<str>>),
        (open, stated): (BTreeSet<Arc<str>>, BTreeMap<Arc<str>, Stated>),
        texts: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
    ) -> Self {
        StatementBlock {
            dag,
            statements,
            loop_depth,
            function,
            open,
            stated,
            texts,
            symbolic: OnceLock::new(),
        }
    }

    /// Whether a statement reads a variable in an expression that the DAG knows by its text only.
    #[must_use]
    pub fn reads_by_text(&self, statement: &BlockStatement, variable: &str) -> bool {
        let texts = self.texts.iter();
        let reading: BTreeSet<&str> = texts
            .filter_map(|(text, reads)| reads.contains(variable).then_some(&**text))
            .collect();
        if reading.is_empty() {
            return false;
        }
        let roots: Vec<NodeId> = statement.parts.iter().map(|part| part.root).collect();
        let nodes = self.dag.reachable(&roots).into_iter();
        nodes
            .filter_map(|id| self.dag.input_of(id))
            .any(|input| reading.contains(&*input.name))
    }

    /// The block's DAG over symbols: sizes that are known are assumed there. What is suggested is made of it.
    #[must_use]
    pub fn symbolic(&self) -> &Dag {
        let is_open = |name: &str| self.open.contains(name);
        self.symbolic.get_or_init(|| self.dag.symbolic(&is_open))
    }
}

/// One statement of a block.
#[derive(Clone, PartialEq, Debug)]
pub struct BlockStatement {
    /// The whole statement; for a condition, the condition.
    pub range: TextRange,
    /// Set for a plain assignment of a whole variable (not `+=`, not left indexing) whose value the DAG knows.
    pub target: Option<BlockTarget>,
    /// The maximal subexpressions that the DAG can express, in source order, never one inside another.
    /// Where the whole right-hand side of a plain assignment is one, it is the only one.
    pub parts: Vec<Part>,
    /// What stands for which node just before this statement: variables, and the texts (such as `$k` or
    /// `order(target=X)`) by which opaque inputs are called. An input of the DAG whose name does not lead to
    /// its node here must not be written into this statement.
    pub env: BTreeMap<Arc<str>, NodeId>,
    /// Whether the target's value is read after the block.
    pub live_after_block: bool,
    /// Later statements of the block that read this version of the target.
    pub readers: Vec<usize>,
    /// Whether a `#@ off` line asks for silence.
    pub hints_off: bool,
    /// The sketch that a `#@ sketch` line pins.
    pub sketch: Option<Arc<str>>,
}

/// What a plain assignment writes.
#[derive(Clone, PartialEq, Debug)]
pub struct BlockTarget {
    /// The variable.
    pub name: Arc<str>,
    /// Its place.
    pub range: TextRange,
    /// The node of the assigned value.
    pub version_node: NodeId,
}

/// An expression of the script that is a node of the block's DAG.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its place.
    pub range: TextRange,
    /// Its node.
    pub root: NodeId,
}

/// A function of the script.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionInfo {
    /// Its name.
    pub name: Arc<str>,
    /// The name's place.
    pub range: TextRange,
    /// The whole definition.
    pub full_range: TextRange,
    /// Parameters: name, place, whether it has a default, what is known over all calls.
    pub params: Vec<ParamInfo>,
    /// Results, likewise.
    pub results: Vec<ParamInfo>,
}

/// A parameter or result.
#[derive(Clone, PartialEq, Debug)]
pub struct ParamInfo {
    /// Its name.
    pub name: Arc<str>,
    /// The name's place.
    pub range: TextRange,
    /// Whether calls may leave it out.
    pub has_default: bool,
    /// What is known of it.
    pub info: ValueInfo,
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Symbol {
    /// A variable, parameter or result.
    Variable,
    /// A function of the script.
    Function,
}

/// One occurrence of a variable's or function's name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NameUse {
    /// Where.
    pub range: TextRange,
    /// The name.
    pub name: Arc<str>,
    /// The function it stands in; `None` in the main program.
    pub scope: Option<Arc<str>>,
    /// What it names.
    pub symbol: Symbol,
    /// Whether it gives the name a value here.
    pub is_definition: bool,
    /// The definitions whose value may arrive here.
    pub definitions: Vec<TextRange>,
}

/// A `#@ assert` line.
#[derive(Clone, PartialEq, Debug)]
pub struct Assertion {
    /// The whole line.
    pub range: TextRange,
    /// Its equation.
    pub equation: TextRange,
    /// Both sides as the two roots, over what the script knows at the line; `None`: a side is no linear algebra.
    pub dag: Option<Dag>,
    /// What is known of the DAG's inputs, in their order.
    pub inputs: Vec<AssertInput>,
    /// The variables that the sides read and whose values are inputs of the block, with their types: what the texts of other
    /// inputs are about.
    pub variables: Vec<(AssertInput, Type)>,
    /// Whether a side has an error of its own, which is reported.
    pub is_wrong: bool,
}

/// An input of an assert's sides.
#[derive(Clone, PartialEq, Debug)]
pub struct AssertInput {
    /// The variable, or the text of an expression that is no linear algebra.
    pub name: Arc<str>,
    /// The values that it can have; `None`: the script computes them, in a way that is not seen from here.
    pub values: Option<Values>,
    /// Where they come from, where another input can have the same from there.
    pub sources: Vec<Arc<str>>,
    /// Whether its sizes are known, by number or by name.
    pub is_sized: bool,
}

/// Everything that is known of a script.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// Sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// One for each assignment, sorted by place.
    pub variables: Vec<VariableFact>,
    /// Sorted by place.
    pub blocks: Vec<StatementBlock>,
    /// The script's functions in source order.
    pub functions: Vec<FunctionInfo>,
    /// Every name, sorted by place.
    pub names: Vec<NameUse>,
    /// The `#@ assert` lines, sorted by place.
    pub assertions: Vec<Assertion>,
    /// Codes that `#@ allow` lines silence although only what is decided later may have them, and where.
    pub silenced: Vec<(Arc<str>, TextRange)>,
    /// What is known of each expression: sorted by start, the longer first.
    pub expr_types: Vec<(TextRange, ValueInfo)>,
}

impl Analysis {
    /// Puts names and expressions into their order, each once.
    pub(crate) fn sort_known(&mut self) {
        self.names.sort();
        self.names.dedup();
        self.expr_types.sort_by_key(|(range, _)| sort_key(*range));
        self.expr_types.dedup_by_key(|(range, _)| *range);
    }

    /// What is known of the expression at exactly `range`.
    #[must_use]
    pub fn type_at(&self, range: TextRange) -> Option<&ValueInfo> {
        let key = sort_key(range);
        let at = self
            .expr_types
            .binary_search_by_key(&key, |(r, _)| sort_key(*r))
            .ok()?;
        Some(&self.expr_types[at].1)
    }

    /// The smallest expression that a cursor at `offset` touches.
    #[must_use]
    pub fn type_at_offset(&self, offset: usize) -> Option<(TextRange, &ValueInfo)> {
        self.expr_types
            .iter()
            .take_while(|(range, _)| range.start <= offset)
            .filter(|(range, _)| range.touches(offset))
            .min_by_key(|(range, _)| range.len())
            .map(|(range, info)| (*range, info))
    }

    /// The name that a cursor at `offset` touches.
    #[must_use]
    pub fn name_at(&self, offset: usize) -> Option<&NameUse> {
        let next = self
            .names
            .partition_point(|name| name.range.start <= offset);
        self.names[..next]
            .iter()
            .rev()
            .take(2)
            .find(|name| name.range.touches(offset))
    }

    /// Where the name at `offset` gets its value; a definition leads to itself.
    #[must_use]
    pub fn definitions(&self, offset: usize) -> Vec<TextRange> {
        match self.name_at(offset) {
            Some(name) if name.is_definition => vec![name.range],
            Some(name) => name.definitions.clone(),
            None => Vec::new(),
        }
    }

    /// Every occurrence of the variable or function at `offset`, in its scope, definitions included.
    #[must_use]
    pub fn occurrences(&self, offset: usize) -> Vec<&NameUse> {
        let Some(wanted) = self.name_at(offset) else {
            return Vec::new();
        };
        self.names
            .iter()
            .filter(|name| {
                name.name == wanted.name
                    && name.symbol == wanted.symbol
                    && (name.symbol == Symbol::Function || name.scope == wanted.scope)
            })
            .collect()
    }

    /// What is known of the variable whose assigned name stands at exactly `range`.
    #[must_use]
    pub fn variable_at(&self, range: TextRange) -> Option<&VariableFact> {
        let at = self.variables.partition_point(|fact| fact.range < range);
        self.variables.get(at).filter(|fact| fact.range == range)
    }

    /// The block and the statement in it that a cursor at `offset` touches.
    #[must_use]
    pub fn statement_at(&self, offset: usize) -> Option<(&StatementBlock, usize)> {
        self.blocks.iter().find_map(|block| {
            let at = block
                .statements
                .iter()
                .position(|s| s.range.touches(offset))?;
            Some((block, at))
        })
    }
}

/// Order of [`Analysis::expr_types`]: by start, the longer first.
pub(crate) fn sort_key(range: TextRange) -> (usize, std::cmp::Reverse<usize>) {
    (range.start, std::cmp::Reverse(range.end))
}
