//! A script with everything known of it, as the command line needs it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sumac_analysis::{Database, DiskFiles, Files, StatementBlock, Workspace};
use sumac_ide::searches::{Searches, Store};
use sumac_ide::sketch::{Cache, Filled, Library};
use sumac_ide::suggest::{
    NoForm, Offer, Search, SketchProgress, SketchSearch, Sketched, Suggestion, alternatives,
    missed, silences, sketch_offers, sketched, suggest,
};
use sumac_ide::{AssertKey, CancelToken, Placed, Snapshot, UnitBlocks, decide_assert};
use sumac_sumproduct::Options;
use sumac_syntax::ast::{Fact, FactKind};
use sumac_syntax::{parse, parse_fact};
use sumac_text::TextRange;

use crate::config::{Config, FactValue, Scalar};
use crate::sketches;

/// What is stated about a script outside of it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stated {
    /// As `#@` lines state it.
    pub facts: Vec<Fact>,
    /// Values of `$` arguments, without the dollar sign.
    pub args: Vec<(String, String)>,
    /// What is configured: it counts only where neither the above nor the script itself says anything.
    pub configured: Configured,
}

/// Facts and arguments of the configuration.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Configured {
    /// As `#@` lines state them.
    pub facts: Vec<Fact>,
    /// Values of `$` arguments, without the dollar sign.
    pub args: BTreeMap<String, String>,
}

impl From<&Config> for Configured {
    fn from(config: &Config) -> Self {
        let line = |(name, fact): (&String, &FactValue)| Stated::fact(&fact.line(name)).ok();
        let arg = |(name, value): (&String, &Scalar)| (name.clone(), value.to_string());
        Configured {
            facts: config.facts.iter().filter_map(line).collect(),
            args: config.args.iter().map(arg).collect(),
        }
    }
}

/// What a script is read with.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Context {
    /// The configuration.
    pub config: Config,
    /// What is stated about the script, the configuration's part included.
    pub stated: Stated,
}

impl Context {
    /// With a configuration and what is stated beside it.
    #[must_use]
    pub fn new(config: Config, stated: &Stated) -> Self {
        let stated = Stated {
            configured: Configured::from(&config),
            ..stated.clone()
        };
        Context { config, stated }
    }
}

impl Stated {
    /// Reads a fact as a `#@` line states it, with or without the `#@`.
    ///
    /// # Errors
    /// It is no fact: text for the user.
    pub fn fact(text: &str) -> Result<Fact, String> {
        let body = text.trim();
        let body = body.strip_prefix("#@").unwrap_or(body).trim();
        let fact = parse_fact(body, 0);
        match &fact.kind {
            FactKind::Invalid { message, .. } => Err(format!("`{text}` is no fact: {message}")),
            _ => Ok(fact),
        }
    }

    /// What is stated outside of a script whose `#@` lines are `facts`, as the analysis takes it.
    #[must_use]
    pub fn about(&self, facts: &[Fact]) -> (Vec<Fact>, BTreeMap<String, String>) {
        let known: BTreeSet<_> = facts
            .iter()
            .chain(&self.facts)
            .filter_map(|fact| about(&fact.kind))
            .collect();
        let is_open = |fact: &&Fact| about(&fact.kind).is_none_or(|name| !known.contains(&name));
        let mut facts = self.facts.clone();
        facts.extend(self.configured.facts.iter().filter(is_open).cloned());
        let mut args: BTreeMap<String, String> = self
            .configured
            .args
            .iter()
            .filter(|(name, _)| !known.contains(&(true, name.as_str())))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        args.extend(self.args.iter().cloned());
        (facts, args)
    }

    /// What the analysis is told beside a script at `path` (where it has one).
    #[must_use]
    pub fn options(&self, facts: &[Fact], path: Option<&Path>) -> sumac_analysis::Options {
        let (facts, args) = self.about(facts);
        sumac_analysis::Options {
            facts,
            args,
            base_dir: path.and_then(Path::parent).map(Path::to_path_buf),
        }
    }
}

/// The name that a fact is about, and whether it is an argument's.
fn about(fact: &FactKind) -> Option<(bool, &str)> {
    match fact {
        FactKind::Size { name, .. } | FactKind::Bind { name, .. } => Some((false, &name.name)),
        FactKind::Arg { name, .. } => Some((true, &name.name)),
        _ => None,
    }
}

/// Files beside the script, then files where the command was typed.
struct NearFiles {
    folder: PathBuf,
}

impl Files for NearFiles {
    fn read_prefix(&self, path: &Path, max_bytes: usize) -> io::Result<Vec<u8>> {
        match (
            DiskFiles.read_prefix(path, max_bytes),
            path.strip_prefix(&self.folder),
        ) {
            (Err(error), Ok(here)) if error.kind() == io::ErrorKind::NotFound => {
                DiskFiles.read_prefix(here, max_bytes)
            }
            (found, _) => found,
        }
    }
}

/// Where the scripts of a SystemDS installation lie, as far as it keeps them in folders: what `source` finds there, it finds from
/// the installation itself or from its `scripts`.
#[must_use]
pub fn installed_scripts() -> Vec<PathBuf> {
    let root = std::env::var_os("SYSTEMDS_ROOT").map(PathBuf::from);
    let places = root.map(|root| [root.join("scripts"), root]);
    let folders = places.into_iter().flatten();
    folders.filter(|folder| folder.is_dir()).collect()
}

/// A script from a file.
#[derive(Clone, Debug)]
pub struct Script {
    /// What is known of it.
    pub snapshot: Snapshot,
    searches: Arc<Searches>,
}

