//! The runner of a script, which executes the events in order, and the host's timers between them.
//!
//! On a simulated host, time is exact and jumps from event to event. An expected packet must be sent within the
//! tolerance of its time; a relative time counts from the previous event.

mod compare;
mod expect;
mod head;
mod numbers;

use engine::{Span, Time};

pub use crate::report::PacketPart;
pub use compare::compare_packets;
pub use head::WITHOUT_EFFECT;

use crate::code::{self, EvaluationError, Memory, PyValue, Unsupported};
use crate::end::Opener;
use crate::endpoint::MEMBERS;
use crate::host::{CallAnswer, Host, OPTION_BITS, is_sending, list_host_members};
use crate::report::{Deviation, LoggedPacket, Mismatch, ScriptOutcome, ScriptReport, format_seconds};
use crate::settings::{self, HostSetting, IpVersion};
use crate::syntax::ScriptPlace;
use crate::syntax::ast::{Call, Code, Commands, EventAction, Expr, Opt, Script, ScriptEvent, ScriptPacket, When};
use crate::target::{HostClock, ScriptTarget};
use head::ScriptHead;
use numbers::Numbers;

/// Constants that assertions may name (`enum tcp_ca_state`).
const CONSTANTS: [(&str, i64); 5] =
    [("TCP_CA_Open", 0), ("TCP_CA_Disorder", 1), ("TCP_CA_CWR", 2), ("TCP_CA_Recovery", 3), ("TCP_CA_Loss", 4)];

/// Runs `script` in simulated time against connection ends that `open` creates. `tolerance` overrides the tolerance in
/// the script.
pub fn run_script(script: &Script, tolerance: Option<Span>, open: &Opener<'_>) -> ScriptReport {
    run_on(script, tolerance, &mut Host::new(open))
}

/// Runs `script` against `host`. `tolerance` overrides the tolerance in the script, which is multiplied on a wall
/// clock.
pub fn run_on(script: &Script, tolerance: Option<Span>, host: &mut dyn ScriptTarget) -> ScriptReport {
    let mut runner = Runner {
        host,
        numbers: Numbers::default(),
        memory: Memory::new(),
        head: ScriptHead::default(),
        pending: None,
        place: ScriptPlace::default(),
        logged: Vec::new(),
        report: ScriptReport::default(),
    };
    let stopped = runner.script(script, tolerance).err();
    runner.log_sent();
    let mut report = runner.report;
    report.unread = runner.host.outbox().unread();
    report.end = runner.host.now();
    report.tolerance = runner.head.tolerance;
    report.outcome = stopped.unwrap_or(ScriptOutcome::Passed);
    report
}

struct Runner<'a> {
    host: &'a mut dyn ScriptTarget,
    numbers: Numbers,
    memory: Memory,
    head: ScriptHead,
    pending: Option<BlockedCall>,
    /// Position of the current event in the script.
    place: ScriptPlace,
    /// For each segment in the outbox, its index in the report's packets.
    logged: Vec<usize>,
    report: ScriptReport,
}

/// A system call that blocks.
struct BlockedCall {
    call: Call,
    place: ScriptPlace,
    returns: Time,
}

/// Result of a step; `Err` ends the script with this outcome.
type Step<T = ()> = Result<T, ScriptOutcome>;

fn stop_unsupported<T>(place: ScriptPlace, what: impl Into<String>) -> Step<T> {
    Err(ScriptOutcome::Unsupported(Unsupported { place, what: what.into() }))
}

/// The interval in which an event is expected.
#[derive(Clone, Copy)]
struct EventWindow {
    from: Time,
    to: Time,
    /// Admissible delay after `to`, in addition to the tolerance.
    grace: Span,
}

