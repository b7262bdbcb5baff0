//! Tests that look at the workspace as a whole: its architecture, and sessions with the built binary.
//!
//! The crate has no code of its own for others to use; everything lives in `tests/tests/`.
