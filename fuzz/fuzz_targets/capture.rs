#![no_main]

#[path = "../inputs/capture.rs"]
mod input;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| input::take(bytes));
