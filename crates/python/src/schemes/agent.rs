//! A scheme of a base station or a host as a class.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use engine::members::{Factory, Member, Unreadable};
use engine::registry::{Fault, by_name};
use engine::{Span, Time};
use path::agent::icmp::tell_sender;
use path::agent::{
    self, AgentConfig, AgentCx, AgentEvent, AgentVerdict, Departure, LinkView, SchemeNode, Semantics, Traits,
};
use path::channel::ChannelState;
use path::outcome::{DeliveryNotice, RadioNotice};
use path::queue::Limit;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};
use tcp::response::{NoticeResponse, ResponseConfig};
use wire::{NoticeKind, Packet};

use super::packet::PyPacket;
use super::{Class, collect_faults, parse_keyword_arguments, read_attribute, render_python_value, throw_exception};

/// The factory of a class.
pub struct Agents(pub Class);

/// A class with settings.
struct ConfiguredAgent {
    class: Class,
    settings: Map<String, Value>,
    traits: Traits,
}

/// The node of an agent. Packets and events added during a call are sent in their order after the call.
#[pyclass(frozen, module = "lasthop")]
pub struct Node(Mutex<PendingActions>);

struct PendingActions {
    /// Time of the call in seconds; `None` outside of calls.
    now: Option<f64>,
    number: usize,
    sends_expedited: bool,
    actions: Vec<AgentAction>,
}

/// An action that an agent requested during a call.
enum AgentAction {
    Send(Departure),
    Report(NoticeKind, Packet),
    Emit(AgentEvent),
}

/// State of a link's sending side, as shown to an agent.
#[pyclass(frozen, get_all, module = "lasthop")]
pub struct Link {
    /// Number of packets whose transmission has not begun.
    waiting: usize,
    /// Their bytes.
    waiting_bytes: u64,
    /// Packets in transmission, or not yet acknowledged by the link layer.
    outstanding: usize,
    /// Limit of the queue in packets, if limited in packets.
    limit_packets: Option<u32>,
    /// Limit of the queue in bytes, if limited in bytes.
    limit_bytes: Option<u64>,
    /// Bits per second.
    rate_bps: f64,
    /// Seconds of transmission on the link so far.
    busy: f64,
}

/// A failed attempt of the link layer.
#[pyclass(frozen, get_all, module = "lasthop")]
pub struct Failed {
    packet: Py<PyPacket>,
    /// Number of the attempt, from 1.
    attempt: u32,
    /// The packet is given up.
    last: bool,
}

/// A packet whose acknowledgment has reached the link layer of the node.
#[pyclass(frozen, get_all, module = "lasthop")]
pub struct Delivered {
    packet: Py<PyPacket>,
    /// Time at which the packet joined the queue, in seconds.
    queued: f64,
    /// Number of attempts, with the successful one.
    attempts: u32,
}

impl Node {
    fn open(&self) -> std::sync::MutexGuard<'_, PendingActions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn act(&self, action: AgentAction) -> PyResult<()> {
        let mut pending = self.open();
        if pending.now.is_none() {
            return Err(PyRuntimeError::new_err("a node sends only during a call of its agent's methods"));
        }
        pending.actions.push(action);
        Ok(())
    }
}

#[pymethods]
impl Node {
    /// Time of the call in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.open().now.unwrap_or(f64::NAN)
    }

    /// Number of the node, by its place in the scenario, from 0.
    #[getter]
    fn number(&self) -> usize {
        self.open().number
    }

    /// Sends a packet, after the packet of the call if that is forwarded. `expedited`: ahead of all packets that wait.
    #[pyo3(signature = (packet, *, expedited = false))]
    fn send(&self, packet: PyRef<'_, PyPacket>, expedited: bool) -> PyResult<()> {
        if expedited && !self.open().sends_expedited {
            return Err(PyValueError::new_err("expedited: the class must state sends_expedited = True"));
        }
        self.act(AgentAction::Send(Departure { packet: packet.0, expedited }))
    }

    /// Sends an ICMP message about a data segment to its sender: "defer" if a local attempt has failed, or "retransmit"
    /// if the segment is lost. Other packets have no messages.
    fn report(&self, kind: &str, packet: PyRef<'_, PyPacket>) -> PyResult<()> {
        let kind = match kind {
            "defer" => NoticeKind::Defer,
            "retransmit" => NoticeKind::Retransmit,
            other => {
                return Err(PyValueError::new_err(format!("kind: found \"{other}\", expected defer or retransmit")));
            }
        };
        self.act(AgentAction::Report(kind, packet.0))
    }

    /// Adds an event to the traces: its name, a value, and the packet concerned.
    #[pyo3(signature = (name, value = 1.0, packet = None))]
    fn emit(&self, name: &str, value: f64, packet: Option<PyRef<'_, PyPacket>>) -> PyResult<()> {
        let packet = packet.map(|packet| packet.0);
        self.act(AgentAction::Emit(AgentEvent { name: intern_name(name)?, value, packet }))
    }
}