impl Script {
    /// Analyses `text`, which stands in the file `path`.
    #[must_use]
    pub fn new(path: &Path, text: &str, context: &Context) -> Self {
        let parse = parse(text);
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut db = Database::new(NearFiles { folder });
        // What a script sources lies beside it, in a folder above it, where the command was typed, or in an installation.
        db.set_workspace(Workspace {
            roots: std::env::current_dir()
                .into_iter()
                .chain(installed_scripts())
                .collect(),
            may_leave: true,
        });
        let place = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        db.open(&place, &parse);
        let options = context.stated.options(parse.facts(), Some(path));
        db.set_options(&place, options);
        let analysis = db.known(&place);
        Script {
            snapshot: Snapshot {
                min_speedup: context.config.search.min_speedup.map_or(1.0, |n| n.0),
                least_saving: context.config.least_saving(),
                most_lost_digits: context.config.most_lost_digits(),
                severities: Arc::new(context.config.severities()),
                pins: Arc::new(sketches::pins(path, &parse)),
                ..Snapshot::new(parse, analysis)
            },
            searches: Arc::default(),
        }
    }

    /// Decides the `#@ assert` lines.
    pub fn decide_asserts(&mut self) {
        let asserts = self.snapshot.analysis.assertions.iter();
        let open = asserts.filter(|assertion| !assertion.is_wrong);
        let verdicts = open.map(|assertion| {
            let verdict = decide_assert(assertion);
            (AssertKey::of(assertion), Arc::new(verdict))
        });
        self.snapshot.verdicts = Arc::new(verdicts.collect());
    }

    /// Searches by the sketches that are pinned to statements, so that those are told that lead nowhere.
    pub fn try_pins(&mut self, options: &Options) {
        let pinned = |block: &StatementBlock| -> Vec<TextRange> {
            let statements = block.statements.iter();
            let pinned = statements.filter(|statement| statement.sketch.is_some());
            pinned.map(|statement| statement.range).collect()
        };
        let wanted: Vec<TextRange> = self
            .snapshot
            .analysis
            .blocks
            .iter()
            .flat_map(pinned)
            .collect();
        if !wanted.is_empty() {
            let before = Arc::clone(&self.snapshot.suggestions);
            self.search(options, |range| wanted.contains(&range));
            self.snapshot.suggestions = before;
        }
    }

    /// Searches suggestions, and keeps those of which a statement lies at a place that `keep` wants. Blocks
    /// without such a statement are not searched.
    pub fn search(&mut self, options: &Options, keep: impl Fn(TextRange) -> bool) {
        let snapshot = &self.snapshot;
        let mut found = Vec::new();
        let blocks = UnitBlocks::default().of(snapshot, "");
        for (block, known) in blocks.iter().zip(&snapshot.analysis.blocks) {
            if known
                .statements
                .iter()
                .any(|statement| keep(statement.range))
            {
                let search = Search {
                    options,
                    searches: &self.searches,
                    store: None,
                    cancel: &CancelToken::default(),
                };
                found.extend(suggest(snapshot, block, search));
            }
        }
        self.snapshot.missed = missed(&self.snapshot, &blocks, &self.searches).into();
        let mut silences = silences(&self.snapshot, &blocks, &self.searches);
        silences.retain(|silence| keep(silence.statement));
        self.snapshot.silences = silences.into();
        found.retain(|suggestion| suggestion.statement_ranges.iter().any(|range| keep(*range)));
        found.sort_by_key(|suggestion| suggestion.range);
        self.snapshot.suggestions = found
            .into_iter()
            .map(|suggestion| Placed {
                suggestion: suggestion.into(),
                is_fresh: true,
            })
            .collect();
    }

    /// Up to `most` other forms of a suggestion's statements, the cheapest first.
    #[must_use]
    pub fn alternatives(
        &self,
        suggestion: &Suggestion,
        options: &Options,
        most: usize,
    ) -> Vec<Suggestion> {
        if most == 0 {
            return Vec::new();
        }
        let search = Search {
            options,
            searches: &self.searches,
            store: None,
            cancel: &CancelToken::default(),
        };
        alternatives(&self.snapshot, suggestion, most, search)
    }

    /// Forms of the statements at a place that fit a sketch.
    ///
    /// # Errors
    /// See [`NoForm`].
    pub fn sketched(
        &self,
        wanted: TextRange,
        sketch: &Filled,
        (options, forms): (&Options, usize),
        (cache, store): (&Cache, Option<&dyn Store>),
        cancel: &CancelToken,
        watch: &mut dyn FnMut(SketchProgress),
    ) -> Result<Sketched, NoForm> {
        let blocks = UnitBlocks::default().of(&self.snapshot, "");
        let how = SketchSearch {
            search: Search {
                options,
                searches: &self.searches,
                store,
                cancel,
            },
            cache,
            forms,
            explains: true,
            bridges: true,
        };
        sketched(&self.snapshot, &blocks, wanted, sketch, how, watch)
    }

    /// The sketches that could lead somewhere from the statements at a place.
    #[must_use]
    pub fn sketch_offers(
        &self,
        wanted: TextRange,
        library: &Library,
        options: &Options,
    ) -> Vec<Offer> {
        let blocks = UnitBlocks::default().of(&self.snapshot, "");
        sketch_offers(&self.snapshot, &blocks, wanted, library, options)
    }

    /// Number of lines.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.snapshot.lines.len_lines()
    }

    /// The line `number`, counted from 1, without its line break.
    #[must_use]
    pub fn line(&self, number: usize) -> Option<TextRange> {
        let line = number
            .checked_sub(1)
            .filter(|line| *line < self.line_count())?;
        let start = self.snapshot.lines.line_start(line);
        Some(TextRange {
            start,
            end: self.snapshot.line_end(start),
        })
    }
}
