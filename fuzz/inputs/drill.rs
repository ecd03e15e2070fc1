//! Bytes as a packetdrill script: read, and run against our end of TCP.

/// Takes any bytes. Panics are findings.
pub fn take(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if text.len() > 4 << 10 {
        return;
    }
    match drill::parse(text) {
        Ok(script) => drop(drill::run(&script, None, &drill::endpoint::open)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
