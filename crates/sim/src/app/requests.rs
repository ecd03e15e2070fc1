//! A client that requests objects from a server: single downloads, or web pages of several objects over several
//! connections.
//!
//! The client is the receiving end of the flow and opens its connections; the server is the sending end. A page begins
//! with one object, the document; when it has arrived, the others are requested, one at a time on each connection, over
//! whichever is free first. After the last object of a page the client thinks, and then requests the next page.
//! Connections stay open. The sizes of objects and the think times depend on the number of the page and the object
//! alone, so that two schemes are compared on the same pages.

use std::collections::VecDeque;
use std::fmt::Arguments;

use engine::registry::{Fault, MemberVisitor, Settings};
use engine::{Bytes, Histogram, Named, Open, Span, Stream, Time};
use path::link::jitter::{DelayConfig, DelayDistribution, exponential};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AppCx, AppResult, Application, MAX_CONNECTIONS};
use crate::size::{SizeConfig, SizeDistribution, pareto};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The number of objects of a page, the document included.
    #[schemars(range(min = 1, max = 10_000))]
    pub objects: u32,
    /// The number of connections, 1 to 64.
    #[schemars(range(min = 1, max = 64))]
    pub connections: u32,
    /// Bytes of a request.
    pub request: Bytes,
    /// The distribution of the sizes of objects.
    #[serde(deserialize_with = "engine::named::deserialize")]
    #[schemars(with = "Named<SizeConfig>")]
    pub sizes: SizeConfig,
    /// The distribution of the times between the end of a page and the request for the next.
    #[serde(deserialize_with = "engine::named::deserialize")]
    #[schemars(with = "Named<DelayConfig>")]
    pub think: DelayConfig,
    /// The number of pages; endless by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub pages: Option<u32>,
    /// The distribution of the times between the arrival of a request and the response of the server; the server responds
    /// at once if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_think: Option<Named<DelayConfig>>,
}

impl Default for Config {
    /// Returns settings of small transfers: one object at a time, of 10 kB on average with a heavy tail, about every 5
    /// s. These values are not from measurements. Requests have 350 bytes; the white paper of SPDY gives 200 bytes to 2
    /// kB for headers.
    fn default() -> Self {
        Config {
            objects: 1,
            connections: 1,
            request: Bytes(350),
            sizes: SizeConfig::Pareto(pareto::Config::default()),
            think: DelayConfig::Exponential(exponential::Config { mean: Span::from_secs(5) }),
            server_think: None,
            pages: None,
        }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        faults.extend(Fault::unless_some("objects", self.objects, 10_000));
        faults.extend(Fault::unless_some("connections", self.connections, MAX_CONNECTIONS as u32));
        if self.request == Bytes(0) {
            faults.push(Fault::new("request", self.request, "at least one byte"));
        }
        if self.pages == Some(0) {
            faults.push(Fault::new("pages", 0, "at least one"));
        }
        let server_think = self.server_think.as_ref().map(|Named(think)| think.check()).unwrap_or_default();
        let parts = [("sizes", self.sizes.check()), ("think", self.think.check()), ("server_think", server_think)];
        for (part, nested) in parts {
            let nested = nested.into_iter();
            faults.extend(nested.map(|fault| Fault { key: format!("{part}.{}", fault.key).into(), ..fault }));
        }
        faults
    }

    fn visit_members<V: MemberVisitor>(&mut self, key: Arguments<'_>, visitor: &mut V) {
        self.sizes.visit(format_args!("{key}.sizes"), visitor);
        self.think.visit(format_args!("{key}.think"), visitor);
        if let Some(Named(think)) = &mut self.server_think {
            think.visit(format_args!("{key}.server_think"), visitor);
        }
    }
}

impl Config {
    /// The application.
    pub fn build(&self, stream: Stream) -> Box<dyn Application> {
        Box::new(Requests {
            config: self.clone(),
            sizes: self.sizes.build(),
            think: self.think.build(),
            server_think: self.server_think.as_ref().map(|Named(think)| think.build()),
            stream: [stream.sub("sizes"), stream.sub("think"), stream.sub("server think")],
            connections: (0..self.connections).map(|_| RequestConnection::default()).collect(),
            page: 0,
            requested: 0,
            arrived: 0,
            began: Time::ZERO,
            next: Time::NEVER,
            objects: 0,
            times: Histogram::default(),
        })
    }
}

/// The state of one connection.
#[derive(Clone, Default)]
struct RequestConnection {
    /// Bytes of all requests answered by the server.
    answered: u64,
    /// Sizes of the objects whose requests have not arrived at the server, and times that the server takes for them.
    asked: VecDeque<(u64, Span)>,
    /// Times at which the server sends objects, and their sizes.
    due: VecDeque<(Time, u64)>,
    /// Bytes of all objects requested.
    expected: u64,
    busy: bool,
}

