//! The way into a session: whatever bytes come, nothing panics; what is handed on is what the protocol library reads, all of it
//! came from the client as it is or mended, everything else is answered, and how the bytes are cut on their way does not matter.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sumac_fuzz::check("messages", data));
