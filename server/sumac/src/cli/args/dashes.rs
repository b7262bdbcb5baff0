//! SystemDS's options of one dash, as options of two.

use std::ffi::OsString;

/// The option that each value of `-args` becomes.
pub(super) const POSITIONAL: &str = "positional-argument";

/// Rewrites SystemDS's one-dash options of `run` into the ones that [`Cli`] declares.
///
/// `-args a b` becomes an option for each value, `-nvargs k=v` becomes `--set k=v`, `-stats` becomes `--stats`.
/// Both lists end at the next option that begins with two dashes; other words of one dash are values (`-3`).
#[must_use]
pub fn normalize(args: Vec<OsString>) -> Vec<OsString> {
    if !args.iter().skip(1).any(|arg| arg == "run") {
        return args;
    }
    let mut list = "";
    let mut out = Vec::with_capacity(args.len());
    for arg in args {
        let text = arg.to_string_lossy().into_owned();
        match text.as_str() {
            "-args" => list = POSITIONAL,
            "-nvargs" => list = "set",
            "-stats" => {
                list = "";
                out.push("--stats".into());
            }
            _ if text.starts_with("--") && text.len() > 2 => {
                list = "";
                out.push(arg);
            }
            _ if !list.is_empty() => {
                let mut option = OsString::from(format!("--{list}="));
                option.push(arg);
                out.push(option);
            }
            _ => out.push(arg),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::{Cli, Command};
    use super::*;

    fn parse(line: &str) -> Cli {
        let args = line.split(' ').map(OsString::from).collect();
        Cli::try_parse_from(normalize(args)).unwrap()
    }

    #[test]
    fn args_are_values_until_the_next_long_option() {
        let cli = parse("sumac run s.dml -args in.mtx -3 a=b --stats");
        let Command::Run(run) = cli.command else {
            panic!("run")
        };
        assert_eq!(run.positional, ["in.mtx", "-3", "a=b"]);
        assert!(run.stats);
    }

    #[test]
    fn nvargs_are_settings() {
        let cli = parse("sumac run s.dml -nvargs X=a.mtx k=3 -stats");
        assert_eq!(cli.common.set, ["X=a.mtx", "k=3"]);
        let Command::Run(run) = cli.command else {
            panic!("run")
        };
        assert!(run.stats);
    }
}
