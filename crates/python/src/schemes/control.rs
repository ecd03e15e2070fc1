//! A congestion control as a class.

use std::sync::Arc;

use engine::members::{Factory, Member, Unreadable};
use engine::registry::Fault;
use engine::{Span, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};
use tcp::cc::{self, Congestion, CongestionControl, ControlConfig};

use super::{Class, collect_faults, parse_keyword_arguments, read_attribute, throw_exception};

/// The factory of a class.
pub struct Controls(pub Class);

/// A class with settings.
struct ConfiguredControl {
    class: Class,
    settings: Map<String, Value>,
}

/// Initial values of a control, in bytes.
#[pyclass(frozen, get_all, module = "lasthop")]
pub struct Start {
    segment: f64,
    cwnd: f64,
    ssthresh: f64,
}

/// New data was acknowledged.
#[pyclass(frozen, get_all, module = "lasthop")]
pub struct Acked {
    now: f64,
    bytes: u64,
    una: u64,
    nxt: u64,
    rtt: Option<f64>,
    srtt: f64,
}

/// An acknowledgment in any state.
#[pyclass(frozen, get_all, module = "lasthop")]
pub struct Feedback {
    now: f64,
    una: u64,
    nxt: u64,
    acked: u64,
    delivered: u64,
    lost: u64,
    flight: f64,
    rtt: Option<f64>,
    srtt: f64,
    ecn_echo: bool,
    recovering: bool,
    rate: Option<f64>,
}

/// A reason to change the window.
#[pyclass(frozen, get_all, name = "Congestion", module = "lasthop")]
pub struct Congested {
    kind: &'static str,
    nth: u32,
    now: f64,
    flight: f64,
    window: f64,
    again: bool,
}

impl Factory<ControlConfig> for Controls {
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

    fn read(&self, settings: &Map<String, Value>) -> Result<Arc<dyn Member<ControlConfig>>, Unreadable> {
        Ok(Arc::new(ConfiguredControl { class: self.0.clone(), settings: settings.clone() }))
    }
}

impl ConfiguredControl {
    fn make(&self, start: &cc::Start) -> PyResult<ControlObject> {
        Python::attach(|py| {
            let begin = Start { segment: start.segment, cwnd: start.cwnd, ssthresh: start.ssthresh };
            let keywords = parse_keyword_arguments(py, &self.settings)?;
            let object = self.class.class.bind(py).call((begin,), Some(&keywords))?;
            let has = |name: &str| read_attribute(&object, name, "True or False");
            let (wants_feedback, paces) = (has("wants_feedback")?, has("paces")?);
            let mut control = ControlObject {
                segment: start.segment,
                cwnd: 0.0,
                ssthresh: 0.0,
                pacing_rate: None,
                wants_feedback,
                paces,
                object: object.unbind(),
            };
            control.read(py)?;
            Ok(control)
        })
    }
}

impl Member<ControlConfig> for ConfiguredControl {
    fn check(&self) -> Vec<Fault> {
        collect_faults(&self.class.name, self.make(&cc::Start::trial()))
    }

    fn build(&self, start: cc::Start) -> Box<dyn CongestionControl> {
        Box::new(self.make(&start).unwrap_or_else(|error| throw_exception(error)))
    }
}

/// An object of the class, and its attributes after the last call.
struct ControlObject {
    segment: f64,
    cwnd: f64,
    ssthresh: f64,
    pacing_rate: Option<f64>,
    wants_feedback: bool,
    paces: bool,
    object: Py<PyAny>,
}

impl ControlObject {
    /// Reads the attributes.
    fn read(&mut self, py: Python<'_>) -> PyResult<()> {
        let object = self.object.bind(py);
        self.cwnd = read_attribute(object, "cwnd", "a number of bytes")?;
        self.ssthresh = read_attribute(object, "ssthresh", "bytes or infinity")?;
        if !(self.cwnd.is_finite() && self.cwnd >= self.segment) {
            let text =
                format!("cwnd: found {}, expected a number of bytes, at least a segment ({})", self.cwnd, self.segment);
            return Err(PyValueError::new_err(text));
        }
        if self.ssthresh.is_nan() || self.ssthresh < 0.0 {
            return Err(PyValueError::new_err(format!(
                "ssthresh: found {}, expected bytes or infinity",
                self.ssthresh
            )));
        }
        if self.paces {
            self.pacing_rate = read_attribute(object, "pacing_rate", "bytes per second, or None")?;
            if let Some(rate) = self.pacing_rate.filter(|rate| !(rate.is_finite() && *rate > 0.0)) {
                let text = format!("pacing_rate: found {rate}, expected bytes per second above 0, or None");
                return Err(PyValueError::new_err(text));
            }
        }
        Ok(())
    }

    fn call<A>(&mut self, method: &str, arguments: A)
    where
        A: for<'py> pyo3::call::PyCallArgs<'py>,
    {
        let called = Python::attach(|py| {
            self.object.bind(py).call_method1(method, arguments)?;
            self.read(py)
        });
        called.unwrap_or_else(|error| throw_exception(error));
    }
}

impl CongestionControl for ControlObject {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn on_ack(&mut self, acked: &cc::Acked) {
        let cc::Acked { now, bytes, una, nxt, rtt, srtt } = *acked;
        let rtt = rtt.map(Span::as_secs_f64);
        self.call("on_ack", (Acked { now: now.as_secs_f64(), bytes, una, nxt, rtt, srtt: srtt.as_secs_f64() },));
    }

    fn on_congestion(&mut self, event: Congestion, flight: &cc::Flight) {
        let (kind, nth) = match event {
            Congestion::FastRetransmit => ("fast-retransmit", 0),
            Congestion::Restart => ("restart", 0),
            Congestion::Timeout { nth } => ("timeout", nth),
            Congestion::Ecn => ("ecn", 0),
            Congestion::Notified => ("notified", 0),
        };
        let cc::Flight { now, bytes, window, again } = *flight;
        self.call("on_congestion", (Congested { kind, nth, now: now.as_secs_f64(), flight: bytes, window, again },));
    }

    fn on_feedback(&mut self, feedback: &cc::Feedback) {
        let cc::Feedback { now, una, nxt, acked, delivered, lost, flight, ecn_echo, recovering, .. } = *feedback;
        let (rtt, srtt) = (feedback.rtt.map(Span::as_secs_f64), feedback.srtt.as_secs_f64());
        let rate = feedback.rate.map(|rate| rate.bytes_per_second());
        let seen = Feedback {
            now: now.as_secs_f64(),
            una,
            nxt,
            acked,
            delivered,
            lost,
            flight,
            rtt,
            srtt,
            ecn_echo,
            recovering,
            rate,
        };
        self.call("on_feedback", (seen,));
    }

    fn wants_feedback(&self) -> bool {
        self.wants_feedback
    }

    fn on_undo(&mut self) {
        self.call("on_undo", ());
    }

    fn on_recovered(&mut self, now: Time) {
        self.call("on_recovered", (now.as_secs_f64(),));
    }

    fn on_idle(&mut self, now: Time, idle: Span, restart: Option<f64>) {
        self.call("on_idle", (now.as_secs_f64(), idle.as_secs_f64(), restart));
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.pacing_rate
    }

    fn paces(&self) -> bool {
        self.paces
    }
}
