//! What happened to one flow, as a picture needs it.

/// A segment that was sent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Sent {
    pub at: f64,
    pub seq: u64,
    pub len: u32,
    /// Whether it had been sent before.
    pub again: bool,
}

/// Something at a byte of the stream. Times are seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Spot {
    pub at: f64,
    pub seq: u64,
}

/// An acknowledgment that reached the sender.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Ack {
    pub at: f64,
    pub ack: u64,
    pub duplicate: bool,
}

/// The window from a time on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Window {
    pub at: f64,
    pub cwnd: f64,
    /// Infinite before the first loss.
    pub ssthresh: f64,
}

/// What happened to one flow. Each list is in order of time.
#[derive(Default, Debug)]
pub(crate) struct History {
    pub sent: Vec<Sent>,
    pub acks: Vec<Ack>,
    pub windows: Vec<Window>,
    /// Why nothing was sent, from when on.
    pub blocked: Vec<(f64, tcp::Blocked)>,
    /// Data packets lost for good on the way.
    pub lost: Vec<Spot>,
    /// Acknowledgments lost for good on the way, at the byte they asked for.
    pub acks_lost: Vec<Spot>,
    /// Link-layer frames with data that did not survive the air.
    pub corrupted: Vec<Spot>,
    pub timeouts: Vec<Spot>,
    pub fast_retransmits: Vec<Spot>,
    pub defers: Vec<Spot>,
    pub retransmits: Vec<Spot>,
    /// When the air was BAD on a link that carries this flow: begin and end, in order, apart.
    pub bad: Vec<(f64, f64)>,
    /// When it sent its first segment, whether or not that is among those in `sent`.
    pub first_sent: Option<f64>,
    pub began: f64,
    pub ended: f64,
}

/// The union of intervals of several links.
pub(crate) fn union(links: impl Iterator<Item = Vec<(f64, f64)>>) -> Vec<(f64, f64)> {
    let mut all: Vec<(f64, f64)> = links.flatten().collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut joined: Vec<(f64, f64)> = Vec::new();
    for (begin, end) in all {
        match joined.last_mut() {
            Some(last) if begin <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((begin, end)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_several_links_join() {
        let joined = union([vec![(1.0, 2.0), (5.0, 6.0)], vec![(1.5, 3.0), (6.0, 7.0), (9.0, 9.5)]].into_iter());
        assert_eq!(joined, [(1.0, 3.0), (5.0, 7.0), (9.0, 9.5)]);
    }
}
