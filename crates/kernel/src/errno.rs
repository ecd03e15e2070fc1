//! Errors by their names.

use std::io;

use nix::errno::Errno;

/// The names that scripts use.
const NAMES: [(Errno, &str); 17] = [
    (Errno::EAGAIN, "EAGAIN"),
    (Errno::EALREADY, "EALREADY"),
    (Errno::EADDRINUSE, "EADDRINUSE"),
    (Errno::EBADF, "EBADF"),
    (Errno::ECONNABORTED, "ECONNABORTED"),
    (Errno::ECONNREFUSED, "ECONNREFUSED"),
    (Errno::ECONNRESET, "ECONNRESET"),
    (Errno::EHOSTUNREACH, "EHOSTUNREACH"),
    (Errno::EINPROGRESS, "EINPROGRESS"),
    (Errno::EINVAL, "EINVAL"),
    (Errno::EISCONN, "EISCONN"),
    (Errno::EMSGSIZE, "EMSGSIZE"),
    (Errno::ENOPROTOOPT, "ENOPROTOOPT"),
    (Errno::ENOTCONN, "ENOTCONN"),
    (Errno::EOPNOTSUPP, "EOPNOTSUPP"),
    (Errno::EPIPE, "EPIPE"),
    (Errno::ETIMEDOUT, "ETIMEDOUT"),
];

/// The name of an error; "EIO" for one that scripts do not know.
pub fn name(error: &io::Error) -> &'static str {
    let errno = error.raw_os_error().map(Errno::from_raw);
    NAMES.iter().find(|(known, _)| Some(*known) == errno).map_or("EIO", |(_, name)| name)
}
