//! WHAT is lost, and what to send again.

pub mod reno;

engine::registry! {
    /// The kinds of loss recovery.
    pub enum RecoveryConfig: "recovery" => build() -> Box<dyn LossRecovery> {
        Reno => reno, "reno", "Third duplicate, then one segment a duplicate until new data is acknowledged [RFC5681 s3.2]", no settings;
    }
}

/// What the sender knows when an acknowledgment comes in. Windows are bytes.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// First unacknowledged byte.
    pub una: u64,
    /// Bytes in a full segment.
    pub segment: f64,
    /// The congestion control's window.
    pub cwnd: f64,
    /// The congestion control's threshold.
    pub ssthresh: f64,
}

/// What a notified loss asks of recovery, instead of the ordinary rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notified {
    /// The segment was sent again when the message came: recover with the window as it is.
    AlreadyResent,
    /// Send the segment again and fly ssthresh plus three segments until new data is acknowledged.
    Resend,
}

/// What a duplicate acknowledgment means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Duplicate {
    /// Nothing yet, or one more segment has left the network.
    Counted,
    /// Recovery begins: the segment at `una` is lost, and goes out at once if `resend`.
    Lost {
        /// Whether to send it again.
        resend: bool,
    },
}

/// What an acknowledgment of new data means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Advance {
    /// No recovery was going on.
    Ordinary,
    /// Recovery has ended.
    Recovered,
}

/// Says what is lost and what to send again, and never writes cwnd: what it wants to add to the window for segments
/// that have left the network it keeps in `allowance`.
///
/// The sender calls `on_duplicate` for each duplicate acknowledgment [RFC5681 s2] while data is outstanding,
/// `on_advance` for each acknowledgment of new data, and `on_timeout` when the retransmission timer has expired,
/// before it goes back to the first unacknowledged byte.
pub trait LossRecovery: Send {
    /// A duplicate acknowledgment, number `count` (from 1) since the last of new data. `notified` if the network has
    /// said that the segment at `una` was lost for a reason other than congestion.
    fn on_duplicate(&mut self, count: u32, notified: Option<Notified>, view: &View) -> Duplicate;
    /// New data has been acknowledged.
    fn on_advance(&mut self, view: &View) -> Advance;
    /// The retransmission timer has expired.
    fn on_timeout(&mut self);
    /// Whether recovery is going on.
    fn recovering(&self) -> bool;
    /// Bytes to add to cwnd for now; may be negative.
    fn allowance(&self) -> f64;
}
