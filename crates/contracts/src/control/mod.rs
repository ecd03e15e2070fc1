//! Contracts of congestion controls, for any arguments in the order of calls that
//! [`CongestionControl`] promises.

mod case;
mod step;

use engine::{Stream, Time};
use tcp::cc::{Congestion, CongestionControl, ControlConfig, Flight, Start};

use crate::breach::{Breach, Call, Contract, label_member};
pub use case::Case;
pub use step::{ControlStep, Rate, SenderProgress};

/// Number of cases of a seed.
const CASES: u32 = 50;

/// Checks a congestion control: after each of many random calls cwnd is finite and at least one segment, ssthresh is at
/// least one segment, and a pacing rate is positive; a timeout sets cwnd to one segment, the beginning of an episode sets
/// ssthresh, and a loss without congestion changes nothing; and the same calls give the same results.
///
/// # Errors
/// The first broken contract.
pub fn check_control(config: &ControlConfig, seed: u64) -> Result<(), Breach> {
    let mut draws = Stream::named(seed, 0, "contracts of controls").draws();
    (0..CASES).try_for_each(|_| check_case(config, &Case::random(&mut draws)))
}

/// Checks a control as [`check_control`] does, with one sequence of steps. The steps are executed unchanged, in the
/// order of their fields; the caller is responsible for the preconditions of the trait.
///
/// # Errors
/// The first broken contract.
pub fn check_case(config: &ControlConfig, case: &Case) -> Result<(), Breach> {
    let member = label_member::<ControlConfig>(config.name());
    Breach::of_settings(member.clone(), config.check())?;
    let first = record_readings(config, case, &member, None)?;
    record_readings(config, case, &member, Some(&first)).map(drop)
}

/// Makes the calls and returns a reading after each of them.
fn record_readings(
    config: &ControlConfig,
    case: &Case,
    member: &str,
    earlier: Option<&[ControlReading]>,
) -> Result<Vec<ControlReading>, Breach> {
    let segment = f64::from(case.segment);
    let cc = config.build(Start {
        segment,
        cwnd: f64::from(case.initial_window) * segment,
        ssthresh: case.initial_ssthresh.map_or(f64::INFINITY, |segments| f64::from(segments) * segment),
        stream: Stream::named(1, 0, config.name()),
    });
    let first = ControlReading::of(&*cc);
    let mut calls = Calls { cc, member, segment, readings: vec![first], earlier, what: "construction".into() };
    calls.check()?;
    let mut progress = SenderProgress::default();
    for step in &case.steps {
        calls.step(step, &mut progress)?;
    }
    Ok(calls.readings)
}

/// The values of a control that a sender reads.
#[derive(Clone, Copy, PartialEq, Debug)]
struct ControlReading {
    cwnd: f64,
    ssthresh: f64,
    rate: Option<f64>,
    constants: Constants,
}

/// Constants declared by a control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Constants {
    wants_feedback: bool,
    paces: bool,
    regulates_recovery: bool,
    precise_ecn: bool,
}

impl ControlReading {
    fn of(cc: &dyn CongestionControl) -> Self {
        let constants = Constants {
            wants_feedback: cc.wants_feedback(),
            paces: cc.paces(),
            regulates_recovery: cc.regulates_recovery(),
            precise_ecn: cc.precise_ecn(),
        };
        let rate = if constants.paces { cc.pacing_rate() } else { None };
        ControlReading { cwnd: cc.cwnd(), ssthresh: cc.ssthresh(), rate, constants }
    }
}

/// A control and the calls made so far.
struct Calls<'a> {
    cc: Box<dyn CongestionControl>,
    member: &'a str,
    segment: f64,
    /// The readings: one before the first call, and one after each call.
    readings: Vec<ControlReading>,
    /// Readings of another object after equal calls.
    earlier: Option<&'a [ControlReading]>,
    /// The last call.
    what: String,
}

