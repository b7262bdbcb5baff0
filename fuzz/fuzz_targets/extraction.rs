//! A search under tight limits gives a form of the same shape and, on small random data, of the same value.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sumac_fuzz::check("extraction", data));
