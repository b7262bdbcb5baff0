//! What documents mention is there: files and folders. Must never look into a document that says how
//! others do things.

use std::collections::BTreeSet;

/// Documents that describe this checkout, by the end of their path.
const DOCUMENTS: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "INVARIANTS.md"];
/// A folder of them.
const DECISIONS: &str = "docs/decisions/";
/// What looks like a path and is none of a file that git knows: requests of the protocol, what builds and runs leave, and a file of
/// the user's.
const NO_FILES: [&str; 5] = [
    "sumac/",
    "sumac.toml",
    "target/",
    "fuzz/target/",
    "fuzz/artifacts",
];
/// What a file that is mentioned by its bare name ends with.
const EXTENSIONS: [&str; 6] = [".rs", ".toml", ".md", ".tsv", ".lua", ".dml"];

/// The files of the checkout.
pub(super) struct Tree {
    files: BTreeSet<String>,
    folders: BTreeSet<String>,
    /// The last parts of all paths.
    names: BTreeSet<String>,
}

/// Whether a document describes this checkout.
pub fn is_ours(path: &str) -> bool {
    let name = path.rsplit('/').next();
    path.starts_with(DECISIONS) || DOCUMENTS.iter().any(|known| name == Some(*known))
}

impl Tree {
    pub(super) fn of<'a>(paths: impl Iterator<Item = &'a str>) -> Self {
        let (mut folders, mut names) = (BTreeSet::new(), BTreeSet::new());
        let files: BTreeSet<String> = paths.map(str::to_owned).collect();
        for path in &files {
            names.extend(path.rsplit('/').next().map(str::to_owned));
            let mut rest = path.as_str();
            while let Some((folder, _)) = rest.rsplit_once('/') {
                folders.insert(folder.to_owned());
                rest = folder;
            }
        }
        Tree {
            files,
            folders,
            names,
        }
    }

    /// What the document mentions and is not there, each with its line.
    pub(super) fn missing(&self, path: &str, text: &str) -> Vec<(usize, String)> {
        if !is_ours(path) {
            return Vec::new();
        }
        let mut missing = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let quoted = text.split('`').skip(1).step_by(2);
            let files = quoted.filter(|token| !self.has(token));
            missing.extend(files.map(|token| (line, format!("`{token}` is not there"))));
            let linked = text.split("](").skip(1);
            let linked = linked.filter_map(|rest| rest.split([')', '#']).next());
            let links = linked.filter(|link| !self.leads(path, link));
            missing.extend(links.map(|link| (line, format!("the link to {link} leads nowhere"))));
        }
        missing
    }

    /// Whether a quoted word is no path, or one that is there.
    fn has(&self, token: &str) -> bool {
        let is_path = |c: char| c.is_ascii_alphanumeric() || "_./-*".contains(c);
        let token = token.trim_end_matches('/');
        if token.is_empty() || !token.chars().all(is_path) {
            return true;
        }
        if NO_FILES.iter().any(|start| token.starts_with(start)) || token.starts_with('/') {
            return true;
        }
        if !token.contains('/') {
            let is_file = EXTENSIONS
                .iter()
                .any(|end| token.len() > end.len() && token.ends_with(end));
            return !is_file || token.contains('*') || self.names.contains(token);
        }
        match token.split_once('*') {
            None => self.files.contains(token) || self.folders.contains(token),
            // A product over a quotient.
            Some(_) if !token.contains('.') => true,
            Some((start, end)) => {
                let fits = |file: &String| file.starts_with(start) && file.ends_with(end);
                self.files.iter().any(fits)
            }
        }
    }

    fn leads(&self, from: &str, link: &str) -> bool {
        if link.is_empty() || link.contains("://") {
            return true;
        }
        let mut at: Vec<&str> = from.split('/').collect();
        at.pop();
        for part in link.split('/') {
            match part {
                ".." => _ = at.pop(),
                "." => {}
                part => at.push(part),
            }
        }
        let path = at.join("/");
        self.files.contains(&path) || self.folders.contains(path.trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(text: &str) -> Vec<(usize, String)> {
        let files = [
            "server/la/src/table.rs",
            "docs/decisions/a.md",
            "ARCHITECTURE.md",
        ];
        Tree::of(files.into_iter()).missing("docs/decisions/a.md", text)
    }

    #[test]
    fn what_is_there_may_be_mentioned() {
        let text = "`server/la/src/table.rs` and `table.rs` in `server/la/`, `server/la/src/*.rs`,
`X %*% Y`, `n/32*32`, `sumac/status`, [page](../../ARCHITECTURE.md#crates)
";
        assert_eq!(missing(text), []);
    }

    #[test]
    fn what_is_gone_is_found_with_its_line() {
        let found = missing("\n`server/la/src/ops.rs` `ops.rs`\n[gone](b.md) `server/fa/*.rs`\n");
        let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 2, 3, 3]);
    }

    #[test]
    fn documents_about_others_are_not_looked_at() {
        let tree = Tree::of([].into_iter());
        assert_eq!(tree.missing("docs/sketches.md", "`a/b.rs`"), []);
    }
}
