//! What a call passes, as a key: equal signatures give equal results.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::provenance::Provenance;
use crate::value::{Constant, ValueInfo};

/// One value for each parameter of a function. Places play no part: a signature means the same everywhere.
#[derive(Clone, Debug)]
pub(crate) struct Signature(Arc<[ValueInfo]>);

impl Signature {
    pub(crate) fn new(mut args: Vec<ValueInfo>) -> Self {
        for arg in &mut args {
            (arg.origin, arg.stated) = (None, None);
            arg.provenance = Provenance::default();
            arg.unsized_read = None;
        }
        Signature(args.into())
    }

    pub(crate) fn args(&self) -> &[ValueInfo] {
        &self.0
    }
}

impl PartialEq for Signature {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

// A sparsity is a number between 0 and 1, and constants compare by their bits.
impl Eq for Signature {}

impl Hash for Signature {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for arg in &*self.0 {
            (arg.kind, &arg.rows, &arg.cols, &arg.size).hash(state);
            match &arg.constant {
                None => 0.hash(state),
                Some(Constant::Number(n)) => n.to_bits().hash(state),
                Some(Constant::Bool(b)) => b.hash(state),
                Some(Constant::Text(text)) => text.hash(state),
            }
        }
    }
}
