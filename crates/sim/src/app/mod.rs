//! Applications: the data that the ends of a flow write, and the times at which they write it.
//!
//! An application is one file here and one line of the registry below. An application with several connections, such as
//! a web browser, is one instance for all of them.

pub mod bulk;
pub mod cbr;
mod context;
pub mod duplex;
pub mod on_off;
pub mod ping;
pub mod recorded;
pub mod requests;
pub mod video;
pub mod voip;

use engine::{Span, Stream, Time};

use crate::transport::Transport;
pub use context::AppCx;
pub(crate) use context::{Access, ConnectionEnds};

engine::registry! {
    /// The registry of applications.
    pub enum ApplicationConfig: "application" => build(stream: Stream) -> Box<dyn Application> {
        Bulk => bulk, "bulk", "All bytes at once when the flow starts, or data without end";
        Duplex => duplex, "duplex", "Data in both directions of one connection at once";
        Cbr => cbr, "cbr", "A constant bit rate: packets of one size at equal intervals";
        OnOff => on_off, "on-off", "On and off periods of random length: a constant bit rate while on";
        Requests => requests, "requests", "A client requests objects or web pages, over one connection or several";
        Video => video, "video", "A video in segments whose bit rate adapts to the path (DASH)";
        Voip => voip, "voip", "A telephone call over UDP, rated by the E-model";
        Ping => ping, "ping", "Echo requests at equal intervals";
        Recorded => recorded, "recorded", "Writes at recorded times, from a file";
    }
}

impl Default for ApplicationConfig {
    /// Endless data.
    fn default() -> Self {
        ApplicationConfig::Bulk(bulk::Config::default())
    }
}

impl ApplicationConfig {
    /// A transfer of `bytes`, or an endless one.
    pub fn bulk(bytes: Option<u64>) -> Self {
        ApplicationConfig::Bulk(bulk::Config { bytes: bytes.map(engine::Bytes) })
    }

    /// The total number of bytes that the application writes; `None` if unknown at the flow's start.
    pub fn total(&self) -> Option<u64> {
        self.build(Stream::default()).total()
    }
}

/// Maximum payload of a UDP datagram or an echo request in an IPv4 packet, in bytes.
pub const MAX_DATAGRAM: u64 = 65_507;

/// Maximum number of connections of one application.
pub const MAX_CONNECTIONS: usize = 64;

/// The application at both ends of a flow: writes data at either end and observes what arrives.
///
/// The world calls [`start`](Self::start) first, at the flow's start, and then [`wake`](Self::wake) at each
/// [`deadline`](Self::deadline). The other calls are made only if [`observes`](Self::observes) is true. After each call
/// the written data is sent, and the deadline is read again.
///
/// A flow has one TCP connection or several, which are numbered from 0, or it sends datagrams, each with one call of
/// [`AppCx::write`].
pub trait Application: Send {
    /// The number of TCP connections, 1 to [`MAX_CONNECTIONS`]; constant.
    fn connections(&self) -> usize {
        1
    }

    /// Whether the receiving end opens the connections, as the client of a download does; constant.
    fn receiver_opens(&self) -> bool {
        false
    }

    /// Transports supported by the application, the usual one first; constant.
    fn transports(&self) -> &'static [Transport] {
        &[Transport::Tcp]
    }

    /// The transport of a flow that does not name one; constant.
    fn usual_transport(&self) -> Transport {
        self.transports().first().copied().unwrap_or_default()
    }

    /// The total number of bytes of the sending end, if known before the start and there is one connection. The flow is
    /// complete when these bytes are acknowledged; without a known total, when all data written before
    /// [`AppCx::finish`] is acknowledged.
    fn total(&self) -> Option<u64> {
        None
    }

    /// The flow starts.
    fn start(&mut self, cx: &mut AppCx<'_>);

    /// The next wake-up, later than now; `Time::NEVER` for none.
    fn deadline(&self) -> Time {
        Time::NEVER
    }

    /// Called when the deadline has been reached.
    fn wake(&mut self, cx: &mut AppCx<'_>) {
        let _ = cx;
    }

    /// Whether the application needs the calls below; constant.
    fn observes(&self) -> bool {
        false
    }

    /// Handles the acknowledgment of more bytes of a connection's sending end, in total [`AppCx::acknowledged_bytes`].
    /// The application may write more.
    fn writable(&mut self, connection: usize, cx: &mut AppCx<'_>) {
        let _ = (connection, cx);
    }

    /// Handles the arrival of more bytes in order at the receiving end of a connection, in total
    /// [`AppCx::delivered_bytes`].
    fn on_delivered(&mut self, connection: usize, cx: &mut AppCx<'_>) {
        let _ = (connection, cx);
    }

    /// Handles the arrival of more bytes in order at the sending end of a connection, in total
    /// [`AppCx::requested_bytes`].
    fn on_requested(&mut self, connection: usize, cx: &mut AppCx<'_>) {
        let _ = (connection, cx);
    }

    /// Called when the receiving end of a connection has received all bytes and the close of the sending end.
    fn on_closed(&mut self, connection: usize, cx: &mut AppCx<'_>) {
        let _ = (connection, cx);
    }

    /// A datagram arrived.
    fn on_datagram(&mut self, arrival: &DatagramArrival, cx: &mut AppCx<'_>) {
        let _ = (arrival, cx);
    }

    /// The results of the application itself at `now`, in the same order each time.
    fn results(&self, now: Time) -> Vec<AppResult> {
        let _ = now;
        Vec::new()
    }
}

/// The arrival of a datagram at its receiver, or of an echo reply at the end that sent the request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DatagramArrival {
    /// Number of the datagram, from 0.
    pub number: u32,
    /// Bytes of payload.
    pub len: u32,
    /// Time since the datagram was sent; for an echo reply, since the request was sent.
    pub delay: Span,
}

/// A result specific to one kind of application.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AppResult {
    /// Name of the result, with the unit if it has one: lower case, words joined by `_`. Applications of the registry
    /// use the names of the summary's metrics.
    pub name: &'static str,
    /// Value of the result; `None` if there is no value yet.
    pub value: Option<f64>,
}
