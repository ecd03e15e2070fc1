//! A video in segments of several bit rates, requested one after the other (DASH).
//!
//! The client is the receiving end of the flow. It requests a segment whenever its buffer has room for one, at a rung of
//! the ladder that its adaptation rule chooses. Playback starts, and resumes after a stall, when the buffer contains
//! `startup`; it stalls when the buffer is empty.
//!
//! * `rate`: the highest rung up to 0.85 times the harmonic mean of the throughput of the last five segments; the first
//!   segment is of the lowest rung. The harmonic mean resists single fast segments, and 0.85 leaves a margin (FESTIVE,
//!   Jiang2012 s4.2 and s5; five as Yin2015 s7.1).
//! * `buffer`: BBA-0 (Huang2014 s4): a linear map from the buffer level to a rate between the lowest and the highest
//!   rung, above a reservoir of 3/8 of the buffer and up to 9/10 of it, the shares of that paper (90, 126 of 240 s). The
//!   rung changes only when the map passes the next rung.
//!
//! Limits: all segments of a rung have the same size, and the client never abandons one.

use std::collections::VecDeque;

use engine::registry::{Fault, Settings};
use engine::{Bytes, Rate, Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AppCx, AppResult, Application};

/// The rule by which the client chooses the next segment's bit rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Adaptation {
    /// The rate follows the throughput of the last segments.
    #[default]
    Rate,
    /// The rate follows the buffer level (BBA-0).
    Buffer,
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The bit rates, in ascending order.
    pub ladder: Vec<Rate>,
    /// The playing time of a segment.
    pub segment: Span,
    /// The maximum playing time in the buffer, at least two segments.
    pub buffer: Span,
    /// The playing time in the buffer at which playback starts and resumes, at least one segment.
    pub startup: Span,
    /// The adaptation rule.
    pub adaptation: Adaptation,
    /// Bytes of a request.
    pub request: Bytes,
    /// The playing time of the video; endless by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<Span>,
}

impl Default for Config {
    /// The ladder of Huang2014 (235 kbps to 5 Mbps) with segments of 4 s; a buffer of 60 s.
    fn default() -> Self {
        let ladder = [235, 375, 560, 750, 1050, 1750, 2350, 3000, 3600, 4300, 5000];
        Config {
            ladder: ladder.into_iter().filter_map(|kbps| Rate::from_bits_per_sec(1000 * kbps)).collect(),
            segment: Span::from_secs(4),
            buffer: Span::from_secs(60),
            startup: Span::from_secs(4),
            adaptation: Adaptation::Rate,
            request: Bytes(350),
            length: None,
        }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if self.ladder.is_empty() {
            faults.push(Fault::new("ladder", "none", "at least one bit rate"));
        }
        if let Some(number) = self.ladder.windows(2).position(|pair| pair[1] <= pair[0]) {
            let expected = format!("more than {}, the rung below", self.ladder[number]);
            faults.push(Fault::new("ladder", self.ladder[number + 1], expected).entry(number + 1));
        }
        if self.segment < Span::from_millis(1) || self.segment > Span::from_secs(3600) {
            faults.push(Fault::new("segment", self.segment, "1 ms to 1 h"));
        } else {
            if self.buffer < self.segment + self.segment {
                faults.push(Fault::new("buffer", self.buffer, format!("at least two segments of {}", self.segment)));
            } else if self.startup < self.segment || self.startup > self.buffer {
                let expected = format!("one segment of {} to the buffer of {}", self.segment, self.buffer);
                faults.push(Fault::new("startup", self.startup, expected));
            }
            if self.length.is_some_and(|length| length < self.segment) {
                let found = self.length.unwrap_or_default();
                faults.push(Fault::new("length", found, format!("at least a segment of {}", self.segment)));
            }
        }
        if self.request == Bytes(0) {
            faults.push(Fault::new("request", self.request, "at least one byte"));
        }
        faults
    }
}

impl Config {
    /// The application.
    pub fn build(&self, _: Stream) -> Box<dyn Application> {
        Box::new(Video::new(self.clone()))
    }
}

/// The buffer of playing time, and the playback that the viewer sees.
#[derive(Clone, Default)]
struct Player {
    /// Playing time in the buffer at `at`.
    level: Span,
    at: Time,
    playing: bool,
    /// Time at which playback first started.
    started: Option<Time>,
    stalls: u64,
    stalled: Span,
}

