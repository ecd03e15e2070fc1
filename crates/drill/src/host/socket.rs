//! A socket.

use std::collections::VecDeque;

/// A socket behind a file descriptor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Socket {
    pub kind: Kind,
    pub nonblocking: bool,
    pub nodelay: bool,
    pub cork: bool,
    /// `SHUT_RD`: reading never waits.
    pub read_shut: bool,
    /// `SHUT_WR`: writing fails.
    pub write_shut: bool,
    /// `SO_LINGER` with a time of zero: close resets.
    pub abortive: bool,
    /// `SO_SNDBUF` and `SO_RCVBUF`, doubled as Linux does.
    pub send_buffer: Option<i64>,
    pub receive_buffer: Option<i64>,
    /// Whether the connection's failure has been told.
    pub told: bool,
    /// `connect` was called, and does not block.
    pub connecting: bool,
}

/// What a socket is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Kind {
    /// Neither connected nor listening.
    #[default]
    Fresh,
    /// Listening; connections that wait for `accept`.
    Listening { waiting: VecDeque<usize> },
    /// Connection number so and so.
    Connected(usize),
}
