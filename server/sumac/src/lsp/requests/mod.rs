//! One file for each request: decode, call one function of `ide`, encode.

pub mod code_action;
pub mod code_lens;
pub mod document;
pub mod hover;
pub mod inlay_hint;