impl Runner<'_> {
    fn script(&mut self, script: &Script, tolerance: Option<Span>) -> Step {
        self.head = head::read_head(&script.options).map_err(ScriptOutcome::Unsupported)?;
        if let Some((place, mtu)) = self.head.mtu {
            self.host.set(&HostSetting::Mtu(mtu)).or_else(|what| stop_unsupported(place, what))?;
        }
        if self.head.ip_version != IpVersion::V4 {
            let version = HostSetting::Ip(self.head.ip_version);
            self.host.set(&version).or_else(|what| stop_unsupported(ScriptPlace::default(), what))?;
        }
        if let Some(size) = self.head.offload {
            self.host
                .set(&HostSetting::Offload(size))
                .or_else(|what| stop_unsupported(ScriptPlace::default(), what))?;
        }
        // Time stamp values on a wall clock are not exact to a tick.
        self.head.ticks &= self.host.clock() == HostClock::Simulated;
        let own = self.head.tolerance.as_nanos().saturating_mul(self.host.clock().allowance());
        self.head.tolerance = tolerance.unwrap_or(Span::from_nanos(own));
        self.host.set_tolerance(self.head.tolerance);
        for commands in &script.setup {
            self.commands(commands)?;
        }
        for event in &script.events {
            self.event(event)?;
        }
        self.finish_pending()?;
        for commands in &script.cleanup {
            self.commands(commands)?;
        }
        Ok(())
    }

    fn event(&mut self, event: &ScriptEvent) -> Step {
        self.place = event.action_place;
        let window = self.window(event.when);
        match &event.action {
            EventAction::Inject(packet) => self.inject(event, packet, window),
            EventAction::Expect(ScriptPacket::Tcp(tcp)) => self.expect(event, tcp, window),
            EventAction::Expect(ScriptPacket::Other(text)) => {
                stop_unsupported(event.action_place, format!("the packet `{text}`"))
            }
            EventAction::Call(call) => self.call(event, call, window),
            EventAction::Commands(commands) => {
                self.wait(window)?;
                self.commands(commands)
            }
            EventAction::Code(code) => {
                self.wait(window)?;
                self.code(code)
            }
        }
    }

    /// Returns the interval of an event; relative times count from now, the time of the previous event.
    fn window(&self, when: When) -> Option<EventWindow> {
        let now = self.host.now();
        let (from, to) = match when {
            When::At(time) => (time, time),
            When::After(span) => (now + span, now + span),
            When::Between(from, to) => (from, to),
            When::AfterBetween(from, to) => (now + from, now + to),
            When::Any => return None,
        };
        Some(EventWindow { from, to, grace: self.host.lateness(to.since(now)) })
    }

    /// Advances the time to the start of the interval.
    fn wait(&mut self, window: Option<EventWindow>) -> Step {
        if let Some(window) = window {
            self.advance(window.from, false)?;
        }
        Ok(())
    }

    /// Advances the time to `until`, or with `stop` to the next segment sent; a blocked call may return meanwhile.
    fn advance(&mut self, until: Time, stop: bool) -> Step {
        loop {
            let step = self.host.next_timeout().min(until);
            if stop && self.host.outbox().unread() > 0 {
                return Ok(());
            }
            let moved = self.host.advance(step, stop);
            self.log_sent();
            if moved.is_err() {
                let found = Mismatch::Words {
                    expected: "advancing time".into(),
                    found: "a timer that expires at the same time without end".into(),
                };
                return Err(self.fail(self.place, "the time does not advance", found, None));
            }
            self.retry_pending()?;
            if step >= until {
                return Ok(());
            }
        }
    }

    fn commands(&mut self, commands: &Commands) -> Step {
        for (place, command) in settings::split_commands(commands) {
            let set = settings::recognize_command(&command).or_else(|what| stop_unsupported(place, what))?;
            for setting in &set {
                let note = self.host.set(setting).or_else(|what| stop_unsupported(place, what))?;
                self.report.notes.extend(note.map(|note| (place, note)));
            }
        }
        Ok(())
    }

    fn code(&mut self, code: &Code) -> Step {
        let statements =
            code.program.as_ref().map_err(|unsupported| ScriptOutcome::Unsupported(unsupported.clone()))?;
        let host = &*self.host;
        let known = |name: &str| {
            let constant = CONSTANTS.iter().chain(&OPTION_BITS).find(|(known, _)| *known == name);
            constant.map(|(_, value)| PyValue::Int(*value)).or_else(|| host.info(name))
        };
        let names = CONSTANTS.iter().chain(&OPTION_BITS).map(|(name, _)| (*name).to_owned());
        let members = MEMBERS.iter().map(|(name, _)| *name).chain(list_host_members());
        let names: Vec<String> = names.chain(members.map(|name| format!("tcpi_{name}"))).collect();
        let printed = &mut self.report.printed;
        let ran = code::run_assertions(statements, &mut self.memory, &known, &names, &mut |place, text| {
            printed.push((place, text));
        });
        match ran {
            Ok(()) => Ok(()),
            Err(EvaluationError::Unsupported(unsupported)) => Err(ScriptOutcome::Unsupported(unsupported)),
            Err(EvaluationError::Assertion { place, text, values, note }) => {
                let values: Vec<String> = values.iter().map(|(name, value)| format!("{name} is {value}")).collect();
                let found = Mismatch::Words { expected: text, found: values.join(", ") };
                Err(self.fail(place, "an assertion does not hold", found, note))
            }
        }
    }

    fn inject(&mut self, event: &ScriptEvent, packet: &ScriptPacket, window: Option<EventWindow>) -> Step {
        self.wait(window)?;
        let tcp = match packet {
            ScriptPacket::Tcp(tcp) => tcp,
            ScriptPacket::Other(text) => return stop_unsupported(event.action_place, format!("the packet `{text}`")),
        };
        let connected = self.host.has_connection();
        let wire = self.numbers.incoming(tcp, connected).or_else(|what| stop_unsupported(event.action_place, what));
        let (segment, ecn) = wire?;
        let seen = LoggedPacket { time: self.host.now(), incoming: true, tcp: tcp.clone() };
        self.report.packets.push(seen);
        // No socket has a key (`TCP_MD5SIG` is not supported): a segment with a digest is discarded
        // (`tcp_inbound_md5_hash`).
        let is_digest = |option: &Opt| matches!(option, Opt::Other(text) if text.starts_with("md5 "));
        if tcp.options.iter().flatten().any(is_digest) {
            return match self.host.clock() {
                HostClock::Simulated => Ok(()),
                HostClock::Wall => stop_unsupported(event.action_place, "the TCP option `md5`"),
            };
        }
        self.host.inject(&segment, ecn).or_else(|what| stop_unsupported(event.action_place, what))?;
        self.log_sent();
        self.retry_pending()
    }

    fn call(&mut self, event: &ScriptEvent, call: &Call, window: Option<EventWindow>) -> Step {
        let started = window.map_or(self.host.now(), |window| window.from);
        // A process executes one system call at a time.
        self.finish_pending()?;
        self.advance(started, false)?;
        let place = event.action_place;
        let answer = self.host.call(call);
        if call.name == "connect" && matches!(answer, CallAnswer::Blocks | CallAnswer::Fails("EINPROGRESS")) {
            self.numbers.begin_connection();
        }
        self.log_sent();
        match (answer, call.returns) {
            (CallAnswer::Blocks, None) => {
                let found = Mismatch::Words { expected: call.to_string(), found: "the call blocks".into() };
                let hint = "state the return time, as in `+0...0.1 read(...)`, or make the socket non-blocking";
                Err(self.fail(place, "a call blocks", found, Some(hint.into())))
            }
            (answer, returns) => {
                let base = match event.when {
                    When::After(span) => started.since(Time::ZERO + span),
                    _ => Span::ZERO,
                };
                let returns = returns.map(|span| Time::ZERO + base + span);
                match (answer, returns) {
                    (CallAnswer::Blocks, Some(returns)) => {
                        self.pending = Some(BlockedCall { call: call.clone(), place, returns });
                        Ok(())
                    }
                    (CallAnswer::Returns(_), Some(returns))
                        if is_sending(call)
                            && self.host.clock() == HostClock::Simulated
                            && returns > self.host.now() + self.head.tolerance =>
                    {
                        stop_unsupported(
                            place,
                            "a write that blocks on a full send buffer: it is unlimited without SO_SNDBUF",
                        )
                    }
                    (answer, returns) => self.check_return(call, place, answer, returns),
                }
            }
        }
    }

    /// Retries the blocked call.
    fn retry_pending(&mut self) -> Step {
        let Some(pending) = self.pending.take() else { return Ok(()) };
        match self.host.call(&pending.call) {
            CallAnswer::Blocks => {
                self.pending = Some(pending);
                Ok(())
            }
            answer => {
                self.log_sent();
                self.check_return(&pending.call, pending.place, answer, Some(pending.returns))
            }
        }
    }

    /// Advances the time until the blocked call returns. Returns an error if the call does not return in time.
    fn finish_pending(&mut self) -> Step {
        let Some(pending) = &self.pending else { return Ok(()) };
        let (place, call, returns) = (pending.place, pending.call.to_string(), pending.returns);
        self.advance(self.host.now().max(returns + self.head.tolerance), false)?;
        if self.pending.is_none() {
            return Ok(());
        }
        let found = Mismatch::Words {
            expected: format!("{call} by {} s", format_seconds(returns)),
            found: "it still blocks".into(),
        };
        Err(self.fail(place, "a call does not return in time", found, None))
    }

    /// Compares the result and the time of a returned call with those in the script.
    fn check_return(&mut self, call: &Call, place: ScriptPlace, answer: CallAnswer, returns: Option<Time>) -> Step {
        let found = match answer {
            CallAnswer::Unsupported(what) => return stop_unsupported(place, what),
            CallAnswer::Differs { what, expected, found } => {
                let found =
                    Mismatch::Words { expected: format!("{what} {expected}"), found: format!("{what} {found}") };
                return Err(self.fail(place, "a call gives another value", found, None));
            }
            CallAnswer::Returns(value) => match (&call.result, &call.errno) {
                (Expr::Any, None) => None,
                (Expr::Number(expected), None) if *expected == value => None,
                _ => Some(value.to_string()),
            },
            CallAnswer::Fails(errno) => match (&call.result, call.errno.as_deref()) {
                (Expr::Any, None) => None,
                (Expr::Number(-1), Some(expected)) if expected == errno => None,
                (Expr::Number(-1), None) => None,
                _ => Some(format!("-1 {errno}")),
            },
            CallAnswer::Blocks => Some("the call blocks".into()),
        };
        if let Some(found) = found {
            let errno = call.errno.as_ref().map_or(String::new(), |errno| format!(" {errno}"));
            let found = Mismatch::Words { expected: format!("{}{errno}", call.result), found };
            return Err(self.fail(place, &format!("{} returns another value", call.name), found, None));
        }
        match returns {
            Some(returns) => {
                let window = EventWindow { from: returns, to: returns, grace: Span::ZERO };
                match self.late(place, &format!("{} returned", call.name), window, self.host.now()) {
                    Some((headline, found, hint)) => Err(self.fail(place, &headline, found, Some(hint))),
                    None => Ok(()),
                }
            }
            None => Ok(()),
        }
    }

    /// Returns headline, values and hint of the error if `at` is outside `window` by more than the tolerance; updates
    /// the largest deviation.
    fn late(
        &mut self,
        place: ScriptPlace,
        what: &str,
        window: EventWindow,
        at: Time,
    ) -> Option<(String, Mismatch, String)> {
        let (early, late) = (window.from.since(at), at.since(window.to));
        let deviation = early.max(late);
        if self.report.worst.is_none_or(|(_, worst)| deviation > worst) {
            self.report.worst = Some((place, deviation));
        }
        if early.max(at.since(window.to + window.grace)) <= self.head.tolerance {
            return None;
        }
        let expected = if window.from == window.to {
            format!("at {} s", format_seconds(window.from))
        } else {
            format!("from {} s to {} s", format_seconds(window.from), format_seconds(window.to))
        };
        let side = if early > late { "early" } else { "late" };
        let found = Mismatch::Words { expected, found: format!("at {} s", format_seconds(at)) };
        Some((format!("{what} {deviation} too {side}"), found, format!("the tolerance is {}", self.head.tolerance)))
    }

    /// Returns a failure after all packets logged so far.
    fn fail(&self, place: ScriptPlace, headline: &str, found: Mismatch, hint: Option<String>) -> ScriptOutcome {
        self.fail_at(self.report.packets.len(), place, headline, found, hint)
    }

    /// Returns a failure after the first `before` packets.
    fn fail_at(
        &self,
        before: usize,
        place: ScriptPlace,
        headline: &str,
        found: Mismatch,
        hint: Option<String>,
    ) -> ScriptOutcome {
        ScriptOutcome::Failed(Deviation {
            place,
            time: self.host.now(),
            headline: headline.to_owned(),
            found,
            hint,
            before,
        })
    }

    /// Adds the segments sent since the last call to the report.
    fn log_sent(&mut self) {
        for sent in &self.host.outbox().all()[self.logged.len()..] {
            self.logged.push(self.report.packets.len());
            self.report.packets.push(LoggedPacket {
                time: sent.time,
                incoming: false,
                tcp: self.numbers.convert_sent(sent),
            });
        }
    }
}
