//! Detection of spurious retransmissions: F-RTO (RFC 5682), Eifel (RFC 3522) and duplicates reported by SACK (RFC
//! 3708). If they were spurious, cwnd and ssthresh are restored (RFC 4015).

use std::collections::BTreeMap;

use crate::config::Config;
use crate::event::Reason;
use crate::recovery::UndoEvidence;

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
    past: PastEpisode,
    /// Timestamp of the first retransmission since the last time without outstanding retransmissions. Not an `Option`,
    /// which takes four bytes more per connection.
    stamp: u32,
    /// Whether a retransmission is outstanding.
    stamped: bool,
}

/// An episode whose data and the data of the following round trip were acknowledged. Reports of duplicates may still
/// arrive; an acknowledgment that carries one may even be late. As in Linux they are then counted without a record of
/// the segments (`tcp_check_dsack`).
#[derive(Clone, Copy, Debug, Default)]
struct PastEpisode {
    /// First unacknowledged byte when the episode began.
    from: u64,
    /// Number of retransmissions not reported as duplicates. Zero without an episode.
    needed: u32,
    /// Whether only fast recovery has retransmitted.
    fast: bool,
}

#[derive(Debug)]
struct RetransmissionEpisode {
    /// Whether only fast recovery has retransmitted.
    fast: bool,
    /// `una` when the episode began.
    from: u64,
    /// `nxt` when the episode began.
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
    /// The first unacknowledged byte at the start of the episode (`una`).
    pub from: u64,
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
    /// Bytes by which `una` advanced.
    pub acked: u64,
    /// Bytes in a full segment.
    pub segment: u32,
    /// Whether the acknowledgment arrives in fast recovery.
    pub recovering: bool,
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

impl Spurious {
    pub fn new(config: &Config) -> Self {
        let Config { frto, eifel, dsack_undo, timestamps, .. } = *config;
        let past = PastEpisode::default();
        Spurious { frto, eifel, dsack_undo, timestamps, episode: None, past, stamp: 0, stamped: false }
    }

    /// Ends the detection of a spurious retransmission: cwnd has since been reduced for another reason, so it cannot be
    /// restored.
    pub fn forget(&mut self) {
        (self.episode, self.past) = (None, PastEpisode::default());
    }

    /// Whether an episode is being examined.
    #[inline]
    pub fn watching(&self) -> bool {
        self.episode.is_some()
    }

    /// An episode begins.
    pub fn begin(&mut self, start: &EpisodeStart) {
        let EpisodeStart { reason, from, until, first, outstanding } = *start;
        if !(self.frto || self.eifel || self.dsack_undo) {
            return;
        }
        if !outstanding {
            // An acknowledgment of the outstanding data echoes a timestamp from before this episode, although the data
            // was retransmitted (Linux: `tcp_retrans_stamp_cleanup`).
            self.stamped = false;
        }
        let fast = reason == Reason::FastRetransmit;
        let frto = if reason == Reason::Timeout && first && self.frto { Frto::Resent } else { Frto::Off };
        // A timeout within an episode does not change the values to restore, which are those before the first
        // reduction.
        if let Some(episode) = self.episode.as_mut().filter(|_| !first) {
            (episode.until, episode.frto) = (until, frto);
            episode.fast &= fast;
            return;
        }
        let resent = BTreeMap::new();
        self.past = PastEpisode::default();
        self.episode = Some(Box::new(RetransmissionEpisode { fast, from, until, resent, needed: 0, frto }));
    }

