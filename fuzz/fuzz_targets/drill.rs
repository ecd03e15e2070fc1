#![no_main]

#[path = "../inputs/drill.rs"]
mod input;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| input::take(bytes));
