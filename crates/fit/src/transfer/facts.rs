//! The transmissions of a connection, from its facts.

use std::collections::BTreeMap;

use engine::{Histogram, Span, Time};
use observe::observation::captured::CapturedFate;
use observe::observation::{CapturedFact, CapturedSink, SenderState};

use crate::duplicates::DuplicateReports;
use crate::transmission::{Transmission, TransmissionFate};

/// Collects transmissions from the facts of a connection.
#[derive(Default)]
pub struct CapturedTransfer {
    /// Bytes of headers in each segment with data.
    overhead: u32,
    sender: SenderState,
    pub transmissions: Vec<Transmission>,
    pub duplicates: DuplicateReports,
    pub rtt: Histogram,
    pub least: BTreeMap<u32, Span>,
    pub timeouts: u64,
    pub initial_window: u32,
    pub first: Option<Time>,
    pub last: Time,
}

impl CapturedTransfer {
    /// Collects from a connection whose segments have `overhead` bytes of headers.
    pub fn new(overhead: u32) -> Self {
        CapturedTransfer { overhead, ..CapturedTransfer::default() }
    }

    /// Bytes acknowledged.
    pub fn acknowledged_bytes(&self) -> u64 {
        self.sender.una
    }
}

impl CapturedSink for CapturedTransfer {
    fn on_captured(&mut self, at: Time, fact: &CapturedFact) {
        self.sender.apply_captured(at, fact);
        match fact {
            CapturedFact::Sent(sent) => {
                self.first.get_or_insert(at);
                self.initial_window += u32::from(self.sender.una == 0);
                let fate = match sent.fate.value() {
                    None => TransmissionFate::Open,
                    Some(CapturedFate::Arrived(at)) => TransmissionFate::Arrived(at),
                    Some(CapturedFate::Lost) => TransmissionFate::Lost,
                };
                let transmission = Transmission::new(at, sent.seq, sent.len, sent.is_retransmission());
                self.transmissions.push(transmission.with_fate(fate));
            }
            CapturedFact::RoundTrip { rtt, len, .. } => {
                self.rtt.record_span(*rtt);
                let least = self.least.entry(len + self.overhead).or_insert(*rtt);
                *least = (*least).min(*rtt);
            }
            CapturedFact::TimerExpired { .. } => self.timeouts += 1,
            CapturedFact::Acked { duplicate: false, .. } => self.last = at,
            CapturedFact::DuplicateReported { from, to } => self.duplicates.add_report(at, *from, *to),
            _ => {}
        }
    }
}
