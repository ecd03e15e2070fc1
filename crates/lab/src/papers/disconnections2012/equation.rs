//! Equation 2: how long the MAC goes on trying, in the mean, from the times of its physical layer.

use engine::Span;
use path::mac::dcf::config::Retries;
use path::mac::dcf::frame::{LLC_OVERHEAD, MAC_OVERHEAD};
use path::mac::dcf::{Phy, RateIndex};

/// A station that nobody answers and nobody else disturbs, and that found the air idle.
pub(super) struct Unanswered<'a> {
    pub phy: &'a Phy,
    pub retries: Retries,
    /// The rate of each packet behind so many that were given up.
    pub rates: &'a dyn Fn(u32) -> RateIndex,
    /// Bytes of an IP packet.
    pub packet: u32,
}

impl Unanswered<'_> {
    /// T_LINK of an attempt that fails: the frame, and until its sender may count slots again [802.11-2007 s9.2.5.2, s9.2.8].
    fn link(&self, rate: RateIndex) -> Span {
        let Phy { difs, answer_timeout, delay, .. } = *self.phy;
        // Its own frame is over for it when it is over for all, and it then waits for silence; if that is shorter, for the answer.
        let silence = (delay + difs).max(answer_timeout);
        self.phy.duration(rate, self.packet + LLC_OVERHEAD + MAC_OVERHEAD) + silence
    }

    /// The mean back-off before attempt `k` of a packet, from 0: half of the contention window, which doubles.
    fn back_off(&self, k: u32) -> f64 {
        let window = (0..k).fold(self.phy.cw_min, |window, _| (2 * window + 1).min(self.phy.cw_max));
        self.phy.slot.as_secs_f64() * f64::from(window) / 2.0
    }

    /// T_CRD of so many packets in milliseconds: the sum over packets of RL + 1 attempts, each of T_LINK and a back-off. Only the
    /// very first attempt has none, for the air was idle.
    pub fn tries(&self, packets: u32) -> f64 {
        let packet = |drops: u32| {
            let attempts = self.retries.limit(false, drops);
            let link = self.link((self.rates)(drops)).as_secs_f64();
            f64::from(attempts) * link + (0..attempts).map(|k| self.back_off(k)).sum::<f64>()
        };
        1e3 * ((0..packets).map(packet).sum::<f64>() - self.back_off(0))
    }
}
