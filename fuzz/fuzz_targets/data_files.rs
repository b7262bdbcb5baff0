//! Data files: any bytes in any format are read or refused, and what was read is the same after it was written and read again.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sumac_fuzz::check("data_files", data));
