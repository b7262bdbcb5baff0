//! What is known of names at a place of a program.
//!
//! An environment is a value: it is copied where ways part and met where they join. Sizes that were taken for one go by one name in
//! everything it says. Must never keep of two ways what holds on only one.

use std::sync::Arc;

use imbl::{OrdMap, OrdSet};
use sumac_la::Dim;

use crate::value::{DType, Value};

/// What a name stands for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Binding {
    /// A module, or something of one, by its whole path: `numpy.linalg`.
    Path(Arc<str>),
    /// An array or a number.
    Value(Value),
    /// A whole number that is a size.
    Size(Dim),
    /// A tuple of sizes.
    Shape(Vec<Dim>),
    /// A generator of random numbers, of NumPy.
    Generator,
    /// Something with a shape that is no dense array: a sparse matrix, `np.matrix`, a tensor of another library.
    Other(Option<Vec<Dim>>),
    /// Anything.
    Unknown,
}

/// What is known of an attribute.
#[derive(Clone, PartialEq, Debug)]
struct Place {
    value: Value,
    /// Whether the text states it for the whole scope.
    is_pinned: bool,
}

/// What a size goes by.
#[derive(Clone, PartialEq, Debug)]
struct Same {
    dim: Dim,
    /// Whether that was assumed, and is told; otherwise the text says it.
    is_assumed: bool,
}

/// What is known of names.
#[derive(Clone, Debug, Default)]
pub struct Env {
    names: OrdMap<Arc<str>, Binding>,
    /// What is seen of names outside of the scope, where it has none of its own: it never changes here.
    outer: OrdMap<Arc<str>, Binding>,
    /// Attributes, by their text.
    places: OrdMap<Arc<str>, Place>,
    /// Names of sizes that go by another name, or that are a number.
    same: OrdMap<Arc<str>, Same>,
    /// What was assumed when sizes were taken for one, and the size that both are.
    assumed: OrdMap<Arc<str>, Dim>,
    /// Names of sizes of which the first is at most the second.
    order: OrdSet<(Arc<str>, Arc<str>)>,
    /// Variables that were made columns on purpose.
    columns: OrdSet<Arc<str>>,
    /// Whether nothing goes on from here: after `return`.
    pub(crate) is_dead: bool,
    /// Whether names of Python itself may mean something else.
    pub(crate) is_starred: bool,
}

impl Env {
    /// What a name stands for; `None` where it was given no value here.
    pub(crate) fn get(&self, name: &str) -> Option<Binding> {
        let known = self.names.get(name).or_else(|| self.outer.get(name));
        known.map(|known| self.shown(known))
    }

    /// Notes that a variable was made a column on purpose.
    pub(crate) fn set_column(&mut self, name: &str) {
        self.columns.insert(name.into());
    }

    /// Whether a variable was made a column on purpose.
    pub(crate) fn is_column(&self, name: &str) -> bool {
        self.columns.contains(name)
    }

    /// The start of a scope inside of this one.
    pub(crate) fn inside(&self) -> Env {
        Env {
            outer: self.names.clone(),
            is_starred: self.is_starred,
            ..Env::default()
        }
    }

