//! System calls of a script, made on real sockets.

use std::io::{self, Read};
use std::net::{Shutdown, SocketAddrV4};
use std::os::fd::AsFd;
use std::time::Duration;

use drill::host::answer::{first_element, read_flag_names, read_integer, refuse_call};
use drill::host::{CallAnswer, Called, PORTS, answer_poll, is_sending, read_size_and_flags};
use drill::syntax::ast::{Call, Expr};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use socket2::{Domain, Protocol, Socket, Type};

use crate::errno;
use crate::host::{Held, Kernel};
use crate::machine::{LOCAL, REMOTE};

/// Flags of calls that send data (`include/linux/socket.h`).
const FLAGS: [(&str, i32); 4] =
    [("MSG_MORE", 0x8000), ("MSG_DONTWAIT", 0x40), ("MSG_NOSIGNAL", 0x4000), ("MSG_EOR", 0x80)];

const EVENTS: [(&str, PollFlags); 7] = [
    ("POLLIN", PollFlags::POLLIN),
    ("POLLOUT", PollFlags::POLLOUT),
    ("POLLPRI", PollFlags::POLLPRI),
    ("POLLRDHUP", PollFlags::from_bits_retain(0x2000)),
    ("POLLERR", PollFlags::POLLERR),
    ("POLLHUP", PollFlags::POLLHUP),
    ("POLLNVAL", PollFlags::POLLNVAL),
];

/// Returns the outcome of a failed call.
pub fn answer_error(error: &io::Error) -> CallAnswer {
    CallAnswer::Fails(errno::error_name(error))
}

fn answer_result(result: io::Result<()>) -> Called {
    Ok(result.map_or_else(|error| answer_error(&error), |()| CallAnswer::Returns(0)))
}

impl Kernel {
    pub fn make_call(&mut self, call: &Call) -> CallAnswer {
        let answer = match call.name.as_str() {
            "socket" => self.socket(call),
            "accept" | "accept4" => self.accept(call),
            "poll" => answer_poll(call, |fd| self.ready(fd)),
            "close" => self.fd(call).map(|fd| {
                self.sockets.remove(&fd);
                CallAnswer::Returns(0)
            }),
            "bind" => self
                .find_socket(call)
                .and_then(|held| answer_result(held.socket.bind(&SocketAddrV4::new(LOCAL, PORTS.local).into()))),
            "listen" => read_integer(call.args.get(1), "a backlog").and_then(|backlog| {
                answer_result(self.find_socket(call)?.socket.listen(i32::try_from(backlog).unwrap_or(i32::MAX)))
            }),
            "connect" => self.connect(call),
            "shutdown" => self.shutdown(call),
            "fcntl" => self.fcntl(call),
            "ioctl" => self.ioctl(call),
            "setsockopt" => self.setsockopt(call),
            "getsockopt" => self.getsockopt(call),
            _ if is_sending(call) => self.send(call),
            "read" | "recv" | "recvfrom" | "readv" | "recvmsg" => self.receive(call),
            name => refuse_call(format!("the system call {name}")),
        };
        answer.unwrap_or_else(|answer| answer)
    }

    fn fd(&self, call: &Call) -> Result<i64, CallAnswer> {
        let fd = read_integer(call.args.first(), "a file descriptor")?;
        if self.sockets.contains_key(&fd) { Ok(fd) } else { Err(CallAnswer::Fails("EBADF")) }
    }

    pub fn find_socket(&mut self, call: &Call) -> Result<&mut Held, CallAnswer> {
        let fd = self.fd(call)?;
        self.sockets.get_mut(&fd).ok_or(CallAnswer::Fails("EBADF"))
    }

    /// Stores a socket under the file descriptor that the script expects.
    fn keep(&mut self, call: &Call, socket: Socket, nonblocking: bool) -> Called {
        let fd = match call.result {
            Expr::Number(fd) if fd >= 0 => fd,
            // The script expects the call to fail, but it succeeds.
            _ => return Ok(CallAnswer::Returns(3)),
        };
        socket.set_nonblocking(true).map_err(|error| answer_error(&error))?;
        self.sockets.insert(fd, Held { socket, nonblocking, begun: 0 });
        Ok(CallAnswer::Returns(fd))
    }

