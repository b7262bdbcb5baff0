//! The names that suggestions give to variables of their own.

/// What temporaries are called, with a number behind.
pub(super) const TEMPORARY: &str = "tmp";
/// What variables are called that hold what is computed before a loop, with the name of what they are needed for behind.
pub(super) const ONCE: &str = "once";

/// Whether a variable of this name could be one that suggestions make.
#[must_use]
pub fn is_temporary(name: &str) -> bool {
    let numbered = name.strip_prefix(TEMPORARY);
    numbered.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
        || name.starts_with(ONCE)
}
