//! The loss process of a path, from the fates of its packets in their order.
//!
//! Three models, of which the one with the least BIC is taken (Schwarz1978): k ln n - 2 ln L with k parameters and n
//! packets. All likelihoods are conditional on the first packet: the observed chain has no initial distribution, so
//! that a lost first packet would count only against the other models.
//!
//! | model | parameters | likelihood |
//! |---|---|---|
//! | `uniform` | loss probability | independent packets |
//! | Gilbert | p, r: GOOD loses nothing, BAD everything (Gilbert1960) | a Markov chain whose states are seen: p is the share of packets that were lost after one that arrived, r the share of packets that arrived after a lost one |
//! | Gilbert-Elliott | p, r, h: BAD lets a packet through with probability h (Elliott1963) | a hidden Markov chain: forward recursion, maximum by expectation and maximization (Baum1970) |
//!
//! Intervals have a level of 95 %. Intervals of probabilities that are shares of counts are Wilson's, others follow
//! from the curvature of the logarithm of the likelihood at its maximum, with the parameters as logits.
//!
//! Limits: a loss process that advances with time and not with packets (a fading channel, sampled by a slow sender) is
//! fitted as a chain of packets. A chain with few changes of state has wide intervals.

use stats::proportion::wilson;

/// A number with its confidence interval at 95 %.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The most likely value.
    pub value: f64,
    /// The limits of the interval.
    pub interval: [f64; 2],
}

impl Estimate {
    fn from_counts(successes: u64, trials: u64) -> Self {
        let value = if trials == 0 { 0.0 } else { successes as f64 / trials as f64 };
        Estimate { value, interval: wilson(successes, trials) }
    }
}

/// A model of losses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Loss {
    /// No packet was lost. The upper limit of the interval bounds the loss probability.
    None(Estimate),
    /// Independent losses.
    Uniform(Estimate),
    /// Bursts in which every packet is lost.
    Gilbert {
        /// From GOOD to BAD.
        p: Estimate,
        /// From BAD to GOOD.
        r: Estimate,
    },
    /// Bursts in which some packets arrive.
    GilbertElliott {
        /// From GOOD to BAD.
        p: Estimate,
        /// From BAD to GOOD.
        r: Estimate,
        /// Probability that a packet arrives in BAD.
        h: Estimate,
    },
}

impl Loss {
    /// Selects the most likely model of packets that were `lost`, in the order in which the packets met the channel.
    pub fn select_model(lost: &[bool]) -> Loss {
        let (n, losses) = (lost.len() as u64, lost.iter().filter(|lost| **lost).count() as u64);
        if losses == 0 {
            return Loss::None(Estimate::from_counts(0, n));
        }
        let independent = maximize_share_likelihood(losses - u64::from(lost[0]), n - 1);
        let uniform = (Loss::Uniform(Estimate::from_counts(losses, n)), compute_bic(1, n, independent));
        let chain = ObservedChain::count_transitions(lost);
        let gilbert = (losses >= MIN_BURSTS).then(|| (chain.to_loss(), compute_bic(2, n, chain.log_likelihood())));
        let hidden = HiddenChain::fit_model(lost);
        let elliott = hidden.map(|hidden| {
            let later = hidden.log_likelihood(lost) - hidden.log_likelihood(&lost[..1]);
            (hidden.to_loss(lost), compute_bic(3, n, later))
        });
        let all = [Some(uniform), gilbert, elliott];
        let best = all.into_iter().flatten().min_by(|(_, one), (_, other)| one.total_cmp(other));
        best.map_or(uniform.0, |(loss, _)| loss)
    }

    /// The mean share of lost packets.
    pub fn mean_share(&self) -> f64 {
        match self {
            Loss::None(_) => 0.0,
            Loss::Uniform(loss) => loss.value,
            Loss::Gilbert { p, r } => p.value / (p.value + r.value),
            Loss::GilbertElliott { p, r, h } => p.value / (p.value + r.value) * (1.0 - h.value),
        }
    }
}

fn compute_bic(parameters: u32, n: u64, log_likelihood: f64) -> f64 {
    f64::from(parameters) * libm::log(n as f64) - 2.0 * log_likelihood
}

/// Returns ln `of`, or 0 for 0, so that 0 ln 0 = 0.
fn log_or_zero(of: f64) -> f64 {
    if of > 0.0 { libm::log(of) } else { 0.0 }
}

/// The maximum log-likelihood of `some` successes in `all` independent trials.
fn maximize_share_likelihood(some: u64, all: u64) -> f64 {
    let share = some as f64 / (all as f64).max(1.0);
    some as f64 * log_or_zero(share) + (all - some) as f64 * log_or_zero(1.0 - share)
}

/// Transition counts of a Markov chain whose states are observed.
struct ObservedChain {
    /// Number of transitions from an arrived packet to a lost one.
    to_bad: u64,
    /// Number of arrived packets with a successor.
    from_good: u64,
    /// Number of transitions from a lost packet to an arrived one.
    to_good: u64,
    /// Number of lost packets with a successor.
    from_bad: u64,
}

