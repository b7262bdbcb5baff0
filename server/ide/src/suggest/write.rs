//! A suggestion as edits of the script: the person's names, comments and other statements are never touched.
//!
//! What DML cannot say is not written: an index of an expression gets a variable before it or makes no suggestion, kinds of
//! values are kept ([`kinds`]), and what was written is read again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sumac_analysis::ValueKind;
use sumac_la::{Dag, Node, NodeId};
use sumac_syntax::ast::ExprKind;
use sumac_syntax::lex::{TokenKind, lex, words};
use sumac_text::{TextEdit, TextRange};

use super::before::Before;
use super::formed::{indexed, named, repeats_work};
use super::group::Group;
use super::kinds::{self, Kinds};
use super::shown::{shown, with_edits};
use super::site::Site;
use super::surroundings::Names;
use super::temporaries::{TEMPORARY, name_of_aggregate};

/// A suggestion in the script's text.
pub(super) struct Written {
    pub(super) range: TextRange,
    pub(super) statement_ranges: Vec<TextRange>,
    pub(super) original: String,
    pub(super) optimized: String,
    pub(super) statement: String,
    pub(super) edits: Vec<TextEdit>,
    pub(super) edits_with_temporaries: Option<Vec<TextEdit>>,
}

/// Writes `optimized`, whose roots are the new forms of the group's parts.
///
/// # Errors
/// Why it cannot be written: nothing would change, or DML has no such form at this place.
pub(super) fn write(
    site: Site<'_>,
    group: &Group<'_>,
    optimized: &Dag,
    before: Option<&Before<'_>>,
) -> Result<Written, &'static str> {
    let optimized = before.map_or(optimized, |before| &before.cut.body);
    let (text, parts) = (site.text(), group.parts());
    let expressions = parts.iter().map(|part| part.range);
    let mut changed = expressions.chain(group.inlined().map(|gone| gone.range));
    if changed.any(|range| site.has_comment(range)) {
        return Err("a comment stands inside what would be replaced, and would be lost");
    }
    if before.is_some_and(|before| !indexed(&before.cut.once).is_empty()) {
        return Err("what it computes before the loop is indexed, which only a variable can be");
    }
    let statement_ranges = group.ranges();
    let range = statement_ranges.iter().copied().reduce(TextRange::cover);
    let range = range.ok_or("no statement is left")?;
    let printed = printed(site, group, optimized);
    let names = |nodes: &[NodeId]| named_as(&site.around.names, nodes, &printed);
    let plain = variant(site, group, optimized, before, &names(&indexed(optimized)))?;
    if plain.forms.is_empty() {
        return Err("its text is what is written already");
    }
    let shadowed = &site.around.names.said.shadowed;
    let here = &text[range];
    let hoisted = before.iter().flat_map(|before| before.statements());
    let written = plain.forms.iter().cloned().chain(hoisted);
    if !shadowed.is_empty()
        && written
            .into_iter()
            .any(|form| calls_more(&form, here, shadowed))
    {
        return Err("it would call a builtin whose name a function of the script has");
    }
    // Where one text would compute a shared part again and again, the variables are the suggestion.
    let named = named(optimized);
    let with_variables = (named != indexed(optimized))
        .then(|| variant(site, group, optimized, before, &names(&named)).ok())
        .flatten()
        .filter(|variant| reads_well(text, range, &variant.edits));
    let (mut edits, mut edits_with_temporaries) = match with_variables {
        Some(variables) if repeats_work(optimized) => (variables.edits, None),
        other => (plain.edits, other.map(|variant| variant.edits)),
    };
    if !reads_well(text, range, &edits) {
        return Err("its text would not be read as it is meant");
    }
    let mut statement = shown(text, &statement_ranges, &edits);
    let mut forms = plain.forms;
    if let Some(before) = before {
        let line_start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let indent: String = text[line_start..range.start]
            .chars()
            .take_while(|c| c.is_whitespace())
            .collect();
        // Both parts are shown without the loop between them, so that no line is deeper than another.
        let lines = before.statements().map(|line| format!("{line}\n"));
        statement = lines.collect::<String>() + &statement.replace(&format!("\n{indent}"), "\n");
        edits.insert(0, before.edit());
        if let Some(edits) = &mut edits_with_temporaries {
            edits.insert(0, before.edit());
        }
        forms.splice(0..0, before.statements());
    }
    Ok(Written {
        statement,
        original: if group.members.len() > 1 {
            shown(text, &statement_ranges, &[])
        } else {
            plain.originals.join("; ")
        },
        optimized: forms.join("; "),
        edits_with_temporaries,
        range,
        statement_ranges,
        edits,
    })
}

