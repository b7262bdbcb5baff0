//! Formatting: the same tree and the same comments, a second pass changes nothing, and edits come to the same text. That the
//! formatter finds its own result to be another script is a defect too.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sumac_fuzz::check("format", data));