impl ObservedChain {
    fn count_transitions(lost: &[bool]) -> Self {
        let mut chain = ObservedChain { to_bad: 0, from_good: 0, to_good: 0, from_bad: 0 };
        for pair in lost.windows(2) {
            if pair[0] {
                chain.from_bad += 1;
                chain.to_good += u64::from(!pair[1]);
            } else {
                chain.from_good += 1;
                chain.to_bad += u64::from(pair[1]);
            }
        }
        chain
    }

    fn to_loss(&self) -> Loss {
        let p = Estimate::from_counts(self.to_bad, self.from_good);
        Loss::Gilbert { p, r: Estimate::from_counts(self.to_good, self.from_bad) }
    }

    fn log_likelihood(&self) -> f64 {
        maximize_share_likelihood(self.to_bad, self.from_good) + maximize_share_likelihood(self.to_good, self.from_bad)
    }
}

/// A hidden Markov chain with observed losses: GOOD loses nothing.
#[derive(Clone, Copy, Debug)]
struct HiddenChain {
    p: f64,
    r: f64,
    h: f64,
}

/// Maximum number of rounds of expectation and maximization.
const MAX_ROUNDS: usize = 500;
/// Maximum number of packets in all rounds.
const MAX_PACKETS: usize = 50_000_000;
/// The gain of the log-likelihood below which the rounds end.
const GAIN: f64 = 1e-7;
/// Minimum number of losses for a fit of the Gilbert model.
const MIN_BURSTS: u64 = 5;
/// Minimum number of losses for a fit of the Gilbert-Elliott model.
const MIN_LOSSES: usize = 20;

impl HiddenChain {
    /// Fits from several starting points, and returns the most likely chain; `None` with few losses.
    fn fit_model(lost: &[bool]) -> Option<HiddenChain> {
        let losses = lost.iter().filter(|lost| **lost).count();
        if losses < MIN_LOSSES {
            return None;
        }
        let share = losses as f64 / lost.len() as f64;
        // Bursts of about 2, 10 and 50 packets, of which few, half or most arrive.
        let starts = [(0.5, 0.1), (0.1, 0.5), (0.02, 0.8), (0.05, 0.2)];
        let climbed = starts.map(|(r, h)| {
            let start = HiddenChain { p: (r * share / (1.0 - h - share).max(0.05)).clamp(1e-6, 0.5), r, h };
            start.climb_likelihood(lost)
        });
        climbed.into_iter().max_by(|one, other| one.log_likelihood(lost).total_cmp(&other.log_likelihood(lost)))
    }

    /// Probability of the observed fate of a packet in GOOD and in BAD.
    fn emission_probabilities(&self, lost: bool) -> [f64; 2] {
        if lost { [0.0, 1.0 - self.h] } else { [1.0, self.h] }
    }

    /// The stationary probabilities of both states.
    fn stationary_probabilities(&self) -> [f64; 2] {
        let sum = (self.p + self.r).max(f64::MIN_POSITIVE);
        [self.r / sum, self.p / sum]
    }

    /// The state probabilities after one transition.
    fn next_probabilities(&self, [good, bad]: [f64; 2]) -> [f64; 2] {
        [good * (1.0 - self.p) + bad * self.r, good * self.p + bad * (1.0 - self.r)]
    }

    fn log_likelihood(&self, lost: &[bool]) -> f64 {
        let (mut state, mut sum) = (self.stationary_probabilities(), 0.0);
        for lost in lost {
            let seen = self.emission_probabilities(*lost);
            let both = [state[0] * seen[0], state[1] * seen[1]];
            let scale = both[0] + both[1];
            if scale <= 0.0 {
                return f64::NEG_INFINITY;
            }
            sum += libm::log(scale);
            state = self.next_probabilities(both.map(|part| part / scale));
        }
        sum
    }

    /// Climbs from this point to a local maximum of the likelihood.
    fn climb_likelihood(mut self, lost: &[bool]) -> HiddenChain {
        let mut before = self.log_likelihood(lost);
        for _ in 0..(MAX_PACKETS / lost.len()).clamp(20, MAX_ROUNDS) {
            let next = self.maximize_step(lost);
            let now = next.log_likelihood(lost);
            if !now.is_finite() || now < before {
                break;
            }
            self = next;
            if now - before < GAIN {
                break;
            }
            before = now;
        }
        self
    }

