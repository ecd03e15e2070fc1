//! Transmission of packets: at a rate that may vary, or at recorded opportunities.

use engine::{Rate, Span, Time};

use super::plan::{Changes, Outages};
use super::recorded::{LinkConditions, Opportunities};
use crate::ids::LinkDirection;
use crate::link::{CARRIES_ABOVE, Timing, TransmissionLine};

/// The service of packets in one direction.
pub(super) enum Service {
    /// Packets are sent at the rate of the current row, or else at the link's rate.
    Rate(Vec<LinkConditions>),
    /// At opportunities.
    Opportunities(Opportunities, Vec<LinkConditions>),
}

/// The state of the service.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Server {
    /// Departure of the last packet.
    pub free_at: Time,
    /// What of the last packet is left to be sent after this time, in billionths of a bit.
    carried: u64,
    /// The next opportunity.
    next: u64,
    /// Number of bytes left at the opportunity before this packet.
    fits: u32,
}

impl Service {
    pub fn new(changes: &Changes, direction: LinkDirection) -> Self {
        let rows = changes.rows.clone();
        match changes.opportunities[direction.index()].clone() {
            Some(opportunities) => Service::Opportunities(opportunities, rows),
            None => Service::Rate(rows),
        }
    }

    fn row(&self, at: Time) -> Option<&LinkConditions> {
        let (Service::Rate(rows) | Service::Opportunities(_, rows)) = self;
        find_row(rows, at).1
    }

    /// Returns the delay of a packet that departs at `at`; `None` for the delay of the link.
    pub fn delay(&self, at: Time) -> Option<Span> {
        self.row(at)?.delay
    }

    /// Returns the loss probability of a packet whose transmission starts at `at`.
    pub fn loss(&self, at: Time) -> f64 {
        self.row(at).map_or(0.0, |row| row.loss)
    }

    /// Returns the start and end of the transmission of a packet of `size` bytes that arrives at `now`.
    pub fn serve(
        &self,
        server: &mut Server,
        line: &mut TransmissionLine,
        outages: &Outages,
        now: Time,
        size: u32,
    ) -> (Time, Time) {
        match self {
            Service::Rate(rows) => send_at_rate(rows, line, outages, (server, now), size),
            Service::Opportunities(opportunities, _) => {
                send_at_opportunities(opportunities, server, outages, now, size)
            }
        }
    }
}

/// Returns the row at `at`, and the beginning of the next.
fn find_row(rows: &[LinkConditions], at: Time) -> (Time, Option<&LinkConditions>) {
    let begun = rows.partition_point(|row| Time::ZERO + row.at <= at);
    let next = rows.get(begun).map_or(Time::NEVER, |row| Time::ZERO + row.at);
    (next, begun.checked_sub(1).map(|last| &rows[last]))
}

/// Sends bits at the current rate; an incomplete last nanosecond is truncated or carried, as for a constant rate.
fn send_at_rate(
    rows: &[LinkConditions],
    line: &mut TransmissionLine,
    outages: &Outages,
    (server, arrives): (&mut Server, Time),
    size: u32,
) -> (Time, Time) {
    let mut now = server.free_at.max(arrives);
    // The start, and the remaining bits in units of bits per second times nanoseconds.
    let mut sending: Option<(Time, u128)> = None;
    loop {
        now = outages.end_of_wait(now);
        let (next_row, row) = find_row(rows, now);
        let rate = row.and_then(|row| row.rate).unwrap_or(line.rate.bits_per_sec());
        let pauses = next_row.min(outages.next(now));
        let Some(rate_now) = Rate::from_bits_per_sec(rate) else {
            if pauses == Time::NEVER {
                // The loader ensures that the last row has a rate.
                *server = Server { free_at: Time::NEVER, carried: 0, ..*server };
                return (Time::NEVER, Time::NEVER);
            }
            now = pauses;
            continue;
        };
        let (starts, left) = sending.unwrap_or_else(|| {
            let carried = if now == server.free_at { server.carried } else { 0 };
            let exact = u128::from(size) * 8 * u128::from(engine::time::NANOS_PER_SEC) + u128::from(carried);
            let whole = || u128::from(rate_now.transmission_time(size).whole_millis().as_nanos()) * u128::from(rate);
            (now, if line.timing == Timing::Exact { exact } else { whole() })
        });
        let needs = Span::from_nanos(u64::try_from(left / u128::from(rate)).unwrap_or(u64::MAX));
        // A pause that begins exactly at the end of the transmission has no effect.
        if now + needs <= pauses {
            let carries = line.timing == Timing::Exact && rate > CARRIES_ABOVE;
            let carried = if carries { (left % u128::from(rate)) as u64 } else { 0 };
            *server = Server { free_at: now + needs, carried, ..*server };
            return (starts, server.free_at);
        }
        sending = Some((starts, left - u128::from(pauses.since(now).as_nanos()) * u128::from(rate)));
        now = pauses;
    }
}

/// Sends bytes at opportunities after the packet's arrival, outside of outages. A packet that arrived before the
/// departure of the previous packet can use the bytes left of the same opportunity; a later packet cannot.
fn send_at_opportunities(
    opportunities: &Opportunities,
    server: &mut Server,
    outages: &Outages,
    now: Time,
    size: u32,
) -> (Time, Time) {
    let mut left = size + Opportunities::HEADER;
    if now >= server.free_at {
        server.fits = 0;
        server.next = server.next.max(opportunities.first_after(now));
    }
    let mut starts = (server.fits > 0).then_some(server.free_at);
    loop {
        let sent = left.min(server.fits);
        left -= sent;
        server.fits -= sent;
        if left == 0 {
            return (starts.unwrap_or(server.free_at), server.free_at);
        }
        let at = opportunities.time(server.next);
        let open = outages.end_of_wait(at);
        if open > at {
            // The transmission begins again at the end of an outage.
            let before = Time::from_nanos(open.as_nanos() - 1);
            server.next = server.next.max(opportunities.first_after(before));
            continue;
        }
        server.next += 1;
        server.fits = Opportunities::BYTES;
        server.free_at = at;
        starts = starts.or(Some(at));
    }
}
