//! A document that is edited: after all edits the analysis says what a new one says of the same text, whatever was asked between.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sumac_fuzz::check("edits", data));
