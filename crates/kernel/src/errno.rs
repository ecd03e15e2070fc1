//! Names of errno values.

use std::io;

use nix::errno::Errno;

/// The errno values that scripts use, with their names.
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

/// Returns the name of an error; "EIO" for one outside the table.
pub fn error_name(error: &io::Error) -> &'static str {
    let errno = error.raw_os_error().map(Errno::from_raw);
    NAMES.iter().find(|(known, _)| Some(*known) == errno).map_or("EIO", |(_, name)| name)
}