    /// Performs one round of expectation and maximization.
    fn maximize_step(&self, lost: &[bool]) -> HiddenChain {
        let n = lost.len();
        // Forward recursion: the state at each packet, given all packets up to it.
        let mut forward = Vec::with_capacity(n);
        let mut state = self.stationary_probabilities();
        for lost in lost {
            let seen = self.emission_probabilities(*lost);
            let both = [state[0] * seen[0], state[1] * seen[1]];
            let scale = (both[0] + both[1]).max(f64::MIN_POSITIVE);
            let given = both.map(|part| part / scale);
            forward.push((given, scale));
            state = self.next_probabilities(given);
        }
        // Backward, with sums of expected changes of state.
        let mut behind = [1.0, 1.0];
        let (mut good, mut to_bad, mut bad, mut to_good) = (0.0, 0.0, 0.0, 0.0);
        let (mut in_bad, mut arrived_in_bad) = (0.0, 0.0);
        for at in (0..n).rev() {
            let (given, _) = forward[at];
            let sum = (given[0] * behind[0] + given[1] * behind[1]).max(f64::MIN_POSITIVE);
            let is_bad = given[1] * behind[1] / sum;
            in_bad += is_bad;
            arrived_in_bad += if lost[at] { 0.0 } else { is_bad };
            if at == 0 {
                break;
            }
            let seen = self.emission_probabilities(lost[at]);
            let scale = forward[at].1;
            let next = [seen[0] * behind[0] / scale, seen[1] * behind[1] / scale];
            let (before, _) = forward[at - 1];
            let [stays, leaves] = [before[0] * (1.0 - self.p) * next[0], before[0] * self.p * next[1]];
            let [returns, remains] = [before[1] * self.r * next[0], before[1] * (1.0 - self.r) * next[1]];
            let all = (stays + leaves + returns + remains).max(f64::MIN_POSITIVE);
            good += (stays + leaves) / all;
            to_bad += leaves / all;
            bad += (returns + remains) / all;
            to_good += returns / all;
            behind = [(1.0 - self.p) * next[0] + self.p * next[1], self.r * next[0] + (1.0 - self.r) * next[1]];
        }
        let inside = |share: f64| share.clamp(1e-9, 1.0 - 1e-9);
        HiddenChain {
            p: inside(to_bad / f64::max(good, f64::MIN_POSITIVE)),
            r: inside(to_good / f64::max(bad, f64::MIN_POSITIVE)),
            h: inside(arrived_in_bad / f64::max(in_bad, f64::MIN_POSITIVE)),
        }
    }

    fn to_loss(self, lost: &[bool]) -> Loss {
        let at = [self.p, self.r, self.h];
        let errors = estimate_standard_errors(&at.map(to_logit), |logits| {
            let [p, r, h] = [0, 1, 2].map(|place| from_logit(logits[place]));
            HiddenChain { p, r, h }.log_likelihood(lost)
        });
        let estimate = |place: usize| {
            let width = Z * errors[place];
            let centre = to_logit(at[place]);
            Estimate { value: at[place], interval: [from_logit(centre - width), from_logit(centre + width)] }
        };
        Loss::GilbertElliott { p: estimate(0), r: estimate(1), h: estimate(2) }
    }
}

/// The normal quantile for 95 %, two-sided.
const Z: f64 = 1.959_963_984_540_054;

fn to_logit(share: f64) -> f64 {
    libm::log(share / (1.0 - share))
}

fn from_logit(logit: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-logit))
}

/// Returns the standard errors of three parameters at the maximum of `log_likelihood`. They are the roots of the
/// diagonal of the inverse of its negative curvature. If a variance is not positive, the parameter is unknown and its
/// error is `UNKNOWN`.
fn estimate_standard_errors(at: &[f64; 3], log_likelihood: impl Fn(&[f64; 3]) -> f64) -> [f64; 3] {
    /// An error with an interval of shares from about 0.00001 to 0.99999.
    const UNKNOWN: f64 = 6.0;
    const STEP: f64 = 1e-2;
    let moved = |one: (usize, f64), other: (usize, f64)| {
        let mut place = *at;
        place[one.0] += one.1;
        place[other.0] += other.1;
        log_likelihood(&place)
    };
    let curvature = [0, 1, 2].map(|one| {
        [0, 1, 2].map(|other| {
            let corner = |first: f64, second: f64| moved((one, first * STEP), (other, second * STEP));
            let sum = corner(1.0, 1.0) - corner(1.0, -1.0) - corner(-1.0, 1.0) + corner(-1.0, -1.0);
            -sum / (4.0 * STEP * STEP)
        })
    });
    let minor =
        |[a, b]: [usize; 2], [c, d]: [usize; 2]| curvature[a][c] * curvature[b][d] - curvature[a][d] * curvature[b][c];
    let others = [[1, 2], [0, 2], [0, 1]];
    let cofactors = [0, 1, 2].map(|column| minor([1, 2], others[column]));
    let [first, second, third] = curvature[0];
    let determinant = first * cofactors[0] - second * cofactors[1] + third * cofactors[2];
    others.map(|rows| {
        let variance = minor(rows, rows) / determinant;
        if determinant > 0.0 && variance > 0.0 { variance.sqrt().min(UNKNOWN) } else { UNKNOWN }
    })
}
