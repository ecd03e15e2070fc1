//! An end that takes over an established connection: a node between two ends replaces one of them.

use wire::SeqNum;

use super::{Connection, State};
use crate::config::Config;
use crate::receiver::SackReports;
use crate::timestamps::Clock;

/// The state of a connection whose end is taken over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Adoption {
    /// Sequence number of the first byte that this end will send, and of the first that it will receive. All earlier
    /// bytes were sent and received.
    pub origins: [SeqNum; 2],
    /// The receive window of the other end, in bytes.
    pub peer_window: u64,
    /// Whether SACK was negotiated.
    pub sack: bool,
    /// Whether timestamps were negotiated.
    pub timestamps: bool,
    /// Whether ECN was negotiated.
    pub ecn: bool,
    /// The last timestamp of the other end.
    pub recent: Option<u32>,
    /// Window shift of this end.
    pub shift: u8,
    /// The maximum window that can be advertised.
    pub max_window: u64,
}

impl Connection {
    /// Creates an end in ESTABLISHED that continues another one's stream. Its segments have `config.segment` bytes of
    /// data, whatever their options take.
    pub fn adopt(config: &Config, [local_port, remote_port]: [u16; 2], taken: &Adoption) -> Self {
        let mut config = config.clone();
        config.sack = taken.sack;
        config.timestamps = taken.timestamps;
        let [origin, peer_origin] = taken.origins;
        let mut connection = Self::new(&config, local_port, remote_port, State::Established, origin);
        (connection.peer_origin, connection.last_ack) = (peer_origin, peer_origin);
        (connection.timestamps, connection.ecn, connection.shift) = (taken.timestamps, taken.ecn, taken.shift);
        connection.clock = Clock::of(taken.recent);
        connection.sender.on_handshake(taken.ecn, taken.peer_window, None, None);
        let max_window = u32::try_from(taken.max_window).unwrap_or(u32::MAX);
        connection.receiver.on_handshake(SackReports::of(&config), taken.shift, max_window);
        connection
    }
}

#[cfg(test)]
mod tests {
    use engine::Time;
    use wire::{Ecn, Flags, Segment};

    use super::*;

    /// The sequence numbers wrap around during the transfer, in both directions.
    #[test]
    fn adopted_connection_continues_the_sequence_numbers() {
        let taken = Adoption {
            origins: [SeqNum(u32::MAX - 99), SeqNum(7000)],
            peer_window: 1000,
            sack: true,
            timestamps: false,
            ecn: false,
            recent: None,
            shift: 3,
            max_window: 65_535 << 3,
        };
        let config = Config { segment: 500, initial_window: 2, ..Config::default() };
        let mut end = Connection::adopt(&config, [1, 2], &taken);
        end.write(800);
        let sent: Vec<_> = std::iter::from_fn(|| end.poll_transmit(Time::ZERO)).map(|(segment, _)| segment).collect();
        let shown: Vec<_> = sent.iter().map(|s| (s.seq.0, s.len, s.ack.0, s.window, s.window_shift)).collect();
        // 65535 in steps of 8 bytes.
        assert_eq!(shown, [(u32::MAX - 99, 500, 7000, 65_528, 3), (400, 300, 7000, 65_528, 3)]);
        let answer =
            Segment { src_port: 2, dst_port: 1, seq: SeqNum(7000), ack: SeqNum(700), len: 10, ..Segment::default() };
        end.handle_segment(Time::ZERO, &Segment { flags: Flags::ACK, window: 99, ..answer }, Ecn::NotEct);
        assert!(end.done());
        assert_eq!((end.bytes_acknowledged(), end.bytes_received()), (800, 10));
    }
}
