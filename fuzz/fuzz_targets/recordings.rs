#![no_main]

#[path = "../inputs/recordings.rs"]
mod input;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| input::take(bytes));
