//! A socket.

use std::collections::VecDeque;

use engine::Span;

use crate::settings::Settings;

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
    /// `SO_SNDBUF`, doubled as Linux does.
    pub send_buffer: Option<i64>,
    /// `TCP_NOTSENT_LOWAT`: with this many bytes not sent yet no more are taken.
    pub most_unsent: Option<u64>,
    /// Bytes that a write which still waits has handed over.
    pub begun: u64,
    pub own: Own,
    /// Whether the connection's failure has been told.
    pub told: bool,
    /// `connect` was called, and does not block.
    pub connecting: bool,
}

/// What a socket has set for its connections, whatever the host's settings are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Own {
    /// `TCP_CONGESTION`
    pub control: Option<String>,
    /// `TCP_MAXSEG`
    pub max_segment: Option<u16>,
    /// `SO_RCVBUF`, doubled as Linux does.
    pub receive_buffer: Option<u64>,
    /// `TCP_SYNCNT`
    pub syn_retries: Option<u32>,
    /// `TCP_RTO_MIN_US`
    pub rto_min: Option<Span>,
    /// `TCP_USER_TIMEOUT`
    pub user_timeout: Option<Span>,
}

impl Own {
    /// The settings of a connection on a host that has `settings`.
    pub fn over(&self, settings: &Settings) -> Settings {
        Settings {
            control: self.control.as_ref().unwrap_or(&settings.control).clone(),
            max_segment: self.max_segment,
            receive_buffer: self.receive_buffer.map_or(settings.receive_buffer, |bytes| (bytes, bytes)),
            syn_retries: self.syn_retries.unwrap_or(settings.syn_retries),
            rto_min: self.rto_min.or(settings.rto_min),
            ..settings.clone()
        }
    }
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
