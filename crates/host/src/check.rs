//! Checks whether the machine permits emulation.

use crate::Error;

/// One need of an emulation.
#[derive(Debug)]
pub struct MachineFinding {
    /// The need.
    pub what: &'static str,
    /// `Err` if the machine does not permit the capability, with the remedy.
    pub found: Result<(), Error>,
    /// Whether emulation is impossible without the capability.
    pub required: bool,
}

/// Tries everything that an emulation needs, in a single-threaded process. The trial leaves nothing behind.
#[cfg(target_os = "linux")]
pub fn check_machine() -> Vec<MachineFinding> {
    use crate::namespace::Namespace;
    use crate::tun::Tun;
    use crate::{clock, user};

    let mut findings = Vec::new();
    let mut find = |what, required, found: Result<(), Error>| {
        let permitted = found.is_ok();
        findings.push(MachineFinding { what, found, required });
        permitted
    };
    if !find("rights over namespaces: root, or a user namespace", true, user::enter_user_namespace()) {
        return findings;
    }
    let mut namespace = None;
    let created = Namespace::new("check").map(|created| namespace = Some(created));
    find("a network namespace", true, created);
    if let Some(namespace) = namespace {
        let device = namespace.call(|| {
            let device = Tun::new("check0", 1500)?;
            device.configure([10, 0, 0, 1].into(), None)
        });
        find("a TUN device with an address", true, device.and_then(|device| device));
        let real_time = namespace.call(clock::real_time).and_then(|done| done);
        find("real-time priority (for --real-time)", false, real_time);
        find("pasta (for --outside)", false, crate::outside::require_pasta());
    }
    findings
}

/// Tries everything that an emulation needs; this system does not support emulation.
#[cfg(not(target_os = "linux"))]
pub fn check_machine() -> Vec<MachineFinding> {
    vec![MachineFinding { what: "Linux", found: Err(Error::NotLinux), required: true }]
}
