//! Common behaviour and differences of the recoveries, one acknowledgment at a time.

use super::*;

fn view() -> SenderView {
    SenderView {
        segment: 1000.0,
        cwnd: 10_000.0,
        ssthresh: 6000.0,
        srtt: Some(Span::from_millis(100)),
        min_rtt: Some(Span::from_millis(100)),
        echo: None,
        sack: false,
        after_timeout: false,
        expiry: Time::NEVER,
    }
}

fn board(segments: u64) -> Scoreboard {
    let mut board = Scoreboard::default();
    (0..segments).for_each(|_| board.record_new(Time::ZERO, 1000, false, None));
    board
}

/// Returns the effects of the `duplicates`th duplicate, or of an acknowledgment of `acked` bytes, without SACK.
fn ack(acked: u64, duplicates: u32) -> AckEffects {
    let (now, duplicate_sack, notified) = (Time::from_millis(100), None, None);
    AckEffects { now, acked, sacked: 0, duplicates, sack: false, duplicate_sack, notified, echoes_original: false }
}

fn build(name: &str) -> Box<dyn LossRecovery> {
    use serde::Deserialize;
    use serde::de::value::{Error, MapDeserializer};
    let named = MapDeserializer::<_, Error>::new([("kind", name)].into_iter());
    RecoveryConfig::deserialize(named).expect("a recovery needs no settings").build()
}

#[test]
fn only_rack_uses_delivery_times_and_three_recoveries_use_sack() {
    for (name, _) in RecoveryConfig::MEMBERS {
        let recovery = build(name);
        assert_eq!(recovery.watches(), *name == "rack", "{name}");
        assert_eq!(recovery.uses_sack(), ["sack", "fack", "rack"].contains(name), "{name}");
        assert_eq!((recovery.inflation(), recovery.reordering()), (0.0, (DUP_THRESH, 0)), "{name}");
        assert_eq!((recovery.deadline(), recovery.recovering()), (Time::NEVER, false), "{name}");
    }
}

/// A recovery that overrides no default method.
struct Silent;

impl LossRecovery for Silent {
    fn on_ack(&mut self, _: &AckEffects, _: &mut Scoreboard, _: &SenderView) -> RecoveryVerdict {
        RecoveryVerdict::Ordinary
    }
    fn on_timeout(&mut self, _: &Scoreboard) {}
    fn recovering(&self) -> bool {
        false
    }
    fn on_undo(&mut self, _: &Scoreboard, _: UndoEvidence) {}
}

#[test]
fn default_recovery_adds_no_inflation_and_marks_all_segments_lost_at_a_timeout() {
    let mut board = board(3);
    assert_eq!((Silent.inflation(), Silent.spare(&board), Silent.deadline()), (0.0, None, Time::NEVER));
    assert_eq!((Silent.watches(), Silent.uses_sack(), Silent.reordering()), (false, false, (3, 0)));
    assert_eq!(Silent.on_deadline(Time::ZERO, &mut board, &view()), RecoveryVerdict::Ordinary);
    assert_eq!(board.lost_segments(), 0);
    Silent.lose_at_timeout(Time::ZERO, &mut board, &view());
    assert_eq!(board.lost_segments(), 3);
}

/// By hand, ten segments of 1000 bytes: the third duplicate inflates cwnd by three segments, each further duplicate by
/// one; a partial acknowledgment of two segments removes two and adds one [RFC6582 s3.2], and the full acknowledgment
/// ends the inflation.
// covers [RFC5681 s3.2, RFC6582 s3.2]
#[test]
fn recoveries_fall_back_to_newreno_without_sack() {
    for name in ["newreno", "sack", "fack", "rack"] {
        let (mut recovery, mut board) = (build(name), board(10));
        let mut seen = Vec::new();
        for (una, acked, duplicates) in
            [(0, 0, 1), (0, 0, 2), (0, 0, 3), (0, 0, 4), (0, 0, 0), (2000, 2000, 0), (4500, 500, 0), (10_000, 5500, 0)]
        {
            board.acknowledge(una, |_, _| ());
            let verdict = recovery.on_ack(&ack(acked, duplicates), &mut board, &view());
            seen.push((verdict, recovery.inflation(), recovery.recovering()));
        }
        let (first, next) = (RecoveryVerdict::Resend { restart: true }, RecoveryVerdict::Resend { restart: false });
        let expected = [
            (RecoveryVerdict::Ordinary, 0.0, false),
            (RecoveryVerdict::Ordinary, 0.0, false),
            (RecoveryVerdict::Begin { resend: true }, 3000.0, true),
            (RecoveryVerdict::Recovering, 4000.0, true),
            (RecoveryVerdict::Recovering, 4000.0, true),
            (first, 3000.0, true),
            (next, 2500.0, true),
            (RecoveryVerdict::Recovered, 0.0, false),
        ];
        assert_eq!(seen, expected, "{name}");
    }
}

