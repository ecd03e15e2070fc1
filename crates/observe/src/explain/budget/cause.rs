//! What a flow can spend its time on.

/// The cause of a moment of a flow's time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cause {
    /// The slowest hop transmitted the flow's packets, with the overhead of its link layer.
    LinkRate,
    /// The slowest hop was idle, because packets waited elsewhere behind others of the same flow.
    OwnQueue,
    /// Packets waited behind those of other flows.
    OthersQueue,
    /// Other stations of a medium transmitted.
    Contention,
    /// Frames of the flow were lost to collisions, and the link layer or TCP repeated them.
    Collision,
    /// Transmissions that the channel damaged, and waiting of the link layer before it repeated them.
    BadAir,
    /// A link was interrupted.
    Outage,
    /// The connection was opened.
    Handshake,
    /// The congestion window limited the sender in slow start.
    SlowStart,
    /// The congestion window limited the sender in congestion avoidance.
    CongestionAvoidance,
    /// The sender paced its packets.
    Pacing,
    /// A small segment waited for acknowledgments.
    Nagle,
    /// The receive window limited the sender.
    ReceiverWindow,
    /// The sender waited for the repair of losses on a channel.
    AirLoss,
    /// The sender waited for the repair of drops in a queue.
    QueueDrop,
    /// The sender repaired losses that had not occurred, and the slowest hop transmitted data that had arrived before.
    SpuriousRecovery,
    /// A scheme held a packet, or closed the receive window.
    Scheme,
    /// The application had no data to send.
    Application,
    /// All data was sent, and the last of it or its acknowledgment was under way.
    Propagation,
}

impl Cause {
    /// Every cause, in the order of a stacked bar.
    pub const ALL: [Cause; 19] = [
        Cause::LinkRate,
        Cause::OwnQueue,
        Cause::OthersQueue,
        Cause::Contention,
        Cause::Collision,
        Cause::BadAir,
        Cause::Outage,
        Cause::Handshake,
        Cause::SlowStart,
        Cause::CongestionAvoidance,
        Cause::Pacing,
        Cause::Nagle,
        Cause::ReceiverWindow,
        Cause::AirLoss,
        Cause::QueueDrop,
        Cause::SpuriousRecovery,
        Cause::Scheme,
        Cause::Application,
        Cause::Propagation,
    ];

    /// The name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Cause::LinkRate => "link-rate",
            Cause::OwnQueue => "own-queue",
            Cause::OthersQueue => "others-queue",
            Cause::Contention => "contention",
            Cause::Collision => "collision",
            Cause::BadAir => "bad-air",
            Cause::Outage => "outage",
            Cause::Handshake => "handshake",
            Cause::SlowStart => "slow-start",
            Cause::CongestionAvoidance => "congestion-avoidance",
            Cause::Pacing => "pacing",
            Cause::Nagle => "nagle",
            Cause::ReceiverWindow => "receiver-window",
            Cause::AirLoss => "air-loss",
            Cause::QueueDrop => "queue-drop",
            Cause::SpuriousRecovery => "spurious-recovery",
            Cause::Scheme => "scheme",
            Cause::Application => "application",
            Cause::Propagation => "propagation",
        }
    }

    /// Description of one line.
    pub const fn summary(self) -> &'static str {
        match self {
            Cause::LinkRate => "the slowest link transmitted its packets",
            Cause::OwnQueue => "its packets waited behind its own, and the slowest link was idle",
            Cause::OthersQueue => "its packets waited behind those of other flows",
            Cause::Contention => "other stations of its cell transmitted",
            Cause::Collision => "its frames collided",
            Cause::BadAir => "the channel damaged transmissions",
            Cause::Outage => "a link was interrupted",
            Cause::Handshake => "the connection was opened",
            Cause::SlowStart => "cwnd limited the sender in slow start",
            Cause::CongestionAvoidance => "cwnd limited the sender in congestion avoidance",
            Cause::Pacing => "the sender paced its packets",
            Cause::Nagle => "a small segment waited for acknowledgments",
            Cause::ReceiverWindow => "the receive window limited the sender",
            Cause::AirLoss => "TCP detected and repaired losses on a channel",
            Cause::QueueDrop => "TCP detected and repaired drops in a queue",
            Cause::SpuriousRecovery => "TCP sent again what was not lost",
            Cause::Scheme => "a scheme held a packet or closed the receive window",
            Cause::Application => "the application had nothing to send",
            Cause::Propagation => "everything was sent, and the last packets were under way",
        }
    }
}
