//! Dispatch of system calls.

use super::Answer;
use super::answer::{Called, first, names, number, unsupported};
use super::socket::{Kind, Socket};
use super::{Host, Role};
use crate::end::{Failure, Stage};
use crate::meant::meant;
use crate::syntax::ast::{Call, Expr};

/// Names of the system calls that send data, those that read data, and the others.
const SENDING: [&str; 5] = ["write", "send", "sendto", "writev", "sendmsg"];
const READING: [&str; 5] = ["read", "recv", "recvfrom", "readv", "recvmsg"];
const OTHERS: [&str; 13] = [
    "socket",
    "accept",
    "accept4",
    "poll",
    "bind",
    "listen",
    "connect",
    "close",
    "shutdown",
    "fcntl",
    "ioctl",
    "setsockopt",
    "getsockopt",
];

/// Returns true for a call that sends data.
pub fn is_sending(call: &Call) -> bool {
    SENDING.contains(&call.name.as_str())
}

impl Host<'_> {
    /// Makes the call, or retries it if it blocked.
    pub(super) fn called(&mut self, call: &Call) -> Answer {
        let name = call.name.as_str();
        let answer = match name {
            "socket" => self.socket(call),
            "accept" | "accept4" => self.accept(call),
            "poll" => self.poll(call),
            _ => match self.socket_of(call) {
                Ok(fd) => match name {
                    "bind" => Ok(Answer::Returns(0)),
                    "listen" => self.listen(fd),
                    "connect" => self.connect(fd),
                    "close" => self.close(fd),
                    "shutdown" => self.shutdown(fd, call),
                    "fcntl" => self.fcntl(fd, call),
                    "ioctl" => self.ioctl(fd, call),
                    "setsockopt" => self.setsockopt(fd, call),
                    "getsockopt" => self.getsockopt(fd, call),
                    _ if SENDING.contains(&name) => self.send(fd, call),
                    _ if READING.contains(&name) => self.receive(fd, call),
                    _ => unsupported(format!("the system call {name}")),
                },
                Err(answer) => Err(answer),
            },
        };
        answer.unwrap_or_else(|answer| answer)
    }

    /// Returns the file descriptor in the first argument of a call.
    fn socket_of(&self, call: &Call) -> Result<i64, Answer> {
        let name = call.name.as_str();
        let mut known = OTHERS.iter().chain(&SENDING).chain(&READING).copied();
        if !known.clone().any(|known| known == name) {
            return unsupported(format!("the system call {name}{}", meant(name, &mut known)));
        }
        let fd = number(call.args.first(), "a file descriptor")?;
        if self.sockets.contains_key(&fd) { Ok(fd) } else { Err(Answer::Fails("EBADF")) }
    }

    pub(super) fn at(&mut self, fd: i64) -> &mut Socket {
        self.sockets.entry(fd).or_default()
    }

    /// Returns the index of the connection of a socket.
    pub(super) fn connection(&self, fd: i64) -> Result<usize, Answer> {
        match self.sockets.get(&fd).map(|socket| &socket.kind) {
            Some(Kind::Connected(index)) => Ok(*index),
            _ => Err(Answer::Fails("ENOTCONN")),
        }
    }

    /// Returns the file descriptor for a new socket. As in packetdrill, the script chooses the number.
    fn wanted(call: &Call) -> Result<i64, Answer> {
        match call.result {
            Expr::Number(fd) if fd >= 0 => Ok(fd),
            // The script expects the call to fail, but it succeeds.
            _ => Err(Answer::Returns(3)),
        }
    }

    fn socket(&mut self, call: &Call) -> Called {
        let kinds = names(call.args.get(1), "a kind of socket")?;
        if !kinds.iter().any(|kind| kind == "SOCK_STREAM") {
            return unsupported(format!("sockets of kind {}", kinds.join("|")));
        }
        match call.args.get(2) {
            None | Some(Expr::Any | Expr::Number(0)) => {}
            Some(Expr::Name(name)) if name == "IPPROTO_TCP" => {}
            Some(other) => return unsupported(format!("sockets of protocol {other}")),
        }
        let fd = Self::wanted(call)?;
        let nonblocking = kinds.iter().any(|kind| kind == "SOCK_NONBLOCK");
        self.sockets.insert(fd, Socket { nonblocking, ..Socket::default() });
        Ok(Answer::Returns(fd))
    }

    fn listen(&mut self, fd: i64) -> Called {
        self.at(fd).kind = Kind::Listening { waiting: std::collections::VecDeque::new() };
        Ok(Answer::Returns(0))
    }

    fn accept(&mut self, call: &Call) -> Called {
        let fd = number(call.args.first(), "a file descriptor")?;
        let flags = names(call.args.get(3), "flags")?;
        let Some(listener) = self.sockets.get_mut(&fd) else { return Ok(Answer::Fails("EBADF")) };
        let inherited = Socket { nonblocking: flags.iter().any(|flag| flag == "SOCK_NONBLOCK"), ..listener.clone() };
        let blocks = if listener.nonblocking { Answer::Fails("EAGAIN") } else { Answer::Blocks };
        let Kind::Listening { waiting } = &mut listener.kind else { return Ok(Answer::Fails("EINVAL")) };
        let Some(index) = waiting.pop_front() else { return Ok(blocks) };
        let fd = Self::wanted(call)?;
        let (nodelay, cork) = (inherited.nodelay, inherited.cork);
        self.sockets.insert(fd, Socket { kind: Kind::Connected(index), ..inherited });
        if nodelay {
            self.lives[index].end.set_nodelay(true);
        }
        if cork {
            self.lives[index].end.set_cork(true);
        }
        Ok(Answer::Returns(fd))
    }

    fn connect(&mut self, fd: i64) -> Called {
        let socket = self.at(fd);
        let (nonblocking, nodelay) = (socket.nonblocking, socket.nodelay);
        let index = match socket.kind {
            Kind::Listening { .. } => return Ok(Answer::Fails("EISCONN")),
            Kind::Connected(index) => index,
            Kind::Fresh => {
                let own = socket.own.clone();
                let index = self.begin(Role::Active, &own).map_err(Answer::Unsupported)?;
                self.at(fd).kind = Kind::Connected(index);
                self.at(fd).connecting = true;
                if nodelay {
                    self.lives[index].end.set_nodelay(true);
                }
                self.transmit(index);
                return Ok(if nonblocking { Answer::Fails("EINPROGRESS") } else { Answer::Blocks });
            }
        };
        if let Some(error) = self.failure(fd, index) {
            return Ok(Answer::Fails(error));
        }
        Ok(match self.lives[index].end.stage() {
            Stage::Opening if nonblocking => Answer::Fails("EALREADY"),
            Stage::Opening => Answer::Blocks,
            _ if std::mem::take(&mut self.at(fd).connecting) => Answer::Returns(0),
            _ => Answer::Fails("EISCONN"),
        })
    }

    /// Returns the errno of a failed connection, only the first time it is requested.
    pub(super) fn failure(&mut self, fd: i64, index: usize) -> Option<&'static str> {
        let failure = self.lives[index].end.failure()?;
        if std::mem::replace(&mut self.at(fd).failure_reported, true) {
            return None;
        }
        Some(match failure {
            Failure::Refused => "ECONNREFUSED",
            Failure::Reset => "ECONNRESET",
            Failure::TimedOut => "ETIMEDOUT",
        })
    }

    fn close(&mut self, fd: i64) -> Called {
        let Some(socket) = self.sockets.remove(&fd) else { return Ok(Answer::Fails("EBADF")) };
        if let Kind::Connected(index) = socket.kind {
            let end = &mut self.lives[index].end;
            match socket.abortive {
                true => end.abort(),
                false => end.close(),
            }
            self.transmit(index);
        }
        Ok(Answer::Returns(0))
    }

    fn shutdown(&mut self, fd: i64, call: &Call) -> Called {
        let how = names(call.args.get(1), "what is shut down")?;
        let index = self.connection(fd)?;
        let (read, write) = match how.first().map(String::as_str) {
            Some("SHUT_RD") => (true, false),
            Some("SHUT_WR") => (false, true),
            Some("SHUT_RDWR") => (true, true),
            _ => return unsupported(format!("shutdown of {}", how.join("|"))),
        };
        if self.lives[index].end.stage() == Stage::Gone {
            return Ok(Answer::Fails("ENOTCONN"));
        }
        self.at(fd).read_shut |= read;
        if write {
            self.at(fd).write_shut = true;
            self.lives[index].end.shutdown_write();
            self.transmit(index);
        }
        Ok(Answer::Returns(0))
    }

    fn fcntl(&mut self, fd: i64, call: &Call) -> Called {
        match names(call.args.get(1), "a command of fcntl")?.first().map(String::as_str) {
            Some("F_SETFL") => {
                let flags = names(call.args.get(2), "flags")?;
                self.at(fd).nonblocking = flags.iter().any(|flag| flag == "O_NONBLOCK");
                Ok(Answer::Returns(0))
            }
            // 0x802 is O_RDWR|O_NONBLOCK, 2 is O_RDWR.
            Some("F_GETFL") => Ok(Answer::Returns(if self.at(fd).nonblocking { 0x802 } else { 2 })),
            _ => unsupported(format!("`{}` of fcntl", call.args.get(1).unwrap_or(&Expr::Any))),
        }
    }

    fn ioctl(&mut self, fd: i64, call: &Call) -> Called {
        let index = self.connection(fd)?;
        let what = names(call.args.get(1), "a request of ioctl")?.join("|");
        let end = &self.lives[index].end;
        let found = match what.as_str() {
            "SIOCINQ" | "FIONREAD" => end.readable(),
            "SIOCOUTQ" => end.unacknowledged(),
            _ => return unsupported(format!("`{what}` of ioctl")),
        };
        Ok(match first(call.args.get(2)) {
            Some(Expr::Number(expected)) if u64::try_from(*expected) != Ok(found) => {
                Answer::Differs { what, expected: expected.to_string(), found: found.to_string() }
            }
            _ => Answer::Returns(0),
        })
    }
}
