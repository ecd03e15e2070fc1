//! The half of a connection that sends data.
//!
//! What has been sent stands on the [`Scoreboard`]; `recovery` says what of it is lost, `control` how much may fly. An
//! acknowledgment goes through `ack`, a timer through `timers`, what recovery makes of either through `recover`, and what leaves
//! comes out of `transmit`.

mod ack;
mod cwnd_limit;
mod pacer;
mod peer_window;
mod rate;
mod recover;
mod retransmit_timer;
mod rtt;
mod scoreboard;
mod send_buffer;
mod spurious;
mod timers;
mod transmit;
mod user_timeout;

use std::collections::VecDeque;

use engine::{Span, Time};
use wire::{NoticeKind, Segment, SeqNum};

pub(crate) use ack::Arrival;
pub use scoreboard::{Moment, Scoreboard, Sent};
pub(crate) use transmit::Piece;

use crate::cc::Flight;
use crate::config::{Config, Nagle};
use crate::differentiation::{DifferentiationConfig, LossDifferentiation};
use crate::event::{Event, Reason};
use crate::recovery::{DUP_THRESH, LossRecovery, View};
use crate::response::NoticeResponse;
use cwnd_limit::CwndLimit;
use pacer::Pacer;
use peer_window::PeerWindow;
use rate::RateEstimator;
use retransmit_timer::RetransmitTimer;
use rtt::RttEstimator;
use send_buffer::SendBuffer;
use spurious::Spurious;

/// What a sender counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Segments with data sent, resent ones included.
    pub segments_sent: u64,
    /// Segments sent again.
    pub segments_retransmitted: u64,
    /// Segments resent because acknowledgments showed a loss.
    pub fast_retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// ICMP-DEFER messages received about this connection.
    pub notices_defer: u64,
    /// ICMP-RETRANSMIT messages received about this connection.
    pub notices_retransmit: u64,
    /// Segments sent to find out about the tail.
    pub probes: u64,
    /// Reductions of the window that turned out to be needless.
    pub undone: u64,
    /// Reductions of the window because of marks (ECN).
    pub marks: u64,
}

/// What does not change, or once, at the handshake.
struct Settings {
    limited_transmit: bool,
    recovery_exit_growth: bool,
    /// Whether SACK, timestamps and ECN were agreed on.
    sack: bool,
    timestamps: bool,
    ecn: bool,
}

/// What is being made good, beside what recovery knows. Offsets are the first byte never sent when it began.
#[derive(Default)]
struct Episodes {
    /// Everything before this is sent again, and why: a timeout, or Tahoe's restart.
    back: Option<(u64, Reason)>,
    /// After a mark: no other is answered before this is acknowledged [RFC3168 s6.1.2].
    mark: Option<u64>,
    /// After the window was cut, for whatever reason.
    cut: Option<u64>,
}

impl Episodes {
    /// Whether a timeout's losses are being made good.
    fn after_timeout(&self) -> bool {
        matches!(self.back, Some((_, Reason::Timeout)))
    }
}

pub(crate) struct Sender {
    settings: Settings,
    board: Scoreboard,
    buffer: SendBuffer,
    peer: PeerWindow,
    cwnd: CwndLimit,
    timer: RetransmitTimer,
    duplicates: u32,
    /// Segments to send again before anything else, whatever the window.
    resend: VecDeque<(u64, Reason)>,
    /// A probe is to be sent.
    probe: bool,
    recovery: Box<dyn LossRecovery>,
    watches: bool,
    /// Whether recovery is going on: what it says, kept.
    recovering: bool,
    differentiation: Box<dyn LossDifferentiation>,
    differentiates: bool,
    response: Box<dyn NoticeResponse>,
    /// Whether a message from the network ever came: without, the response has nothing to remember.
    noticed: bool,
    episodes: Episodes,
    /// The window was reduced, for whatever reason: the next segment of new data says so [RFC3168 s6.1.2].
    tell_reduced: bool,
    spurious: Spurious,
    /// How fast bytes arrive, if the control or the loss differentiation wants to know.
    rate: Option<Box<RateEstimator>>,
    /// Whether the control paces.
    paces: bool,
    pacer: Pacer,
    /// Pacing holds back what could go.
    paced: bool,
    /// Bytes sent because of limited transmit since the last acknowledgment of new data.
    limited_sent: u64,
    counters: Counters,
    observed: bool,
    events: VecDeque<Event>,
    /// The window last told to the observer.
    told: (f64, f64, u64),
}

