//! Detection of spurious retransmissions: F-RTO (RFC 5682), Eifel (RFC 3522) and duplicates reported by SACK (RFC
//! 3708). If they were spurious, cwnd and ssthresh are restored (RFC 4015).

use std::collections::BTreeMap;

use crate::config::Config;
use crate::event::Reason;

/// An episode of retransmissions, and the evidence so far that it was spurious.
#[derive(Debug, Default)]
pub(super) struct Spurious {
    frto: bool,
    eifel: bool,
    dsack_undo: bool,
    /// Whether retransmissions carry timestamps.
    timestamps: bool,
    /// Boxed, because it is rare and an idle connection should be small.
    episode: Option<Box<RetransmissionEpisode>>,
    /// Timestamp of the first retransmission since the last time without outstanding retransmissions. Not an `Option`,
    /// which takes four bytes more per connection.
    stamp: u32,
    /// Whether a retransmission is outstanding.
    stamped: bool,
}

#[derive(Debug)]
struct RetransmissionEpisode {
    /// `nxt` when it began.
    until: u64,
    /// Retransmissions by first byte, each with the number of copies not reported as duplicates.
    resent: BTreeMap<u64, u32>,
    /// Total number of copies not reported as duplicates.
    needed: u32,
    frto: Frto,
}

/// The beginning of an episode of retransmissions.
#[derive(Clone, Copy, Debug)]
pub(super) struct EpisodeStart {
    /// The reason for which segments are retransmitted.
    pub reason: Reason,
    /// The first unsent byte at the start of the episode (`nxt`).
    pub until: u64,
    /// Whether nothing was being recovered.
    pub first: bool,
    /// Whether an earlier retransmission is not acknowledged.
    pub outstanding: bool,
}

/// The state of F-RTO [RFC5682 s2.1].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Frto {
    Off,
    /// The first unacknowledged segment was retransmitted and is not acknowledged.
    Resent,
    /// The retransmission was acknowledged, and new data is sent instead of the following segment. The field states
    /// whether new data was available.
    Probing {
        sent: bool,
    },
}

/// The evidence of an acknowledgment about spurious retransmissions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signs {
    /// First unacknowledged byte, now.
    pub una: u64,
    /// Whether `una` advanced.
    pub advanced: bool,
    /// Whether the acknowledgment is a duplicate.
    pub duplicate: bool,
    /// Whether segments were delivered that were sent only once, before the episode.
    pub originals: bool,
    /// Whether SACK distinguishes original segments from retransmitted ones.
    pub sack: bool,
    /// Timestamp echoed by the acknowledgment.
    pub echo: Option<u32>,
    /// Range of a duplicate arrival reported by the acknowledgment.
    pub duplicate_sack: Option<(u64, u64)>,
}

/// The conclusion from an acknowledgment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SpuriousFinding {
    Nothing,
    /// The timeout was spurious: nothing was lost.
    Spurious,
}

impl Spurious {
    pub fn new(config: &Config) -> Self {
        let Config { frto, eifel, dsack_undo, timestamps, .. } = *config;
        Spurious { frto, eifel, dsack_undo, timestamps, episode: None, stamp: 0, stamped: false }
    }

    /// Ends the detection of a spurious retransmission: cwnd has since been reduced for another reason, so it cannot be
    /// restored.
    pub fn forget(&mut self) {
        self.episode = None;
    }

    /// Whether an episode is being examined.
    #[inline]
    pub fn watching(&self) -> bool {
        self.episode.is_some()
    }

    /// An episode begins.
    pub fn begin(&mut self, start: &EpisodeStart) {
        let EpisodeStart { reason, until, first, outstanding } = *start;
        if !(self.frto || self.eifel || self.dsack_undo) {
            return;
        }
        if !outstanding {
            // An acknowledgment of the outstanding data echoes a timestamp from before this episode, although the data
            // was retransmitted (Linux: `tcp_retrans_stamp_cleanup`).
            self.stamped = false;
        }
        let frto = if reason == Reason::Timeout && first && self.frto { Frto::Resent } else { Frto::Off };
        // A timeout within an episode does not change the values to restore, which are those before the first
        // reduction.
        if let Some(episode) = self.episode.as_mut().filter(|_| !first) {
            (episode.until, episode.frto) = (until, frto);
            return;
        }
        self.episode = Some(Box::new(RetransmissionEpisode { until, resent: BTreeMap::new(), needed: 0, frto }));
    }