    /// Processes a retransmission of the segment at `seq` with the timestamp `stamp`.
    pub fn on_resent(&mut self, seq: u64, stamp: u32) {
        if self.timestamps && !self.stamped {
            (self.stamp, self.stamped) = (stamp, true);
        }
        if let Some(episode) = &mut self.episode {
            *episode.resent.entry(seq).or_default() += 1;
            episode.needed += 1;
        } else if self.past.needed > 0 {
            self.past.needed += 1;
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

    /// Whether an acknowledgment is to be examined; `duplicate` states whether it reports a duplicate arrival.
    #[inline]
    pub fn examines(&self, duplicate: bool) -> bool {
        self.watching() || duplicate && self.past.needed > 0
    }

    /// Processes an acknowledgment. Returns the evidence that the retransmissions were spurious, if any.
    pub fn on_ack(&mut self, signs: &Signs) -> Option<UndoEvidence> {
        let advanced = signs.acked > 0;
        let eifel = self.eifel && advanced && self.echoes_original(signs.echo);
        let Some(episode) = &mut self.episode else { return self.past.on_ack(signs) };
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
            Frto::Resent if advanced => {
                episode.frto = if signs.una >= episode.until { Frto::Off } else { Frto::Probing { sent: false } };
                false
            }
            Frto::Probing { .. } if signs.duplicate => {
                episode.frto = Frto::Off;
                false
            }
            // [RFC5682 s2.1 step 3b]
            Frto::Probing { .. } => advanced,
            Frto::Resent => false,
        };
        if eifel || all_twice || first {
            // The acknowledgment that ends recovery tells nothing about reordering [Linux `tcp_try_undo_recovery`].
            let late = eifel && signs.recovering && signs.una < episode.until;
            let fast = episode.fast;
            self.episode = None;
            return Some(match (late, all_twice) {
                (true, _) => UndoEvidence::LateOriginal { from: signs.una - signs.acked },
                (false, true) => UndoEvidence::Duplicates { fast },
                (false, false) => UndoEvidence::Acknowledged,
            });
        }
        // Duplicate reports arrive up to a round trip later.
        if signs.una > episode.until && advanced && signs.duplicate_sack.is_none() && resent {
            let needed = if self.dsack_undo { episode.needed } else { 0 };
            self.past = PastEpisode { from: episode.from, needed, fast: episode.fast };
            self.episode = None;
        }
        None
    }
}

impl PastEpisode {
    /// Counts the duplicates that an acknowledgment reports. Returns the evidence once none is missing.
    fn on_ack(&mut self, signs: &Signs) -> Option<UndoEvidence> {
        let (from, to) = signs.duplicate_sack.filter(|(_, to)| self.from < *to && *to <= signs.una)?;
        let segments = (to - from).div_ceil(u64::from(signs.segment.max(1)));
        self.needed = u64::from(self.needed).checked_sub(segments).map_or(0, |needed| needed as u32);
        (self.needed == 0).then_some(UndoEvidence::Duplicates { fast: self.fast })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(una: u64, acked: u64) -> Signs {
        Signs {
            una,
            acked,
            segment: 1000,
            recovering: true,
            duplicate: false,
            originals: false,
            sack: true,
            echo: None,
            duplicate_sack: None,
        }
    }

    /// An episode of 10 segments, of which the first and the fourth are retransmitted at time 100.
    fn episode() -> Spurious {
        let config = Config { eifel: true, dsack_undo: true, timestamps: true, ..Config::default() };
        let mut spurious = Spurious::new(&config);
        let (reason, until) = (Reason::FastRetransmit, 10_000);
        spurious.begin(&EpisodeStart { reason, from: 0, until, first: true, outstanding: false });
        spurious.on_resent(0, 100);
        spurious.on_resent(3000, 100);
        spurious
    }

    /// An acknowledgment in recovery that does not end it shows which segment arrived late. After a timeout, and at the
    /// end of recovery, it does not.
    // covers [Linux `tcp_try_undo_partial`, `tcp_try_undo_recovery`, `tcp_process_loss`]
    #[test]
    fn late_original_is_known_in_recovery_only() {
        for (una, recovering, expected) in [
            (3000, true, UndoEvidence::LateOriginal { from: 1000 }),
            (3000, false, UndoEvidence::Acknowledged),
            (10_000, true, UndoEvidence::Acknowledged),
        ] {
            let acknowledged = Signs { recovering, echo: Some(99), ..signs(una, una - 1000) };
            assert_eq!(episode().on_ack(&acknowledged), Some(expected), "{una} {recovering}");
        }
    }

    /// The data of the episode, and of the round trip after it, was acknowledged before the reports of the duplicates
    /// came. They count nevertheless, by ranges that end behind the beginning of the episode.
    // covers [RFC3708 s3, Linux `tcp_check_dsack`]
    #[test]
    fn duplicates_count_after_the_episode() {
        let report = |from, to| Signs { duplicate_sack: Some((from, to)), ..signs(11_000, 0) };
        let mut spurious = episode();
        assert_eq!(spurious.on_ack(&signs(10_000, 10_000)), None);
        assert!(spurious.watching());
        assert_eq!(spurious.on_ack(&signs(11_000, 1000)), None);
        assert!(!spurious.watching() && spurious.examines(true) && !spurious.examines(false));
        assert_eq!(spurious.on_ack(&report(3000, 4000)), None);
        let mut both = spurious;
        assert_eq!(both.on_ack(&report(0, 1000)), Some(UndoEvidence::Duplicates { fast: true }));
        assert!(!both.examines(true), "once");

        let mut spurious = episode();
        spurious.on_ack(&signs(11_000, 11_000));
        let evidence = Some(UndoEvidence::Duplicates { fast: true });
        assert_eq!(spurious.on_ack(&report(0, 1500)), evidence, "two segments in one report");

        let mut spurious = episode();
        spurious.on_ack(&signs(11_000, 11_000));
        spurious.on_resent(10_500, 200);
        assert_eq!(spurious.on_ack(&report(0, 2000)), None, "a third retransmission");
        spurious.forget();
        assert!(!spurious.examines(true), "cwnd was reduced for another reason");
    }

    /// Retransmitted at time 100, and outstanding when another episode begins, with a retransmission at 200: an echo of
    /// 100 belongs to a retransmission. Once no retransmission is outstanding, the next episode has a new first
    /// retransmission.
    // covers [RFC3522 s3.2]
    #[test]
    fn echo_of_an_earlier_retransmission_does_not_prove_arrival_of_the_original() {
        let mut spurious = Spurious::new(&Config { eifel: true, timestamps: true, ..Config::default() });
        let start = |until, outstanding| EpisodeStart {
            reason: Reason::FastRetransmit,
            from: 0,
            until,
            first: true,
            outstanding,
        };
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