impl Calls<'_> {
    /// Makes the calls of a step.
    fn step(&mut self, step: &ControlStep, progress: &mut SenderProgress) -> Result<(), Breach> {
        let feedback = progress.after(step);
        if self.cc.wants_feedback() {
            self.call(|| format!("on_feedback({feedback:?})"), |cc| cc.on_feedback(&feedback))?;
        }
        if step.undo {
            self.call(|| "on_undo()".into(), |cc| cc.on_undo())?;
        }
        if let Some(event) = step.congestion.filter(|event| *event != Congestion::Ecn || !self.cc.precise_ecn()) {
            let (bytes, window) = (feedback.flight, self.cc.cwnd());
            let flight = Flight { now: feedback.now, bytes, window, again: step.recovering };
            self.call(|| format!("on_congestion({event:?}, {flight:?})"), |cc| cc.on_congestion(event, &flight))?;
            self.after_congestion(event)?;
        }
        if step.recovered {
            self.call(|| format!("on_recovered({:?})", feedback.now), |cc| cc.on_recovered(feedback.now))?;
        }
        if let Some(acked) = step.ack_argument(&feedback) {
            self.call(|| format!("on_ack({acked:?})"), |cc| cc.on_ack(&acked))?;
        }
        if let Some(idle) = step.idle {
            let restart = step.limited.then_some(2.0 * self.segment);
            let now: Time = progress.idle(idle);
            self.call(|| format!("on_idle({now:?}, {idle:?}, {restart:?})"), |cc| cc.on_idle(now, idle, restart))?;
        }
        Ok(())
    }

    fn call(
        &mut self,
        what: impl FnOnce() -> String,
        act: impl FnOnce(&mut dyn CongestionControl),
    ) -> Result<(), Breach> {
        self.what = what();
        act(&mut *self.cc);
        self.readings.push(ControlReading::of(&*self.cc));
        self.check()
    }

    /// Checks the contracts that apply after every call.
    fn check(&self) -> Result<(), Breach> {
        let now = self.readings[self.readings.len() - 1];
        let least = format!("at least {}", self.segment);
        self.ensure(now.cwnd.is_finite() && now.cwnd >= self.segment, Contract::Cwnd, || {
            (format!("cwnd {}", now.cwnd), format!("a finite number, {least}"))
        })?;
        self.ensure(now.ssthresh >= self.segment, Contract::Ssthresh, || {
            (format!("ssthresh {}", now.ssthresh), least)
        })?;
        self.ensure(now.rate.is_none_or(|rate| rate.is_finite() && rate > 0.0), Contract::PacingRate, || {
            (format!("{} bytes per second", now.rate.unwrap_or_default()), "None or a finite number above 0".into())
        })?;
        let first = self.readings[0].constants;
        self.ensure(now.constants == first, Contract::Constant, || {
            (format!("{:?}", now.constants), format!("{first:?} as in the first call"))
        })?;
        let earlier = self.earlier.and_then(|earlier| earlier.get(self.readings.len() - 1));
        self.ensure(earlier.is_none_or(|earlier| *earlier == now), Contract::Repeatable, || {
            (format!("{now:?}"), format!("{earlier:?} as in the first run of these calls"))
        })
    }

    /// Checks the contracts that apply after a congestion event.
    fn after_congestion(&self, event: Congestion) -> Result<(), Breach> {
        let [.., before, now] = self.readings[..] else { return Ok(()) };
        match event {
            Congestion::Notified => {
                let (old, new) = ((before.cwnd, before.ssthresh), (now.cwnd, now.ssthresh));
                self.ensure(old == new, Contract::NotifiedLoss, || {
                    (format!("cwnd {}, ssthresh {}", new.0, new.1), format!("cwnd {}, ssthresh {}", old.0, old.1))
                })
            }
            Congestion::Timeout { .. } | Congestion::Restart => {
                self.ensure(now.cwnd == self.segment, Contract::OneSegment, || {
                    (format!("cwnd {}", now.cwnd), format!("{}", self.segment))
                })?;
                // A repeated timeout does not change the ssthresh set by the first timeout.
                let repeated = matches!(event, Congestion::Timeout { nth: 2.. });
                if repeated { Ok(()) } else { self.threshold_is_set(&now) }
            }
            Congestion::FastRetransmit => {
                self.threshold_is_set(&now)?;
                let below = now.constants.regulates_recovery || now.cwnd <= now.ssthresh;
                self.ensure(below, Contract::Reduction, || {
                    (format!("cwnd {}", now.cwnd), format!("at most ssthresh, {}", now.ssthresh))
                })
            }
            Congestion::Ecn => Ok(()),
        }
    }

    /// A control that regulates recovery may have no threshold.
    fn threshold_is_set(&self, now: &ControlReading) -> Result<(), Breach> {
        let set = now.constants.regulates_recovery || now.ssthresh.is_finite();
        self.ensure(set, Contract::Reduction, || (format!("ssthresh {}", now.ssthresh), "a finite number".into()))
    }

    fn ensure(
        &self,
        holds: bool,
        contract: Contract,
        found_and_expected: impl FnOnce() -> (String, String),
    ) -> Result<(), Breach> {
        if holds {
            return Ok(());
        }
        let (found, expected) = found_and_expected();
        let number = self.readings.len() as u64 - 1;
        let call = (number > 0).then(|| Call { number, what: self.what.clone() });
        Err(Breach { member: self.member.to_owned(), contract, call, found, expected })
    }
}
