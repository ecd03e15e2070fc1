//! The causes of a flow's time: a table with the definition, the name, the colours and the description of each, for
//! reports, pictures and the page, and the cause that replaces it in captures.

/// A cause in captures that stands for several causes of simulated runs.
#[derive(Debug)]
pub struct MergedCause {
    /// The name in tables and JSON.
    pub name: &'static str,
    /// Description of one line.
    pub summary: &'static str,
    /// The cause whose colours it has.
    pub first: Cause,
}

impl MergedCause {
    const PATH: MergedCause = MergedCause {
        name: "path",
        summary: "the path carried its packets: links, queues and link layers",
        first: Cause::LinkRate,
    };
    const LOSS: MergedCause = MergedCause {
        name: "loss",
        summary: "TCP detected and repaired losses, on a channel or in a queue",
        first: Cause::AirLoss,
    };
    const RECEIVER_WINDOW: MergedCause = MergedCause {
        name: Cause::ReceiverWindow.name(),
        summary: Cause::ReceiverWindow.summary(),
        first: Cause::ReceiverWindow,
    };
    /// Any window, where a capture lacks the SYN with the scale of the receive window.
    pub const WINDOW: MergedCause = MergedCause {
        name: "window",
        summary: "cwnd or the receive window limited the sender",
        first: Cause::CongestionAvoidance,
    };

    /// Merged causes whose parts a simulation separates and no capture does.
    pub const SEPARATE_IN_RUNS: [MergedCause; 3] = [Self::PATH, Self::LOSS, Self::RECEIVER_WINDOW];
}

/// What replaces a cause in captures with the SYN and without it: nothing, the same cause, or two.
const OWN: [Option<MergedCause>; 2] = [None, None];
const PATH: [Option<MergedCause>; 2] = [Some(MergedCause::PATH), Some(MergedCause::PATH)];
const LOSS: [Option<MergedCause>; 2] = [Some(MergedCause::LOSS), Some(MergedCause::LOSS)];
const CWND: [Option<MergedCause>; 2] = [None, Some(MergedCause::WINDOW)];
const RECEIVE_WINDOW: [Option<MergedCause>; 2] = [Some(MergedCause::RECEIVER_WINDOW), Some(MergedCause::WINDOW)];

/// Declares [`Cause`] and its table: for each cause its definition, name, colours, replacement in captures, and sentence.
macro_rules! causes {
    ($(
        $(#[doc = $doc:literal])*
        $cause:ident: $name:literal, [$light:literal, $dark:literal], $in_captures:ident, $sentence:literal;
    )*) => {
        /// The cause of a moment of a flow's time.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Cause {
            $($(#[doc = $doc])* $cause,)*
        }

        impl Cause {
            /// Every cause, in the order of a stacked bar.
            pub const ALL: [Cause; [$($name),*].len()] = [$(Cause::$cause),*];

            /// The name in tables, JSON and style sheets.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Cause::$cause => $name,)*
                }
            }

            /// Description of one line.
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Cause::$cause => $sentence,)*
                }
            }

            /// The colours as 0xRRGGBB on light and on dark ground, after Okabe and Ito.
            pub const fn colors(self) -> [u32; 2] {
                match self {
                    $(Cause::$cause => [$light, $dark],)*
                }
            }

            /// The cause that replaces it in captures, if one does; `has_syn` if the receive window is known.
            pub(in crate::explain) const fn merged_in_captures(self, has_syn: bool) -> Option<&'static MergedCause> {
                let replacements: &'static [Option<MergedCause>; 2] = match self {
                    $(Cause::$cause => &$in_captures,)*
                };
                replacements[if has_syn { 0 } else { 1 }].as_ref()
            }
        }
    };
}

