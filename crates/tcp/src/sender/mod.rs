//! The half of a connection that sends data.
//!
//! A `Sender` consists of components. Each component is the only writer of its fields, and states its invariant:
//!
//! | component | owns |
//! |---|---|
//! | `SendBuffer` | data to send, and Nagle's decision |
//! | `Scoreboard` | outstanding segments |
//! | `PeerWindow` | the receiver's window and the persist timer |
//! | `CwndLimit` | the congestion control and the limit that follows from it |
//! | `RetransmitTimer` | the round trip, the timeout, its back-off |
//! | `Episodes`, `Spurious` | losses under repair; whether they were real losses |
//! | `EcnState` | marks that cause reductions |
//! | `ResendQueue` | retransmissions and probes that precede all other segments |
//! | `Notices`, `RateEstimator`, `Pacer` | messages of the network, the delivery rate, departure times |
//! | `Telemetry` | counters and events |
//!
//! The other files are rules over them: `ack` processes an acknowledgment, `timers` the expiry of a timer, `recover`
//! the decision of recovery about either; `transmit` returns the next segment, or the reason why the sender is blocked.

mod ack;
mod application;
mod arrival;
mod cwnd_limit;
mod ecn;
mod episodes;
mod notices;
mod pacer;
mod peer_window;
mod rate;
mod recover;
mod resend_queue;
mod retransmit_timer;
mod rtt;
mod segmentation;
mod send_bound;
mod send_buffer;
mod spurious;
mod summary;
mod telemetry;
mod timers;
mod transmit;
mod user_timeout;

use engine::{Span, Time};
use wire::SeqNum;

pub(crate) use arrival::AckArrival;
pub use telemetry::Counters;
pub(crate) use transmit::TxSegment;

use crate::cc::Flight;
use crate::config::Config;
use crate::differentiation::{DifferentiationConfig, LossDifferentiation};
use crate::event::{Blocked, Event};
use crate::recovery::SenderView;
use crate::scoreboard::Scoreboard;
use cwnd_limit::CwndLimit;
use ecn::EcnState;
use episodes::Episodes;
use notices::Notices;
use pacer::Pacer;
use peer_window::PeerWindow;
use rate::RateEstimator;
use resend_queue::ResendQueue;
use retransmit_timer::RetransmitTimer;
use rtt::RttEstimator;
use segmentation::LargeSegment;
use send_buffer::SendBuffer;
use spurious::Spurious;
use telemetry::{Telemetry, WindowState};

pub(crate) struct Sender {
    /// Whether recovery uses SACK and it was negotiated.
    sack: bool,
    board: Scoreboard,
    buffer: SendBuffer,
    peer: PeerWindow,
    cwnd: CwndLimit,
    timer: RetransmitTimer,
    episodes: Episodes,
    ecn: EcnState,
    resends: ResendQueue,
    /// `None` if every loss counts as congestion.
    differentiation: Option<Box<dyn LossDifferentiation>>,
    notices: Notices,
    spurious: Spurious,
    /// The delivery rate, if the control or the loss differentiation needs it.
    rate: Option<Box<RateEstimator>>,
    pacer: Pacer,
    /// `None` without segmentation offload.
    large: Option<Box<LargeSegment>>,
    telemetry: Telemetry,
}

impl Sender {
    pub fn new(config: &Config, peer_window: u64) -> Self {
        let segment = f64::from(config.segment);
        let episodes = Episodes::new(config);
        let cwnd = CwndLimit::new(config);
        let differentiates = config.loss_differentiation != DifferentiationConfig::default();
        let max_pacing_rate = config.max_pacing_rate.map(|rate| rate.bits_per_sec() as f64 / 8.0);
        let (paces, feeds) = (cwnd.paces(), cwnd.wants_feedback() || differentiates);
        Sender {
            sack: config.sack && episodes.uses_sack(),
            board: Scoreboard::default(),
            buffer: SendBuffer::new(config.segment, config.nagle).with_bound(config),
            peer: PeerWindow::new(peer_window, config.zero_window),
            cwnd,
            timer: RetransmitTimer::new(config),
            episodes,
            ecn: EcnState::default(),
            resends: ResendQueue::default(),
            differentiation: differentiates.then(|| config.loss_differentiation.build(segment)),
            notices: Notices::new(&config.response),
            spurious: Spurious::new(config),
            rate: feeds.then(Box::default),
            pacer: Pacer::new(paces, max_pacing_rate),
            large: config.tso.then(Box::default),
            telemetry: Telemetry::default(),
        }
    }