impl Sender {
    pub fn new(config: &Config, peer_window: u64) -> Self {
        let segment = f64::from(config.segment);
        let recovery = config.recovery.build();
        let cwnd = CwndLimit::new(config);
        let differentiates = config.differentiation != DifferentiationConfig::default();
        let paces = cwnd.paces();
        let feeds = cwnd.wants_feedback() || differentiates;
        Sender {
            settings: Settings {
                limited_transmit: config.limited_transmit,
                recovery_exit_growth: config.recovery_exit_growth,
                sack: config.options.sack && recovery.uses_sack(),
                timestamps: config.options.timestamps,
                ecn: false,
            },
            board: Scoreboard::default(),
            buffer: SendBuffer::new(config.segment, config.nagle),
            peer: PeerWindow::new(peer_window, config.closed_window),
            cwnd,
            timer: RetransmitTimer::new(config),
            duplicates: 0,
            resend: VecDeque::new(),
            probe: false,
            watches: recovery.watches(),
            recovering: false,
            recovery,
            differentiation: config.differentiation.build(segment),
            differentiates,
            response: config.response.build(),
            noticed: false,
            episodes: Episodes::default(),
            tell_reduced: false,
            spurious: Spurious::new(config.spurious),
            rate: feeds.then(Box::default),
            paces,
            pacer: Pacer::default(),
            paced: false,
            limited_sent: 0,
            counters: Counters::default(),
            observed: false,
            events: VecDeque::new(),
            told: (0.0, 0.0, 0),
        }
    }

    /// Begins anew with other settings, before anything was sent; what the application said is kept.
    pub fn rebuild(&mut self, config: &Config) {
        let old = std::mem::replace(self, Sender::new(config, 0));
        self.buffer = old.buffer.with_mss(config.segment);
        self.timer.inherit(old.timer);
        self.observed = old.observed;
        self.events = old.events;
    }

    /// What the handshake has agreed on: `window` is how much the other end takes, `from` the numbers of the segment that said so,
    /// `rtt` a round trip that was measured, and when.
    pub fn agreed(&mut self, ecn: bool, window: u64, from: Option<(SeqNum, SeqNum)>, rtt: Option<(Time, Span)>) {
        self.settings.ecn = ecn;
        self.peer.agreed(window, from);
        if let Some((now, rtt)) = rtt {
            self.timer.on_sample(now, rtt);
        }
    }

    pub fn observe(&mut self) {
        self.observed = true;
        self.tell_window();
    }

    pub fn offer(&mut self, bytes: u64) {
        self.buffer.write(bytes);
    }

    /// A FIN follows what has been handed over.
    pub fn finish(&mut self) {
        self.buffer.finish();
    }

    pub fn set_nodelay(&mut self, on: bool, default: Nagle) {
        self.buffer.set_nodelay(on, default, self.board.nxt());
    }

    pub fn set_cork(&mut self, on: bool) {
        self.buffer.set_cork(on, self.board.nxt());
    }

    /// Whether the application has said that more follows what it handed over last. It holds that back until the next
    /// acknowledgment comes, and takes the push mark off it.
    pub fn set_more(&mut self, on: bool) {
        self.buffer.set_more(on);
    }

    pub fn nxt(&self) -> u64 {
        self.board.nxt()
    }

    pub fn una(&self) -> u64 {
        self.board.una()
    }

    pub fn counters(&self) -> Counters {
        self.counters
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
        self.recovery.reordering()
    }

    pub fn unsent(&self) -> u64 {
        self.buffer.unsent(self.nxt())
    }

