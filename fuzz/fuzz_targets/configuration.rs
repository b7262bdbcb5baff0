//! `sumac.toml` and the client's settings: any text is read, what is wrong lies inside of it, and whatever is left over is a
//! configuration of which everything can be asked.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sumac_fuzz::check("configuration", data));