    fn socket(&mut self, call: &Call) -> Called {
        let kinds = read_flag_names(call.args.get(1), "a kind of socket")?;
        let tcp = match call.args.get(2) {
            None | Some(Expr::Any | Expr::Number(0)) => true,
            Some(protocol) => matches!(protocol, Expr::Name(name) if name == "IPPROTO_TCP"),
        };
        if !tcp || !kinds.iter().any(|kind| kind == "SOCK_STREAM") {
            return refuse_call("sockets other than TCP over IPv4");
        }
        let made = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP));
        let socket = made.map_err(|error| answer_error(&error))?;
        socket.set_tcp_congestion(self.control.as_bytes()).map_err(|error| answer_error(&error))?;
        self.keep(call, socket, kinds.iter().any(|kind| kind == "SOCK_NONBLOCK"))
    }

    fn accept(&mut self, call: &Call) -> Called {
        let flags = read_flag_names(call.args.get(3), "flags")?;
        let held = self.find_socket(call)?;
        match held.socket.accept() {
            Ok((socket, _)) => self.keep(call, socket, flags.iter().any(|flag| flag == "SOCK_NONBLOCK")),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && !held.nonblocking => Ok(CallAnswer::Blocks),
            Err(error) => Ok(answer_error(&error)),
        }
    }

    fn connect(&mut self, call: &Call) -> Called {
        let held = self.find_socket(call)?;
        Ok(match held.socket.connect(&SocketAddrV4::new(REMOTE, PORTS.remote).into()) {
            Ok(()) => CallAnswer::Returns(0),
            Err(error) if !held.nonblocking && ["EINPROGRESS", "EALREADY"].contains(&errno::error_name(&error)) => {
                CallAnswer::Blocks
            }
            Err(error) => answer_error(&error),
        })
    }

    fn shutdown(&mut self, call: &Call) -> Called {
        let how = read_flag_names(call.args.get(1), "what is shut down")?;
        let how = match how.first().map(String::as_str) {
            Some("SHUT_RD") => Shutdown::Read,
            Some("SHUT_WR") => Shutdown::Write,
            Some("SHUT_RDWR") => Shutdown::Both,
            _ => return refuse_call(format!("shutdown of {}", how.join("|"))),
        };
        answer_result(self.find_socket(call)?.socket.shutdown(how))
    }

    fn fcntl(&mut self, call: &Call) -> Called {
        let held = self.find_socket(call)?;
        match read_flag_names(call.args.get(1), "a command of fcntl")?.first().map(String::as_str) {
            Some("F_SETFL") => {
                held.nonblocking = read_flag_names(call.args.get(2), "flags")?.iter().any(|flag| flag == "O_NONBLOCK");
                Ok(CallAnswer::Returns(0))
            }
            // 0x802 is O_RDWR|O_NONBLOCK, 2 is O_RDWR.
            Some("F_GETFL") => Ok(CallAnswer::Returns(if held.nonblocking { 0x802 } else { 2 })),
            _ => refuse_call(format!("`{}` of fcntl", call.args.get(1).unwrap_or(&Expr::Any))),
        }
    }

    fn ioctl(&mut self, call: &Call) -> Called {
        self.fd(call)?;
        let what = read_flag_names(call.args.get(1), "a request of ioctl")?.join("|");
        let (readable, unacknowledged) = self.said().map_err(|error| answer_error(&error))?.queues;
        let found = match what.as_str() {
            "SIOCINQ" | "FIONREAD" => readable,
            "SIOCOUTQ" => unacknowledged,
            _ => return refuse_call(format!("`{what}` of ioctl")),
        };
        Ok(match first_element(call.args.get(2)) {
            Some(Expr::Number(expected)) if *expected != i64::from(found) => {
                CallAnswer::Differs { what, expected: expected.to_string(), found: found.to_string() }
            }
            _ => CallAnswer::Returns(0),
        })
    }

    fn send(&mut self, call: &Call) -> Called {
        let (bytes, flags) = read_size_and_flags(call)?;
        // A blocked write continues when a third of the buffer is free, not at the first free byte
        // (`sk_stream_write_space`).
        let fd = self.fd(call)?;
        if self.sockets[&fd].begun > 0 && !self.ready(fd).contains(&"POLLOUT") {
            return Ok(CallAnswer::Blocks);
        }
        let mut bits = 0;
        for flag in &flags {
            match FLAGS.iter().find(|(known, _)| known == flag) {
                Some((_, bit)) => bits |= bit,
                None => return refuse_call(format!("sending with {flag}")),
            }
        }
        let held = self.find_socket(call)?;
        let waits = !held.nonblocking && !flags.iter().any(|flag| flag == "MSG_DONTWAIT");
        let bytes = usize::try_from(bytes).map_err(|_| CallAnswer::Fails("EINVAL"))?;
        // 0x4000 is MSG_NOSIGNAL: SIGPIPE would end this process.
        let sent = held.socket.send_with_flags(&vec![0; bytes - held.begun], bits | 0x4000);
        match sent {
            Ok(sent) => {
                held.begun += sent;
                let all = held.begun;
                if all < bytes && waits {
                    self.handed_over(sent, false);
                    return Ok(CallAnswer::Blocks);
                }
                held.begun = 0;
                self.handed_over(sent, flags.iter().any(|flag| flag == "MSG_MORE"));
                Ok(CallAnswer::Returns(all as i64))
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && waits => Ok(CallAnswer::Blocks),
            Err(error) => {
                held.begun = 0;
                Ok(answer_error(&error))
            }
        }
    }

    fn handed_over(&mut self, bytes: usize, more: bool) {
        self.written += bytes as u64;
        self.more = more;
    }

    fn receive(&mut self, call: &Call) -> Called {
        let (most, flags) = read_size_and_flags(call)?;
        if let Some(flag) = flags.iter().find(|flag| *flag != "MSG_DONTWAIT") {
            return refuse_call(format!("reading with {flag}"));
        }
        let held = self.find_socket(call)?;
        let waits = !held.nonblocking && flags.is_empty();
        let mut buffer = vec![0; usize::try_from(most).map_err(|_| CallAnswer::Fails("EINVAL"))?];
        Ok(match (&held.socket).read(&mut buffer) {
            Ok(read) => CallAnswer::Returns(read as i64),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && waits => CallAnswer::Blocks,
            Err(error) => answer_error(&error),
        })
    }

    /// The events that `poll` reports for a socket.
    fn ready(&self, fd: i64) -> Vec<&'static str> {
        let Some(held) = self.sockets.get(&fd) else { return vec!["POLLNVAL"] };
        let asked = EVENTS.iter().fold(PollFlags::empty(), |all, (_, event)| all | *event);
        let mut one = [PollFd::new(held.socket.as_fd(), asked)];
        if poll(&mut one, PollTimeout::ZERO).is_err() {
            return Vec::new();
        }
        let found = one[0].revents().unwrap_or(PollFlags::empty());
        EVENTS.iter().filter(|(_, event)| found.contains(*event)).map(|(name, _)| *name).collect()
    }
}

/// Converts a time in a socket option from seconds.
pub fn duration_of_seconds(number: i64) -> Duration {
    Duration::from_secs(u64::try_from(number).unwrap_or(0))
}
