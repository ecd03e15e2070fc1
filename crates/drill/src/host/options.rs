//! Socket options.

use engine::Span;

use super::Answer;
use super::Host;
use super::answer::{first, member, names, unsupported};
use super::socket::{Kind, Socket};
use crate::end::Stage;
use crate::meant::meant;
use crate::syntax::ast::{Call, Expr};

/// Socket options without effect on lasthop's TCP, with the reason.
pub const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("SO_REUSEADDR", "ports are never in use"),
    ("SO_REUSEPORT", "ports are never in use"),
    ("SO_PRIORITY", "the device has no queue"),
    ("SO_MARK", "there is one route"),
    ("SO_ZEROCOPY", "data is a count of bytes"),
    ("IP_MTU_DISCOVER", "the path takes any packet"),
    ("IP_TOS", "the DSCP is not compared"),
    ("TCP_LINGER2", "FIN-WAIT-2 never times out"),
];

/// Socket options with an effect when set or read, including those supported only in part.
const WITH_EFFECT: [&str; 21] = [
    "SO_ACCEPTCONN",
    "SO_ERROR",
    "SO_KEEPALIVE",
    "SO_LINGER",
    "SO_RCVBUF",
    "SO_SNDBUF",
    "TCP_CONGESTION",
    "TCP_CORK",
    "TCP_DEFER_ACCEPT",
    "TCP_FASTOPEN",
    "TCP_INFO",
    "TCP_INQ",
    "TCP_MAXSEG",
    "TCP_MD5SIG",
    "TCP_NODELAY",
    "TCP_NOTSENT_LOWAT",
    "TCP_QUICKACK",
    "TCP_RTO_MIN_US",
    "TCP_SYNCNT",
    "TCP_USER_TIMEOUT",
    "TCP_WINDOW_CLAMP",
];

fn all() -> impl Iterator<Item = &'static str> {
    WITHOUT_EFFECT.iter().map(|(name, _)| *name).chain(WITH_EFFECT)
}

fn known(option: &str) -> bool {
    all().any(|known| known == option)
}

/// Valid range of `TCP_MAXSEG` in bytes (`TCP_MIN_MSS` to `MAX_TCP_WINDOW`, `tcp_sock_set_maxseg`).
const MAX_SEGMENT: std::ops::RangeInclusive<u16> = 88..=32_767;

