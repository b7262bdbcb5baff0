//! The command line's grammar: names of commands and options, and nothing of what they do.
//!
//! SystemDS spells `-args` and `-nvargs` with one dash and lets them swallow everything behind them, which no
//! ordinary parser reads: [`normalize`] rewrites them into ordinary options first.

mod array;
mod dashes;
mod search;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use sumac_engine::{ENGINES, EngineName};

use self::dashes::POSITIONAL;
use crate::config::{bytes, seconds};

pub use array::{Array, Backend, Emit, Number};
pub use dashes::normalize;
pub use search::{Ceiling, Engine, Search};

/// A language server and optimization assistant for linear algebra in DML, the language of Apache SystemDS.
#[derive(Parser, Debug)]
#[command(name = "sumac", version, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options that every command takes.
    #[command(flatten)]
    pub common: Common,
}

/// Options that every command takes.
#[derive(Args, Debug, Clone, Default)]
pub struct Common {
    /// How results are written to the standard output
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORMAT"
    )]
    pub format: Format,
    /// A fact about the script, as a `#@` line states it: 'X: 100 x 20, sparsity 0.1' (repeatable)
    #[arg(long = "facts", global = true, value_name = "FACT")]
    pub facts: Vec<String>,
    /// The value of a command-line argument `$k` of the script (repeatable)
    #[arg(long = "set", global = true, value_name = "K=V")]
    pub set: Vec<String>,
    /// Use this configuration for all scripts, not the nearest `sumac.toml` above each
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// No messages on the standard error except errors
    #[arg(long, global = true)]
    pub quiet: bool,
    /// When to colour text
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
}

/// How results are written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs; nothing else is on the standard output.
    Json,
}

/// When text is coloured.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Color {
    /// On a terminal that did not ask for none (`NO_COLOR`).
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run the language server on the standard input and output
    Lsp(Lsp),
    /// Read scripts; report syntax errors only
    Parse(Paths),
    /// Report everything that is wrong with scripts
    Check(Check),
    /// Show what is known of each assigned variable
    Facts(File),
    /// Show cheaper equivalent forms as a diff, or write them
    Optimize(Optimize),
    /// Show the proof of a line's suggestion, step by step
    Explain(AtLine),
    /// Decide whether two expressions are equal
    Prove(Prove),
    /// Optimize a statement by way of a sketch
    Sketch(Sketch),
    /// Run a script
    Run(Run),
    /// Time a statement as written and as suggested
    Time(Time),
    /// Show how the operators around a line are fused: candidates, costs, fused operators and what they compute
    Fuse(Fuse),
    /// Show an array program, search for the loop nest that a sketch asks for, or run it
    Array(Array),
    /// Lay scripts out
    Fmt(Fmt),
    /// Measure this machine, so that estimates of time are for it
    Calibrate(Calibrate),
    /// Execute jobs from the standard input: started by the server, not by people
    #[command(hide = true)]
    Worker,
}

/// `sumac lsp`.
#[derive(Args, Debug)]
pub struct Lsp {
    /// Write the log to this file instead of the standard error
    #[arg(long, value_name = "FILE")]
    pub log_file: Option<PathBuf>,
    /// Append every message of the session to this file, with the texts of the scripts, for a report of a defect
    /// (or name it by SUMAC_RECORD)
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Speak on the standard input and output (the only way there is; editors like to say it)
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// Scripts to read.
#[derive(Args, Debug)]
pub struct Paths {
    /// Scripts
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

/// `sumac fmt`.
#[derive(Args, Debug)]
pub struct Fmt {
    /// Scripts, folders with scripts, or `-` for the standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// List the scripts that would change and write nothing
    #[arg(long)]
    pub check: bool,
    /// Show what would change and write nothing
    #[arg(long)]
    pub diff: bool,
    /// Columns that a line should not exceed
    #[arg(long, value_name = "N")]
    pub line_width: Option<usize>,
    /// Blanks for each level
    #[arg(long, value_name = "N")]
    pub indent_width: Option<usize>,
    /// Most empty lines in a row
    #[arg(long, value_name = "N")]
    pub max_blank_lines: Option<usize>,
}

impl Fmt {
    /// Whether nothing is to be written.
    #[must_use]
    pub fn checks(&self) -> bool {
        self.check || self.diff
    }

    /// The layout: `default` for what is not given.
    #[must_use]
    pub fn options(
        &self,
        default: sumac_syntax::format::FormatOptions,
    ) -> sumac_syntax::format::FormatOptions {
        sumac_syntax::format::FormatOptions {
            line_width: self.line_width.unwrap_or(default.line_width),
            indent_width: self.indent_width.unwrap_or(default.indent_width),
            max_blank_lines: self.max_blank_lines.unwrap_or(default.max_blank_lines),
        }
    }
}

/// `sumac check`.
#[derive(Args, Debug)]
pub struct Check {
    /// Scripts
    #[arg(required_unless_present = "explain", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Print the page of a diagnostic instead; without a code, a line for each
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "", conflicts_with = "paths")]
    pub explain: Option<String>,
    /// How serious a diagnostic counts: unused-value=error; off, hint, information, warning or error (repeatable)
    #[arg(long, value_name = "CODE=LEVEL")]
    pub severity: Vec<String>,
}