/// A way to write a form, with variables for some of its nodes.
struct Variant {
    /// The expressions that change, as they are and as written, statements that come before them first.
    originals: Vec<String>,
    forms: Vec<String>,
    edits: Vec<TextEdit>,
}

/// The form with variables of these names for nodes of it.
///
/// # Errors
/// A kind of value would change, or no statement can stand before.
fn variant(
    site: Site<'_>,
    group: &Group<'_>,
    dag: &Dag,
    before: Option<&Before<'_>>,
    names: &BTreeMap<NodeId, String>,
) -> Result<Variant, &'static str> {
    let text = site.text();
    let statement = group.last().range;
    let name = |id: NodeId| names.get(&id).cloned();
    // The kinds of the variables that come with it.
    let mut own: BTreeMap<String, ValueKind> = BTreeMap::new();
    let known = |own: &BTreeMap<String, ValueKind>, name: &str| {
        let kind = own.get(name).copied();
        kind.unwrap_or_else(|| site.kind_of(name))
    };
    for line in before.iter().flat_map(|before| before.statements()) {
        if let Some((variable, form)) = line.split_once(" = ") {
            let kind = kinds::kind_of_form(form, &|name| known(&own, name));
            own.insert(variable.to_owned(), kind);
        }
    }
    let mut lines = Vec::new();
    for (id, variable) in names {
        let form = dag.print_with(*id, &name);
        let kind = kinds::kind_of_form(&form, &|name| known(&own, name));
        own.insert(variable.clone(), kind);
        lines.push(format!("{variable} = {form}"));
    }
    let mut edits: Vec<TextEdit> = group
        .inlined()
        .map(|gone| removal(site, gone.range))
        .collect();
    let (mut originals, mut forms) = (Vec::new(), Vec::new());
    for (part, root) in group.parts().iter().zip(dag.roots()) {
        let old = &text[part.range];
        let form = name(*root).unwrap_or_else(|| dag.print_with(*root, &name));
        let kinds = Kinds {
            of: &|name| known(&own, name),
            is_int_or_double: &|name| !own.contains_key(name) && site.is_int_or_double(name),
        };
        let form = kinds::keep_kind(old, &form, &kinds);
        let form = form.ok_or("its value would be of another kind, or that cannot be told")?;
        if same_words(old, &form) && edits.is_empty() && lines.is_empty() {
            continue;
        }
        let gone = (lines.is_empty() && assigns_itself(site, group, part.range, &form))
            .then(|| removal(site, statement))
            .filter(|gone| !leaves_semicolon(text, gone.range.end));
        edits.push(gone.unwrap_or_else(|| TextEdit {
            range: part.range,
            new_text: fitted(text, statement, part.range, &form),
        }));
        originals.push(old.to_owned());
        forms.push(form);
    }
    if !lines.is_empty() && !forms.is_empty() {
        let indent = site.room_before(statement);
        let indent = indent.ok_or("it needs a variable, and no statement can stand before it")?;
        let lines: String = lines
            .iter()
            .map(|line| format!("{line}\n{indent}"))
            .collect();
        edits.push(TextEdit {
            range: TextRange::new(statement.start, statement.start),
            new_text: lines,
        });
    }
    forms.splice(0..0, lines);
    edits.sort_by_key(|edit| edit.range);
    Ok(Variant {
        originals,
        forms,
        edits,
    })
}

/// Whether the statement that stays would only give its variable the value that it has, and may go.
fn assigns_itself(site: Site<'_>, group: &Group<'_>, part: TextRange, form: &str) -> bool {
    let statement = group.last().range;
    let around = [
        TextRange::new(statement.start, part.start),
        TextRange::new(part.end, statement.end),
    ];
    let [before, behind] = around.map(|range| site.text()[range].trim());
    let is_target = ["=", "<-"].iter().any(|sign| {
        before
            .strip_suffix(sign)
            .is_some_and(|name| name.trim_end() == form)
    });
    is_target && behind.is_empty() && site.room_before(statement).is_some()
}

/// Whether a form calls one of these names more often than the text that it takes the place of: the call would reach a function of
/// the script.
fn calls_more(form: &str, text: &str, names: &BTreeSet<Arc<str>>) -> bool {
    let calls = |text: &str, wanted: &str| {
        let tokens: Vec<_> = lex(text).map(|token| &text[token.range]).collect();
        let pairs = tokens.windows(2);
        pairs.filter(|pair| *pair == [wanted, "("]).count()
    };
    names
        .iter()
        .any(|name| calls(form, name) > calls(text, name))
}