struct Requests {
    config: Config,
    sizes: Box<dyn SizeDistribution>,
    think: Box<dyn DelayDistribution>,
    /// `None` if the server responds at once.
    server_think: Option<Box<dyn DelayDistribution>>,
    /// The random streams of sizes, of think times, and of the server's think times.
    stream: [Stream; 3],
    connections: Vec<RequestConnection>,
    /// Number of the current page.
    page: u32,
    /// Number of requested objects of the current page.
    requested: u32,
    /// Number of arrived objects of the current page.
    arrived: u32,
    /// Time at which the page was requested.
    began: Time,
    /// Time at which the next page is requested.
    next: Time,
    /// Objects that have arrived.
    objects: u64,
    /// Load times of pages in nanoseconds.
    times: Histogram,
}

impl Requests {
    /// Requests the next object of the page on a free connection.
    fn ask(&mut self, connection: usize, cx: &mut AppCx<'_>) {
        let mut draws = self.stream[0].draws_at(u64::from(self.page), self.requested);
        let size = self.sizes.draw(&mut draws);
        let number = (u64::from(self.page), self.requested);
        let think =
            self.server_think.as_mut().map(|think| think.draw(&mut self.stream[2].draws_at(number.0, number.1)));
        let state = &mut self.connections[connection];
        state.asked.push_back((size, think.unwrap_or(Span::ZERO)));
        state.expected += size;
        state.busy = true;
        self.requested += 1;
        cx.request(connection, self.config.request.0);
    }

    /// Requests the objects that are known on the connections that are free.
    fn ask_all(&mut self, cx: &mut AppCx<'_>) {
        // The document names the other objects.
        let known = if self.arrived == 0 { 1 } else { self.config.objects };
        for connection in 0..self.connections.len() {
            if self.requested < known && !self.connections[connection].busy {
                self.ask(connection, cx);
            }
        }
    }
}

impl Application for Requests {
    fn connections(&self) -> usize {
        self.connections.len()
    }

    fn receiver_opens(&self) -> bool {
        true
    }

    fn start(&mut self, cx: &mut AppCx<'_>) {
        self.began = cx.now;
        self.ask_all(cx);
    }

    fn deadline(&self) -> Time {
        let due = self.connections.iter().filter_map(|state| state.due.front());
        due.fold(self.next, |next, (at, _)| next.min(*at))
    }

    fn wake(&mut self, cx: &mut AppCx<'_>) {
        for (connection, state) in self.connections.iter_mut().enumerate() {
            while let Some((_, size)) = state.due.front().copied().filter(|(at, _)| *at <= cx.now) {
                state.due.pop_front();
                cx.write(connection, size);
            }
        }
        if self.next > cx.now {
            return;
        }
        self.next = Time::NEVER;
        (self.requested, self.arrived, self.began) = (0, 0, cx.now);
        self.ask_all(cx);
    }

    fn observes(&self) -> bool {
        true
    }

    fn on_requested(&mut self, connection: usize, cx: &mut AppCx<'_>) {
        let arrived = cx.requested_bytes(connection);
        let state = &mut self.connections[connection];
        while arrived >= state.answered + self.config.request.0
            && let Some((size, think)) = state.asked.pop_front()
        {
            state.answered += self.config.request.0;
            if think == Span::ZERO {
                cx.write(connection, size);
            } else {
                state.due.push_back((cx.now + think, size));
            }
        }
    }

    fn on_delivered(&mut self, connection: usize, cx: &mut AppCx<'_>) {
        let state = &mut self.connections[connection];
        if !state.busy || cx.delivered_bytes(connection) < state.expected {
            return;
        }
        state.busy = false;
        self.arrived += 1;
        self.objects += 1;
        if self.arrived < self.config.objects {
            return self.ask_all(cx);
        }
        self.times.record_span(cx.now.since(self.began));
        self.page += 1;
        if self.config.pages == Some(self.page) {
            return cx.finish();
        }
        let thinks = self.think.draw(&mut self.stream[1].draws_at(u64::from(self.page), 0));
        // The time is at least a nanosecond, because a deadline must be later than now.
        self.next = cx.now + thinks.max(Span::from_nanos(1));
    }

    fn results(&self, _: Time) -> Vec<AppResult> {
        let seconds = |nanos: Option<u64>| nanos.map(|nanos| nanos as f64 / 1e9);
        let quantile = |q: f64| seconds(self.times.quantile(q));
        vec![
            AppResult { name: "pages", value: Some(self.times.count() as f64) },
            AppResult { name: "objects", value: Some(self.objects as f64) },
            AppResult { name: "page_time_mean_s", value: self.times.mean().map(|nanos| nanos / 1e9) },
            AppResult { name: "page_time_p50_s", value: quantile(0.5) },
            AppResult { name: "page_time_p95_s", value: quantile(0.95) },
            AppResult { name: "page_time_max_s", value: seconds(self.times.max()) },
        ]
    }
}
