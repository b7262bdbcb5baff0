//! Who tells what is known of a value: a `#@` line, a data file, an argument. Pure data: it must never decide what is known.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use sumac_text::TextRange;

/// Where a size or a sparsity comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Such as `#@ line 3` or `read: A.mtd`.
    pub label: Arc<str>,
    /// Its place in the script; empty for a fact of the command line.
    pub range: TextRange,
    /// By which names rows and columns are stated, where they are, also where a number is known of the name.
    pub sizes: SizeNames,
}

impl Origin {
    /// Whether a person says so in a `#@` line or on the command line, and no data file or argument of a call.
    #[must_use]
    pub fn is_fact(&self) -> bool {
        self.label.starts_with("#@") || self.range.is_empty()
    }

    /// The same of sizes alone, without a place.
    #[must_use]
    pub fn stated(&self) -> Stated {
        Stated {
            sizes: self.sizes.clone(),
            by_fact: self.is_fact(),
            is_fixed: [false; 2],
        }
    }
}

/// Who tells the sizes of an input that the script itself does not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stated {
    /// By which names.
    pub sizes: SizeNames,
    /// Whether a person does, in a `#@` line; otherwise a data file, an argument, or who calls the function.
    pub by_fact: bool,
    /// Whether the script itself says how many rows and how many columns there are all the same, as it does of the columns of
    /// `rand(rows=$n, cols=200)`.
    pub is_fixed: [bool; 2],
}

impl Stated {
    /// Who tells the sizes where either value arrives: what the script says of one of them does not say it of the other.
    #[must_use]
    pub fn join(one: Option<Stated>, other: Option<Stated>) -> Option<Stated> {
        match (one, other) {
            (None, None) => None,
            (Some(only), None) | (None, Some(only)) => Some(Stated {
                sizes: SizeNames::default(),
                ..only
            }),
            (Some(a), Some(b)) => {
                let same = |i: usize| a.sizes[i].clone().filter(|_| a.sizes[i] == b.sizes[i]);
                Some(Stated {
                    sizes: [same(0), same(1)],
                    by_fact: a.by_fact && b.by_fact,
                    is_fixed: [0, 1].map(|i| a.is_fixed[i] && b.is_fixed[i]),
                })
            }
        }
    }
}

/// Names of the rows and of the columns.
pub type SizeNames = [Option<Arc<str>>; 2];

/// A value on which an estimated sparsity rests.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Source {
    /// The variable or the expression, as the script writes it.
    pub what: Arc<str>,
    /// Who tells its sparsity, such as `#@ line 3` or `read: A.mtd`; none where the expression itself does, as `rand(…)`.
    pub label: Option<Arc<str>>,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.label {
            Some(label) => write!(f, "{} ({label})", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// Every value on which an estimated sparsity rests.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Provenance(Option<Arc<BTreeSet<Source>>>);

impl Provenance {
    /// One value.
    #[must_use]
    pub fn of(what: &str, label: Option<Arc<str>>) -> Self {
        let what = what.into();
        Provenance(Some(Arc::new([Source { what, label }].into())))
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The values, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.0.iter().flat_map(|provenance| provenance.iter())
    }

    /// Adds the other's.
    pub fn add(&mut self, other: &Provenance) {
        let Some(more) = &other.0 else { return };
        match &mut self.0 {
            Some(mine) if Arc::ptr_eq(mine, more) => {}
            Some(mine) => Arc::make_mut(mine).extend(more.iter().cloned()),
            None => self.0 = Some(Arc::clone(more)),
        }
    }

    /// The same for a variable that has the value now: an expression that tells its own sparsity goes by its name.
    #[must_use]
    pub fn named(&self, variable: &str) -> Self {
        let mut all = self.iter();
        match (all.next(), all.next()) {
            (None, _) => Provenance::of(variable, None),
            (Some(Source { what, label: None }), None) => {
                Provenance::of(variable, Some(Arc::clone(what)))
            }
            _ => self.clone(),
        }
    }

    /// The same values, with other labels.
    #[must_use]
    pub fn relabelled(&self, label: impl Fn(&str) -> String) -> Self {
        let relabel = |source: &Source| Source {
            what: Arc::clone(&source.what),
            label: source.label.as_ref().map(|text| label(text).into()),
        };
        Provenance(
            self.0
                .as_ref()
                .map(|provenance| Arc::new(provenance.iter().map(relabel).collect())),
        )
    }
}