/// One script.
#[derive(Args, Debug)]
pub struct File {
    /// The script
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// A place in a script, and how to search.
#[derive(Args, Debug)]
pub struct AtLine {
    /// The script and a line of the statement, counted from 1
    #[arg(value_name = "FILE:LINE")]
    pub place: String,
    /// How to search.
    #[command(flatten)]
    pub search: Search,
    /// What there is room for.
    #[command(flatten)]
    pub ceiling: Ceiling,
}

/// `sumac fuse`.
#[derive(Args, Debug)]
pub struct Fuse {
    /// The script and a line of the statement, counted from 1
    #[arg(value_name = "FILE:LINE")]
    pub place: String,
    /// How the plan is chosen
    #[arg(long, value_enum, value_name = "POLICY", default_value_t)]
    pub policy: Policy,
    /// Whose constants costs are of: this machine's, those that SystemDS plans with, or these with a cluster
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = Engine::Local)]
    pub rates: Engine,
    /// The machine that costs are for: a file that `sumac calibrate` wrote, or `default`
    #[arg(long, value_name = "FILE")]
    pub machine: Option<String>,
    /// Also run the plan on made-up data, beside the same operators one by one
    #[arg(long)]
    pub measure: bool,
    /// Plans of one partition that are costed at most
    #[arg(long, value_name = "N", default_value_t = 5000)]
    pub max_plans: u64,
}

/// How a fusion plan is chosen.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// The cheapest
    #[default]
    Cost,
    /// As much as possible, whatever is computed twice
    All,
    /// As much as possible while nothing is computed twice
    NoRedundancy,
    /// Nothing is fused
    None,
}

impl From<Policy> for sumac_fusion::Policy {
    fn from(policy: Policy) -> sumac_fusion::Policy {
        match policy {
            Policy::Cost => sumac_fusion::Policy::CostBased,
            Policy::All => sumac_fusion::Policy::FuseAll,
            Policy::NoRedundancy => sumac_fusion::Policy::FuseNoRedundancy,
            Policy::None => sumac_fusion::Policy::None,
        }
    }
}

/// When matrices are compressed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum When {
    /// Where a loop reads one so often that it pays
    #[default]
    Auto,
    /// Never
    Never,
    /// Whatever becomes smaller
    Always,
}

impl From<When> for sumac_runtime::interp::Compression {
    fn from(when: When) -> sumac_runtime::interp::Compression {
        match when {
            When::Auto => sumac_runtime::interp::Compression::Auto,
            When::Never => sumac_runtime::interp::Compression::Never,
            When::Always => sumac_runtime::interp::Compression::Always,
        }
    }
}

/// `sumac optimize`.
#[derive(Args, Debug)]
pub struct Optimize {
    /// Scripts
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write the suggestions into the files
    #[arg(long)]
    pub apply: bool,
    /// Only statements that touch these lines, counted from 1: 3:8, 3:, :8 or 3
    #[arg(long, value_name = "A:B")]
    pub lines: Option<String>,
    /// Also show up to N other forms of each statement, the cheapest first
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub alternatives: usize,
    /// Also show the steps from each statement to its suggestion
    #[arg(long)]
    pub explain: bool,
    /// Also say why statements have no suggestion
    #[arg(long)]
    pub why: bool,
    /// Leave out what is estimated to save fewer milliseconds, over all runs of the loops around it [default: 1]
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    pub least_saving: Option<f64>,
    /// Leave out what may lose more decimal digits beside the statement as written [default: 16, which leaves out none]
    #[arg(long, value_name = "N", value_parser = digits)]
    pub most_lost_digits: Option<f64>,
    /// How to search.
    #[command(flatten)]
    pub search: Search,
    /// What there is room for.
    #[command(flatten)]
    pub ceiling: Ceiling,
}

/// `sumac sketch`.
#[derive(Args, Debug)]
pub struct Sketch {
    /// The script and a line of the statement, counted from 1
    #[arg(value_name = "FILE:LINE")]
    pub place: String,
    /// The sketch, with arguments where it takes some: 'one_pass(X)'; without it, those that could apply are listed
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// More sketch files, or folders with them, beside those next to the script and in its folder `sketches`
    /// (repeatable)
    #[arg(long, value_name = "PATH")]
    pub sketches: Vec<PathBuf>,
    /// Also show up to N other forms that fit, the cheapest first
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub alternatives: usize,
    /// Write the form into the script
    #[arg(long)]
    pub apply: bool,
    /// How to search.
    #[command(flatten)]
    pub search: Search,
    /// What there is room for.
    #[command(flatten)]
    pub ceiling: Ceiling,
}

