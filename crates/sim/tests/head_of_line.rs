//! One mobile of a cell in a long fade: the goodput of the other one under each scheduler.

use path::{LinkEvent, LinkId};
use scenario::Overrides;
use sim::Event;
use testkit::{load_example, record_events};

/// examples/head-of-line.toml under `scheduler`; without the flow to the faded mobile if `alone`. Returns the packets
/// that the unfaded mobile receives while the other one fades, from 2 to 4 s, the frames sent to the faded mobile in
/// that time, and the attempts at the unfaded mobile that failed because its own acknowledgments collided with them.
fn during_the_fade(scheduler: &str, alone: bool) -> [usize; 3] {
    let mut set = vec![format!("nodes.ap.scheduler={scheduler}")];
    if alone {
        set.push("flows.far.start=4.9 s".to_owned());
    }
    let overrides = Overrides { set, ..Overrides::default() };
    let loaded = load_example("head-of-line.toml", &overrides);
    let link = |name: &str| LinkId::from_index(loaded.network.links.iter().position(|link| link.name == name).unwrap());
    let [near, far] = ["near", "far"].map(link);
    let (_, events) = record_events(&loaded.network);
    let fade = events.iter().filter(|(at, _)| (2_000_000_000..4_000_000_000).contains(&at.as_nanos()));
    let mut counts = [0; 3];
    for (_, event) in fade {
        match event {
            Event::Link { hop, event: LinkEvent::Arrived { .. }, .. }
                if hop.link == near && hop.direction.index() == 0 =>
            {
                counts[0] += 1;
            }
            Event::Link { hop, event: LinkEvent::FrameSent { .. }, .. }
                if hop.link == far && hop.direction.index() == 0 =>
            {
                counts[1] += 1;
            }
            Event::Link { hop, event: LinkEvent::FrameSent { attempt: 2.., .. }, .. }
                if hop.link == near && hop.direction.index() == 0 =>
            {
                counts[2] += 1;
            }
            _ => {}
        }
    }
    counts
}

#[test]
fn goodput_of_a_mobile_does_not_fall_if_the_scheduler_skips_a_faded_mobile() {
    let [alone, ..] = during_the_fade("round-robin", true);
    let [fifo, ..] = during_the_fade("fifo", false);
    let [robin, tried_in_turn, _] = during_the_fade("round-robin", false);
    let [state, tried, collisions] = during_the_fade("channel-state", false);
    // 2 s contain at most 20 pauses of 100 ms. An attempt follows each pause, and another one starts the first pause. A
    // collision also removes the unfaded mobile from the rotation, until the mobile that was removed earlier has had
    // its attempt.
    assert!((10..=21 + collisions).contains(&tried), "{tried} with {collisions} collisions");
    assert!(tried_in_turn > 3 * tried, "{tried_in_turn} and {tried}");
    // A failed attempt takes less than 3 ms: DIFS, a back-off of at most 63 slots, 1.3 ms, the acknowledgment timeout.
    let cost = tried as f64 * 3.0 / 2000.0;
    assert!(state as f64 >= (1.0 - cost) * 0.98 * alone as f64, "{state} of {alone}");
    assert!(fifo < robin && robin < state, "{fifo}, {robin}, {state}");
    // FIFO's queue holds about 40 packets for the faded mobile. Each of them takes seven attempts and 31 to 1,023 slots
    // between them: 7 x 1.6 ms and, on average, 20 ms.
    assert!((fifo as f64) < 0.7 * alone as f64, "{fifo} of {alone}");
}
