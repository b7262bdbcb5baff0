//! Kept results of searches: whatever a file holds, it is refused or it is a form with the shape of what was asked, which the
//! canonical form takes; and a guide is any text.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sumac_fuzz::check("cache_entries", data));
