//! Errors of operations that the machine does not permit.

use std::io;

/// An operation that the machine does not permit, and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not Linux.
    #[error("found {}, expected Linux: network namespaces and TUN devices are Linux's", std::env::consts::OS)]
    NotLinux,
    /// A user namespace cannot be created by an ordinary user.
    #[error(
        "an ordinary user cannot create a user namespace here: {source}; remedy: run as root, or set the sysctls \
         user.max_user_namespaces and, on Debian and Ubuntu, kernel.unprivileged_userns_clone=1 and \
         kernel.apparmor_restrict_unprivileged_userns=0"
    )]
    UserNamespace {
        /// The cause.
        source: io::Error,
    },
    /// A network namespace cannot be created.
    #[error(
        "a network namespace cannot be created: {source}; remedy: in a container, add the capabilities NET_ADMIN and \
         SYS_ADMIN and a seccomp profile that permits unshare (docker run --privileged)"
    )]
    NetworkNamespace {
        /// The cause.
        source: io::Error,
    },
    /// There is no /dev/net/tun.
    #[error("/dev/net/tun does not exist; remedy: modprobe tun, and in a container --device /dev/net/tun")]
    NoTun,
    /// /dev/net/tun cannot be opened.
    #[error("/dev/net/tun cannot be opened: {source}; remedy: run as root, or chmod 666 /dev/net/tun, as udev does")]
    TunPermission {
        /// The cause.
        source: io::Error,
    },
    /// A device cannot be created or configured.
    #[error("the TUN device {name} cannot be created: {source}")]
    Device {
        /// Name of the device.
        name: String,
        /// The cause.
        source: io::Error,
    },
    /// A program failed.
    #[error("`{line}`: {message}")]
    Program {
        /// The command line.
        line: String,
        /// Output of the program, or the reason why it cannot run.
        message: String,
    },
    /// Any other operation.
    #[error("{what}: {source}")]
    Other {
        /// The operation.
        what: &'static str,
        /// The cause.
        source: io::Error,
    },
}
