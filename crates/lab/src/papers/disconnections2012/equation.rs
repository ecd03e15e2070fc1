//! Equation 2: the mean time for which the MAC retries, computed from the parameters of its physical layer.

use engine::Span;
use path::mac::dcf::config::Retries;
use path::mac::dcf::frame::{ACK_SIZE, LLC_OVERHEAD, MAC_OVERHEAD};
use path::mac::dcf::{Phy, RateIndex};

/// A station that receives no acknowledgments, without contention, and with an idle medium at the start.
pub(super) struct Unanswered<'a> {
    pub phy: &'a Phy,
    pub retries: Retries,
    /// The data rate of each packet, as a function of the number of packets given up before it.
    pub rates: &'a dyn Fn(u32) -> RateIndex,
    /// Size of an IP packet in bytes.
    pub packet: u32,
}

impl Unanswered<'_> {
    /// Returns T_LINK of a failed attempt: the frame, and the time until the sender of the frame resumes counting slots
    /// [802.11-2007 s9.2.5.2, s9.2.8].
    fn link(&self, rate: RateIndex) -> Span {
        let Phy { difs, answer_timeout, delay, .. } = *self.phy;
        // The end of the sender's frame is simultaneous for all stations. The sender then waits for an idle medium or
        // for the timeout of the response, whichever is later.
        let silence = (delay + difs).max(answer_timeout);
        self.phy.duration(rate, self.packet + LLC_OVERHEAD + MAC_OVERHEAD) + silence
    }

    /// Returns T_LINK as the paper defines it, which are the constant durations of a whole exchange: the frame, SIFS,
    /// the acknowledgment, DIFS.
    fn exchange(&self, rate: RateIndex) -> Span {
        let Phy { sifs, difs, delay, .. } = *self.phy;
        let frame = self.phy.duration(rate, self.packet + LLC_OVERHEAD + MAC_OVERHEAD);
        frame + delay + sifs + self.phy.duration(self.phy.answer_rate(rate), ACK_SIZE) + delay + difs
    }

    /// Returns the mean back-off before attempt `k` of a packet, counted from 0. It is half of the contention window,
    /// which doubles.
    fn back_off(&self, k: u32) -> f64 {
        let window = (0..k).fold(self.phy.cw_min, |window, _| (2 * window + 1).min(self.phy.cw_max));
        self.phy.slot.as_secs_f64() * f64::from(window) / 2.0
    }

    /// Returns T_CRD of a number of packets in milliseconds: the sum over packets of RL + 1 attempts, which take T_LINK
    /// and a back-off each. Only the first attempt has no back-off, because the medium was idle.
    pub fn tries(&self, packets: u32) -> f64 {
        self.sum(packets, |rate| self.link(rate)) - 1e3 * self.back_off(0)
    }

    /// Returns T_CRD by equation 2 as it is printed: T_LINK of a whole exchange, and a back-off before every attempt.
    pub fn as_written(&self, packets: u32) -> f64 {
        self.sum(packets, |rate| self.exchange(rate))
    }

    fn sum(&self, packets: u32, link: impl Fn(RateIndex) -> Span) -> f64 {
        let packet = |drops: u32| {
            let attempts = self.retries.limit(false, drops);
            let link = link((self.rates)(drops)).as_secs_f64();
            f64::from(attempts) * link + (0..attempts).map(|k| self.back_off(k)).sum::<f64>()
        };
        1e3 * (0..packets).map(packet).sum::<f64>()
    }
}