/// Returns a name of an event or a counter that lives as long as the process. Names are few, and results refer to them.
fn intern_name(name: &str) -> PyResult<&'static str> {
    const MAX_NAMES: usize = 10_000;
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return Ok(known);
    }
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(valid) || name.len() > 64 {
        let expected = "expected a lower-case letter, then such letters, digits and _, at most 64";
        return Err(PyValueError::new_err(format!("name of an event or a counter: found \"{name}\", {expected}")));
    }
    if names.len() == MAX_NAMES {
        let text = format!("found more than {MAX_NAMES} names of events and counters, expected constant ones");
        return Err(PyValueError::new_err(text));
    }
    let constant: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(constant);
    Ok(constant)
}

impl Agents {
    /// The properties of the class.
    pub fn traits(&self) -> PyResult<Traits> {
        Python::attach(|py| {
            let class = self.0.class.bind(py);
            let semantics = match read_attribute::<String>(class, "semantics", "kept or lost")?.as_str() {
                "kept" => Semantics::Kept,
                "lost" => Semantics::Lost,
                other => {
                    let text = format!("semantics: found \"{other}\", expected kept or lost");
                    return Err(PyValueError::new_err(text));
                }
            };
            let sender: Option<String> = read_attribute(class, "sender", "the name of a scheme, or None")?;
            let places = |name: &str| -> PyResult<&'static [SchemeNode]> {
                let mut names: Vec<String> = read_attribute(class, name, "a list of sender, base station, receiver")?;
                // A sender with a part of the scheme is one of the nodes required by the scheme.
                names.extend(sender.is_some().then(|| SchemeNode::Sender.name().to_owned()));
                self::select_places(name, &names)
            };
            Ok(Traits {
                semantics,
                changes: places("changes")?,
                uploads: places("uploads")?,
                needs_link_reports: read_attribute(class, "needs_link_reports", "True or False")?,
                actions: &[],
            })
        })
    }
}

/// The nodes with these names, in the order of a packet to the mobile.
fn select_places(key: &str, names: &[String]) -> PyResult<&'static [SchemeNode]> {
    use SchemeNode::{BaseStation, Receiver, Sender};
    const SETS: [&[SchemeNode]; 8] = [
        &[],
        &[Sender],
        &[BaseStation],
        &[Sender, BaseStation],
        &[Receiver],
        &[Sender, Receiver],
        &[BaseStation, Receiver],
        &[Sender, BaseStation, Receiver],
    ];
    let mut set = 0;
    for name in names {
        let index = [Sender, BaseStation, Receiver].iter().position(|place| place.name() == name);
        let wrong =
            || PyValueError::new_err(format!("{key}: found \"{name}\", expected sender, base station or receiver"));
        set |= 1 << index.ok_or_else(wrong)?;
    }
    Ok(SETS[set])
}

impl Factory<AgentConfig> for Agents {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn summary(&self) -> &str {
        "A class in Python"
    }

    fn version(&self) -> Option<&str> {
        self.0.version.as_deref()
    }

    fn schema(&self, _: &mut SchemaGenerator) -> Schema {
        true.into()
    }

