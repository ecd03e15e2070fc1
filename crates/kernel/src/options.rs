//! Socket options, set and read on real sockets.

use std::io;
use std::time::Duration;

use drill::host::answer::{find_member, first_element, read_flag_names, refuse_call};
use drill::host::{CallAnswer, Called, compare_option};
use drill::syntax::ast::{Call, Expr};

use crate::calls::{answer_error, duration_of_seconds};
use crate::errno;
use crate::host::Kernel;

impl Kernel {
    pub fn setsockopt(&mut self, call: &Call) -> Called {
        let option = read_flag_names(call.args.get(2), "an option")?.join("|");
        let value = first_element(call.args.get(3));
        let socket = &self.find_socket(call)?.socket;
        let part = |name| match find_member(value, name) {
            Some(Expr::Number(number)) => Some(*number),
            _ => None,
        };
        let set = match (option.as_str(), value) {
            ("SO_LINGER", Some(_)) => match (part("onoff"), part("linger")) {
                (Some(0), _) => socket.set_linger(None),
                (Some(_), Some(time)) => socket.set_linger(Some(duration_of_seconds(time))),
                _ => return refuse_call("SO_LINGER without the members onoff and linger"),
            },
            ("TCP_CONGESTION", Some(Expr::Text(name) | Expr::Name(name))) => socket.set_tcp_congestion(name.as_bytes()),
            (option, Some(Expr::Number(number))) => {
                let on = *number != 0;
                let small = u32::try_from(*number).map_err(|_| CallAnswer::Fails("EINVAL"))?;
                match option {
                    "TCP_NODELAY" => socket.set_tcp_nodelay(on),
                    "TCP_CORK" => socket.set_tcp_cork(on),
                    "TCP_QUICKACK" => socket.set_tcp_quickack(on),
                    "TCP_MAXSEG" => socket.set_tcp_mss(small),
                    "TCP_NOTSENT_LOWAT" => socket.set_tcp_notsent_lowat(small),
                    "TCP_USER_TIMEOUT" => socket.set_tcp_user_timeout(Some(Duration::from_millis(u64::from(small)))),
                    "SO_SNDBUF" => socket.set_send_buffer_size(small as usize),
                    "SO_RCVBUF" => socket.set_recv_buffer_size(small as usize),
                    "SO_KEEPALIVE" => socket.set_keepalive(on),
                    "SO_REUSEADDR" => socket.set_reuse_address(on),
                    "SO_REUSEPORT" => socket.set_reuse_port(on),
                    "SO_MARK" => socket.set_mark(small),
                    "IP_TOS" => socket.set_tos_v4(small),
                    _ => return refuse_call(format!("setting the socket option {option}")),
                }
            }
            _ => return refuse_call(format!("setting the socket option {option}")),
        };
        Ok(set.map_or_else(|error| answer_error(&error), |()| CallAnswer::Returns(0)))
    }

    pub fn getsockopt(&mut self, call: &Call) -> Called {
        let option = read_flag_names(call.args.get(2), "an option")?.join("|");
        let expected = first_element(call.args.get(3));
        let socket = &self.find_socket(call)?.socket;
        let size = |size: io::Result<usize>| size.map(|size| Expr::Number(size as i64));
        let flag = |flag: io::Result<bool>| flag.map(|flag| Expr::Number(i64::from(flag)));
        let found = match option.as_str() {
            "SO_ERROR" => socket.take_error().map(|error| match error {
                None => Expr::Number(0),
                Some(error) => Expr::Name(errno::error_name(&error).to_owned()),
            }),
            "TCP_CONGESTION" => socket.tcp_congestion().map(|name| {
                let text = String::from_utf8_lossy(&name);
                Expr::Text(text.trim_end_matches('\0').to_owned())
            }),
            "TCP_INFO" if expected.is_none_or(|expected| *expected == Expr::Any) => return Ok(CallAnswer::Returns(0)),
            "SO_SNDBUF" => size(socket.send_buffer_size()),
            "SO_RCVBUF" => size(socket.recv_buffer_size()),
            "SO_ACCEPTCONN" => flag(socket.is_listener()),
            "TCP_NODELAY" => flag(socket.tcp_nodelay()),
            "TCP_CORK" => flag(socket.tcp_cork()),
            "TCP_NOTSENT_LOWAT" => socket.tcp_notsent_lowat().map(|bytes| Expr::Number(i64::from(bytes))),
            "TCP_USER_TIMEOUT" => socket.tcp_user_timeout().map(|timeout| {
                Expr::Number(timeout.map_or(0, |timeout| i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX)))
            }),
            "TCP_MAXSEG" => socket.tcp_mss().map(|mss| Expr::Number(i64::from(mss))),
            _ => return refuse_call(format!("reading the socket option {option}")),
        };
        Ok(found.map_or_else(|error| answer_error(&error), |found| compare_option(&option, expected, &found)))
    }
}