impl Host<'_> {
    pub(super) fn setsockopt(&mut self, fd: i64, call: &Call) -> Result<Answer, Answer> {
        let option = names(call.args.get(2), "an option")?.join("|");
        let value = first(call.args.get(3));
        if WITHOUT_EFFECT.iter().any(|(known, _)| *known == option) {
            return Ok(Answer::Returns(0));
        }
        let number = match value {
            Some(Expr::Number(number)) => Some(*number),
            _ => None,
        };
        let connection = match self.sockets[&fd].kind {
            Kind::Connected(index) => Some(index),
            _ => None,
        };
        let before = connection.is_none();
        let socket = self.sockets.get_mut(&fd).ok_or(Answer::Fails("EBADF"))?;
        match (option.as_str(), number) {
            ("TCP_NODELAY", Some(number)) => {
                socket.nodelay = number != 0;
                if let Some(index) = connection {
                    self.lives[index].end.set_nodelay(number != 0);
                    self.transmit(index);
                }
            }
            ("TCP_CORK", Some(number)) => {
                socket.cork = number != 0;
                if let Some(index) = connection {
                    self.lives[index].end.set_cork(number != 0);
                    self.transmit(index);
                }
            }
            ("TCP_QUICKACK", Some(number)) if !before => {
                if let Some(index) = connection {
                    self.lives[index].end.set_quick_acks(number != 0);
                    self.transmit(index);
                }
            }
            ("SO_SNDBUF", Some(number)) => socket.send_buffer = Some(number.saturating_mul(2)),
            ("SO_RCVBUF", Some(number)) if before => {
                let doubled = number.saturating_mul(2);
                socket.own.receive_buffer = Some(u64::try_from(doubled).map_err(|_| Answer::Fails("EINVAL"))?);
            }
            ("SO_LINGER", _) => {
                let part = |name| match member(value, name) {
                    Some(Expr::Number(number)) => Some(*number),
                    _ => None,
                };
                match (part("onoff"), part("linger")) {
                    (Some(0), _) => socket.abortive = false,
                    (Some(_), Some(0)) => socket.abortive = true,
                    _ => return unsupported("SO_LINGER with a time to wait"),
                }
            }
            ("SO_KEEPALIVE", Some(0)) => {}
            ("TCP_SYNCNT", Some(number)) if before => {
                socket.own.syn_retries = Some(u32::try_from(number).map_err(|_| Answer::Fails("EINVAL"))?);
            }
            ("TCP_NOTSENT_LOWAT", Some(number)) => {
                // 0 removes the limit (`tcp_notsent_lowat`).
                let bytes = u64::from(u32::try_from(number).map_err(|_| Answer::Fails("EINVAL"))?);
                socket.most_unsent = (bytes > 0).then_some(bytes);
            }
            ("TCP_USER_TIMEOUT", Some(number)) => {
                let millis = u64::try_from(number).map_err(|_| Answer::Fails("EINVAL"))?;
                let timeout = (millis > 0).then(|| Span::from_millis(millis));
                socket.own.user_timeout = timeout;
                if let Some(index) = connection {
                    self.lives[index].end.set_user_timeout(timeout);
                }
            }
            // On an established connection only segments created later change.
            ("TCP_MAXSEG", Some(number)) => {
                let segment =
                    u16::try_from(number).ok().filter(|segment| *segment == 0 || MAX_SEGMENT.contains(segment));
                // 0 restores the default.
                socket.own.max_segment = Some(segment.ok_or(Answer::Fails("EINVAL"))?).filter(|segment| *segment > 0);
            }
            ("TCP_RTO_MIN_US", Some(number)) if before => {
                let micros = u64::try_from(number).map_err(|_| Answer::Fails("EINVAL"))?;
                socket.own.rto_min = Some(Span::from_nanos(micros.saturating_mul(1000)));
            }
            ("TCP_CONGESTION", _) if before => match value {
                Some(Expr::Text(name) | Expr::Name(name)) => socket.own.control = Some(name.clone()),
                _ => return unsupported("TCP_CONGESTION without a name in quotes"),
            },
            _ if !known(&option) => {
                return unsupported(format!("the socket option {option}{}", meant(&option, all())));
            }
            _ => {
                let when = if before { "" } else { " of a connection that has begun" };
                let value = value.map_or(String::new(), |value| format!(" with {value}"));
                return unsupported(format!("the socket option {option}{value}{when}"));
            }
        }
        Ok(Answer::Returns(0))
    }

    pub(super) fn getsockopt(&mut self, fd: i64, call: &Call) -> Result<Answer, Answer> {
        let option = names(call.args.get(2), "an option")?.join("|");
        let expected = first(call.args.get(3));
        let socket = self.sockets[&fd].clone();
        let connection = match socket.kind {
            Kind::Connected(index) => Some(index),
            _ => None,
        };
        let found = match option.as_str() {
            "SO_ERROR" => {
                let error = connection.and_then(|index| self.failure(fd, index));
                let name = error.map_or(Expr::Number(0), |error| Expr::Name(error.to_owned()));
                return Ok(checked(&option, expected, &name));
            }
            "TCP_CONGESTION" => {
                let begun = connection.map(|index| &self.lives[index].control);
                let control = begun.or(socket.own.control.as_ref()).unwrap_or(&self.settings.control);
                return Ok(checked(&option, expected, &Expr::Text(control.clone())));
            }
            "TCP_INFO" if expected.is_none_or(|expected| *expected == Expr::Any) => return Ok(Answer::Returns(0)),
            "SO_SNDBUF" => socket.send_buffer.unwrap_or(self.settings.send_buffer as i64),
            "SO_RCVBUF" => socket.own.over(&self.settings).receive_buffer.0 as i64,
            "SO_ACCEPTCONN" => i64::from(matches!(socket.kind, Kind::Listening { .. })),
            "TCP_NODELAY" => i64::from(socket.nodelay),
            "TCP_CORK" => i64::from(socket.cork),
            "TCP_NOTSENT_LOWAT" => socket.most_unsent.map_or(0, |bytes| bytes as i64),
            "TCP_USER_TIMEOUT" => socket.own.user_timeout.map_or(0, |timeout| (timeout.as_nanos() / 1_000_000) as i64),
            "TCP_MAXSEG" => self.max_segment(&socket),
            _ => {
                let meant = if known(&option) { String::new() } else { meant(&option, all()) };
                return unsupported(format!("reading the socket option {option}{meant}"));
            }
        };
        Ok(checked(&option, expected, &Expr::Number(found)))
    }

    /// Returns the value read from `TCP_MAXSEG` (`do_tcp_getsockopt`): before a connection the value set, or else the
    /// default MSS; then the maximum segment without options.
    fn max_segment(&self, socket: &Socket) -> i64 {
        let end = match socket.kind {
            Kind::Connected(index) => Some(&self.lives[index].end),
            _ => None,
        };
        let set = socket.own.max_segment.unwrap_or(DEFAULT_SEGMENT);
        match end.map(|end| end.stage()) {
            Some(Stage::Open) => end.and_then(|end| end.info("tcpi_snd_mss")).and_then(|mss| mss.whole()).unwrap_or(0),
            Some(Stage::Opening) => {
                let options = if self.settings.timestamps { TIMESTAMPS } else { 0 };
                i64::from(set.min(socket.own.over(&self.settings).segment()) - options)
            }
            Some(Stage::Gone) | None => i64::from(set),
        }
    }
}

/// `TCP_MSS_DEFAULT` [RFC9293 s3.7.1].
const DEFAULT_SEGMENT: u16 = 536;
/// Size of the timestamps option in a segment with padding, in bytes [RFC7323 appendix A].
const TIMESTAMPS: u16 = 12;

/// Compares the value that `getsockopt` returned with the expected one.
pub fn checked(option: &str, expected: Option<&Expr>, found: &Expr) -> Answer {
    match expected {
        None | Some(Expr::Any) => Answer::Returns(0),
        Some(expected) if expected == found => Answer::Returns(0),
        Some(expected) => {
            Answer::Differs { what: option.to_owned(), expected: expected.to_string(), found: found.to_string() }
        }
    }
}
