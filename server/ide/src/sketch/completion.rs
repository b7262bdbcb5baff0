//! What could be written at a cursor in a sketch file. Half-written stages are the normal case, so places are found by
//! words and not by the tree.

use sumac_sketch::text::ast::{NAMED_TYPES, Name};
use sumac_sketch::text::lex::{Kind, Token, comments, lex};
use sumac_sketch::text::{Library, TextRange};

use super::VOCABULARY;
use crate::completion::item::{CompletionItem, CompletionKind, Rank};

/// What may stand at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// `import`, `def`, `rule` or `sketch`.
    Part,
    /// `on`, behind the head of a sketch.
    On,
    /// A language, behind `on`.
    Language,
    /// The path of a file.
    Path,
    /// `guide` or `goal`.
    Stage,
    /// An operand.
    Operand,
    /// What follows a whole pattern: a clause, or the next stage.
    Clause,
    /// What follows the whole pattern of an abstraction.
    Behind,
    /// What follows the colon of an annotation.
    Type,
    /// A set of rules, or a rule.
    Rule,
    /// A cost.
    Cost,
    /// A unit.
    Unit,
    /// A name that the person makes up.
    Nothing,
}

/// What could be written at `offset` of a library's file.
#[must_use]
pub fn completion(library: &Library, file: usize, offset: usize) -> Vec<CompletionItem> {
    let Some(source) = library.files().get(file) else {
        return Vec::new();
    };
    let words = lex(&source.text);
    let is_in = |range: &TextRange| range.start < offset && offset <= range.end;
    if comments(&source.text, &words).iter().any(is_in) {
        return Vec::new();
    }
    let before: Vec<Token> = words
        .iter()
        .copied()
        .filter(|word| word.range.end < offset || (word.range.end == offset && !is_word(*word)))
        .filter(|word| word.kind != Kind::End)
        .collect();
    let here = words
        .iter()
        .find(|word| is_word(**word) && word.range.touches(offset));
    if here.is_some_and(|word| matches!(word.kind, Kind::Number(_))) {
        return Vec::new();
    }
    let replaces = here.map_or(TextRange::new(offset, offset), |word| word.range);
    let behind = source.text.get(replaces.end..).unwrap_or_default();
    let ask = Ask {
        library,
        file,
        offset,
        replaces,
        is_called: behind.starts_with('('),
    };
    let mut items = ask.items(place(&before, &source.text));
    items.sort_by_cached_key(CompletionItem::sort_text);
    items.dedup_by(|a, b| a.label == b.label);
    items
}

fn is_word(word: Token) -> bool {
    matches!(
        word.kind,
        Kind::Name | Kind::Keyword(_) | Kind::Number(_) | Kind::String
    )
}

/// What may stand behind these words.
fn place(before: &[Token], text: &str) -> Place {
    let Some(last) = before.last() else {
        return Place::Part;
    };
    let opener = before
        .iter()
        .rposition(|word| matches!(word.kind, Kind::Keyword(_) | Kind::Sign("{" | "}")));
    let Some(opener) = opener else {
        return Place::Part;
    };
    let since = &before[opener + 1..];
    let is_just = since.is_empty();
    let ends = ends_operand(last.kind);
    match before[opener].kind {
        Kind::Sign("{") => Place::Stage,
        Kind::Keyword("import") if is_just => Place::Path,
        Kind::Keyword("import") | Kind::Sign("}") => Place::Part,
        Kind::Keyword("sketch") if is_just => Place::Nothing,
        Kind::Keyword("sketch") if last.kind == Kind::Name && &text[last.range] == "on" => {
            Place::Language
        }
        Kind::Keyword("sketch") => {
            let is_head = last.kind == Kind::Sign(")") || since.len() == 1;
            if is_head { Place::On } else { Place::Nothing }
        }
        Kind::Keyword("rule") => {
            let Some(colon) = since.iter().position(|word| word.kind == Kind::Sign(":")) else {
                return Place::Nothing;
            };
            let equation = &since[colon + 1..];
            let is = equation
                .iter()
                .position(|word| word.kind == Kind::Sign("="));
            match (in_pattern(&equation[is.map_or(0, |is| is + 1)..]), is) {
                (Place::Clause, Some(_)) => Place::Behind,
                (Place::Clause, None) => Place::Nothing,
                (place, _) => place,
            }
        }
        Kind::Keyword("def") => {
            let Some(is) = since.iter().position(|word| word.kind == Kind::Sign("=")) else {
                return Place::Nothing;
            };
            match in_pattern(&since[is + 1..]) {
                Place::Clause => Place::Behind,
                place => place,
            }
        }
        Kind::Keyword("guide" | "goal") => {
            let is_label = matches!(since, [name, colon, ..] if name.kind == Kind::Name && colon.kind == Kind::Sign(":"));
            in_pattern(if is_label { &since[2..] } else { since })
        }
        Kind::Keyword("using") if is_just || last.kind == Kind::Sign(",") => Place::Rule,
        Kind::Keyword("minimize") if is_just => Place::Cost,
        Kind::Keyword("within") if matches!(last.kind, Kind::Number(_)) => Place::Unit,
        Kind::Keyword("within") if !ends => Place::Nothing,
        _ => Place::Clause,
    }
}