/// `sumac prove`.
#[derive(Args, Debug)]
pub struct Prove {
    /// Left side
    #[arg(allow_hyphen_values = true, value_name = "LHS")]
    pub lhs: String,
    /// Right side
    #[arg(allow_hyphen_values = true, value_name = "RHS")]
    pub rhs: String,
    /// A name and its size: 'X: 100 x 20, sparsity 0.1', 'Y: n x m', 'a: scalar' (repeatable)
    #[arg(long = "decl", value_name = "FACT")]
    pub decl: Vec<String>,
}

/// `sumac run`.
#[derive(Args, Debug)]
#[command(after_help = "Arguments of the script, as SystemDS takes them:\n  \
    -args A…      the values of $1, $2, …\n  -nvargs k=v…  the values of $k")]
pub struct Run {
    /// The script
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Add a table of operators and times
    #[arg(long)]
    pub stats: bool,
    /// Where to run.
    #[command(flatten)]
    pub place: Place,
    /// Also allow writing below this folder (always allowed: data below the current folder, and what arguments that are
    /// typed here name by absolute paths, where the script writes it)
    #[arg(long, value_name = "DIR")]
    pub allow_write: Vec<PathBuf>,
    /// Let the script write even where the system cannot keep it from writing elsewhere (without Landlock)
    #[arg(long)]
    pub unconfined: bool,
    /// Which operators run as one
    #[arg(long, value_enum, value_name = "POLICY", default_value_t)]
    pub fusion: Policy,
    /// When matrices are compressed
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub compress: When,
    /// Seconds after which the run is stopped
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<std::time::Duration>,
    /// What `-args` is rewritten into.
    #[arg(long = POSITIONAL, hide = true, value_name = "A", allow_hyphen_values = true)]
    pub positional: Vec<String>,
}

/// `sumac time`.
#[derive(Args, Debug)]
pub struct Time {
    /// The script and a line of the statement, counted from 1
    #[arg(value_name = "FILE:LINE")]
    pub place: String,
    /// Where to run.
    #[command(flatten)]
    pub engine: Place,
    /// How to search.
    #[command(flatten)]
    pub search: Search,
    /// Where the non-zeros of made-up sparse matrices lie
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub spread: Spread,
    /// Seed of made-up data
    #[arg(long, value_name = "N", default_value_t = crate::measure::SEED)]
    pub data_seed: u64,
    /// Seconds after which the run is stopped
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<std::time::Duration>,
}

/// Where the non-zeros of made-up sparse matrices lie.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Spread {
    /// Every cell is as likely as every other
    #[default]
    Uniform,
    /// A few rows and columns hold most of them, as data often has it
    PowerLaw,
}

/// `sumac calibrate`.
#[derive(Args, Debug)]
pub struct Calibrate {
    /// A first impression on small data in less than a second; kept only where --output says
    #[arg(long)]
    pub quick: bool,
    /// Write the figures into this file, not where all commands look for them
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Where a script runs, and how much memory it may take.
#[derive(Args, Debug, Clone)]
pub struct Place {
    /// Where to run
    #[arg(long, value_name = "ENGINE", value_parser = engine_names())]
    pub engine: Option<EngineName>,
    /// Most memory the run may take: 500M, 4G, or bytes
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
}

/// The names of all engines, with what each is.
fn engine_names() -> impl TypedValueParser<Value = EngineName> {
    let names = ENGINES.iter();
    let names = names.map(|entry| PossibleValue::new(entry.name).help(entry.about));
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

/// A time that may be zero.
fn milliseconds(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    number
        .filter(|ms| *ms >= 0.0 && ms.is_finite())
        .ok_or_else(|| format!("`{text}` is no time; write milliseconds, 0 or above: 1, 0.5"))
}

/// A number of decimal digits that may be zero.
fn digits(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    number
        .filter(|n| *n >= 0.0 && n.is_finite())
        .ok_or_else(|| format!("`{text}` is no number of digits; write 0 or above: 2, 8, 16"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(line.split(' '))
    }

    #[test]
    fn the_grammar_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn common_options_stand_before_or_behind_the_command() {
        let cli = parse("sumac --format json check a.dml").unwrap();
        assert_eq!(cli.common.format, Format::Json);
        let cli = parse("sumac check a.dml --format json --set k=1 --set j=2").unwrap();
        assert_eq!(cli.common.format, Format::Json);
        assert_eq!(cli.common.set, ["k=1", "j=2"]);
    }

    #[test]
    fn an_unknown_value_is_refused_and_says_what_there_is() {
        let error = parse("sumac optimize a.dml --extract best")
            .unwrap_err()
            .to_string();
        assert!(error.contains("greedy, ilp"), "{error}");
    }
}
