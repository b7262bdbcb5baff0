//! Edits whose texts are shared by all places that they are made at: a suggestion that moves copies places alone.

use std::sync::Arc;

use smallvec::SmallVec;
use sumac_text::{TextEdit, TextRange};

/// Edits of one text, in the order of their places.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edits {
    ranges: SmallVec<[TextRange; 2]>,
    /// The new text of each.
    texts: Arc<[String]>,
}

impl Edits {
    /// Each edit.
    pub fn iter(&self) -> impl Iterator<Item = TextEdit> + '_ {
        let all = self.ranges.iter().zip(&*self.texts);
        all.map(|(range, text)| TextEdit {
            range: *range,
            new_text: text.clone(),
        })
    }

    /// All of them.
    #[must_use]
    pub fn to_vec(&self) -> Vec<TextEdit> {
        self.iter().collect()
    }

    /// The same edits with every place changed by `place`.
    pub(crate) fn relocated(&self, place: impl Fn(TextRange) -> TextRange) -> Edits {
        Edits {
            ranges: self.ranges.iter().map(|range| place(*range)).collect(),
            texts: Arc::clone(&self.texts),
        }
    }

    /// What they take of memory beside themselves.
    pub(crate) fn bytes(&self) -> usize {
        let texts = self.texts.iter();
        texts.map(|text| size_of_val(text) + text.len()).sum()
    }
}

impl FromIterator<TextEdit> for Edits {
    fn from_iter<I: IntoIterator<Item = TextEdit>>(edits: I) -> Self {
        let edits = edits.into_iter();
        let (ranges, texts): (SmallVec<_>, Vec<_>) =
            edits.map(|edit| (edit.range, edit.new_text)).unzip();
        Edits {
            ranges,
            texts: texts.into(),
        }
    }
}
