//! Writes pictures for inspection: `PLOT_GALLERY=/some/folder cargo test -p lasthop-plot --test suite gallery::`.

#![allow(clippy::disallowed_macros, reason = "prints the size of each picture")]

use crate::common;

use common::{Path, bad, dropping, fading, refined_icmp, simple_icmp, span, stop_and_wait};
use engine::Time;
use plot::{AxisUnit, MarkedInterval, Panel, PictureOptions, Theme};

fn show(name: &str, path: &Path, options: &PictureOptions) {
    let (description, events) = path.run();
    let picture = plot::draw_events(&events, &description, options);
    let Some(folder) = std::env::var_os("PLOT_GALLERY") else { return };
    let folder = std::path::PathBuf::from(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let svg = picture.svg();
    println!("{name}: {} events, svg {} kB", events.len(), svg.len() / 1000);
    std::fs::write(folder.join(format!("{name}.svg")), svg).unwrap();
    std::fs::write(folder.join(format!("{name}.png")), picture.png(1.5).unwrap()).unwrap();
}

fn at(text: &str) -> Option<Time> {
    Some(Time::ZERO + span(text))
}

#[test]
fn gallery_pictures_are_drawn() {
    let two_lost = Path { channel: dropping(&[12, 13]), ..Path::default() };
    show("timeout", &two_lost, &PictureOptions::default());
    show("timeout-dark", &two_lost, &PictureOptions { theme: Theme::Dark, ..PictureOptions::default() });
    let panel = |panel| PictureOptions {
        panels: vec![panel],
        height: 420,
        unit: AxisUnit::Segments,
        ..PictureOptions::default()
    };
    show("timeout-sequence", &two_lost, &panel(Panel::Sequence));
    show("timeout-window", &two_lost, &panel(Panel::Window));

    let one_lost = Path { channel: dropping(&[70]), window: 32_768, bytes: 200 * 1024, ..Path::default() };
    show("fast-retransmit", &one_lost, &PictureOptions::default());
    let zoom = PictureOptions { from: at("1.4 s"), to: at("2.6 s"), ..PictureOptions::default() };
    show("fast-retransmit-zoom", &one_lost, &zoom);

    let thesis = |agent, window| Path {
        channel: fading("5 s", "100 ms"),
        arq: stop_and_wait(9),
        agent,
        window,
        bytes: 10_240_000,
        ..Path::default()
    };
    let refined = thesis(refined_icmp(), 16_384);
    show("refined", &refined, &PictureOptions::default());
    show("refined-dark", &refined, &PictureOptions { theme: Theme::Dark, ..PictureOptions::default() });
    show("refined-zoom", &refined, &PictureOptions { from: at("24 s"), to: at("34 s"), ..PictureOptions::default() });
    show("refined-loss", &refined, &PictureOptions { from: at("84 s"), to: at("85.2 s"), ..PictureOptions::default() });
    let unmodified = Path { agent: Path::default().agent, ..thesis(refined_icmp(), 16_384) };
    show("unmodified", &unmodified, &PictureOptions::default());
    show(
        "unmodified-loss",
        &unmodified,
        &PictureOptions { from: at("83.5 s"), to: at("89.5 s"), ..PictureOptions::default() },
    );

    let burst = Path {
        channel: bad(&[["2.5 s", "2.7 s"]]),
        arq: stop_and_wait(3),
        agent: simple_icmp(),
        window: 4096,
        bytes: 60 * 1024,
        ..Path::default()
    };
    show("simple-burst", &burst, &PictureOptions::default());
    let spurious =
        Path { rto_min: span("200 ms"), channel: bad(&[["1.3 s", "1.7 s"]]), arq: stop_and_wait(100), ..burst };
    show("spurious", &Path { agent: Path::default().agent, window: 8192, ..spurious }, &PictureOptions::default());

    let long = Path { bytes: 100_000_000, channel: fading("1 s", "50 ms"), ..thesis(refined_icmp(), 16_384) };
    show("long", &long, &PictureOptions::default());
    show("empty", &two_lost, &PictureOptions { from: at("90 s"), to: at("95 s"), ..PictureOptions::default() });
    let marked = |from: &str, to: &str, label: &str| MarkedInterval {
        from: at(from).unwrap(),
        to: at(to).unwrap(),
        label: label.into(),
    };
    let spans = vec![
        marked("83.9 s", "86.1 s", "one burst of BAD air, one segment lost"),
        marked("86 s", "86.2 s", "the sender was idle for three round trips although its window was open"),
        marked("88 s", "89.2 s", "one burst of BAD air, one segment lost"),
    ];
    let options = PictureOptions { from: at("83.5 s"), to: at("89.5 s"), spans, ..PictureOptions::default() };
    show("marked", &unmodified, &options);
    show("marked-dark", &unmodified, &PictureOptions { theme: Theme::Dark, ..options.clone() });
    let spans: Vec<MarkedInterval> =
        (0..40).map(|i| marked(&format!("{} s", 84 + i), "200 s", &"words ".repeat(i))).collect();
    let (width, height) = plot::MIN_SIZE;
    show("marked-small", &unmodified, &PictureOptions { width, height, spans, ..options });
    show(
        "small",
        &one_lost,
        &PictureOptions { width: plot::MIN_SIZE.0, height: plot::MIN_SIZE.1, ..PictureOptions::default() },
    );
}