    /// Replaces the settings before the first transmission. Data and socket options are kept.
    pub fn rebuild(&mut self, config: &Config) {
        let old = std::mem::replace(self, Sender::new(config, 0));
        self.buffer = old.buffer.with_mss(config);
        self.timer.inherit(old.timer);
        self.telemetry.inherit(old.telemetry);
    }

    /// Sets the result of the handshake: `window` is the receive window, `from` contains the numbers of the segment
    /// that advertised it, `rtt` the measured round trip and its time.
    pub fn on_handshake(&mut self, ecn: bool, window: u64, from: Option<(SeqNum, SeqNum)>, rtt: Option<(Time, Span)>) {
        self.ecn.agree(ecn);
        self.peer.on_handshake(window, from);
        if let Some((now, rtt)) = rtt {
            self.timer.on_sample(now, rtt);
        }
    }

    pub fn observe(&mut self) {
        self.telemetry.observe();
        self.emit_window();
    }

    pub fn nxt(&self) -> u64 {
        self.board.nxt()
    }

    pub fn una(&self) -> u64 {
        self.board.una()
    }

    pub fn counters(&self) -> Counters {
        self.telemetry.counters()
    }

    #[inline]
    pub fn take_rtt(&mut self) -> Option<Span> {
        self.telemetry.take_rtt()
    }

    pub fn board(&self) -> &Scoreboard {
        &self.board
    }

    pub fn rtt(&self) -> &RttEstimator {
        self.timer.rtt()
    }

    pub fn segment(&self) -> u32 {
        self.buffer.mss()
    }

    pub fn reordering(&self) -> (u32, u32) {
        self.episodes.reordering()
    }

    pub fn unsent(&self) -> u64 {
        self.buffer.unsent(self.nxt())
    }

    /// Whether all written data was acknowledged, and the FIN too if there is one.
    pub fn done(&self) -> bool {
        self.una() == self.end()
    }

    /// Whether a FIN follows the data.
    pub fn finishing(&self) -> bool {
        self.buffer.has_fin()
    }

    /// Whether the FIN was acknowledged.
    #[inline]
    pub fn fin_acknowledged(&self) -> bool {
        self.buffer.has_fin() && self.una() == self.end()
    }

    /// Whether recovery uses SACK.
    pub fn uses_sack(&self) -> bool {
        self.episodes.uses_sack()
    }

    /// Whether the control wants each mark reported, as DCTCP does.
    pub fn precise_ecn(&self) -> bool {
        self.cwnd.precise_ecn()
    }

    pub fn inflation(&self) -> f64 {
        self.episodes.inflation()
    }

    pub fn peer_window(&self) -> u64 {
        self.peer.size()
    }

    /// Largest window that the other end has offered so far.
    pub fn max_peer_window(&self) -> u64 {
        self.peer.max()
    }

    /// The window of a segment with these sequence and acknowledgment numbers, if the segment is newer than the last
    /// one that advertised a window. `ack` is the acknowledged offset.
    #[inline]
    pub fn newer_window(&mut self, numbers: (SeqNum, SeqNum), window: u32, ack: u64) -> Option<u64> {
        let newer = self.peer.is_update(numbers, ack, self.board.una(), self.board.nxt());
        newer.then_some(u64::from(window))
    }

    /// Sets the receive window of a sender that never had data to send.
    #[inline]
    pub fn note_window(&mut self, window: u64) {
        self.peer.set(window);
    }

    /// Returns whether a probe of the closed window is due. A probe is a segment without data, below the receive
    /// window, which the other end must answer.
    #[inline]
    pub fn take_window_probe(&mut self) -> bool {
        self.peer.take_probe()
    }

    /// Returns cwnd as Linux counts it: without inflation by duplicates. Linux subtracts the duplicates from the flight
    /// instead.
    pub fn info_cwnd(&self) -> f64 {
        self.cwnd.window()
    }

    /// Whether CWR is to be sent; clears the request.
    #[inline]
    pub fn take_reduced(&mut self) -> bool {
        self.ecn.take_reduced()
    }