    /// Gives a name another meaning. What was known of its attributes ends.
    pub(crate) fn set(&mut self, name: &str, binding: Binding) {
        self.names.insert(name.into(), binding);
        self.columns.remove(name);
        if !self.places.is_empty() {
            let of_it = |place: &str| {
                place
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with('.'))
            };
            self.retain_places(&|text, place| place.is_pinned || !of_it(text));
        }
    }

    /// All names become unknown.
    pub(crate) fn forget_all(&mut self) {
        let names = self.names.keys().chain(self.outer.keys());
        let names: Vec<Arc<str>> = names.cloned().collect();
        for name in names {
            self.names.insert(name, Binding::Unknown);
        }
        self.is_starred = true;
    }

    /// The names with what they stand for.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = (&Arc<str>, &Binding)> {
        self.names.iter()
    }

    /// What is known of an attribute, by its text.
    pub(crate) fn place(&self, text: &str) -> Option<Value> {
        self.places.get(text).map(|place| self.value(&place.value))
    }

    /// States the value of an attribute. Attributes of that name may be the same one: what was known of them ends.
    pub(crate) fn set_place(&mut self, text: &str, value: Option<Value>, is_pinned: bool) {
        if self.places.get(text).is_some_and(|place| place.is_pinned) {
            return;
        }
        let last = text.rsplit('.').next().unwrap_or(text);
        let is_it = |other: &str| other.rsplit('.').next() == Some(last);
        self.retain_places(&|other, place| place.is_pinned || !is_it(other));
        if let Some(value) = value {
            self.places.insert(text.into(), Place { value, is_pinned });
        }
    }

    /// Whether attributes are known that a call could change.
    pub(crate) fn has_places(&self) -> bool {
        self.places.values().any(|place| !place.is_pinned)
    }

    /// A call that may do anything: of attributes only what the text states for the whole scope is left.
    pub(crate) fn forget_places(&mut self) {
        self.retain_places(&|_, place| place.is_pinned);
    }

    fn retain_places(&mut self, keep: &dyn Fn(&str, &Place) -> bool) {
        let gone: Vec<Arc<str>> = self
            .places
            .iter()
            .filter(|(text, place)| !keep(text, place))
            .map(|(text, _)| Arc::clone(text))
            .collect();
        for text in gone {
            self.places.remove(&text);
        }
    }

    /// The size under the name that it goes by here.
    pub(crate) fn dim(&self, dim: &Dim) -> Dim {
        let mut dim = dim.clone();
        if self.same.is_empty() {
            return dim;
        }
        // Each name leads to one that was chosen later, never back.
        for _ in 0..=self.same.len() {
            let known = |(name, _): &(&Arc<str>, &Same)| dim.mentions(name);
            let Some((name, to)) = self.same.iter().find(known) else {
                break;
            };
            dim = dim.with_name(name, &to.dim);
        }
        dim
    }

    /// The value with its sizes under the names that they go by here.
    pub(crate) fn value(&self, value: &Value) -> Value {
        Value {
            shape: value.shape.iter().map(|dim| self.dim(dim)).collect(),
            ..value.clone()
        }
    }

    fn shown(&self, binding: &Binding) -> Binding {
        let all = |dims: &[Dim]| dims.iter().map(|dim| self.dim(dim)).collect::<Vec<_>>();
        match binding {
            _ if self.same.is_empty() => binding.clone(),
            Binding::Value(value) => Binding::Value(self.value(value)),
            Binding::Size(dim) => Binding::Size(self.dim(dim)),
            Binding::Shape(dims) => Binding::Shape(all(dims)),
            Binding::Other(Some(dims)) => Binding::Other(Some(all(dims))),
            Binding::Path(_) | Binding::Generator | Binding::Other(None) | Binding::Unknown => {
                binding.clone()
            }
        }
    }

    /// Takes two sizes for one, and notes that it was assumed, unless the text says it. `false` where they cannot be given one name.
    pub(crate) fn unify(&mut self, a: &Dim, b: &Dim, is_assumed: bool) -> bool {
        let (a, b) = (self.dim(a), self.dim(b));
        if a == b {
            return true;
        }
        let rank = |dim: &Dim| {
            let text = dim.to_string();
            let is_own = text.chars().all(|c| c.is_alphanumeric() || c == '_');
            (dim.known().is_none(), !is_own, text.len(), text)
        };
        let (keep, gone) = if rank(&b) < rank(&a) {
            (&b, &a)
        } else {
            (&a, &b)
        };
        let lone = |of: &Dim, other: &Dim| {
            let name = of.lone_name()?;
            (!other.mentions(name)).then(|| Arc::<str>::from(name))
        };
        let (name, to) = match (lone(gone, keep), lone(keep, gone)) {
            (Some(name), _) => (name, keep.clone()),
            (None, Some(name)) => (name, gone.clone()),
            (None, None) => return false,
        };
        if matches!(to, Dim::Unknown) {
            return false;
        }
        if is_assumed {
            let text = format!("`{a}` equals `{b}`");
            self.assumed.insert(text.into(), to.clone());
        }
        self.same.insert(
            name,
            Same {
                dim: to,
                is_assumed,
            },
        );
        true
    }

    /// What was assumed of these sizes.
    pub(crate) fn assumptions(&self, is_in: &dyn Fn(&Dim) -> bool) -> Vec<String> {
        self.assumed
            .iter()
            .filter(|(_, dim)| is_in(&self.dim(dim)))
            .map(|(text, _)| text.to_string())
            .collect()
    }

    /// States that a size is at most another.
    pub(crate) fn state_order(&mut self, small: &Dim, large: &Dim) {
        if let (Some(small), Some(large)) = (small.lone_name(), large.lone_name()) {
            self.order.insert((small.into(), large.into()));
        }
    }

    /// Pairs of sizes of which the first is at most the second.
    pub(crate) fn order(&self) -> Vec<(Arc<str>, Arc<str>)> {
        let name = |name: &Arc<str>| {
            let dim = self.dim(&Dim::symbol(Arc::clone(name), None));
            dim.lone_name().map(Arc::<str>::from)
        };
        let mut pairs: Vec<_> = self
            .order
            .iter()
            .filter_map(|(a, b)| Some((name(a)?, name(b)?)))
            .filter(|(a, b)| a != b)
            .collect();
        pairs.sort();
        pairs.dedup();
        pairs
    }

    /// The size that a text denotes as a whole number: `n`, `X.shape[0]`, `len(X)`.
    #[must_use]
    pub fn size_of(&self, text: &str) -> Option<Dim> {
        let expr = crate::parse::expression(text)?;
        let mut env = self.clone();
        crate::read::Reader::new(text, &mut env, None).dim(&expr)
    }

    /// What holds where this way and another join.
    pub(crate) fn join(&self, other: &Env) -> Env {
        if self.is_dead {
            return other.clone();
        }
        if other.is_dead {
            return self.clone();
        }
        let mut joined = self.clone();
        // What only one way says of sizes is gone; what one of them assumes is assumed.
        joined.same = OrdMap::new();
        for (of, beside) in [(self, other), (other, self)] {
            for (name, same) in &of.same {
                let is_kept = same.is_assumed || beside.same.get(name) == Some(same);
                if is_kept && !joined.same.contains_key(name) && !joined.leads_to(&same.dim, name) {
                    joined.same.insert(Arc::clone(name), same.clone());
                }
            }
        }
        joined.assumed = self.assumed.clone().union(other.assumed.clone());
        joined.order = self.order.clone().intersection(other.order.clone());
        joined.columns = self.columns.clone().union(other.columns.clone());
        joined.is_starred |= other.is_starred;
        for (name, known) in &self.names {
            let both = match other.names.get(name) {
                Some(others) if others == known => continue,
                Some(others) => joined.either(known, others),
                // A scope knows all of its own names from its start.
                None => Binding::Unknown,
            };
            joined.names.insert(Arc::clone(name), both);
        }
        for name in other.names.keys() {
            if !self.names.contains_key(name) {
                joined.names.insert(Arc::clone(name), Binding::Unknown);
            }
        }
        let others = &other.places;
        joined.retain_places(&|text, place| others.get(text) == Some(place));
        joined
    }

    /// Whether a size goes by `name` in the end.
    fn leads_to(&self, dim: &Dim, name: &str) -> bool {
        self.dim(dim).mentions(name)
    }

    /// What is known of a name that stands for the one or the other.
    pub(crate) fn either(&self, a: &Binding, b: &Binding) -> Binding {
        let (a, b) = (self.shown(a), self.shown(b));
        match (&a, &b) {
            _ if a == b => a,
            (Binding::Value(x), Binding::Value(y)) if x.shape == y.shape => {
                let is_float =
                    |value: &Value| matches!(value.dtype, DType::Float64 | DType::Assumed);
                if x.dtype != y.dtype && !(is_float(x) && is_float(y)) {
                    return Binding::Unknown;
                }
                let dtype = if x.dtype == y.dtype {
                    x.dtype
                } else {
                    DType::Assumed
                };
                Binding::Value(Value {
                    shape: x.shape.clone(),
                    dtype,
                    is_weak: x.is_weak && y.is_weak,
                })
            }
            (Binding::Other(_), Binding::Other(_)) => Binding::Other(None),
            _ => Binding::Unknown,
        }
    }
}
