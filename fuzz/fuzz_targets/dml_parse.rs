//! Any text parses. Every range lies inside, everything but blanks and signs between statements is in a statement, a comment or
//! an error (of broken text, every word), and an edit gives what a fresh parse gives.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sumac_fuzz::check("dml_parse", data));