    fn read(&self, settings: &Map<String, Value>) -> Result<Arc<dyn Member<AgentConfig>>, Unreadable> {
        let unreadable = |error: PyErr| Unreadable { path: String::new(), message: error.to_string() };
        let traits = self.traits().map_err(unreadable)?;
        Ok(Arc::new(ConfiguredAgent { class: self.0.clone(), settings: settings.clone(), traits }))
    }
}

impl ConfiguredAgent {
    fn make(&self) -> PyResult<AgentObject> {
        Python::attach(|py| {
            let keywords = parse_keyword_arguments(py, &self.settings)?;
            let object = self.class.class.bind(py).call((), Some(&keywords))?;
            let base = py.import("lasthop._agent")?.getattr("Agent")?;
            // A method that the class does not define need not be called.
            let defines =
                |name: &str| -> PyResult<bool> { Ok(!object.get_type().getattr(name)?.is(base.getattr(name)?)) };
            let calls = Calls {
                before_air: defines("before_air")?,
                after_air: defines("after_air")?,
                on_link: defines("on_link")?,
                on_queue_full: defines("on_queue_full")?,
                on_failed: defines("on_failed")?,
                on_delivered: defines("on_delivered")?,
            };
            let foresight = match read_attribute::<Option<f64>>(&object, "foresight", "seconds, or None")? {
                Some(seconds) => Some(seconds_to_span("foresight", seconds)?),
                None => None,
            };
            let sends_expedited = read_attribute(&object, "sends_expedited", "True or False")?;
            let pending = PendingActions { now: None, number: 0, sends_expedited, actions: Vec::new() };
            let mut agent = AgentObject {
                calls,
                foresight,
                sends_expedited,
                deadline: Time::NEVER,
                deadline_s: f64::INFINITY,
                node: Py::new(py, Node(Mutex::new(pending)))?,
                object: object.unbind(),
            };
            agent.read_deadline(py)?;
            agent.read_counters(py)?;
            Ok(agent)
        })
    }
}

/// The sender's part of a class: the response of the built-in scheme that the class names.
pub struct SenderPart {
    name: String,
    version: Option<String>,
    response: ResponseConfig,
}

impl SenderPart {
    /// Returns the sender's part of the class, if the class names one.
    pub fn of(class: &Class) -> PyResult<Option<Self>> {
        let response: Option<String> =
            Python::attach(|py| read_attribute(class.class.bind(py), "sender", "the name of a scheme, or None"))?;
        let Some(response) = response else { return Ok(None) };
        let known = by_name::<ResponseConfig>(&response).ok_or_else(|| {
            let names: Vec<&str> = ResponseConfig::MEMBERS.iter().map(|(name, _)| *name).collect();
            PyValueError::new_err(format!("sender: found \"{response}\", expected None or one of {}", names.join(", ")))
        })?;
        Ok(Some(SenderPart { name: class.name.clone(), version: class.version.clone(), response: known }))
    }
}

impl Factory<ResponseConfig> for SenderPart {
    fn name(&self) -> &str {
        &self.name
    }

    fn summary(&self) -> &str {
        "The response at the sender that a scheme class in Python selects"
    }

    fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    fn schema(&self, _: &mut SchemaGenerator) -> Schema {
        true.into()
    }

    fn read(&self, _: &Map<String, Value>) -> Result<Arc<dyn Member<ResponseConfig>>, Unreadable> {
        Ok(Arc::new(Answers(self.response.clone())))
    }
}

struct Answers(ResponseConfig);

impl Member<ResponseConfig> for Answers {
    fn build(&self, (): ()) -> Box<dyn NoticeResponse> {
        self.0.build()
    }
}

/// Seconds as nanoseconds.
fn seconds_to_nanos(key: &str, seconds: f64) -> PyResult<u64> {
    const MAX_SECONDS: f64 = 1e9;
    if !(0.0..=MAX_SECONDS).contains(&seconds) {
        return Err(PyValueError::new_err(format!("{key}: found {seconds}, expected 0 to {MAX_SECONDS:e} seconds")));
    }
    Ok(libm::round(seconds * 1e9) as u64)
}

fn seconds_to_span(key: &str, seconds: f64) -> PyResult<Span> {
    seconds_to_nanos(key, seconds).map(Span::from_nanos)
}

