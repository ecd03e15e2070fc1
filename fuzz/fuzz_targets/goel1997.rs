#![no_main]

#[path = "../inputs/goel1997.rs"]
mod input;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| input::take(bytes));
