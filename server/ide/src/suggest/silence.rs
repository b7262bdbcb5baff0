//! Why statements have no suggestion: what the search of each came to, in words and with a way out.
//!
//! Remembered by block and place, as what was found is; nothing is searched here.

use std::sync::Arc;

use sumac_syntax::ast::StmtKind;
use sumac_text::TextRange;

use super::site::Site;
use crate::cache::Block;
use crate::searches::Searches;
use crate::snapshot::Snapshot;
use crate::suggest::NoSuggestion;
use crate::suggest::Silence;

/// The statements without a suggestion, as far as they were searched, in source order.
#[must_use]
pub fn silences(snapshot: &Snapshot, blocks: &[Block], searches: &Searches) -> Vec<Silence> {
    let mut found = Vec::new();
    for block in blocks {
        let Some(site) = Site::of(snapshot, block) else {
            continue;
        };
        for (place, statement) in site.block.statements.iter().enumerate() {
            let Some(why) = searches.silence(block.key, place) else {
                continue;
            };
            let asks = match &*why {
                NoSuggestion::UnknownSizes(names) => names
                    .iter()
                    .filter_map(|name| {
                        Some((name.clone(), site.stated_above(name, statement.range)?))
                    })
                    .map(|(name, at)| (name, site.in_file(TextRange::new(at, at)).start))
                    .collect(),
                _ => Vec::new(),
            };
            let shared = match &*why {
                NoSuggestion::NothingComputed => site.shared_with(place),
                _ => None,
            };
            let is_obvious = why.is_obvious() && shared.is_none();
            let message = shared.map_or_else(|| why.message(), |(name, at)| {
                let line = snapshot.lines.line(site.in_file(at).start) + 1;
                format!("its value is that of `{name}` in line {line} and taken to be computed once, as `sumac run` does where only assignments stand between them; write `{name}` to be sure of it")
            });
            found.push(Silence {
                statement: site.in_file(statement.range),
                message,
                is_obvious,
                asks,
            });
        }
    }
    found.sort_by_key(|silence| silence.statement);
    found
}

impl Site<'_> {
    /// The variable that holds what a statement of the block computes, and the earlier statement that sets it.
    fn shared_with(self, place: usize) -> Option<(Arc<str>, TextRange)> {
        let statements = &self.block.statements;
        let statement = &statements[place];
        let is_computed = |root| matches!(self.block.symbolic().node(root), sumac_la::Node::Op(..));
        let mut computed = statement.parts.iter().filter(|part| is_computed(part.root));
        computed.find_map(|part| {
            let (root, written) = (part.root, &self.text()[part.range]);
            let earlier = statements[..place].iter().rev();
            let mut targets = earlier.filter_map(|it| Some((it.target.as_ref()?, it.range)));
            let (target, range) = targets.find(|(target, _)| {
                target.version_node == root && statement.env.get(&target.name) == Some(&root)
            })?;
            // It is written by that name already.
            if *written == *target.name {
                return None;
            }
            Some((Arc::clone(&target.name), range))
        })
    }

    /// Where a line that states the size of a variable goes: above the statement that sets it, or at the beginning of the
    /// function whose parameter it is.
    fn stated_above(self, name: &str, reader: TextRange) -> Option<usize> {
        let before = TextRange::new(0, reader.start);
        let set = self
            .names_in(before)
            .filter(|found| found.is_definition && &*found.name == name)
            .last()
            .map(|found| found.range.start);
        let body = self
            .program()
            .iter()
            .find_map(|statement| match &statement.kind {
                StmtKind::Function(function) => {
                    let mut params = function.params.iter();
                    let is_it = params.any(|param| &*param.name.name == name);
                    let first = function.body.as_ref()?.statements.first()?;
                    is_it.then_some(first.range.start)
                }
                _ => None,
            });
        // A parameter is set where the function begins.
        if let Some(body) = body.filter(|body| set.is_none_or(|set| set < *body)) {
            return Some(body);
        }
        let text = self.text();
        let line = text[..set?].rfind('\n').map_or(0, |at| at + 1);
        let indent = text[line..].len() - text[line..].trim_start().len();
        Some(line + indent)
    }
}
