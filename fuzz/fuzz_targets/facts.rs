//! `#@` lines: any line is read, its ranges lie inside, it is the same fact in a script, and the analysis takes whatever it says.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sumac_fuzz::check("facts", data));
