//! Memory used by an idle connection. In a separate test program, because the allocator counts everything.

use engine::{Bytes, Span, Time};
use peak_alloc::PeakAlloc;
use tcp::{Config, Connection, presets};
use wire::Ecn;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Maximum for one end, in bytes. BBR's path model and the state of Linux's receiver take more.
fn most(preset: &str) -> usize {
    match preset {
        "linux" | "linux-reno" => 2304,
        _ if preset.starts_with("bbr") => 2400,
        _ => 2048,
    }
}

/// Sends `bytes` in flights of 20 ms; in every second flight, each `lost`-th segment is lost.
fn transfer(config: &Config, bytes: u64, lost: usize) -> [Box<Connection>; 2] {
    let end = |from, to| Box::new(Connection::established(config, from, to, config.window.max()));
    let mut ends = [end(1, 2), end(2, 1)];
    ends[0].write(bytes);
    let mut now = Time::ZERO;
    for flight in 0.. {
        let data: Vec<_> = std::iter::from_fn(|| ends[0].poll_transmit(now)).collect();
        now += Span::from_millis(20);
        for (_, (segment, _)) in data.iter().enumerate().filter(|(place, _)| flight != 9 || place % lost != 0) {
            ends[1].handle_segment(now, segment, Ecn::NotEct);
            while let Some((ack, _)) = ends[1].poll_transmit(now) {
                ends[0].handle_segment(now, &ack, Ecn::NotEct);
            }
        }
        if ends[0].done() {
            break;
        }
        for end in &mut ends {
            if data.is_empty() {
                now = now.max(end.poll_timeout().min(now + Span::from_secs(1)));
            }
            end.handle_timeout(now);
        }
    }
    ends
}

#[test]
fn idle_connection_uses_at_most_its_share_of_memory() {
    for preset in presets::PRESETS {
        let mut config = Config { segment: 1000, window: Bytes(4_000_000).into(), ..Config::default() };
        config.merge(&preset.table());
        let before = MEMORY.current_usage();
        let fresh = Box::new(Connection::established(&config, 1, 2, config.window.max()));
        let each = MEMORY.current_usage() - before;
        assert!(each <= most(preset.name), "{}, freshly established: {each} bytes", preset.name);
        drop(fresh);
        for lost in [usize::MAX, 7] {
            let before = MEMORY.current_usage();
            let ends = transfer(&config, 5_000_000, lost);
            let both = MEMORY.current_usage() - before;
            assert_eq!(ends[1].bytes_received(), 5_000_000);
            assert!(both <= 2 * most(preset.name), "{}, after 5 MB: {both} bytes at both ends", preset.name);
        }
    }
}
