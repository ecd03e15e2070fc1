//! Writes a WebAssembly module of wasm-bindgen and its JavaScript: `bundle MODULE.wasm FOLDER web|nodejs`.

use std::path::Path;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [module, folder, target] => write_module(module, folder, target),
        _ => Err("expected bundle MODULE.wasm FOLDER web|nodejs".to_owned()),
    }
}

fn write_module(module: &str, folder: &str, target: &str) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("{module}: {error:#}");
    let mut bindgen = Bindgen::new();
    let target = match target {
        "web" => bindgen.web(true),
        _ => bindgen.nodejs(true),
    };
    let target = target.map_err(|error| failed(&error))?;
    let written = target.input_path(module).typescript(true).remove_name_section(true).generate(Path::new(folder));
    written.map_err(|error| failed(&error))
}
