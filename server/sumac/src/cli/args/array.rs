//! Options of `sumac array`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::config::seconds;

/// `sumac array`.
#[derive(Args, Debug)]
pub struct Array {
    /// A program: a file, one that is always there (mm, mv, dot, binomial, reduction, fission), or FILE:LINE, the expression of a
    /// script's line
    #[arg(value_name = "NAME|FILE|FILE:LINE")]
    pub program: String,
    /// Search for the program that a sketch asks for: blocking, or 'blocking(m, n, k)'
    #[arg(long, value_name = "SKETCH")]
    pub sketch: Option<String>,
    /// More sketch files, or folders with them, beside those that are always there (repeatable)
    #[arg(long, value_name = "PATH")]
    pub sketches: Vec<PathBuf>,
    /// What to show; sizes are given by --size m=128, and are those of the script or 64 otherwise
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub emit: Emit,
    /// How the program runs with --emit run: the two fast ways are also timed
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub backend: Backend,
    /// A size of the program, n=1056 (repeatable)
    #[arg(long = "size", value_name = "NAME=N")]
    pub sizes: Vec<String>,
    /// What numbers are stored as: f64 for a script, f32 otherwise
    #[arg(
        long = "number",
        visible_alias = "type",
        value_enum,
        value_name = "TYPE"
    )]
    pub number: Option<Number>,
    /// Look for so many seconds for the tiles that run fastest here, and go on with them
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "sketch")]
    pub tune: Option<std::time::Duration>,
    /// Search for the sketch's goal without its guides, with all rules
    #[arg(long, requires = "sketch")]
    pub unguided: bool,
    /// Most nodes of a search's graph
    #[arg(long, value_name = "N")]
    pub max_nodes: Option<usize>,
    /// Seconds after which a step of the search, or a run, is given up
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<std::time::Duration>,
    /// Seed of made-up inputs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// What `sumac array` shows.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Emit {
    /// The type; with a sketch, the program
    #[default]
    Type,
    /// The program
    Plan,
    /// The loop nest as a C function
    C,
    /// The value on made-up inputs
    Run,
}

/// What runs a program.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// Step by step, as the program is defined
    #[default]
    Interpreter,
    /// As a loop nest, without a compiler
    Nest,
    /// As C, compiled by the compiler that CC names, or cc
    C,
}

/// What numbers are stored as.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// 32 bits
    F32,
    /// 64 bits
    F64,
}
