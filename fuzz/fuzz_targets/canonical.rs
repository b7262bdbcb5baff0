//! The canonical form: an expression is equal to itself, and never different from what identities of linear algebra make of it.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sumac_fuzz::check("canonical", data));
