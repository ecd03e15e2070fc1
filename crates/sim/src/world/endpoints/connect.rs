//! The two ends of a new connection.

use engine::{Slot, Stream, Time};
use tcp::Connection;
use tcp::config::Tries;
use wire::{Dscp, SeqNum};

use super::end::End;
use super::progress::ReceiverProgress;
use crate::ids::{FlowId, NodeId};
use crate::reader::ReaderConfig;
use crate::world::ids::FlowIndex;

/// The properties of a new connection.
pub(in crate::world) struct ConnectionPlan<'a> {
    /// The flow's index in the world's list, and its number in events.
    pub flow: (FlowIndex, FlowId),
    /// The sending node and the receiving one.
    pub nodes: [NodeId; 2],
    pub class: Dscp,
    pub start: Time,
    pub tcp: &'a tcp::Config,
    /// Settings of the receiving end, if they differ.
    pub peer: Option<&'a tcp::Config>,
    /// Random streams of the sending and the receiving end.
    pub streams: [Stream; 2],
    /// Whether the receiving end begins the handshake.
    pub receiver_opens: bool,
    /// Bytes of the flow, if known.
    pub bytes: Option<u64>,
    /// Whether the application observes the transfer.
    pub application_observes: bool,
    /// How the application at the receiving end reads; `None` if it reads on arrival.
    pub reader: Option<ReaderConfig>,
}

impl ConnectionPlan<'_> {
    /// Creates the sending and the receiving end, with their ports and wake-ups; `observed` if the ends report events.
    pub(super) fn ends(&self, ports: [u16; 2], slots: [Slot; 2], observed: bool) -> [End; 2] {
        let settings = [self.tcp, self.peer.unwrap_or(self.tcp)];
        [[0, 1], [1, 0]].map(|[here, there]| {
            let (sends, opens) = (here == 0, (here == 1) == self.receiver_opens);
            let tcp = settings[here];
            let config = tcp::Config { stream: self.streams[here], ..tcp.clone() };
            let other = self.peer.map(|_| settings[there]);
            let mut connection = open_connection(opens, (&config, other), [ports[here], ports[there]]);
            if observed {
                connection.observe();
            }
            let nodes = [self.nodes[here], self.nodes[there]];
            let mut end = End::new(connection, nodes, self.flow, slots[here]);
            end.sends = sends;
            end.dscp = self.class;
            end.progress = ReceiverProgress::from(self.start);
            end.closes_at_end = tcp.close && !sends;
            end.is_attentive = end.closes_at_end;
            end.watched =
                self.application_observes || tcp.handshake || tcp.close || tcp.retries.data != Tries::Unlimited;
            end.goal = self.bytes.filter(|_| sends).unwrap_or(u64::MAX);
            end
        })
    }
}

/// Creates one end of a flow, with its settings and its port, and with the settings of the other end, if they differ,
/// and the port of that end. `opens` is true for the end that begins the handshake.
fn open_connection(
    opens: bool,
    (config, other): (&tcp::Config, Option<&tcp::Config>),
    [here, there]: [u16; 2],
) -> Connection {
    // [RFC9293 s3.4.1]: any number, from the end's own random stream.
    let iss = SeqNum(config.stream.sub("initial sequence number").draws().next_u64() as u32);
    match (config.handshake, opens) {
        (false, _) => match other {
            Some(other) => Connection::established_with([config, other], opens, [here, there]),
            None => Connection::established(config, here, there, config.window.initial(config.segment)),
        },
        (true, true) => Connection::connect(config, here, there, iss),
        (true, false) => Connection::listen(config, here, iss),
    }
}
