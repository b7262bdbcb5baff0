//! The table as a page for people: `docs/builtins.md`, which `cargo xtask codegen` writes.

use std::fmt::Write as _;

use crate::model::{Builtin, Group, Param, Source};
use crate::table;

/// The whole page.
#[must_use]
pub fn page() -> String {
    let mut text = String::from(
        "# Builtin functions\n\nThe functions that every DML script can call. Sumac's checks, completion and help \
         read the same table.\nA parameter with `= value` or `?` may be left out. Sizes stand behind results where \
         the arguments decide them.\n\n<!-- Written by `cargo xtask codegen` from server/builtins/table. -->\n",
    );
    for group in Group::ALL {
        let _ = write!(text, "\n## {group}\n");
        for builtin in table::all()
            .iter()
            .filter(|builtin| builtin.group == *group)
        {
            section(&mut text, builtin);
        }
    }
    text
}

fn section(text: &mut String, builtin: &Builtin) {
    let _ = write!(
        text,
        "\n### {}\n\n```r\n{}\n```\n\n{}\n",
        builtin.name,
        builtin.signature(),
        builtin.summary
    );
    let mut notes = Vec::new();
    if !builtin.aliases.is_empty() {
        notes.push(format!("Also called `{}`.", builtin.aliases.join("`, `")));
    }
    if builtin.source == Source::Script {
        notes.push("A script of SystemDS.".to_owned());
    }
    if let Some(other) = builtin.deprecated {
        notes.push(format!("Deprecated: call `{other}`."));
    }
    let sized: Vec<String> = builtin
        .results
        .iter()
        .filter_map(|result| {
            let size = builtin.size_text(result.size.as_ref()?);
            let name = match result.name {
                "" => "the result",
                name => name,
            };
            Some(format!("{name} `{size}`"))
        })
        .collect();
    if !sized.is_empty() {
        notes.push(format!("Sizes: {}.", sized.join(", ")));
    }
    if !notes.is_empty() {
        let _ = writeln!(text, "{}", notes.join(" "));
    }
    if !builtin.params.is_empty() {
        text.push('\n');
    }
    for Param {
        name,
        summary,
        values,
        ..
    } in &builtin.params
    {
        let _ = write!(text, "- `{name}`: {summary}");
        if !values.is_empty() {
            let _ = write!(text, " (`{}`)", values.join("`, `"));
        }
        text.push('\n');
    }
}