    /// Whether everything handed over was acknowledged, and the FIN too if there is one.
    pub fn done(&self) -> bool {
        self.una() == self.end()
    }

    /// Whether a FIN follows the data.
    pub fn finishing(&self) -> bool {
        self.buffer.finished()
    }

    /// Whether the FIN was acknowledged.
    #[inline]
    pub fn fin_acknowledged(&self) -> bool {
        self.buffer.finished() && self.una() == self.end()
    }

    /// Whether recovery lives on SACK.
    pub fn uses_sack(&self) -> bool {
        self.recovery.uses_sack()
    }

    /// Whether the control wants each mark reported, as DCTCP does.
    pub fn precise_ecn(&self) -> bool {
        self.cwnd.precise_ecn()
    }

    pub fn allowance(&self) -> f64 {
        self.recovery.allowance()
    }

    pub fn peer_window(&self) -> u64 {
        self.peer.size()
    }

    /// The largest window that the other end has ever offered.
    pub fn max_peer_window(&self) -> u64 {
        self.peer.max()
    }

    /// The window that a segment advertises, if it is newer than the one that did so last. `ack` is the offset that it
    /// acknowledges.
    #[inline]
    pub fn newer_window(&mut self, segment: &Segment, ack: u64) -> Option<u64> {
        let newer = self.peer.is_update((segment.seq, segment.ack), ack, self.board.una(), self.board.nxt());
        newer.then_some(u64::from(segment.window))
    }

    /// A window is advertised while nothing was ever to be sent.
    #[inline]
    pub fn note_window(&mut self, window: u64) {
        self.peer.set(window);
    }

    /// Whether a probe of the closed window is to go out now: a segment without data, below what the other end has, which
    /// it must answer.
    #[inline]
    pub fn take_window_probe(&mut self) -> bool {
        self.peer.take_probe()
    }

    /// The window as Linux counts it: without what duplicates add, for they are taken off what is in flight there.
    pub fn info_cwnd(&self) -> f64 {
        self.cwnd.window()
    }

    /// What is held back goes out, however small.
    pub fn push(&mut self) {
        self.buffer.push();
    }

    /// What was handed over last ends a record (MSG_EOR).
    pub fn end_record(&mut self) {
        self.buffer.end_record();
    }

    /// How long the other end may fail to answer before the connection is given up (TCP_USER_TIMEOUT).
    pub fn set_user_timeout(&mut self, timeout: Option<Span>) {
        self.timer.set_user_timeout(timeout);
    }

    /// Whether the other end has been silent for longer than is allowed.
    pub fn given_up(&self) -> bool {
        self.timer.given_up()
    }

    /// How long a cork may hold back what there is, if it does.
    pub fn cork_time(&self) -> Option<Span> {
        self.buffer.waits_for_more(self.nxt()).then(|| self.timer.rtt().rto())
    }

    /// Whether the other end is to be told that the window was reduced; asking says that it will be.
    #[inline]
    pub fn take_reduced(&mut self) -> bool {
        std::mem::take(&mut self.tell_reduced)
    }

    /// Whether nothing was ever to be sent, as at an end that only receives.
    #[inline]
    pub fn silent(&self) -> bool {
        self.end() == 0
    }

    /// End of what is to be sent, FIN included.
    #[inline]
    fn end(&self) -> u64 {
        self.buffer.end()
    }

    pub fn pop_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// The window as it stands, with what recovery makes of it for now.
    #[inline]
    pub fn effective_cwnd(&self) -> f64 {
        self.cwnd.inflated(if self.recovering { self.recovery.allowance() } else { 0.0 })
    }

    pub fn ssthresh(&self) -> f64 {
        self.cwnd.ssthresh()
    }

    pub fn srtt(&self) -> Span {
        self.timer.rtt().srtt()
    }