/// Whether a `;` would stand alone where a statement that ended at a place is gone, behind comments too: the language takes none at the
/// start of a block.
fn leaves_semicolon(text: &str, end: usize) -> bool {
    let rest = &text[end..];
    let next = lex(rest).find(|token| token.kind != TokenKind::Comment);
    next.is_some_and(|token| &rest[token.range] == ";")
}

/// Whether the statements of `range`, or the expression, still read as such after the edits.
fn reads_well(text: &str, range: TextRange, edits: &[TextEdit]) -> bool {
    let is_script = |text: &str| sumac_syntax::parse(text).errors().is_empty();
    let is_expression = |text: &str| sumac_syntax::parse_expression(text).0.is_some();
    let (old, new) = (&text[range], with_edits(text, range, edits));
    if is_script(old) {
        is_script(&new)
    } else {
        is_expression(old) && is_expression(&new)
    }
}

fn same_words(a: &str, b: &str) -> bool {
    let words = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    words(a) == words(b)
}

/// `form` at `part`'s place, in parentheses where what stands around could bind tighter.
fn fitted(text: &str, statement: TextRange, part: TextRange, form: &str) -> String {
    let before = text[statement.start..part.start]
        .trim_end()
        .chars()
        .next_back();
    let behind = text[part.end..statement.end].trim_start().chars().next();
    let open = matches!(before, None | Some('(' | ',' | '=' | '['));
    let closed = matches!(behind, None | Some(')' | ',' | ']' | ';'));
    let is_atom = || {
        let (expr, _) = sumac_syntax::parse_expression(form);
        expr.is_some_and(|e| {
            matches!(
                e.kind,
                ExprKind::Name(_)
                    | ExprKind::Call(_)
                    | ExprKind::Int(_)
                    | ExprKind::Double(_)
                    | ExprKind::Paren(_)
            )
        })
    };
    if (open && closed) || is_atom() {
        form.to_owned()
    } else {
        format!("({form})")
    }
}

/// Removes a statement with the `;` that ends it; its line too, if nothing else stands there. A comment behind it stays.
fn removal(site: Site<'_>, statement: TextRange) -> TextEdit {
    let text = site.text();
    let line_start = text[..statement.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[statement.end..]
        .find('\n')
        .map_or(text.len(), |at| statement.end + at + 1);
    let blank = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    let mut end = statement.end;
    let semicolon = end + blank(&text[end..line_end]);
    if text[semicolon..line_end].starts_with(';') {
        end = semicolon + 1;
    }
    let is_alone = text[line_start..statement.start].trim().is_empty()
        && text[end..line_end].trim().is_empty();
    let line = TextRange::new(line_start, line_end);
    let range = if is_alone && site.owns(line) {
        line
    } else {
        TextRange::new(statement.start, end + blank(&text[end..line_end]))
    };
    TextEdit {
        range,
        new_text: String::new(),
    }
}

/// What a statement that assigns nothing computes of variables that are inlined into it, and what a variable for that is called where
/// one name says it: so what is printed keeps a name where that of its operand is gone.
fn printed(site: Site<'_>, group: &Group<'_>, optimized: &Dag) -> BTreeMap<NodeId, Option<String>> {
    let last = group.last();
    if group.members.len() == 1 || last.target.is_some() || site.room_before(last.range).is_none() {
        return BTreeMap::new();
    }
    let parts = group.parts();
    let roots = parts.iter().zip(optimized.roots());
    let computed = roots.filter(|(_, root)| matches!(optimized.node(**root), Node::Op(..)));
    computed
        .map(|(part, root)| (&site.text()[part.range], *root))
        .filter(|(old, root)| words(&optimized.print(*root)).count() > words(old).count())
        .map(|(old, root)| (root, name_of_aggregate(old)))
        .collect()
}

/// A free name for each of the nodes, and for each of those that `wanted` names: its own where that is free.
fn named_as(
    taken: &Names,
    nodes: &[NodeId],
    wanted: &BTreeMap<NodeId, Option<String>>,
) -> BTreeMap<NodeId, String> {
    let mut names: BTreeMap<NodeId, String> = BTreeMap::new();
    for (node, name) in wanted {
        let is_free =
            |name: &&String| !taken.contains(name) && !names.values().any(|known| known == *name);
        if let Some(name) = name.as_ref().filter(is_free) {
            names.insert(*node, name.clone());
        }
    }
    let mut free = (1..)
        .map(|n| format!("{TEMPORARY}{n}"))
        .filter(|name| !taken.contains(name));
    let others: BTreeSet<NodeId> = nodes.iter().chain(wanted.keys()).copied().collect();
    for node in others {
        names
            .entry(node)
            .or_insert_with(|| free.next().expect("numbers do not end"));
    }
    names
}
