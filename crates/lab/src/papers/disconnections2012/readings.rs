//! Interpretations ("readings") of disconnections2012. Each interpretation names its source in the paper or in the
//! simulator.

use super::Reading;

/// The primary reading.
pub(super) static PRIMARY: Reading = Reading {
    name: "11 Mbps, deaf",
    what: "802.11b at 11 Mbps; the disconnection starts at a random time of the round trip, and the mobile receives again when it has sent something",
    source: "section 5.2: \"maximum allowable data-rate\", and T_LOSS > T_CRD from 40 ms on, which equation 2 has at 11 Mbps only; \
             ns-2's channel finds receivers where they were when they last sent",
};
pub(super) static FLIGHT: Reading = Reading {
    name: "leaves with a flight",
    what: "the disconnection starts while the acknowledgments of a flight arrive, between 10.27 and 10.30 s",
    source: "section 5.2: 12 packets are unacknowledged just before the disconnection; section 3: all packets before are acknowledged",
};
pub(super) static AT_ONCE: Reading = Reading {
    name: "receives at once",
    what: "after a disconnection the mobile sends and receives at once",
    source: "section 2: a disconnection is an interval without a link",
};
pub(super) static SLOW: Reading = Reading {
    name: "2 Mbps",
    what: "802.11 at 2 Mbps",
    source: "reference [29], the edition of 1999, which has no higher rate",
};
pub(super) static SLOW_AT_ONCE: Reading = Reading {
    name: "2 Mbps, receives at once",
    what: "802.11 at 2 Mbps, and after the disconnection the mobile receives at once",
    source: "reference [29] and section 2",
};
pub(super) static PATIENT: Reading = Reading {
    name: "patient with each packet",
    what: "approach A lets the retry limit grow while it tries a packet: 25 attempts, a step of the rate with every sixth failure",
    source: "section 4.1: growth is \"based on the successive transmission failures detected at MAC layer\"",
};
pub(super) static WINDOW_WAITS: Reading = Reading {
    name: "the window waits at the mobile",
    what: "all 12 packets of the window are in the mobile's queue at the start of the disconnection",
    source: "section 3: \"repeated for all outstanding TCP packets in the IFQ\"; figure 1 has ten",
};
pub(super) static WINDOW_WAITS_SLOW: Reading = Reading {
    name: "the window waits, 2 Mbps",
    what: "all 12 packets of the window are in the mobile's queue at the start of the disconnection, and the rate is 2 Mbps",
    source: "section 3 and reference [29]",
};
pub(super) static THREE_WAIT: Reading = Reading {
    name: "three packets wait",
    what: "three packets are in the mobile's queue at the start of the disconnection, and no others are in flight",
    source: "figure 4: D1, D2 and D3",
};
pub(super) static SHORTER: Reading = Reading {
    name: "25 s",
    what: "the twelve disconnections occur within 25 s",
    source: "section 5.3: \"250 ms of the simulation period\", which is impossible; here a misprint of 25 s",
};
pub(super) static SHORTER_AT_ONCE: Reading = Reading {
    name: "25 s, receives at once",
    what: "the twelve disconnections occur within 25 s, and the mobile receives at once",
    source: "section 5.3 and section 2",
};
pub(super) static SINGLY: Reading = Reading {
    name: "one disconnection",
    what: "one disconnection in an upload of 10 s",
    source: "captions of figures 8 and 10: \"short FTP\"; section 5.2: from 5 to 15 s",
};
pub(super) static SINGLY_AT_ONCE: Reading = Reading {
    name: "one disconnection, receives at once",
    what: "one disconnection in an upload of 10 s, after which the mobile receives at once",
    source: "captions of figures 8 and 10, and section 2",
};

/// All readings, the primary one first.
pub(super) static ALL: &[&Reading] = &[
    &PRIMARY,
    &FLIGHT,
    &AT_ONCE,
    &SLOW,
    &SLOW_AT_ONCE,
    &PATIENT,
    &WINDOW_WAITS,
    &WINDOW_WAITS_SLOW,
    &THREE_WAIT,
    &SHORTER,
    &SHORTER_AT_ONCE,
    &SINGLY,
    &SINGLY_AT_ONCE,
];
