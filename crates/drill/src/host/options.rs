//! Socket options.

use engine::Span;

use super::CallAnswer;
use super::Host;
use super::answer::{find_member, first_element, read_flag_names, refuse_call};
use super::send_buffer::clamp_send_buffer;
use super::socket::{Socket, SocketState};
use super::stamps::StampOptions;
use crate::end::ConnectionStage;
use crate::meant::suggest_name;
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

/// Socket options that have an effect when set or read, including those supported only in part.
const WITH_EFFECT: [&str; 23] = [
    "SO_ACCEPTCONN",
    "SO_ERROR",
    "SO_KEEPALIVE",
    "SO_LINGER",
    "SO_RCVBUF",
    "SO_SNDBUF",
    "SO_TIMESTAMPING",
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
    "TCP_RTO_MAX_MS",
    "TCP_RTO_MIN_US",
    "TCP_SYNCNT",
    "TCP_USER_TIMEOUT",
    "TCP_WINDOW_CLAMP",
];

fn list_options() -> impl Iterator<Item = &'static str> {
    WITHOUT_EFFECT.iter().map(|(name, _)| *name).chain(WITH_EFFECT)
}

fn is_known_option(option: &str) -> bool {
    list_options().any(|known| known == option)
}

/// Range of the longest retransmission timeout (`TCP_RTO_MAX_SEC` is the default).
const RTO_MAX_LEAST: Span = Span::from_secs(1);
const RTO_MAX: Span = Span::from_secs(120);

/// Valid range of `TCP_MAXSEG` in bytes (`TCP_MIN_MSS` to `MAX_TCP_WINDOW`, `tcp_sock_set_maxseg`).
const MAX_SEGMENT: std::ops::RangeInclusive<u16> = 88..=32_767;