impl Player {
    /// Plays up to `now`. At an empty buffer the video ends if `last`, and otherwise stalls.
    fn advance(&mut self, now: Time, last: bool) {
        let passed = now.since(self.at);
        self.at = now;
        if !self.playing {
            if self.started.is_some() && !last {
                self.stalled = self.stalled + passed;
            }
            return;
        }
        if passed < self.level {
            self.level = self.level - passed;
            return;
        }
        let without = passed - self.level;
        (self.level, self.playing) = (Span::ZERO, false);
        if !last {
            self.stalls += 1;
            self.stalled = self.stalled + without;
        }
    }

    fn add(&mut self, segment: Span, startup: Span, last: bool) {
        self.level = self.level + segment;
        if !self.playing && (self.level >= startup || last) {
            self.playing = true;
            self.started.get_or_insert(self.at);
        }
    }
}

struct Video {
    config: Config,
    /// The number of segments.
    segments: Option<u64>,
    player: Player,
    /// When the client started.
    began: Time,
    rung: usize,
    /// Time at which the current segment was requested.
    requested: Time,
    /// Bytes of all requested segments.
    expected: u64,
    /// Bytes of all requests answered by the server.
    answered: u64,
    /// Size of the segment requested but not yet sent.
    pending: Option<u64>,
    /// Bits per second of the last segments.
    throughput: VecDeque<f64>,
    /// Time at which the next segment is requested, if the buffer had no space.
    next: Time,
    arrived: u64,
    /// The sum of the bit rates of the segments.
    bits: f64,
    switches: u64,
}

/// Segments whose throughput the rule `rate` considers.
const HISTORY: usize = 5;

impl Video {
    fn new(config: Config) -> Self {
        let segments = config.length.map(|length| length.as_nanos().div_ceil(config.segment.as_nanos()));
        Video {
            config,
            segments,
            player: Player::default(),
            began: Time::ZERO,
            rung: 0,
            requested: Time::ZERO,
            expected: 0,
            answered: 0,
            pending: None,
            throughput: VecDeque::new(),
            next: Time::NEVER,
            arrived: 0,
            bits: 0.0,
            switches: 0,
        }
    }

    fn bit_rate(&self, rung: usize) -> f64 {
        self.config.ladder[rung].bits_per_sec() as f64
    }

    /// The highest rung for which `fits` returns true.
    fn highest(&self, fits: impl Fn(f64) -> bool) -> usize {
        (0..self.config.ladder.len()).rev().find(|rung| fits(self.bit_rate(*rung))).unwrap_or(0)
    }

    fn choose(&self) -> usize {
        match self.config.adaptation {
            Adaptation::Rate => {
                let slow: f64 = self.throughput.iter().map(|rate| 1.0 / rate).sum();
                if self.throughput.is_empty() {
                    return 0;
                }
                let harmonic = self.throughput.len() as f64 / slow;
                self.highest(|rate| rate <= 0.85 * harmonic)
            }
            Adaptation::Buffer => {
                let top = self.config.ladder.len() - 1;
                let (low, high) = (self.bit_rate(0), self.bit_rate(top));
                let share = self.player.level.as_secs_f64() / self.config.buffer.as_secs_f64();
                let map = low + (high - low) * ((share - 3.0 / 8.0) / (9.0 / 10.0 - 3.0 / 8.0)).clamp(0.0, 1.0);
                let (above, below) = ((self.rung + 1).min(top), self.rung.saturating_sub(1));
                match map {
                    map if map <= low => 0,
                    map if map >= high => top,
                    map if map >= self.bit_rate(above) => self.highest(|rate| rate < map),
                    map if map <= self.bit_rate(below) => {
                        (0..=top).find(|rung| self.bit_rate(*rung) > map).unwrap_or(top)
                    }
                    _ => self.rung,
                }
            }
        }
    }

    fn ask(&mut self, cx: &mut AppCx<'_>) {
        let rung = self.choose();
        if self.arrived > 0 && rung != self.rung {
            self.switches += 1;
        }
        self.rung = rung;
        let size = (self.bit_rate(rung) * self.config.segment.as_secs_f64() / 8.0) as u64;
        self.pending = Some(size.max(1));
        self.expected += size.max(1);
        self.requested = cx.now;
        cx.request(0, self.config.request.0);
    }

    /// Whether all segments have arrived.
    fn complete(&self) -> bool {
        self.segments == Some(self.arrived)
    }
}

impl Application for Video {
    fn receiver_opens(&self) -> bool {
        true
    }

    fn start(&mut self, cx: &mut AppCx<'_>) {
        (self.player.at, self.began) = (cx.now, cx.now);
        self.ask(cx);
    }

    fn deadline(&self) -> Time {
        self.next
    }

    fn wake(&mut self, cx: &mut AppCx<'_>) {
        self.next = Time::NEVER;
        self.player.advance(cx.now, false);
        self.ask(cx);
    }

    fn observes(&self) -> bool {
        true
    }

