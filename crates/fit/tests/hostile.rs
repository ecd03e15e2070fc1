//! Damaged captures: a fit or an error, and never a panic.

use engine::Stream;
use fit::measured::{Given, of_transfer};
use fit::path::Bottleneck;
use fit::scenario::Host;
use fit::transfer::Transfer;

/// The fit of a capture, if it has one; what is written is a scenario, or has an error that is reported.
fn fitted(file: &[u8]) -> bool {
    let Ok(transfer) = Transfer::of(|| Ok(file), None, None) else { return false };
    let given = Given { variant: None, rate: None, sender: Host::Server, source: "damaged \"\n\u{1b}".into() };
    let Ok((fitted, _)) = of_transfer(&transfer, &Bottleneck::of(&transfer), &given) else { return false };
    let fitted = fit::scenario::Fitted { variant: "cubic".into(), ..fitted };
    scenario::load::from_toml("fitted.toml", &fitted.to_toml()).is_ok()
}

/// Bytes that are changed, times, lengths and options among them, and files that are cut.
#[test]
fn damaged_captures_do_not_panic() {
    for name in ["linux-bbr.pcap", "linux-cubic-reordered.pcap"] {
        let path = format!("{}/tests/captures/{name}", env!("CARGO_MANIFEST_DIR"));
        let whole = std::fs::read(path).expect("it is readable");
        assert!(fitted(&whole));
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
            fits += u32::from(fitted(&file));
        }
        assert!(fits > 20, "few damages are noticed: {fits}");
    }
}
