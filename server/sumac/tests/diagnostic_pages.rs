//! The pages of `docs/diagnostics` are true: every example is run through the program, every fix is applied.
//!
//! A page begins with the title and the default of the catalogue. Its example is followed by what `sumac check` prints
//! of it (`UPDATE_EXPECT=1` writes that), then come the script put right, and the quick fixes with what they make of
//! the example.

use std::path::{Path, PathBuf};
use std::process::Command;

use sumac_analysis::catalogue::{CODES, Code, Tag};
use sumac_analysis::{NoFiles, Options, Severity, analyze};
use sumac_ide::Snapshot;
use sumac_ide::code_actions::{ActionContext, Effect, code_actions};
use sumac_text::apply_edits;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics")
}

struct Page {
    path: PathBuf,
    text: String,
    code: &'static Code,
}

impl Page {
    fn of(code: &'static Code) -> Self {
        let path = folder().join(format!("{}.md", code.name));
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Page { path, text, code }
    }

    /// The script of the section `heading`, and the name of a file that holds it.
    #[track_caller]
    fn script(&self, heading: &str) -> (&str, &'static str) {
        match self.section(heading).contains("```python\n") {
            true => (self.block(heading, "python"), "example.py"),
            false => (self.block(heading, "r"), "example.dml"),
        }
    }

    /// The block in `language` of the section `heading`.
    #[track_caller]
    fn block(&self, heading: &str, language: &str) -> &str {
        let section = self.section(heading);
        let open = format!("```{language}\n");
        let start = section
            .find(&open)
            .unwrap_or_else(|| panic!("{}: no {language} block under {heading}", self.code.name));
        let body = &section[start + open.len()..];
        &body[..body.find("```").expect("the block ends")]
    }

    #[track_caller]
    fn section(&self, heading: &str) -> &str {
        let start = self.text.find(&format!("\n{heading}\n"));
        let start = start.unwrap_or_else(|| panic!("{}: no {heading}", self.code.name)) + 1;
        let rest = &self.text[start + heading.len()..];
        &rest[..rest.find("\n## ").unwrap_or(rest.len())]
    }

    fn quick_fixes(&self) -> Vec<&str> {
        let lines = self.text.lines();
        lines
            .filter(|line| line.starts_with("## Quick fix: "))
            .collect()
    }
}

/// What `sumac check` prints of a script; the code of the page is switched on.
fn checked((script, name): (&str, &str), code: &Code) -> String {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(name), script).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sumac"));
    command.args(["check", name]);
    if code.severity.is_none() {
        let on = format!("{}=hint", code.name);
        command.args(["--severity", &on]);
    }
    let output = command
        .current_dir(dir.path())
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn default_of(code: &Code) -> String {
    let severity = match code.severity {
        None => "off",
        Some(Severity::Error) => "error",
        Some(Severity::Warning) => "warning",
        Some(Severity::Information) => "information",
        Some(Severity::Hint) => "hint",
    };
    let tag = match code.tag {
        None => "",
        Some(Tag::Unnecessary) => ", faded",
        Some(Tag::Deprecated) => ", struck through",
    };
    format!("Default: {severity}{tag}.")
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let mut pages: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    pages.sort();
    let codes: Vec<String> = CODES
        .iter()
        .map(|code| format!("{}.md", code.name))
        .collect();
    assert_eq!(pages, codes);
    for code in CODES {
        let head = format!(
            "# {}\n\n{}\n\n{}\n\n",
            code.name,
            code.title,
            default_of(code)
        );
        assert!(Page::of(code).text.starts_with(&head), "expected\n{head}");
    }
}

#[test]
fn every_example_gives_what_its_page_shows() {
    let updates = std::env::var_os("UPDATE_EXPECT").is_some();
    for code in CODES {
        let page = Page::of(code);
        let script = page.script("## Example");
        let (expected, found) = (page.block("## Example", "text"), checked(script, code));
        assert!(
            found.contains(&format!("[{}]", code.name)),
            "{}\n{found}",
            code.name
        );
        if expected.trim() == found.trim() {
            continue;
        }
        assert!(updates, "{}:\n{found}", code.name);
        let old = format!("```text\n{expected}```");
        let new = format!("```text\n{}\n```", found.trim());
        std::fs::write(&page.path, page.text.replacen(&old, &new, 1)).unwrap();
    }
}

#[test]
fn every_script_put_right_is_without_a_finding() {
    for code in CODES {
        let page = Page::of(code);
        let script = page.script("## How to fix it");
        let found = checked(script, code);
        assert_eq!(found, "", "{}", code.name);
    }
}

#[test]
fn every_quick_fix_does_what_its_page_shows() {
    let mut seen = 0;
    for code in CODES {
        let page = Page::of(code);
        let (script, "example.dml") = page.script("## Example") else {
            assert_eq!(
                page.quick_fixes(),
                Vec::<&str>::new(),
                "fixes are tried on scripts in DML"
            );
            continue;
        };
        let parse = sumac_syntax::parse(script);
        let analysis = analyze(&parse, &Options::default(), &NoFiles);
        let place = analysis.diagnostics.iter().find(|d| d.code == code.name);
        let place = place.map(|found| found.range);
        let snapshot = Snapshot::new(parse, analysis);
        for heading in page.quick_fixes() {
            let title = heading.trim_start_matches("## Quick fix: ");
            let context = ActionContext {
                snapshot: &snapshot,
                range: place.expect("the example has the diagnostic"),
                only: None,
            };
            let actions = code_actions(&context);
            let action = actions.iter().find(|action| action.title == title);
            let Some(action) = action else {
                let titles: Vec<_> = actions.iter().map(|action| &action.title).collect();
                panic!("{}: no {title:?} among {titles:#?}", code.name);
            };
            let Effect::Edit(edits) = &action.effect else {
                panic!("{title} edits nothing")
            };
            assert_eq!(
                apply_edits(script, edits),
                page.block(heading, "r"),
                "{title}"
            );
            seen += 1;
        }
    }
    assert!(seen > 0);
}