    /// Processes a retransmission of the segment at `seq` with the timestamp `stamp`.
    pub fn on_resent(&mut self, seq: u64, stamp: u32) {
        if self.timestamps && !self.stamped {
            (self.stamp, self.stamped) = (stamp, true);
        }
        if let Some(episode) = &mut self.episode {
            *episode.resent.entry(seq).or_default() += 1;
            episode.needed += 1;
        }
    }

    /// Whether new data is to be sent instead of lost data, to test the timeout [RFC5682 s2.1 step 2b].
    pub fn probing(&self) -> bool {
        self.episode.as_ref().is_some_and(|episode| matches!(episode.frto, Frto::Probing { .. }))
    }

    /// New data was sent.
    pub fn on_new(&mut self) {
        if let Some(Frto::Probing { sent }) = self.episode.as_mut().map(|episode| &mut episode.frto) {
            *sent = true;
        }
    }

    /// Ends probing because no new data is available as a probe. Returns whether no probe was sent in the whole
    /// episode.
    pub fn stop_probing(&mut self) -> bool {
        match &mut self.episode {
            Some(episode) if episode.frto == (Frto::Probing { sent: false }) => {
                episode.frto = Frto::Off;
                true
            }
            _ => false,
        }
    }

    /// Whether the echo belongs to a segment sent before the first retransmission [RFC3522 s3.2].
    pub fn echoes_original(&self, echo: Option<u32>) -> bool {
        let watched = self.stamped && self.episode.is_some();
        echo.is_some_and(|echo| watched && (echo.wrapping_sub(self.stamp) as i32) < 0)
    }

    /// Handles an acknowledgment.
    pub fn on_ack(&mut self, signs: &Signs) -> SpuriousFinding {
        let eifel = self.eifel && signs.advanced && self.echoes_original(signs.echo);
        let Some(episode) = &mut self.episode else { return SpuriousFinding::Nothing };
        if let Some((from, to)) = signs.duplicate_sack {
            // A duplicate created by the network is no evidence about retransmissions (RFC 3708).
            for (_, count) in episode.resent.range_mut(from..to).filter(|(_, count)| **count > 0) {
                *count -= 1;
                episode.needed -= 1;
            }
        }
        let resent = !episode.resent.is_empty();
        let all_twice = self.dsack_undo && resent && episode.needed == 0;
        let first = match episode.frto {
            Frto::Off => false,
            // With SACK all newly delivered data that was sent once was in flight when the timer expired [RFC5682
            // s3.1].
            _ if signs.sack && signs.originals => true,
            Frto::Resent if signs.duplicate => {
                episode.frto = Frto::Off;
                false
            }
            Frto::Resent if signs.advanced => {
                episode.frto = if signs.una >= episode.until { Frto::Off } else { Frto::Probing { sent: false } };
                false
            }
            Frto::Probing { .. } if signs.duplicate => {
                episode.frto = Frto::Off;
                false
            }
            // [RFC5682 s2.1 step 3b]
            Frto::Probing { .. } => signs.advanced,
            Frto::Resent => false,
        };
        if eifel || all_twice || first {
            self.episode = None;
            return SpuriousFinding::Spurious;
        }
        // Duplicate reports arrive up to a round trip later: an episode ends only after this time.
        if signs.una > episode.until && signs.advanced && signs.duplicate_sack.is_none() && resent {
            self.episode = None;
        }
        SpuriousFinding::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Retransmitted at time 100, and outstanding when another episode begins, with a retransmission at 200: an echo of
    /// 100 belongs to a retransmission. Once no retransmission is outstanding, the next episode has a new first
    /// retransmission.
    // covers [RFC3522 s3.2]
    #[test]
    fn echo_of_an_earlier_retransmission_does_not_prove_arrival_of_the_original() {
        let mut spurious = Spurious::new(&Config { eifel: true, timestamps: true, ..Config::default() });
        let start =
            |until, outstanding| EpisodeStart { reason: Reason::FastRetransmit, until, first: true, outstanding };
        spurious.begin(&start(10_000, false));
        spurious.on_resent(0, 100);
        assert!(spurious.echoes_original(Some(99)) && !spurious.echoes_original(Some(100)));
        spurious.begin(&start(20_000, true));
        spurious.on_resent(10_000, 200);
        assert!(spurious.echoes_original(Some(99)) && !spurious.echoes_original(Some(100)));
        spurious.begin(&start(30_000, false));
        spurious.on_resent(20_000, 300);
        assert!(spurious.echoes_original(Some(299)) && !spurious.echoes_original(Some(300)));
    }
}