/// Duplicates caused by retransmissions show no loss: more than was sent before the loss, or the timeout, must be
/// acknowledged.
// covers [RFC6582 s3.2 step 2]
#[test]
fn duplicate_acknowledgments_indicate_a_loss_only_above_the_previous_recovery_point() {
    let begins = |name: &str, una: u64| {
        let (mut recovery, mut board) = (build(name), board(10));
        recovery.on_timeout(&board);
        (0..5).for_each(|_| board.record_new(Time::ZERO, 1000, false, None));
        board.acknowledge(una, |_, _| ());
        (1..=3)
            .map(|nth| recovery.on_ack(&ack(0, nth), &mut board, &view()))
            .any(|verdict| verdict != RecoveryVerdict::Ordinary)
    };
    for name in ["tahoe", "newreno"] {
        assert_eq!([9000, 10_000, 11_000].map(|una| begins(name, una)), [false, false, true], "{name}");
    }
    assert_eq!([9000, 10_000, 11_000].map(|una| begins("reno", una)), [true; 3], "4.3BSD does not mind");
}

/// Tahoe restarts at the third duplicate, but not for a loss reported by the network.
#[test]
fn tahoe_restarts_unless_the_loss_was_reported() {
    let (mut tahoe, mut board) = (build("tahoe"), board(10));
    let verdicts: Vec<_> = (1..=4).map(|nth| tahoe.on_ack(&ack(0, nth), &mut board, &view())).collect();
    assert_eq!(
        verdicts,
        [RecoveryVerdict::Ordinary, RecoveryVerdict::Ordinary, RecoveryVerdict::Restart, RecoveryVerdict::Ordinary]
    );
    let mut tahoe = build("tahoe");
    let told = |duplicates, notified| AckEffects { notified: Some(notified), ..ack(0, duplicates) };
    let begun = tahoe.on_ack(&told(1, Notified::AlreadyResent), &mut board, &view());
    assert_eq!(
        (begun, tahoe.inflation(), tahoe.recovering()),
        (RecoveryVerdict::Begin { resend: false }, 1000.0, true)
    );
    assert_eq!(tahoe.on_ack(&ack(0, 2), &mut board, &view()), RecoveryVerdict::Recovering);
    assert_eq!(tahoe.on_ack(&ack(0, 0), &mut board, &view()), RecoveryVerdict::Recovering);
    assert_eq!(tahoe.inflation(), 2000.0);
    assert_eq!(tahoe.on_ack(&ack(1000, 0), &mut board, &view()), RecoveryVerdict::Recovered);
    assert_eq!(tahoe.on_ack(&ack(1000, 0), &mut board, &view()), RecoveryVerdict::Ordinary);
}

/// An undo ends recovery and the inflation, and the next three duplicates indicate a loss although no more data was
/// acknowledged. Tahoe has retransmitted everything by then, and waits.
// covers [RFC4015 s3.4]
#[test]
fn undo_clears_the_state_of_recovery() {
    for (name, _) in RecoveryConfig::MEMBERS {
        let (mut recovery, mut board) = (build(name), board(10));
        let begins = |recovery: &mut Box<dyn LossRecovery>, board: &mut Scoreboard| {
            let verdicts = (1..=3).map(|nth| recovery.on_ack(&ack(0, nth), board, &view()));
            verdicts.last().is_some_and(|last| matches!(last, RecoveryVerdict::Begin { .. } | RecoveryVerdict::Restart))
        };
        assert!(begins(&mut recovery, &mut board), "{name}");
        recovery.on_undo(&board, UndoEvidence::Acknowledged);
        assert_eq!((recovery.recovering(), recovery.inflation()), (false, 0.0), "{name}");
        assert_eq!(begins(&mut recovery, &mut board), *name != "tahoe", "{name}");
        let told = AckEffects { notified: Some(Notified::AlreadyResent), ..ack(0, 1) };
        let mut explained = build(name);
        explained.on_ack(&told, &mut board, &view());
        assert!(explained.recovering(), "{name}");
        explained.on_undo(&board, UndoEvidence::Acknowledged);
        assert!(!explained.recovering(), "{name}");
    }
}

/// By hand: cwnd 10,000 and ssthresh 6000. For a reported loss that was already retransmitted the inflation is one
/// duplicate. For a loss to be retransmitted the window becomes ssthresh plus three segments, 9000, which is 1000 below
/// cwnd; without ssthresh, cwnd plus three segments.
#[test]
fn inflation_depends_on_the_kind_of_reported_loss() {
    let trigger =
        |duplicates, notified, view: &SenderView| classic_trigger(&AckEffects { notified, ..ack(0, duplicates) }, view);
    let plain = view();
    for notified in [None, Some(Notified::AlreadyResent), Some(Notified::Resend), Some(Notified::Uncut)] {
        assert_eq!(trigger(0, notified, &plain), None, "{notified:?}");
    }
    assert_eq!(trigger(1, Some(Notified::AlreadyResent), &plain), Some((false, 1000.0)));
    for notified in [None, Some(Notified::Uncut)] {
        assert_eq!([2, 3, 4].map(|nth| trigger(nth, notified, &plain)), [None, Some((true, 3000.0)), None]);
    }
    assert_eq!([2, 3].map(|nth| trigger(nth, Some(Notified::Resend), &plain)), [None, Some((true, -1000.0))]);
    let uncut = SenderView { ssthresh: f64::INFINITY, ..plain };
    assert_eq!(trigger(3, Some(Notified::Resend), &uncut), Some((true, 3000.0)));
}