    /// What is going on, as Linux names it.
    pub fn phase(&self) -> crate::info::Phase {
        use crate::info::Phase;
        if self.episodes.after_timeout() {
            Phase::Loss
        } else if self.recovering {
            Phase::Recovery
        } else if self.episodes.mark.is_some() {
            Phase::Reduced
        } else if self.board.sacked_segments() > 0 || self.duplicates > 0 {
            Phase::Disorder
        } else {
            Phase::Open
        }
    }

    pub fn duplicates(&self) -> u32 {
        self.duplicates
    }

    pub fn retries(&self) -> u32 {
        self.timer.retries()
    }

    /// A message about the segment that begins at `seq`.
    pub fn on_notice(&mut self, now: Time, kind: NoticeKind, seq: u64) {
        match kind {
            NoticeKind::Defer => self.counters.notices_defer += 1,
            NoticeKind::Retransmit => self.counters.notices_retransmit += 1,
        }
        self.say(|| Event::NoticeReceived { kind, seq });
        if seq < self.una() || seq >= self.nxt() {
            return;
        }
        self.noticed = true;
        let reaction = self.response.on_notice(kind, seq);
        // The timer runs for the first unacknowledged segment.
        if reaction.postpone && seq == self.una() && self.timer.is_running() {
            self.timer.start(now);
        }
        if reaction.resend {
            self.resend.push_back((seq, Reason::Notice));
        }
        self.renew_inflation();
        self.tell_window();
    }

    /// Passes on what recovery, or limited transmit, adds to the window. To be called at the end of whatever may change that.
    #[inline]
    fn renew_inflation(&mut self) {
        let inflation = if self.recovering {
            self.recovery.allowance()
        } else if self.duplicates > 0
            && self.settings.limited_transmit
            && !self.settings.sack
            && self.episodes.back.is_none_or(|(until, _)| self.nxt() > until)
        {
            // [RFC3042 s2]; with SACK the pipe has room by itself. After a timeout duplicates tell of new data only if there was
            // any [RFC5682 s2.1 step 3a].
            f64::from(self.duplicates.min(DUP_THRESH - 1)) * f64::from(self.buffer.mss())
        } else {
            0.0
        };
        self.cwnd.inflate(inflation);
    }

    fn view(&self) -> View {
        View {
            segment: f64::from(self.buffer.mss()),
            cwnd: self.cwnd.cwnd(),
            ssthresh: self.cwnd.ssthresh(),
            srtt: self.timer.rtt().measured(),
            least_rtt: self.timer.rtt().least(),
            echo: None,
            sack: self.settings.sack,
            after_timeout: self.episodes.after_timeout(),
            expiry: self.timer.expiry(),
        }
    }

    fn flight(&self, now: Time) -> Flight {
        let window = self.effective_cwnd().min(self.peer.size() as f64);
        let outstanding = (self.board.outstanding() - self.limited_sent.min(self.board.outstanding())) as f64;
        let bytes = if self.episodes.back.is_some() {
            // After going back: what was sent since.
            self.board.pipe() as f64
        } else if self.settings.sack || self.recovering {
            // While a hole stays open any amount may be outstanding: what was SACKed, or told of by duplicates, has left the
            // network. In it there was never more than the window. The RFC's words would have all of it count.
            outstanding.min(self.cwnd.cwnd())
        } else {
            outstanding
        };
        Flight { now, bytes, window, again: false }
    }

    /// Keeps an event, if this end is observed.
    #[inline]
    pub fn say(&mut self, event: impl FnOnce() -> Event) {
        if self.observed {
            self.events.push_back(event());
        }
    }

    /// Tells the observer what has changed in the window and in flight.
    #[inline]
    fn tell_window(&mut self) {
        if self.observed {
            let (cwnd, ssthresh, bytes) = (self.effective_cwnd(), self.ssthresh(), self.board.outstanding());
            if (cwnd, ssthresh) != (self.told.0, self.told.1) {
                self.events.push_back(Event::Window { cwnd, ssthresh });
            }
            if bytes != self.told.2 {
                self.events.push_back(Event::Flight { bytes });
            }
            self.told = (cwnd, ssthresh, bytes);
        }
    }
}
