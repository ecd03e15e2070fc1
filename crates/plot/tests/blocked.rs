//! Tests of the rows that show why the sender sent nothing.

use crate::common;

use common::Path;
use engine::Time;
use plot::PictureOptions;
use sim::{Event, FlowId};
use tcp::Blocked;

/// A flow that is blocked by cwnd in the first second, by the receive window in the next two, by cwnd again for one,
/// and from 4 s to 8 s by a lack of data.
fn events() -> Vec<(Time, Event)> {
    let sent = tcp::Event::SegmentSent { seq: 0, len: 1000, reason: tcp::Reason::New };
    let blocked = |reason| tcp::Event::Blocked { reason };
    let acked = tcp::Event::AckReceived { ack: 1000, duplicate: false };
    let sender_events = [
        (0, sent),
        (0, blocked(Blocked::Cwnd)),
        (1, blocked(Blocked::PeerWindow)),
        (3, blocked(Blocked::Cwnd)),
        (4, blocked(Blocked::Data)),
        (8, acked),
    ];
    let sender =
        |(at, event): (u64, tcp::Event)| (Time::from_millis(1000 * at), Event::Sender { flow: FlowId::new(0), event });
    [(Time::ZERO, Event::FlowStarted { flow: FlowId::new(0) })].into_iter().chain(sender_events.map(sender)).collect()
}

/// Returns title and bars of each row; a bar is left edge and width in pixels.
fn rows(svg: &str) -> Vec<(String, Vec<(f64, f64)>)> {
    let bar = |bar: &str| {
        let (at, rest) = bar.split_once('h').expect("a rectangle");
        let number = |text: &str| text.parse::<f64>().expect("a number");
        (number(at.split_whitespace().next().expect("two numbers")), number(rest.split_once('v').expect("a height").0))
    };
    let row = |line: &str| {
        let title = line.split(['<', '>']).find(|part| part.starts_with("nothing")).expect("a title").to_owned();
        let data = line.split(" d=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a path");
        (title, data.split('M').skip(1).map(bar).collect())
    };
    svg.lines().filter(|line| line.starts_with("<path class=\"blocked\"")).map(row).collect()
}

/// Hand calculation: the panel is 898 pixels wide from 78 on. Therefore a second of eight takes 112.25 pixels. Edges
/// are rounded to tenths.
#[test]
fn each_reason_has_a_row_with_a_bar_for_its_interval() {
    let description = Path::default().run().0;
    let draw = |blocked, from| {
        let options = PictureOptions { blocked, from, ..PictureOptions::default() };
        plot::draw_events(&events(), &description, &options).svg()
    };
    let expected = [
        ("nothing sent: data", vec![(527.0, 449.0)]),
        ("nothing sent: peer-window", vec![(190.3, 224.5)]),
        ("nothing sent: cwnd", vec![(78.0, 112.3), (414.8, 112.2)]),
    ];
    assert_eq!(rows(&draw(true, None)), expected.map(|(title, bars)| (title.to_owned(), bars)));
    // From 2 s on a second of six takes 149.67 pixels. One second of the receive window is visible, and one of cwnd.
    let later = rows(&draw(true, Some(Time::from_millis(2000))));
    let bars: Vec<(f64, f64)> = later.into_iter().flat_map(|(_, bars)| bars).collect();
    assert_eq!(bars, [(377.3, 598.7), (78.0, 149.7), (227.7, 149.6)]);
    assert_eq!(rows(&draw(false, None)), [], "no rows unless the option is set");
}