causes! {
    /// The slowest hop transmitted the flow's packets, with the overhead of its link layer.
    LinkRate: "link-rate", [0x0072b2, 0x56b4e9], PATH, "the bottleneck transmitted its packets";
    /// The slowest hop was idle, because packets waited elsewhere behind others of the same flow.
    OwnQueue: "own-queue", [0xe69f00, 0xf0b429], PATH, "queued behind its own packets while the bottleneck was idle";
    /// Packets of the flow waited behind packets of other flows.
    OthersQueue: "others-queue", [0x009e73, 0x2cc295], PATH, "queued behind packets of other flows";
    /// Other stations of a medium transmitted.
    Contention: "contention", [0xa03c84, 0xe394c8], PATH, "other stations of its cell transmitted";
    /// Frames of the flow were lost to collisions, and the link layer or TCP repeated them.
    Collision: "collision", [0xd5310a, 0xff6a45], PATH, "its frames collided";
    /// Transmissions that the channel damaged, and waiting of the link layer before it repeated them.
    BadAir: "bad-air", [0x9aa4b1, 0x566273], PATH, "the channel damaged transmissions";
    /// A link was interrupted.
    Outage: "outage", [0xc65100, 0xf2994a], PATH, "a link was interrupted";
    /// The connection was opened.
    Handshake: "handshake", [0x7fb8d8, 0x346582], OWN, "the connection was opened";
    /// The congestion window limited the sender in slow start.
    SlowStart: "slow-start", [0xf2cf7f, 0x816522], CWND, "cwnd limited the sender in slow start";
    /// The congestion window limited the sender in congestion avoidance.
    CongestionAvoidance: "congestion-avoidance", [0x7fceb9, 0x1f6c58], CWND, "cwnd limited the sender in congestion avoidance";
    /// The sender paced its packets.
    Pacing: "pacing", [0xcf9dc1, 0x7a5572], OWN, "the sender paced its packets";
    /// A small segment waited for acknowledgments.
    Nagle: "nagle", [0xea9884, 0x884030], OWN, "a small segment waited for acknowledgments";
    /// The receive window limited the sender.
    ReceiverWindow: "receiver-window", [0xccd1d8, 0x343c47], RECEIVE_WINDOW, "the receive window limited the sender";
    /// Data that the receiving application had not read reduced the receive window, which limited the sender.
    Reader: "reader", [0xb5a1d8, 0x584a7d], RECEIVE_WINDOW, "unread data reduced the receive window";
    /// The send buffer was full, so that the application waited with its data.
    SendBuffer: "send-buffer", [0xc9d38a, 0x565f22], OWN, "the send buffer was full";
    /// The sender waited for the repair of losses on a channel.
    AirLoss: "air-loss", [0xe2a87f, 0x825733], LOSS, "TCP detected and repaired losses on a channel";
    /// The sender waited for the repair of drops in a queue.
    QueueDrop: "queue-drop", [0xbfdbeb, 0x233d4f], LOSS, "TCP detected and repaired drops in a queue";
    /// The sender repaired losses that had not occurred, and the slowest hop transmitted data that had arrived before.
    SpuriousRecovery: "spurious-recovery", [0xf8e7bf, 0x493d1f], OWN, "TCP retransmitted data that was not lost";
    /// A scheme held a packet, or closed the receive window.
    Scheme: "scheme", [0xbfe6dc, 0x18413a], RECEIVE_WINDOW, "a scheme held a packet or closed the receive window";
    /// The application had no data to send.
    Application: "application", [0xe7cee0, 0x463547], OWN, "the application had nothing to send";
    /// All data was sent, and the last of it or its acknowledgment was in flight.
    Propagation: "propagation", [0xf4cbc1, 0x4d2b26], OWN, "everything was sent; the last packets were in flight";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn causes_have_unique_names_and_colours() {
        let count = |keys: BTreeSet<String>| keys.len();
        assert_eq!(count(Cause::ALL.iter().map(|cause| cause.name().to_owned()).collect()), Cause::ALL.len());
        for ground in [0, 1] {
            let colors = Cause::ALL.iter().map(|cause| format!("{:06x}", cause.colors()[ground]));
            assert_eq!(count(colors.collect()), Cause::ALL.len());
        }
    }
}
