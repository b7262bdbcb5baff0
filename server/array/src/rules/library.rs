//! The rules that are always there, in sets by what they are for.

use std::sync::OnceLock;

use super::compile::Rule;
use crate::text::ast::{RuleText, SetText};
use crate::text::{TextError, parse_rules};
use crate::types::Types;

const FILES: [&str; 2] = [
    include_str!("../../rules/loops.rules"),
    include_str!("../../rules/filters.rules"),
];

/// Sets of rules, as they are written.
#[derive(Clone, PartialEq, Debug)]
pub struct Library {
    sets: Vec<SetText>,
}

impl Library {
    /// The rules that are always there.
    #[must_use]
    pub fn built_in() -> &'static Library {
        static LIBRARY: OnceLock<Library> = OnceLock::new();
        LIBRARY.get_or_init(|| {
            let sets = FILES.map(|text| parse_rules(text).expect("a test reads them all"));
            Library {
                sets: sets.into_iter().flatten().collect(),
            }
        })
    }

    /// Rules of a text.
    ///
    /// # Errors
    /// The first thing that is wrong with it. Whether rules are well-typed is seen when they are compiled.
    pub fn read(text: &str) -> Result<Library, TextError> {
        Ok(Library {
            sets: parse_rules(text)?,
        })
    }

    /// Sets of rules, and what each is for.
    pub fn set_names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.sets.iter().map(|set| (&*set.name.text, &*set.doc))
    }

    /// Rules, and what each says.
    pub fn rule_names(&self) -> impl Iterator<Item = (&str, &str)> {
        let rules = self.sets.iter().flat_map(|set| &set.rules);
        rules.map(|rule| (&*rule.name.text, &*rule.doc))
    }

    fn of_set<'a>(&'a self, set: &'a SetText) -> impl Iterator<Item = &'a RuleText> {
        let also = set.also.iter().filter_map(|name| self.rule(&name.text));
        set.rules.iter().chain(also)
    }

    /// A rule as it is written.
    #[must_use]
    pub fn rule(&self, name: &str) -> Option<&RuleText> {
        let mut rules = self.sets.iter().flat_map(|set| &set.rules);
        rules.find(|rule| *rule.name.text == *name)
    }

    /// The rules of sets and rules by name, compiled; each once, in the order of the names. No names stand for all rules.
    ///
    /// # Errors
    /// There is no such set or rule, or one is not well-typed: text for a person.
    pub fn compile(&self, names: &[&str], types: &mut Types) -> Result<Vec<Rule>, String> {
        let mut all: Vec<&RuleText> = Vec::new();
        for name in names {
            if let Some(set) = self.sets.iter().find(|set| *set.name.text == **name) {
                all.extend(self.of_set(set));
            } else if let Some(rule) = self.rule(name) {
                all.push(rule);
            } else {
                return Err(format!("there is no rule or set of rules `{name}`"));
            }
        }
        if names.is_empty() {
            all.extend(self.sets.iter().flat_map(|set| &set.rules));
        }
        let mut wanted: Vec<&RuleText> = Vec::new();
        for rule in all {
            if wanted.iter().all(|known| known.name.text != rule.name.text) {
                wanted.push(rule);
            }
        }
        let compile = |rule: &RuleText| {
            Rule::compile(rule, types)
                .map_err(|error| format!("the rule `{}`: {}", rule.name.text, error.message))
        };
        wanted.into_iter().map(compile).collect()
    }
}