    /// Whether the sender never had data to send, as at an end that only receives.
    #[inline]
    pub fn silent(&self) -> bool {
        self.end() == 0
    }

    /// End of the stream, including the FIN.
    #[inline]
    fn end(&self) -> u64 {
        self.buffer.end()
    }

    /// Records the reason why `poll` returned no segment.
    #[inline]
    pub fn note_blocked(&mut self, reason: Blocked) {
        self.telemetry.on_blocked(reason);
    }

    /// The reason recorded last.
    pub fn last_blocked(&self) -> Option<Blocked> {
        self.telemetry.last_blocked()
    }

    pub fn pop_event(&mut self) -> Option<Event> {
        self.telemetry.pop()
    }

    /// cwnd with the adjustments of recovery.
    #[inline]
    pub fn effective_cwnd(&self) -> f64 {
        self.cwnd.inflated_window(self.episodes.inflation())
    }

    pub fn ssthresh(&self) -> f64 {
        self.cwnd.ssthresh()
    }

    pub fn srtt(&self) -> Span {
        self.timer.rtt().srtt()
    }

    /// The state in Linux's terms.
    pub fn phase(&self) -> crate::info::SenderPhase {
        use crate::info::SenderPhase;
        if self.episodes.after_timeout() {
            SenderPhase::Loss
        } else if self.episodes.recovering() {
            SenderPhase::Recovery
        } else if self.ecn.is_reducing() {
            SenderPhase::Reduced
        } else if self.board.sacked_segments() > 0 || self.duplicates() > 0 {
            SenderPhase::Disorder
        } else {
            SenderPhase::Open
        }
    }

    #[inline]
    pub fn duplicates(&self) -> u32 {
        self.episodes.duplicates()
    }

    pub fn retries(&self) -> u32 {
        self.timer.retries()
    }

    /// Updates the inflation by recovery or limited transmit. Called after every change of these.
    #[inline]
    fn renew_inflation(&mut self) {
        // [RFC3042 s2]: limited transmit is for recoveries that count duplicates. With SACK the pipe decreases instead.
        let limited = if self.sack { 0 } else { self.episodes.limited_segments(self.board.nxt()) };
        let inflation =
            if limited > 0 { f64::from(limited) * f64::from(self.buffer.mss()) } else { self.episodes.inflation() };
        self.cwnd.inflate(inflation);
    }

    fn view(&self) -> SenderView {
        SenderView {
            segment: f64::from(self.buffer.mss()),
            cwnd: self.cwnd.cwnd(),
            ssthresh: self.cwnd.ssthresh(),
            srtt: self.timer.rtt().measured_srtt(),
            min_rtt: self.timer.rtt().min_rtt(),
            echo: None,
            sack: self.sack,
            after_timeout: self.episodes.after_timeout(),
            expiry: self.timer.expiry(),
        }
    }

    fn flight(&self, now: Time) -> Flight {
        let window = self.effective_cwnd().min(self.peer.size() as f64);
        let outstanding = self.board.outstanding();
        let outstanding = (outstanding - self.episodes.limited_sent(outstanding)) as f64;
        let bytes = if self.episodes.going_back().is_some() {
            // After go-back-N: data sent since.
            self.board.pipe() as f64
        } else if self.sack || self.episodes.recovering() {
            // While a hole remains, outstanding data may exceed cwnd, because data that is SACKed or reported by
            // duplicates has left the network. At most cwnd is in flight, and counts. By the wording of the RFC all
            // outstanding data would count.
            outstanding.min(self.cwnd.cwnd())
        } else {
            outstanding
        };
        Flight { now, bytes, window, again: false }
    }

    /// Emits an event, if events are enabled.
    #[inline]
    pub fn emit(&mut self, event: impl FnOnce() -> Event) {
        self.telemetry.emit(event);
    }

    /// Emits changes of cwnd, ssthresh and flight.
    #[inline(always)]
    fn emit_window(&mut self) {
        if self.telemetry.observes() {
            self.emit_window_changes();
        }
    }

    fn emit_window_changes(&mut self) {
        let Sender { telemetry, cwnd, episodes, board, .. } = self;
        telemetry.emit_window(|| WindowState {
            cwnd: cwnd.inflated_window(episodes.inflation()),
            ssthresh: cwnd.ssthresh(),
            outstanding: board.outstanding(),
        });
    }
}
