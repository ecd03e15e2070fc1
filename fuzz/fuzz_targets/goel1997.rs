#![no_main]

#[path = "../inputs/scenario.rs"]
mod scenario;

#[path = "../inputs/goel1997.rs"]
mod input;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| input::take(bytes));
