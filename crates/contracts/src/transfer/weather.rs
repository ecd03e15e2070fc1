//! Impairments of a network.

/// Impairments of a network, each a probability.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weather {
    /// Loss of segments with data.
    pub loss: f64,
    /// Loss of acknowledgments.
    pub ack_loss: f64,
    /// Duplication.
    pub duplication: f64,
    /// A delay of up to 30 ms more, by which later packets overtake.
    pub reordering: f64,
    /// The share of lost segments that is reported: by ICMP-DEFER and ICMP-RETRANSMIT, and by marks on acknowledgments
    /// (ELN).
    pub notices: f64,
    /// The share of acknowledgments that advertise less than the free window, down to zero. The window's edge never
    /// moves back.
    pub narrowing: f64,
}

impl Weather {
    /// No impairments.
    pub const CLEAR: Weather =
        Weather { loss: 0.0, ack_loss: 0.0, duplication: 0.0, reordering: 0.0, notices: 0.0, narrowing: 0.0 };

    /// Default impairments of tests, from none to all at the same time.
    pub const USUAL: [Weather; 7] = [
        Weather::CLEAR,
        Weather { loss: 0.02, ..Weather::CLEAR },
        Weather { loss: 0.05, ack_loss: 0.2, notices: 0.5, ..Weather::CLEAR },
        Weather { loss: 0.3, ack_loss: 0.3, duplication: 0.1, reordering: 0.1, notices: 1.0, ..Weather::CLEAR },
        Weather { duplication: 0.2, reordering: 0.5, ..Weather::CLEAR },
        Weather { loss: 0.1, ack_loss: 0.1, duplication: 0.1, reordering: 0.3, notices: 0.7, narrowing: 0.3 },
        Weather { loss: 0.02, ack_loss: 0.05, narrowing: 0.5, ..Weather::CLEAR },
    ];
}
