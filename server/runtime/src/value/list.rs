//! Lists: values in order, all with a name or none.

use std::sync::Arc;

use super::Value;

/// A list; cheap to clone, for its values are.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct List {
    values: Vec<Value>,
    /// As many as there are values, where the list is named.
    names: Option<Vec<Arc<str>>>,
}

impl List {
    /// Values without names.
    #[must_use]
    pub fn new(values: Vec<Value>) -> List {
        List {
            values,
            names: None,
        }
    }

    /// Values with their names.
    #[must_use]
    pub fn named(entries: Vec<(Arc<str>, Value)>) -> List {
        let (names, values) = entries.into_iter().unzip();
        List {
            values,
            names: Some(names),
        }
    }

    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values in order.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The names, where the list is named.
    #[must_use]
    pub fn names(&self) -> Option<&[Arc<str>]> {
        self.names.as_deref()
    }

    /// Gives an entry another name, where the list is named and has that entry.
    pub fn rename(&mut self, at: usize, name: Arc<str>) {
        if let Some(old) = self.names.as_mut().and_then(|names| names.get_mut(at)) {
            *old = name;
        }
    }

    /// Where the first value of that name stands, from 0.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.as_ref()?.iter().position(|n| **n == *name)
    }

    /// The values from `first` on to before `end`, from 0, with their names; what lies outside is left out.
    #[must_use]
    pub fn slice(&self, first: usize, end: usize) -> List {
        let end = end.min(self.len());
        let range = first.min(end)..end;
        List {
            values: self.values[range.clone()].to_vec(),
            names: self.names.as_ref().map(|names| names[range].to_vec()),
        }
    }

    /// Puts a value into the place of another; `false` where there is no such place.
    pub fn set(&mut self, at: usize, value: Value) -> bool {
        match self.values.get_mut(at) {
            Some(slot) => {
                *slot = value;
                true
            }
            None => false,
        }
    }

    /// Adds a value at the end. A list whose values have names gives one without a name `Vn`, n its place; a list
    /// whose values have none drops the name, unless it is empty.
    pub fn push(&mut self, name: Option<Arc<str>>, value: Value) {
        if self.values.is_empty() && self.names.is_none() && name.is_some() {
            self.names = Some(Vec::new());
        }
        self.values.push(value);
        let place = self.values.len();
        if let Some(names) = &mut self.names {
            names.push(name.unwrap_or_else(|| format!("V{place}").into()));
        }
    }

    /// Takes a value out; `None` where there is no such place.
    pub fn remove(&mut self, at: usize) -> Option<Value> {
        if at >= self.values.len() {
            return None;
        }
        if let Some(names) = &mut self.names {
            names.remove(at);
        }
        Some(self.values.remove(at))
    }

    /// Bytes of all values.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.values.iter().map(Value::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_their_values() {
        let mut list = List::named(vec![
            ("a".into(), Value::Int(1)),
            ("b".into(), Value::Int(2)),
        ]);
        list.push(None, Value::Int(3));
        assert_eq!(list.position("V3"), Some(2));
        assert_eq!(list.remove(0), Some(Value::Int(1)));
        assert_eq!(list.position("b"), Some(0));
        assert_eq!(list.slice(1, 9).names().unwrap()[0].as_ref(), "V3");
        assert_eq!(list.remove(7), None);
        assert!(!list.set(2, Value::Int(0)));
    }

    #[test]
    fn an_empty_list_takes_the_first_name() {
        let mut list = List::default();
        list.push(Some("a".into()), Value::Int(1));
        assert_eq!(list.position("a"), Some(0));
        let mut list = List::new(vec![Value::Int(1)]);
        list.push(Some("a".into()), Value::Int(1));
        assert_eq!(list.position("a"), None);
    }
}
