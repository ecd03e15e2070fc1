//! Scripts with extreme numbers end with an outcome, without a panic.

use std::fs;
use std::path::Path;

use drill::endpoint::open_endpoint;

/// Numbers at the limits of integer types.
const STRANGE: [&str; 7] = ["0", "1", "65535", "2147483648", "4294967295", "9223372036854775807", "-1"];

/// Returns copies of `text`. In each copy one of the numbers is replaced by an extreme number.
fn variations(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut all = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            all.extend(STRANGE.map(|number| format!("{}{number}{}", &text[..at], &text[at + digits..])));
        }
        at += digits.max(1);
    }
    all
}

#[test]
fn extreme_numbers_do_not_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tcp/tests/scripts/pass");
    let mut runs = 0;
    // Scripts in subfolders are omitted because they take minutes.
    for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        let text = fs::read_to_string(file).unwrap();
        for strange in variations(&text) {
            let Ok(script) = drill::parse_script(&strange) else { continue };
            drill::run_script(&script, None, &open_endpoint);
            runs += 1;
        }
    }
    assert!(runs > 1000, "{runs}");
}