fn in_pattern(words: &[Token]) -> Place {
    let Some(last) = words.last() else {
        return Place::Operand;
    };
    if last.kind == Kind::Sign(":") {
        return Place::Type;
    }
    if !ends_operand(last.kind) {
        return Place::Operand;
    }
    let count = |sign| {
        let is_it = |word: &&Token| word.kind == Kind::Sign(sign);
        words.iter().filter(is_it).count()
    };
    // Inside of a call nothing but signs may follow.
    if count("(") > count(")") {
        Place::Nothing
    } else {
        Place::Clause
    }
}

fn ends_operand(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Name | Kind::Number(_) | Kind::Sign(")" | "]" | "?")
    )
}

/// A cursor and what it would replace.
struct Ask<'a> {
    library: &'a Library,
    file: usize,
    offset: usize,
    replaces: TextRange,
    /// A parenthesis stands behind already.
    is_called: bool,
}

impl Ask<'_> {
    fn items(&self, place: Place) -> Vec<CompletionItem> {
        match place {
            Place::Nothing => Vec::new(),
            Place::Part => self.parts(),
            Place::On => self.words(&[("on", "the language that the sketch is about")]),
            Place::Language => self.words(&[("array", "programs over arrays")]),
            Place::Path => self.paths(),
            Place::Stage => self.stages(),
            Place::Operand => self.operands(),
            Place::Clause => {
                let mut items = self.words(&[
                    ("using", "the sets of rules that the stage applies"),
                    (
                        "minimize",
                        "what the form of the stage is to have little of",
                    ),
                    (
                        "within",
                        "limits of the stage, and what its rules may not make",
                    ),
                ]);
                items.extend(self.stages());
                items
            }
            Place::Behind => self.parts(),
            Place::Type => self.types(),
            Place::Rule => {
                let sets = VOCABULARY.rule_sets.iter();
                let sets = sets.map(|(name, text)| self.value(name, text, Rank::Value));
                let rules = VOCABULARY.rules.iter();
                let rules = rules.map(|(name, text)| self.value(name, text, Rank::Builtin));
                let own = self.library.visible_rules(self.file).map(|(name, rule)| {
                    let equation = format!("{} = {}", rule.left, rule.right);
                    self.value(name, &equation, Rank::Function)
                });
                sets.chain(rules).chain(own).collect()
            }
            Place::Cost => self.values(&VOCABULARY.costs),
            Place::Unit => self.values(&VOCABULARY.units),
        }
    }

    fn item(&self, label: &str, kind: CompletionKind, rank: Rank) -> CompletionItem {
        CompletionItem::new(label, kind, rank, self.replaces)
    }

    fn value(&self, name: &str, text: &str, rank: Rank) -> CompletionItem {
        let item = self.item(name, CompletionKind::Value, rank);
        item.detailed(Some(text.to_owned()))
    }

    fn values(&self, all: &[(&str, &str)]) -> Vec<CompletionItem> {
        let all = all.iter();
        all.map(|(name, text)| self.value(name, text, Rank::Value))
            .collect()
    }

    fn words(&self, all: &[(&str, &str)]) -> Vec<CompletionItem> {
        let word = |(name, text): &(&str, &str)| {
            let item = self.item(name, CompletionKind::Keyword, Rank::Keyword);
            item.detailed(Some((*text).to_owned()))
        };
        all.iter().map(word).collect()
    }

    fn snippet(&self, label: &str, text: &str, snippet: &str) -> CompletionItem {
        let mut item = self.item(label, CompletionKind::Snippet, Rank::Keyword);
        item.snippet = Some(snippet.to_owned());
        item.detailed(Some(text.to_owned()))
    }

    fn parts(&self) -> Vec<CompletionItem> {
        vec![
            self.snippet(
                "sketch",
                "a sequence of guides, and a goal",
                "sketch ${1:name}(${2:X}) {\n  goal ${3:contains(X * ?)}\n    using ${4:sum_product}\n    minimize ${5:size}\n}$0",
            ),
            self.snippet("def", "a name for a pattern", "def ${1:name}(${2:X}) = $0"),
            self.snippet(
                "rule",
                "an equation that the search may use, once it is proved",
                "rule ${1:name}: ${2:A * B + A * C} = ${3:A * (B + C)}$0",
            ),
            self.snippet(
                "import",
                "the abstractions and rules of another file",
                "import \"$0\"",
            ),
        ]
    }

    fn stages(&self) -> Vec<CompletionItem> {
        vec![
            self.snippet("guide", "a stage on the way", "guide ${1:name}: $0"),
            self.snippet(
                "goal",
                "the last stage: where the search is to end",
                "goal $0",
            ),
        ]
    }

    fn types(&self) -> Vec<CompletionItem> {
        let mut items: Vec<CompletionItem> = NAMED_TYPES
            .iter()
            .map(|name| self.item(name, CompletionKind::Type, Rank::Value))
            .collect();
        let mut sparse = self.item("sparse", CompletionKind::Type, Rank::Value);
        sparse.snippet = Some("sparse < ${1:0.1}$0".to_owned());
        items.push(sparse.detailed(Some("at most that share of non-zero cells".to_owned())));
        items.extend(self.parameters());
        items
    }

    fn parameters(&self) -> Vec<CompletionItem> {
        let here = self.around();
        let here = here.iter().flat_map(|names| names.iter());
        here.map(|name| self.item(&name.text, CompletionKind::Parameter, Rank::Local))
            .collect()
    }

    fn operands(&self) -> Vec<CompletionItem> {
        let mut items = self.parameters();
        let hole = self.item("?", CompletionKind::Keyword, Rank::Local);
        items.push(hole.detailed(Some("anything".to_owned())));
        items.extend(self.library.visible(self.file).map(|(name, one)| {
            let item = self.item(name, CompletionKind::Function, Rank::Function);
            let item = item.detailed(Some(one.body.to_string()));
            self.called(item, !one.parameters.is_empty())
        }));
        let contains = self.item("contains", CompletionKind::Keyword, Rank::Function);
        let contains = contains.detailed(Some("what fits, or has a part that does".to_owned()));
        items.push(self.called(contains, true));
        items.extend(VOCABULARY.operators.iter().map(|(name, ..)| {
            let item = self.item(name, CompletionKind::Function, Rank::Builtin);
            self.called(item, true)
        }));
        items
    }

    /// The item as a call, with the cursor between the parentheses.
    fn called(&self, mut item: CompletionItem, takes_some: bool) -> CompletionItem {
        if takes_some && !self.is_called {
            item.snippet = Some(format!("{}($0)", item.text));
        }
        item
    }

    /// The parameters of the sketch or abstraction that begins last before the cursor.
    fn around(&self) -> Option<&[Name]> {
        let parsed = &self.library.files().get(self.file)?.parse.file;
        let sketches = parsed.sketches.iter();
        let sketches = sketches.map(|one| (one.range.start, &*one.parameters));
        let abstractions = parsed.abstractions.iter();
        let abstractions = abstractions.map(|one| (one.range.start, &*one.parameters));
        // A rule has no parameters, and sees none of what stands before it.
        let rules = parsed.rules.iter().map(|one| (one.range.start, &[][..]));
        let all = sketches.chain(abstractions).chain(rules);
        let before = all.filter(|(start, _)| *start < self.offset);
        before
            .max_by_key(|(start, _)| *start)
            .map(|(_, names)| names)
    }

    /// The library's other files as this one would name them.
    fn paths(&self) -> Vec<CompletionItem> {
        let files = self.library.files();
        let own = &files[self.file].path;
        let others = files.iter().filter(|other| other.path != *own);
        others
            .map(|other| {
                let path = relative(own, &other.path);
                let mut item = self.item(&path, CompletionKind::File, Rank::Value);
                item.text = format!("\"{path}\"");
                item
            })
            .collect()
    }
}