impl Host<'_> {
    pub(super) fn setsockopt(&mut self, fd: i64, call: &Call) -> Result<CallAnswer, CallAnswer> {
        let option = read_flag_names(call.args.get(2), "an option")?.join("|");
        let value = first_element(call.args.get(3));
        if WITHOUT_EFFECT.iter().any(|(known, _)| *known == option) {
            return Ok(CallAnswer::Returns(0));
        }
        let socket = self.sockets.get_mut(&fd).ok_or(CallAnswer::Fails("EBADF"))?;
        let connection = match socket.kind {
            SocketState::Connected(index) => Some(index),
            _ => None,
        };
        match (option.as_str(), value) {
            ("SO_TIMESTAMPING", _) => {
                let options = StampOptions::parse(&read_flag_names(value, "time stamps")?)?;
                let Some(index) = connection else { return Ok(CallAnswer::Fails("EINVAL")) };
                let life = &mut self.lives[index];
                life.stamps.set(options, life.acked());
            }
            ("SO_LINGER", _) => socket.set_linger(value)?,
            ("TCP_CONGESTION", _) if connection.is_none() => socket.set_control(value)?,
            (name, Some(Expr::Number(number))) if socket.set_number(name, *number)? => {
                if let Some(index) = connection {
                    self.set_connection_option(index, name, *number)?;
                }
            }
            _ => return refuse_option(&option, value, connection.is_some()),
        }
        Ok(CallAnswer::Returns(0))
    }

    /// Sets an option that acts on an established connection; others have no effect there.
    fn set_connection_option(&mut self, index: usize, option: &str, number: i64) -> Result<(), CallAnswer> {
        let end = &mut self.lives[index].end;
        match option {
            "TCP_NODELAY" => end.set_nodelay(number != 0),
            "TCP_CORK" => end.set_cork(number != 0),
            "TCP_QUICKACK" => end.set_quick_acks(number != 0),
            "TCP_USER_TIMEOUT" => {
                end.set_user_timeout(parse_user_timeout(number)?);
                return Ok(());
            }
            _ => return Ok(()),
        }
        self.transmit(index);
        Ok(())
    }

    pub(super) fn getsockopt(&mut self, fd: i64, call: &Call) -> Result<CallAnswer, CallAnswer> {
        let option = read_flag_names(call.args.get(2), "an option")?.join("|");
        let expected = first_element(call.args.get(3));
        let socket = self.sockets[&fd].clone();
        let connection = match socket.kind {
            SocketState::Connected(index) => Some(index),
            _ => None,
        };
        let found = match option.as_str() {
            "SO_ERROR" => {
                let error = connection.and_then(|index| self.failure(fd, index));
                let name = error.map_or(Expr::Number(0), |error| Expr::Name(error.to_owned()));
                return Ok(compare_option(&option, expected, &name));
            }
            "TCP_CONGESTION" => {
                let begun = connection.map(|index| &self.lives[index].control);
                let control = begun.or(socket.own.control.as_ref()).unwrap_or(&self.settings.control);
                return Ok(compare_option(&option, expected, &Expr::Text(control.clone())));
            }
            "TCP_INFO" if expected.is_none_or(|expected| *expected == Expr::Any) => return Ok(CallAnswer::Returns(0)),
            "SO_SNDBUF" => socket.send_buffer.unwrap_or(self.settings.send_buffer as i64),
            "SO_RCVBUF" => socket.own.over(&self.settings).receive_buffer.0 as i64,
            "SO_ACCEPTCONN" => i64::from(matches!(socket.kind, SocketState::Listening { .. })),
            "TCP_INQ" => i64::from(socket.inq),
            "TCP_RTO_MAX_MS" => {
                let longest = socket.own.rto_max.or(self.settings.rto_max).unwrap_or(RTO_MAX);
                (longest.as_nanos() / 1_000_000) as i64
            }
            "TCP_NODELAY" => i64::from(socket.nodelay),
            "TCP_CORK" => i64::from(socket.cork),
            "TCP_NOTSENT_LOWAT" => socket.most_unsent.map_or(0, |bytes| bytes as i64),
            "TCP_USER_TIMEOUT" => socket.own.user_timeout.map_or(0, |timeout| (timeout.as_nanos() / 1_000_000) as i64),
            "TCP_MAXSEG" => self.max_segment(&socket),
            _ => {
                let meant =
                    if is_known_option(&option) { String::new() } else { suggest_name(&option, list_options()) };
                return refuse_call(format!("reading the socket option {option}{meant}"));
            }
        };
        Ok(compare_option(&option, expected, &Expr::Number(found)))
    }

    /// Returns the value read from `TCP_MAXSEG` (`do_tcp_getsockopt`). Before a connection exists this is the value
    /// that was set, or else the default MSS. Then it is the maximum segment without options.
    fn max_segment(&self, socket: &Socket) -> i64 {
        let end = match socket.kind {
            SocketState::Connected(index) => Some(&self.lives[index].end),
            _ => None,
        };
        let set = socket.own.max_segment.unwrap_or(DEFAULT_SEGMENT);
        match end.map(|end| end.stage()) {
            Some(ConnectionStage::Open) => {
                end.and_then(|end| end.info("tcpi_snd_mss")).and_then(|mss| mss.whole()).unwrap_or(0)
            }
            Some(ConnectionStage::Opening) => {
                let options = if self.settings.timestamps { TIMESTAMPS } else { 0 };
                i64::from(set.min(socket.own.over(&self.settings).segment()) - options)
            }
            Some(ConnectionStage::Gone) | None => i64::from(set),
        }
    }
}

