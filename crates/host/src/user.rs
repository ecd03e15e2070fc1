//! Privileges of an ordinary user over namespaces, obtained by a user namespace.

use std::fs;

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set, configure_capability_in_ambient_set,
    set_capabilities,
};

use crate::Error;

/// Capabilities with which `ip` sets up devices.
const FOR_PROGRAMS: CapabilitySet = CapabilitySet::NET_ADMIN;

/// Whether the thread has the right to create network namespaces.
fn may_create() -> bool {
    capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_ADMIN | CapabilitySet::NET_ADMIN))
}

/// Gives this process, which must have a single thread, the right to create network namespaces and devices in them:
/// with root's capabilities nothing is needed, otherwise a user namespace with unchanged user and group is entered.
///
/// # Errors
///
/// If the system does not permit user namespaces.
pub fn enter_user_namespace() -> Result<(), Error> {
    if may_create() {
        return Ok(());
    }
    let (user, group) = (geteuid(), getegid());
    let refused = |source| Error::UserNamespace { source };
    unshare(CloneFlags::CLONE_NEWUSER).map_err(|error| refused(error.into()))?;
    // A user may map its group only after it has given up changes of its groups.
    fs::write("/proc/self/setgroups", "deny").map_err(refused)?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1")).map_err(refused)?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1")).map_err(refused)?;
    // A user other than root loses capabilities when it runs a program, except for ambient ones.
    let ambient = || {
        let sets = capabilities(None)?;
        set_capabilities(None, CapabilitySets { inheritable: sets.inheritable | FOR_PROGRAMS, ..sets })?;
        configure_capability_in_ambient_set(FOR_PROGRAMS, true)
    };
    ambient().map_err(|error: rustix::io::Errno| refused(error.into()))
}

/// Whether root runs this process.
pub fn is_root() -> bool {
    geteuid().is_root()
}

/// Calls a function that starts a program with the privilege to enter namespaces created by this process.
pub fn with_rights<T>(act: impl FnOnce() -> T) -> T {
    let ambient = |on| configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, on);
    let raise = || {
        let sets = capabilities(None)?;
        set_capabilities(None, CapabilitySets { inheritable: sets.inheritable | CapabilitySet::SYS_ADMIN, ..sets })?;
        ambient(true)
    };
    // Root needs no further privilege. If the privilege is missing, the program reports the operation that is not
    // permitted.
    let raised: Result<(), rustix::io::Errno> = if is_root() { Ok(()) } else { raise() };
    let result = act();
    if raised.is_ok() && !is_root() {
        let _ = ambient(false);
    }
    result
}

/// Takes the capabilities of [`enter_user_namespace`] away from programs that this thread runs from now on.
pub fn drop_rights() {
    // A kernel without ambient capabilities has none to clear.
    let _ = clear_ambient_capability_set();
}
