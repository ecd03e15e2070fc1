//! Fuzz input: bytes as a packetdrill script, parsed and run against lasthop's TCP.

/// Runs an arbitrary input; a panic is a finding.
pub fn take(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if text.len() > 4 << 10 {
        return;
    }
    match drill::parse_script(text) {
        Ok(script) => drop(drill::run_script(&script, None, &drill::endpoint::open_endpoint)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