impl Socket {
    /// Sets an option whose value is a number. Returns false if the socket does not support the option in its state.
    fn set_number(&mut self, option: &str, number: i64) -> Result<bool, CallAnswer> {
        let is_connected = matches!(self.kind, SocketState::Connected(_));
        match option {
            "TCP_NODELAY" => self.nodelay = number != 0,
            "TCP_CORK" => self.cork = number != 0,
            "TCP_QUICKACK" => return Ok(is_connected),
            "SO_KEEPALIVE" => return Ok(number == 0),
            "SO_SNDBUF" => self.send_buffer = Some(clamp_send_buffer(number)),
            "SO_RCVBUF" if !is_connected => {
                self.own.receive_buffer = Some(parse_unsigned(number.saturating_mul(2))?);
            }
            "TCP_INQ" => {
                if !(0..=1).contains(&number) {
                    return Err(CallAnswer::Fails("EINVAL"));
                }
                self.inq = number == 1;
            }
            "TCP_RTO_MAX_MS" if !is_connected => {
                let longest = Span::from_millis(parse_unsigned(number)?);
                if !(RTO_MAX_LEAST..=RTO_MAX).contains(&longest) {
                    return Err(CallAnswer::Fails("EINVAL"));
                }
                self.own.rto_max = Some(longest);
            }
            "TCP_SYNCNT" if !is_connected => self.own.syn_retries = Some(parse_unsigned(number)?),
            "TCP_NOTSENT_LOWAT" => {
                // 0 removes the limit (`tcp_notsent_lowat`).
                let bytes: u32 = parse_unsigned(number)?;
                self.most_unsent = (bytes > 0).then_some(bytes.into());
            }
            "TCP_USER_TIMEOUT" => self.own.user_timeout = parse_user_timeout(number)?,
            // On an established connection the option affects only segments that are created later.
            "TCP_MAXSEG" => {
                let segment: u16 = parse_unsigned(number)?;
                if segment != 0 && !MAX_SEGMENT.contains(&segment) {
                    return Err(CallAnswer::Fails("EINVAL"));
                }
                // 0 restores the default.
                self.own.max_segment = (segment > 0).then_some(segment);
            }
            "TCP_RTO_MIN_US" if !is_connected => {
                let micros: u64 = parse_unsigned(number)?;
                self.own.rto_min = Some(Span::from_nanos(micros.saturating_mul(1000)));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Sets `SO_LINGER`: with a time of 0 the connection is reset when it is closed.
    fn set_linger(&mut self, value: Option<&Expr>) -> Result<(), CallAnswer> {
        let part = |name| match find_member(value, name) {
            Some(Expr::Number(number)) => Some(*number),
            _ => None,
        };
        self.abortive = match (part("onoff"), part("linger")) {
            (Some(0), _) => false,
            (Some(_), Some(0)) => true,
            _ => return refuse_call("SO_LINGER with a time to wait"),
        };
        Ok(())
    }

    /// Sets the congestion control of connections that begin later.
    fn set_control(&mut self, value: Option<&Expr>) -> Result<(), CallAnswer> {
        let Some(Expr::Text(name) | Expr::Name(name)) = value else {
            return refuse_call("TCP_CONGESTION without a name in quotes");
        };
        self.own.control = Some(name.clone());
        Ok(())
    }
}

/// Converts a number to an unsigned type. Returns EINVAL if the number does not fit.
fn parse_unsigned<T: TryFrom<i64>>(number: i64) -> Result<T, CallAnswer> {
    T::try_from(number).map_err(|_| CallAnswer::Fails("EINVAL"))
}

/// Returns the value of `TCP_USER_TIMEOUT`, in milliseconds; `None` for 0, the default.
fn parse_user_timeout(number: i64) -> Result<Option<Span>, CallAnswer> {
    let millis: u64 = parse_unsigned(number)?;
    Ok((millis > 0).then(|| Span::from_millis(millis)))
}

/// Returns the error for an option that cannot be set.
fn refuse_option(option: &str, value: Option<&Expr>, is_connected: bool) -> Result<CallAnswer, CallAnswer> {
    if !is_known_option(option) {
        return refuse_call(format!("the socket option {option}{}", suggest_name(option, list_options())));
    }
    let when = if is_connected { " of a connection that has begun" } else { "" };
    let value = value.map_or(String::new(), |value| format!(" with {value}"));
    refuse_call(format!("the socket option {option}{value}{when}"))
}

/// `TCP_MSS_DEFAULT` [RFC9293 s3.7.1].
const DEFAULT_SEGMENT: u16 = 536;
/// Size of the timestamps option in a segment with padding, in bytes [RFC7323 appendix A].
const TIMESTAMPS: u16 = 12;

/// Compares the value that `getsockopt` returned with the expected one.
pub fn compare_option(option: &str, expected: Option<&Expr>, found: &Expr) -> CallAnswer {
    match expected {
        None | Some(Expr::Any) => CallAnswer::Returns(0),
        Some(expected) if expected == found => CallAnswer::Returns(0),
        Some(expected) => {
            CallAnswer::Differs { what: option.to_owned(), expected: expected.to_string(), found: found.to_string() }
        }
    }
}
