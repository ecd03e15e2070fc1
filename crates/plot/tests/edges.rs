//! Every combination of options gives a picture, and its PNG has the requested size.

use crate::common;

use common::{Path, bad, dropping, marks, span};
use engine::Time;
use plot::{AxisUnit, Description, Panel, PictureOptions, PngError, Recorder, Theme};
use sim::{Event, FlowId, Sink};
use tiny_skia::Pixmap;

#[test]
fn run_without_events_gives_an_empty_picture() {
    let each = Panel::ALL.map(|panel| vec![panel]);
    for panels in each.into_iter().chain([vec![Panel::Sequence, Panel::Window], Panel::ALL.to_vec()]) {
        let options = PictureOptions { panels, ..PictureOptions::default() };
        let svg = plot::draw_events(&[], &Description::default(), &options).svg();
        assert!(svg.contains("no events of this flow here") && svg.ends_with("</svg>\n"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}

#[test]
fn picture_without_panels_has_only_a_heading() {
    let (description, events) = Path::default().run();
    let svg =
        plot::draw_events(&events, &description, &PictureOptions { panels: Vec::new(), ..PictureOptions::default() })
            .svg();
    assert!(svg.contains("transfer 0") && marks(&svg, "sent") == 0 && svg.ends_with("</svg>\n"));
}

#[test]
fn many_panels_enlarge_a_small_picture() {
    let (description, events) = Path::default().run();
    let (width, height) = plot::MIN_SIZE;
    let options = PictureOptions { panels: Panel::ALL.to_vec(), width, height, ..PictureOptions::default() };
    let more = Panel::ALL.len() as u32 - 2;
    assert_eq!(plot::draw_events(&events, &description, &options).size(), (width, height + more * plot::MIN_PANEL));
}

#[test]
fn view_without_events_gives_an_empty_picture() {
    let (description, events) = Path::default().run();
    let time = |text: &str| Some(Time::ZERO + span(text));
    let (before, after) = ((time("0 s"), time("1 ns")), (time("90 s"), time("95 s")));
    for (from, to) in [before, after, (time("5 s"), time("5 s")), (time("7 s"), time("6 s")), (None, Some(Time::NEVER))]
    {
        let svg =
            plot::draw_events(&events, &description, &PictureOptions { from, to, ..PictureOptions::default() }).svg();
        assert!(svg.ends_with("</svg>\n"));
    }
    let svg = plot::draw_events(
        &events,
        &description,
        &PictureOptions { from: after.0, to: after.1, ..PictureOptions::default() },
    )
    .svg();
    assert!(svg.contains("no events of this flow") && marks(&svg, "sent") == 0 && marks(&svg, "cwnd") == 0);
    let other =
        plot::draw_events(&events, &description, &PictureOptions { flow: FlowId::new(9), ..PictureOptions::default() })
            .svg();
    assert!(other.contains("flow 9") && other.contains("no events of this flow"));
}

/// A recording of a part of the run has all events that the picture of this part shows.
#[test]
fn partial_recording_draws_like_the_full_recording() {
    let channel = bad(&[["1 s", "1.05 s"], ["1.7 s", "1.73 s"], ["3 s", "3.2 s"]]);
    let path = Path { flows: 3, channel, bytes: 100 * 1024, window: 8192, ..Path::default() };
    let (description, events) = path.run();
    let record = |flows: std::ops::Range<u32>, from, to| {
        let mut recorder = Recorder::new(flows.map(FlowId::new), from, to).with_panels(&Panel::ALL, &description);
        events.iter().for_each(|(at, event)| recorder.event(*at, event));
        recorder.finish()
    };
    let full = record(0..3, None, None);
    let time = |text: &str| Some(Time::ZERO + span(text));
    let parts = [("0 s", "0.5 s"), ("1.02 s", "1.9 s"), ("1.72 s", "1.725 s"), ("3.1 s", "100 s"), ("80 s", "90 s")];
    for (from, to) in parts.map(|(from, to)| (time(from), time(to))) {
        for flow in 0..3 {
            let shown = FlowId::new(flow);
            let options =
                PictureOptions { flow: shown, from, to, panels: Panel::ALL.to_vec(), ..PictureOptions::default() };
            let drawn = record(flow..flow + 1, from, to).draw(&description, &options).svg();
            assert!(drawn == full.draw(&description, &options).svg(), "flow {flow} from {from:?} to {to:?}");
        }
    }
}

#[test]
fn any_size_gives_a_picture() {
    let (description, events) = Path { channel: dropping(&[12, 13]), ..Path::default() }.run();
    for (width, height) in [(0, 0), plot::MIN_SIZE, (4000, 300), (400, 3000)] {
        let picture =
            plot::draw_events(&events, &description, &PictureOptions { width, height, ..PictureOptions::default() });
        assert!(!picture.svg().contains("NaN"));
        assert!(picture.png(1.0).is_ok());
    }
}

/// Returns the texts of a picture: position, anchor, font size, content.
fn texts(svg: &str) -> Vec<(f64, f64, String, f64, String)> {
    let value = |line: &str, key: &str| {
        let (_, rest) = line.split_once(&format!(" {key}=\""))?;
        rest.split_once('"').map(|(value, _)| value.to_owned())
    };
    let number = |line: &str, key: &str| value(line, key).and_then(|text| text.parse().ok()).unwrap();
    let lines = svg.lines().filter(|line| line.starts_with("<text") && !line.contains("rotate"));
    lines
        .map(|line| {
            let content = line.split_once('>').unwrap().1.trim_end_matches("</text>").to_owned();
            let anchor = value(line, "text-anchor").unwrap_or_default();
            (number(line, "x"), number(line, "y"), anchor, number(line, "font-size"), content)
        })
        .collect()
}

/// Labels of long numbers stay within the picture and apart. A digit's width is 0.572 of the font size.
#[test]
fn time_labels_of_a_short_view_do_not_overlap() {
    let (description, events) = Path { bytes: 3_000_000, ..Path::default() }.run();
    let time = |text: &str| Some(Time::ZERO + span(text));
    for (from, to) in [("1.2 s", "1.2001 s"), ("10.2 s", "10.200001 s"), ("10.2 s", "10.200000007 s"), ("99 ms", "3 s")]
    {
        for width in [500, 1000] {
            let options = PictureOptions { from: time(from), to: time(to), width, ..PictureOptions::default() };
            let svg = plot::draw_events(&events, &description, &options).svg();
            let all = texts(&svg);
            let (_, below, ..) = *all.iter().find(|text| text.4 == "time (s)").unwrap();
            let labels: Vec<(f64, f64)> = all
                .iter()
                .filter(|text| text.1 == below - 18.0 && text.2 == "middle")
                .map(|(x, _, _, size, content)| (*x, 0.572 * size * content.len() as f64 / 2.0))
                .collect();
            assert!(labels.len() >= 2, "{from} to {to}: {labels:?}");
            assert!(labels.iter().all(|(x, half)| x + half <= f64::from(width)), "{from} to {to}: {labels:?}");
            let apart = |pair: &[(f64, f64)]| pair[0].0 + pair[0].1 < pair[1].0 - pair[1].1;
            assert!(labels.windows(2).all(apart), "{from} to {to}: {labels:?}");
        }
    }
}

/// A value of ssthresh that would flatten all other lines is not drawn, and the legend says so.
#[test]
fn ssthresh_above_the_scale_is_marked() {
    let (description, events) =
        Path { channel: dropping(&[40]), window: 32_768, bytes: 90 * 1024, ..Path::default() }.run();
    let time = |text: &str| Some(Time::ZERO + span(text));
    let draw = |from, to| {
        let options = PictureOptions { from, to, panels: vec![Panel::Window], ..PictureOptions::default() };
        plot::draw_events(&events, &description, &options).svg()
    };
    // ssthresh is infinite until the loss at about 1.4 s.
    let svg = draw(None, None);
    assert_eq!((marks(&svg, "ssthresh-above"), marks(&svg, "ssthresh")), (1, 1));
    assert!(svg.contains("ssthresh above the scale (infinite)"));
    let svg = draw(time("0.9 s"), time("1 s"));
    assert!(svg.contains("ssthresh above the scale (infinite)") && marks(&svg, "ssthresh") == 0);
    assert!(!draw(time("2.5 s"), None).contains("above"));
    let event = tcp::Event::Window { cwnd: 1000.0, ssthresh: 65_535.0 };
    let mut events = vec![events[0]];
    let sent = tcp::Event::SegmentSent { seq: 0, len: 1000, reason: tcp::Reason::New };
    events.extend([event, sent].map(|event| (Time::ZERO, Event::Sender { flow: FlowId::new(0), event })));
    let svg = plot::draw_events(&events, &description, &PictureOptions::default()).svg();
    assert!(svg.contains("ssthresh above the scale (65.5 kB)"), "{svg}");
}

/// The lines of ACKs and cwnd cross the view even if it contains no event.
#[test]
fn lines_cross_a_view_without_events() {
    let (description, events) = Path { channel: dropping(&[12, 13]), ..Path::default() }.run();
    let time = |text: &str| Some(Time::ZERO + span(text));
    let options = PictureOptions { from: time("1.5 s"), to: time("1.9 s"), ..PictureOptions::default() };
    let svg = plot::draw_events(&events, &description, &options).svg();
    assert_eq!((marks(&svg, "ack"), marks(&svg, "cwnd"), marks(&svg, "sent")), (1, 1, 0));
}

#[test]
fn equal_runs_give_equal_bytes() {
    let path = Path { channel: dropping(&[12, 13]), ..Path::default() };
    let draw = || {
        let (description, events) = path.run();
        let picture = plot::draw_events(
            &events,
            &description,
            &PictureOptions { unit: AxisUnit::Segments, ..PictureOptions::default() },
        );
        (picture.svg(), picture.png(1.0).unwrap())
    };
    assert!(draw() == draw());
}

#[test]
fn png_has_the_requested_size_and_is_not_empty() {
    let (description, events) = Path { channel: dropping(&[12, 13]), ..Path::default() }.run();
    for theme in [Theme::Light, Theme::Dark] {
        let picture = plot::draw_events(
            &events,
            &description,
            &PictureOptions { theme, width: 900, height: 600, ..PictureOptions::default() },
        );
        assert_eq!(picture.size(), (900, 600));
        let pixmap = Pixmap::decode_png(&picture.png(1.5).unwrap()).unwrap();
        assert_eq!((pixmap.width(), pixmap.height()), (1350, 900));
        let background = pixmap.pixels()[0];
        let ink = |left: u32, top: u32, right: u32, bottom: u32| {
            let pixels = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
            pixels.filter(|(x, y)| pixmap.pixel(*x, *y) != Some(background)).count()
        };
        assert!(ink(117, 10, 600, 50) > 500, "a heading, in the embedded font");
        assert!(ink(120, 170, 1300, 800) > 5_000, "panels");
    }
}

#[test]
fn png_scale_out_of_range_is_an_error() {
    let picture = plot::draw_events(&[], &Description::default(), &PictureOptions::default());
    for scale in [0.0, -1.0, f32::NAN, 1e9] {
        assert!(matches!(picture.png(scale), Err(PngError::Size { .. })), "{scale}");
    }
}
