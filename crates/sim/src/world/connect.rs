//! The two ends of a new connection.

use engine::{Slot, Stream, Time};
use tcp::Connection;
use tcp::config::Tries;
use wire::{Dscp, SeqNum};

use super::end::End;
use super::progress::Progress;
use crate::ids::NodeId;

/// The properties common to both ends of a connection.
pub(super) struct EndParts {
    /// The flow's index in the world's list, and its number in events.
    pub flow: [u32; 2],
    pub nodes: [NodeId; 2],
    pub ports: [u16; 2],
    pub class: Dscp,
    pub start: Time,
    pub observed: bool,
}

impl EndParts {
    /// The sending end and the receiving one, each with its random stream and its wake-up.
    pub fn ends(&self, tcp: &tcp::Config, streams: [Stream; 2], slots: [Slot; 2], receiver_opens: bool) -> [End; 2] {
        [[0, 1], [1, 0]].map(|[here, there]| {
            let (sends, opens) = (here == 0, (here == 1) == receiver_opens);
            let config = tcp::Config { stream: streams[here], ..tcp.clone() };
            let mut connection = connection(opens, &config, [self.ports[here], self.ports[there]]);
            if self.observed {
                connection.observe();
            }
            let nodes = [self.nodes[here], self.nodes[there]];
            let mut end = End::new(connection, nodes, self.flow, slots[here]);
            end.sends = sends;
            end.dscp = self.class;
            end.progress = Progress::from(self.start);
            end.closes_at_end = tcp.close && !sends;
            end.watched = tcp.handshake || tcp.close || tcp.retries.data != Tries::Unlimited;
            end
        })
    }
}

/// One end of a flow, with its own port and the peer's; `opens`: it begins the handshake.
fn connection(opens: bool, config: &tcp::Config, [here, there]: [u16; 2]) -> Connection {
    // [RFC9293 s3.4.1]: any number, from the end's own random stream.
    let iss = SeqNum(config.stream.sub("initial sequence number").draws().next_u64() as u32);
    match (config.handshake, opens) {
        (false, _) => Connection::established(config, here, there, config.window.0),
        (true, true) => Connection::connect(config, here, there, iss),
        (true, false) => Connection::listen(config, here, iss),
    }
}
