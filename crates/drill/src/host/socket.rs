//! Sockets of the simulated host.

use std::collections::VecDeque;

use engine::Span;

use super::send_buffer::SendLimits;
use crate::settings::HostSettings;

/// State of a socket.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Socket {
    pub kind: SocketState,
    pub nonblocking: bool,
    pub nodelay: bool,
    pub cork: bool,
    /// Whether `SHUT_RD` was called, after which reading never blocks.
    pub read_shut: bool,
    /// True after `SHUT_WR`: writing fails.
    pub write_shut: bool,
    /// True for `SO_LINGER` with a time of zero: `close` resets the connection.
    pub abortive: bool,
    /// `SO_SNDBUF` in bytes, doubled as in Linux.
    pub send_buffer: Option<i64>,
    /// `TCP_NOTSENT_LOWAT`: maximum number of unsent bytes; `None` for no limit.
    pub most_unsent: Option<u64>,
    /// `TCP_INQ`: reading gives the number of readable bytes in a control message.
    pub inq: bool,
    /// Whether data was sent with `MSG_ZEROCOPY`, whose completions are not modelled.
    pub sent_zero_copy: bool,
    /// Number of bytes already accepted from a blocked write.
    pub begun: u64,
    pub own: Own,
    /// True if the application has received the error of the connection's failure.
    pub failure_reported: bool,
    /// True after `connect` until the application has received its result.
    pub connecting: bool,
}

impl Socket {
    /// Returns the limits of the send buffer. Without `SO_SNDBUF` it has no end: Linux tunes it.
    pub fn send_limits(&self) -> SendLimits {
        SendLimits { memory: self.send_buffer.and_then(|bytes| u64::try_from(bytes).ok()), unsent: self.most_unsent }
    }
}

/// Settings of a socket, which override those of the host for the socket's connections; `None` for the host's setting.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Own {
    /// `TCP_CONGESTION`
    pub control: Option<String>,
    /// `TCP_MAXSEG`
    pub max_segment: Option<u16>,
    /// `SO_RCVBUF` in bytes, doubled as in Linux.
    pub receive_buffer: Option<u64>,
    /// `TCP_SYNCNT`
    pub syn_retries: Option<u32>,
    /// `TCP_RTO_MIN_US`
    pub rto_min: Option<Span>,
    /// `TCP_RTO_MAX_MS`
    pub rto_max: Option<Span>,
    /// `TCP_USER_TIMEOUT`
    pub user_timeout: Option<Span>,
}

impl Own {
    /// Returns the host's `settings` overridden by the settings of the socket.
    pub fn over(&self, settings: &HostSettings) -> HostSettings {
        HostSettings {
            control: self.control.as_ref().unwrap_or(&settings.control).clone(),
            max_segment: self.max_segment,
            receive_buffer: self.receive_buffer.map_or(settings.receive_buffer, |bytes| (bytes, bytes)),
            syn_retries: self.syn_retries.unwrap_or(settings.syn_retries),
            rto_min: self.rto_min.or(settings.rto_min),
            rto_max: self.rto_max.or(settings.rto_max),
            ..settings.clone()
        }
    }
}

/// Connection state of a socket.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum SocketState {
    /// Neither connected nor listening.
    #[default]
    Fresh,
    /// Listening; `waiting` holds the indices of connections in the accept queue.
    Listening { waiting: VecDeque<usize> },
    /// Connected; the index of the connection.
    Connected(usize),
}