    fn on_requested(&mut self, _: usize, cx: &mut AppCx<'_>) {
        if cx.requested_bytes(0) >= self.answered + self.config.request.0
            && let Some(size) = self.pending.take()
        {
            self.answered += self.config.request.0;
            cx.write(0, size);
        }
    }

    fn on_delivered(&mut self, _: usize, cx: &mut AppCx<'_>) {
        if self.pending.is_some() || cx.delivered_bytes(0) < self.expected || self.complete() {
            return;
        }
        self.arrived += 1;
        let rate = self.bit_rate(self.rung);
        self.bits += rate;
        let took = cx.now.since(self.requested).as_secs_f64().max(1e-9);
        self.throughput.push_back(rate * self.config.segment.as_secs_f64() / took);
        if self.throughput.len() > HISTORY {
            self.throughput.pop_front();
        }
        self.player.advance(cx.now, false);
        let last = self.complete();
        self.player.add(self.config.segment, self.config.startup, last);
        if last {
            return cx.finish();
        }
        let full = self.player.level + self.config.segment;
        if full <= self.config.buffer {
            return self.ask(cx);
        }
        // The buffer contains more than the start of playback requires, so the video plays.
        self.next = cx.now + (full - self.config.buffer);
    }

    fn results(&self, now: Time) -> Vec<AppResult> {
        let mut player = self.player.clone();
        player.advance(now, self.complete());
        let mean = (self.arrived > 0).then(|| self.bits / self.arrived as f64);
        let startup = player.started.map(|at| at.since(self.began).as_secs_f64());
        vec![
            AppResult { name: "video_segments", value: Some(self.arrived as f64) },
            AppResult { name: "video_bit_rate_bps", value: mean },
            AppResult { name: "video_switches", value: Some(self.switches as f64) },
            AppResult { name: "video_startup_s", value: startup },
            AppResult { name: "stalls", value: Some(player.stalls as f64) },
            AppResult { name: "stalled_s", value: Some(player.stalled.as_secs_f64()) },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(secs: u64) -> Time {
        Time::ZERO + Span::from_secs(secs)
    }

    /// Segments of 4 s arrive at 1, 3, 20 and 21 s; playback starts with 4 s and is empty at 9 s.
    #[test]
    fn player_stalls_while_its_buffer_is_empty() {
        let mut player = Player::default();
        let segment = Span::from_secs(4);
        for at in [1, 3, 20, 21] {
            player.advance(secs(at), false);
            player.add(segment, segment, false);
        }
        assert_eq!((player.started, player.stalls, player.stalled), (Some(secs(1)), 1, Span::from_secs(11)));
        assert_eq!(player.level, Span::from_secs(7));
        // The end of the video is not a stall.
        player.advance(secs(40), true);
        assert_eq!((player.stalls, player.stalled), (1, Span::from_secs(11)));
    }

    fn video(adaptation: Adaptation) -> Video {
        let rate = |mbps: u64| Rate::from_bits_per_sec(mbps * 1_000_000).unwrap();
        let config = Config { ladder: [1, 2, 4, 8].map(rate).to_vec(), adaptation, ..Config::default() };
        Video::new(config)
    }

    #[test]
    fn rate_rule_follows_the_harmonic_mean_with_its_margin() {
        let mut video = video(Adaptation::Rate);
        assert_eq!(video.choose(), 0);
        // The harmonic mean of 3 and 6 Mbps is 4 Mbps, of which 0.85 is 3.4; that of 5 Mbps alone is 4.25.
        video.throughput.extend([3e6, 6e6]);
        assert_eq!(video.choose(), 1);
        video.throughput = [5e6].into();
        assert_eq!(video.choose(), 2);
    }

    /// With a buffer of 60 s the reservoir is 22.5 s and the map ends at 54 s, so that the map has 7 Mbps over 31.5 s.
    #[test]
    fn buffer_rule_changes_when_its_map_passes_the_next_rung() {
        let mut video = video(Adaptation::Buffer);
        let mut at = |level: u64, rung: usize| {
            (video.player.level, video.rung) = (Span::from_secs(level), rung);
            video.choose()
        };
        // The map gives the lowest rate at 22 s (the reservoir), 2.67 Mbps at 30 s, and exactly 2 Mbps at 27 s.
        assert_eq!([at(22, 3), at(30, 0), at(27, 0), at(54, 0)], [0, 1, 0, 3]);
        // 2.67 Mbps lies between the rungs next to 4 Mbps, and below the rungs next to 8 Mbps. In the second case the
        // lowest rung above 2.67 Mbps is chosen.
        assert_eq!([at(30, 2), at(30, 3)], [2, 2]);
    }
}
