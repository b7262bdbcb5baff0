//! The program that a command line names: one that is always there, one of a file, or that of a script's expression.

use std::path::PathBuf;

use sumac_array::{Program, Scalar, Sizes};
use sumac_ide::array_program::array_program;
use sumac_runtime::io::text_at_most;

use super::super::exit::Usage;
use crate::cli::args::{Array, Backend, Common, Emit, Number};
use crate::cli::input;
use crate::cli::output::Output;
use crate::cli::place::{located, without_algebra};
use crate::cli::said::Said;

/// Bytes that a program has at most.
const MOST_BYTES: u64 = 4 << 20;

/// The value of a size of which nothing is known, and of larger ones where the interpreter runs.
const DEFAULT_SIZE: i64 = 64;

/// A program, and what is known of its sizes.
pub(super) struct Asked {
    pub(super) program: Program,
    /// Values of all its sizes.
    pub(super) sizes: Sizes,
    /// What a script says.
    pub(super) expression: Option<String>,
}

/// What a command line asks for; `None` if it is wrong, which is said.
///
/// # Errors
/// There is no such program or line, or a size makes no sense.
pub(super) fn asked(
    args: &Array,
    common: &Common,
    output: &Output,
) -> Result<Option<Asked>, Usage> {
    if let Some(program) = Program::built_in(&args.program) {
        return of_program(program, args, common).map(Some);
    }
    let path = PathBuf::from(&args.program);
    if !path.is_file() {
        if input::split_place(&args.program).is_ok() {
            return of_script(args, common, output);
        }
        let known: Vec<&str> = Program::built_ins().collect();
        return Err(Usage(format!(
            "there is no file and no program `{}`; programs that are always there: {}; a line of a script is FILE:LINE",
            args.program,
            known.join(", ")
        )));
    }
    let text = text_at_most(&path, MOST_BYTES)
        .map_err(|error| Usage(format!("{}: {error}", path.display())))?;
    match Program::read(&text) {
        Ok(program) => of_program(program, args, common).map(Some),
        Err(error) => {
            output.error(format_args!("{}:{}", path.display(), error.show(&text)));
            Ok(None)
        }
    }
}

fn of_program(program: Program, args: &Array, common: &Common) -> Result<Asked, Usage> {
    let program = match args.number {
        Some(Number::F64) => program.in_scalar(Scalar::F64),
        Some(Number::F32) | None => program,
    };
    let given = common.set.iter().chain(&args.sizes);
    let sizes = sizes(&program, given, &Sizes::default())?;
    Ok(Asked {
        program,
        sizes,
        expression: None,
    })
}

/// The expression of a script's line. Its `--set` are the script's arguments.
fn of_script(args: &Array, common: &Common, output: &Output) -> Result<Option<Asked>, Usage> {
    let Some(at) = located(&args.program, &Said::new(common)?, output)? else {
        return Ok(None);
    };
    let Some(found) = array_program(&at.script.snapshot, at.wanted) else {
        let has_one = |snapshot: &_, range| array_program(snapshot, range).is_some();
        output.note(without_algebra(&args.program, &at.script, at.line, has_one));
        return Ok(None);
    };
    let translated = match found.translated {
        Ok(translated) => translated,
        Err(why) => {
            output.error(format_args!("{}: {why}", args.program));
            return Ok(None);
        }
    };
    let program = match args.number {
        Some(Number::F32) => translated.program.in_scalar(Scalar::F32),
        Some(Number::F64) | None => translated.program,
    };
    let mut known = translated.sizes;
    let is_slow = args.emit == Emit::Run && args.backend == Backend::Interpreter;
    if is_slow && known.values().any(|size| *size > DEFAULT_SIZE) {
        output.note(format_args!(
            "the interpreter is slow: sizes above {DEFAULT_SIZE} are {DEFAULT_SIZE} here unless --size says another; --backend nest or c runs those of the script"
        ));
        known
            .values_mut()
            .for_each(|size| *size = (*size).min(DEFAULT_SIZE));
    }
    let sizes = sizes(&program, args.sizes.iter(), &known)?;
    Ok(Some(Asked {
        expression: Some(program.doc.clone()),
        program,
        sizes,
    }))
}

/// Values for all sizes of a program: those that are given, those that are known, and one for all others.
fn sizes<'a>(
    program: &Program,
    given: impl Iterator<Item = &'a String>,
    known: &Sizes,
) -> Result<Sizes, Usage> {
    let mut sizes = known.clone();
    for given in given {
        let wrong = || {
            let names = program.types.sizes().join(", ");
            let names = if names.is_empty() { "none" } else { &names };
            Usage(format!(
                "expected a size of the program ({names}) and a whole number from 1, `--size m=128`, found `{given}`"
            ))
        };
        let (name, value) = given.split_once('=').ok_or_else(wrong)?;
        let value: u32 = value.trim().parse().map_err(|_| wrong())?;
        let is_known = program.types.sizes().iter().any(|size| size == name.trim());
        if value == 0 || !is_known {
            return Err(wrong());
        }
        sizes.insert(name.trim().to_owned(), i64::from(value));
    }
    for size in program.types.sizes() {
        sizes.entry(size.clone()).or_insert(DEFAULT_SIZE);
    }
    Ok(sizes)
}
