//! Damaged and hostile captures: a fit or an error, neither a panic nor a hang.

use engine::{Span, Stream, Time};
use fit::duplicates::DuplicateReports;
use fit::measured::{GivenSettings, fit_to_transfer};
use fit::path::Bottleneck;
use fit::transfer::MeasuredTransfer;
use fit::transmission::{Transmission, TransmissionFate};

/// Fits a capture, and returns whether it has a fit. The text of the fit is a scenario, or has an error that is
/// reported.
fn has_fit(file: &[u8]) -> bool {
    let Ok(transfer) = MeasuredTransfer::read(|| Ok(file), None, None) else { return false };
    let given = GivenSettings { variant: None, rate: None, sender: None, source: "damaged \"\n\u{1b}".into() };
    let Ok((fitted, _)) = fit_to_transfer(&transfer, &Bottleneck::measure(&transfer), &given) else { return false };
    let fitted = fit::scenario::FittedPath { variant: "cubic".into(), ..fitted };
    scenario::load::from_toml("fitted.toml", &fitted.to_toml()).is_ok()
}

/// Bytes that are changed, times, lengths and options among them, and files that are cut.
#[test]
fn damaged_captures_do_not_panic() {
    for name in ["linux-bbr.pcap", "linux-cubic-reordered.pcap"] {
        let path = format!("{}/tests/captures/{name}", env!("CARGO_MANIFEST_DIR"));
        let whole = std::fs::read(path).expect("it is readable");
        assert!(has_fit(&whole));
        let mut fits = 0;
        for round in 0..150 {
            let stream = Stream::named(round, 0, name);
            let mut file = whole.clone();
            for change in 0..1 + round % 40 {
                let mut draws = stream.draws_at(change, 0);
                let place = 24 + (draws.unit() * (file.len() - 24) as f64) as usize;
                file[place] = (256.0 * draws.unit()) as u8;
            }
            if round % 3 == 0 {
                file.truncate((stream.draws_at(1 << 20, 0).unit() * whole.len() as f64) as usize);
            }
            fits += u32::from(has_fit(&file));
        }
        assert!((21..150).contains(&fits), "{fits} of 150 damaged captures are fitted");
    }
}

/// Reports of all that was sent, each of which names every segment that was sent twice.
#[test]
fn long_reports_of_duplicates_take_little_time() {
    let at = |micros: u32| Time::ZERO + Span::from_nanos(1000 * u64::from(micros));
    let segments = 50_000;
    let mut all: Vec<Transmission> = (0..2 * segments)
        .map(|number| {
            let (seq, again) = (u64::from(number % segments), number >= segments);
            Transmission::new(at(number), seq, 1, again).with_fate(TransmissionFate::Lost)
        })
        .collect();
    let mut duplicates = DuplicateReports::default();
    for number in 0..100_000 {
        duplicates.add_report(at(2 * segments + number), 0, segments.into());
    }
    // Both transmissions of the maximum number of segments that fit in a packet are corrected.
    assert!(duplicates.correct_fates(&mut all) <= 2 * 123);
}
