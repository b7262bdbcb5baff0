//! Sketch files: any text is read, everything that is said of it lies inside, and a file without errors is laid out so that its
//! tree and comments stay and a second pass changes nothing.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sumac_fuzz::check("sketches", data));