impl Member<AgentConfig> for ConfiguredAgent {
    fn check(&self) -> Vec<Fault> {
        collect_faults(&self.class.name, self.make())
    }

    fn traits(&self) -> Traits {
        self.traits
    }

    fn build(&self, (): ()) -> Option<Box<dyn agent::Agent>> {
        Some(Box::new(self.make().unwrap_or_else(|error| throw_exception(error))))
    }
}

/// Methods defined by the class.
struct Calls {
    before_air: bool,
    after_air: bool,
    on_link: bool,
    on_queue_full: bool,
    on_failed: bool,
    on_delivered: bool,
}

/// An object of the class.
struct AgentObject {
    calls: Calls,
    foresight: Option<Span>,
    sends_expedited: bool,
    deadline: Time,
    /// The deadline as the class has set it.
    deadline_s: f64,
    node: Py<Node>,
    object: Py<PyAny>,
}

impl AgentObject {
    fn read_deadline(&mut self, py: Python<'_>) -> PyResult<()> {
        let seconds: Option<f64> = read_attribute(self.object.bind(py), "deadline", "seconds, or None")?;
        self.deadline_s = seconds.unwrap_or(f64::INFINITY);
        self.deadline =
            seconds.map_or(Ok(Time::NEVER), |seconds| seconds_to_nanos("deadline", seconds).map(Time::from_nanos))?;
        Ok(())
    }

    /// Returns the current time in seconds. At the deadline it equals the number that the class set, not the nearest
    /// nanosecond, so that a class may compare the two.
    fn seconds(&self, now: Time) -> f64 {
        if self.deadline == now { self.deadline_s } else { now.as_secs_f64() }
    }

    fn read_counters(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, u64)>> {
        let counters = self.object.bind(py).getattr("counters")?;
        let counters = counters.cast_into::<PyDict>().map_err(|error| {
            let found = render_python_value(&error.into_inner());
            PyTypeError::new_err(format!("counters: found {found}, expected a dict of names with counts"))
        })?;
        let mut read = Vec::with_capacity(counters.len());
        for (name, value) in counters.iter() {
            let name: String = name.extract().map_err(|_| {
                PyTypeError::new_err(format!(
                    "counters: found {}, expected a text as the name of a count",
                    render_python_value(&name)
                ))
            })?;
            let found = || render_python_value(&value);
            let wrong = |_| PyValueError::new_err(format!("counters: {name}: found {}, expected a count", found()));
            read.push((intern_name(&name)?, value.extract::<u64>().map_err(wrong)?));
        }
        Ok(read)
    }

    /// Calls a method, reads the deadline, and executes the actions that the agent requested.
    fn call<T>(
        &mut self,
        cx: &mut AgentCx<'_>,
        run: impl FnOnce(Python<'_>, &Bound<'_, PyAny>, &Bound<'_, Node>) -> PyResult<T>,
    ) -> T {
        let called = Python::attach(|py| {
            let seconds = self.seconds(cx.now);
            let node = self.node.clone_ref(py).into_bound(py);
            {
                let mut pending = node.get().open();
                (pending.now, pending.number) = (Some(seconds), cx.here.node());
            }
            let result = run(py, self.object.bind(py), &node)?;
            self.read_deadline(py)?;
            if self.deadline_s < seconds {
                let found = self.deadline_s;
                let text = format!("deadline: found {found} s, expected {seconds} s, which is now, or later, or None");
                return Err(PyValueError::new_err(text));
            }
            if self.deadline_s > seconds && self.deadline <= cx.now {
                // Later by less than a nanosecond.
                self.deadline = cx.now + Span::from_nanos(1);
            }
            let mut pending = node.get().open();
            pending.now = None;
            Ok((result, std::mem::take(&mut pending.actions)))
        });
        let (result, actions) = called.unwrap_or_else(|error| throw_exception(error));
        for action in actions {
            match action {
                AgentAction::Send(departure) => cx.send.push(departure),
                AgentAction::Report(kind, packet) => tell_sender(kind, &packet, cx),
                AgentAction::Emit(event) => {
                    if let Some(events) = &mut cx.events {
                        events.push(event);
                    }
                }
            }
        }
        result
    }

    /// Calls a method that may change or consume a packet.
    fn inspect(&mut self, method: &str, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let (verdict, changed) = self.call(cx, |py, object, node| {
            let given = Bound::new(py, PyPacket(*packet))?;
            let answer = object.call_method1(method, (&given, node))?;
            let passes = if answer.is_none() { Some(true) } else { answer.extract().ok() };
            let wrong = || {
                let found = render_python_value(&answer);
                let text = format!("{method}: found {found}, expected True or None to forward the packet, or False");
                PyTypeError::new_err(text)
            };
            let verdict = if passes.ok_or_else(wrong)? { AgentVerdict::Pass } else { AgentVerdict::Take };
            let changed = given.borrow().0;
            Ok((verdict, changed))
        });
        *packet = changed;
        verdict
    }
}

impl agent::Agent for AgentObject {
    fn before_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        if self.calls.before_air { self.inspect("before_air", packet, cx) } else { AgentVerdict::Pass }
    }