/// How the file `from` names the file `to`.
fn relative(from: &str, to: &str) -> String {
    let folder: Vec<&str> = from
        .rsplit_once('/')
        .map_or_else(Vec::new, |(folder, _)| folder.split('/').collect());
    let parts: Vec<&str> = to.split('/').collect();
    let shared = folder
        .iter()
        .zip(&parts)
        .take_while(|(a, b)| a == b)
        .count();
    let up = folder[shared..].iter().map(|_| "..");
    up.chain(parts[shared..].iter().copied())
        .collect::<Vec<_>>()
        .join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::fixture::{at_cursor, library};

    fn labels(text: &str) -> Vec<String> {
        let (library, offset) = at_cursor(text);
        let items = completion(&library, 0, offset);
        items.into_iter().map(|item| item.label).collect()
    }

    #[test]
    fn each_place_offers_what_may_stand_there() {
        for (text, offered, not) in [
            (
                "$0",
                &["sketch", "def", "rule", "import"][..],
                &["guide", "?"][..],
            ),
            ("rule two: $0", &["sum"], &["goal"]),
            ("rule two: A + A $0", &[], &["sketch"]),
            ("rule two: A + A = t($0", &["sum"], &["using"]),
            ("rule two: A + A = 2 * A\n$0", &["sketch"], &["using"]),
            (
                "rule two: A + A = 2 * A\nsketch s { goal ? using $0 }",
                &["two", "factor"],
                &[],
            ),
            ("ske$0", &["sketch"], &["goal"]),
            ("sketch s $0", &["on"], &["goal"]),
            ("sketch s(X) on $0", &["array"], &["on"]),
            ("sketch s { $0", &["guide", "goal"], &["using", "def"]),
            (
                "sketch s(X) { goal $0 }",
                &["X", "?", "sum", "contains"],
                &["goal", "factor"],
            ),
            ("sketch s(X) { guide a: su$0", &["X", "sum"], &["using"]),
            ("sketch s { goal sum($0) }", &["?", "t"], &["using"]),
            (
                "sketch s { goal sum(?) $0 }",
                &["using", "minimize", "within", "guide"],
                &["sum"],
            ),
            ("sketch s { goal sum(? $0) }", &[], &["using"]),
            (
                "sketch s(n) { goal (? : $0) }",
                &["scalar", "sparse", "n"],
                &["sum"],
            ),
            (
                "sketch s { goal ? using $0 }",
                &["factor", "sum_product"],
                &["size", "using"],
            ),
            (
                "sketch s { goal ? using factor, $0 }",
                &["transpose"],
                &["size"],
            ),
            (
                "sketch s { goal ? using factor $0 }",
                &["minimize", "goal"],
                &["transpose"],
            ),
            (
                "sketch s { goal ? minimize $0 }",
                &["nnz", "time"],
                &["factor"],
            ),
            (
                "sketch s { goal ? within 9 $0 }",
                &["rounds", "nodes", "parts", "nnz"],
                &["minimize"],
            ),
            ("sketch s { goal ? within $0 }", &[], &["minimize"]),
            ("def g(A) = $0", &["A", "t"], &["using"]),
            ("def g(A) = t(A) $0", &["sketch", "def"], &["using"]),
            ("def g(A) = A\nsketch s { goal $0 }", &["g"], &["A"]),
            ("def $0", &[], &["sum"]),
            ("sketch s { goal ? # us$0 }", &[], &["using"]),
            ("sketch s { goal 12$0 }", &[], &["sum"]),
        ] {
            let found = labels(text);
            for label in offered {
                assert!(
                    found.iter().any(|l| l == label),
                    "{text}: no {label} in {found:?}"
                );
            }
            for label in not {
                assert!(
                    found.iter().all(|l| l != label),
                    "{text}: {label} in {found:?}"
                );
            }
            if offered.is_empty() {
                assert!(found.is_empty(), "{text}: {found:?}");
            }
        }
    }

    #[test]
    fn a_word_is_replaced_as_a_whole_and_calls_bring_parentheses() {
        let text = "sketch s { goal row$0S }";
        let (library, offset) = at_cursor(text);
        let items = completion(&library, 0, offset);
        let item = items.iter().find(|item| item.label == "rowSums").unwrap();
        assert_eq!(item.replaces, TextRange::new(16, 20));
        assert_eq!(item.snippet.as_deref(), Some("rowSums($0)"));
        let (library, offset) = at_cursor("sketch s { goal row$0(?) }");
        let items = completion(&library, 0, offset);
        let item = items.iter().find(|item| item.label == "rowSums").unwrap();
        assert_eq!(item.snippet, None);
    }

    #[test]
    fn paths_are_those_of_the_other_files() {
        let library = library(&[
            ("a/b/x.sketch", "import "),
            ("a/y.sketch", ""),
            ("a/b/c/z.sketch", ""),
        ]);
        let items = completion(&library, 0, 7);
        let texts: Vec<_> = items.iter().map(|item| &*item.text).collect();
        assert_eq!(texts, ["\"../y.sketch\"", "\"c/z.sketch\""]);
    }
}