    fn after_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        if self.calls.after_air { self.inspect("after_air", packet, cx) } else { AgentVerdict::Pass }
    }

    fn on_link(&mut self, link: &LinkView, cx: &mut AgentCx<'_>) {
        let LinkView { waiting, waiting_bytes, outstanding, limit, rate, busy, .. } = *link;
        let (limit_packets, limit_bytes) = match limit {
            Limit::None => (None, None),
            Limit::Packets(packets) => (Some(packets), None),
            Limit::Bytes(bytes) => (None, Some(bytes)),
        };
        let (rate_bps, busy) = (rate.bits_per_sec() as f64, busy.as_secs_f64());
        let seen = Link { waiting, waiting_bytes, outstanding, limit_packets, limit_bytes, rate_bps, busy };
        self.call(cx, |_, object, node| object.call_method1("on_link", (seen, node)).map(drop));
    }

    fn on_queue_full(&mut self, packet: &Packet, cx: &mut AgentCx<'_>) {
        if self.calls.on_queue_full {
            self.call(cx, |_, object, node| object.call_method1("on_queue_full", (PyPacket(*packet), node)).map(drop));
        }
    }

    fn on_radio(&mut self, notice: &RadioNotice, cx: &mut AgentCx<'_>) {
        if self.calls.on_failed {
            self.call(cx, |py, object, node| {
                let packet = Py::new(py, PyPacket(notice.packet))?;
                let failed = Failed { packet, attempt: notice.attempt, last: notice.last };
                object.call_method1("on_failed", (failed, node)).map(drop)
            });
        }
    }

    fn on_delivered(&mut self, notice: &DeliveryNotice, cx: &mut AgentCx<'_>) {
        self.call(cx, |py, object, node| {
            let packet = Py::new(py, PyPacket(notice.packet))?;
            let delivered = Delivered { packet, queued: notice.queued.as_secs_f64(), attempts: notice.attempts };
            object.call_method1("on_delivered", (delivered, node)).map(drop)
        });
    }

    fn deadline(&self) -> Time {
        self.deadline
    }

    fn on_wake(&mut self, cx: &mut AgentCx<'_>) {
        let now = cx.now;
        self.call(cx, |_, object, node| object.call_method1("on_wake", (node,)).map(drop));
        if self.deadline <= now {
            let text = format!("deadline: found {} s after on_wake, expected a later time or None", now.as_secs_f64());
            throw_exception(PyValueError::new_err(text));
        }
    }

    fn foresight(&self) -> Option<Span> {
        self.foresight
    }

    fn on_forecast(&mut self, state: ChannelState, cx: &mut AgentCx<'_>) {
        let good = state == ChannelState::Good;
        self.call(cx, |_, object, node| object.call_method1("on_forecast", (good, node)).map(drop));
    }

    fn sends_expedited(&self) -> bool {
        self.sends_expedited
    }

    fn looks_at_link(&self) -> bool {
        self.calls.on_link
    }

    fn looks_at_deliveries(&self) -> bool {
        self.calls.on_delivered
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        Python::attach(|py| self.read_counters(py)).unwrap_or_else(|error| throw_exception(error))
    }
}
