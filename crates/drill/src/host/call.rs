//! Dispatch of system calls.

use super::CallAnswer;
use super::answer::{Called, first_element, read_flag_names, read_integer, refuse_call};
use super::socket::{Socket, SocketState};
use super::{Host, OpenFile, OpenRole};
use crate::end::{ConnectionFailure, ConnectionStage};
use crate::meant::suggest_name;
use crate::syntax::ast::{Call, Expr};

/// Names of the system calls that send data.
const SENDING: [&str; 5] = ["write", "send", "sendto", "writev", "sendmsg"];
/// Names of the system calls that read data.
const READING: [&str; 5] = ["read", "recv", "recvfrom", "readv", "recvmsg"];
/// Names of the other system calls.
const OTHERS: [&str; 15] = [
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
    "open",
    "sendfile",
];

/// Returns true for a call that sends data.
pub fn is_sending(call: &Call) -> bool {
    SENDING.contains(&call.name.as_str())
}

impl Host<'_> {
    /// Makes the call, or retries a call that blocked.
    pub(super) fn make_call(&mut self, call: &Call) -> CallAnswer {
        let name = call.name.as_str();
        let answer = match name {
            "socket" => self.socket(call),
            "accept" | "accept4" => self.accept(call),
            "poll" => self.poll(call),
            "open" => self.open_file(call),
            "close" if self.close_file(call) => Ok(CallAnswer::Returns(0)),
            _ => match self.socket_of(call) {
                Ok(fd) => match name {
                    "bind" => Ok(CallAnswer::Returns(0)),
                    "listen" => self.listen(fd),
                    "connect" => self.connect(fd),
                    "close" => self.close(fd),
                    "shutdown" => self.shutdown(fd, call),
                    "fcntl" => self.fcntl(fd, call),
                    "ioctl" => self.ioctl(fd, call),
                    "setsockopt" => self.setsockopt(fd, call),
                    "getsockopt" => self.getsockopt(fd, call),
                    "sendfile" => self.sendfile(fd, call),
                    _ if SENDING.contains(&name) => self.send(fd, call),
                    _ if READING.contains(&name) => self.receive(fd, call),
                    _ => refuse_call(format!("the system call {name}")),
                },
                Err(answer) => Err(answer),
            },
        };
        answer.unwrap_or_else(|answer| answer)
    }

    /// Returns the file descriptor in the first argument of a call.
    fn socket_of(&self, call: &Call) -> Result<i64, CallAnswer> {
        let name = call.name.as_str();
        let mut known = OTHERS.iter().chain(&SENDING).chain(&READING).copied();
        if !known.clone().any(|known| known == name) {
            return refuse_call(format!("the system call {name}{}", suggest_name(name, &mut known)));
        }
        let fd = read_integer(call.args.first(), "a file descriptor")?;
        if self.sockets.contains_key(&fd) { Ok(fd) } else { Err(CallAnswer::Fails("EBADF")) }
    }

    pub(super) fn at(&mut self, fd: i64) -> &mut Socket {
        self.sockets.entry(fd).or_default()
    }

    /// Returns the index of the connection of a socket.
    pub(super) fn connection(&self, fd: i64) -> Result<usize, CallAnswer> {
        match self.sockets.get(&fd).map(|socket| &socket.kind) {
            Some(SocketState::Connected(index)) => Ok(*index),
            _ => Err(CallAnswer::Fails("ENOTCONN")),
        }
    }

    /// Returns the file descriptor for a new socket. As in packetdrill, the script chooses the number.
    fn requested_fd(call: &Call) -> Result<i64, CallAnswer> {
        match call.result {
            Expr::Number(fd) if fd >= 0 => Ok(fd),
            // The script expects the call to fail, but it succeeds.
            _ => Err(CallAnswer::Returns(3)),
        }
    }

    fn socket(&mut self, call: &Call) -> Called {
        let kinds = read_flag_names(call.args.get(1), "a kind of socket")?;
        if !kinds.iter().any(|kind| kind == "SOCK_STREAM") {
            return refuse_call(format!("sockets of kind {}", kinds.join("|")));
        }
        match call.args.get(2) {
            None | Some(Expr::Any | Expr::Number(0)) => {}
            Some(Expr::Name(name)) if name == "IPPROTO_TCP" => {}
            Some(other) => return refuse_call(format!("sockets of protocol {other}")),
        }
        let fd = Self::requested_fd(call)?;
        let nonblocking = kinds.iter().any(|kind| kind == "SOCK_NONBLOCK");
        self.sockets.insert(fd, Socket { nonblocking, ..Socket::default() });
        Ok(CallAnswer::Returns(fd))
    }

    /// Opens a file that a command of the script has created.
    fn open_file(&mut self, call: &Call) -> Called {
        let Some(Expr::Text(path)) = call.args.first() else { return refuse_call("open without a path in quotes") };
        let Some(size) = self.settings.files.get(path).copied() else { return Ok(CallAnswer::Fails("ENOENT")) };
        let fd = Self::requested_fd(call)?;
        self.files.insert(fd, OpenFile { size, position: 0 });
        Ok(CallAnswer::Returns(fd))
    }

    /// Closes the file in the first argument. Returns false if there is none.
    fn close_file(&mut self, call: &Call) -> bool {
        matches!(call.args.first(), Some(Expr::Number(fd)) if self.files.remove(fd).is_some())
    }

    fn listen(&mut self, fd: i64) -> Called {
        self.at(fd).kind = SocketState::Listening { waiting: std::collections::VecDeque::new() };
        self.begins_next = true;
        Ok(CallAnswer::Returns(0))
    }

    fn accept(&mut self, call: &Call) -> Called {
        let fd = read_integer(call.args.first(), "a file descriptor")?;
        let flags = read_flag_names(call.args.get(3), "flags")?;
        let Some(listener) = self.sockets.get_mut(&fd) else { return Ok(CallAnswer::Fails("EBADF")) };
        let inherited = Socket { nonblocking: flags.iter().any(|flag| flag == "SOCK_NONBLOCK"), ..listener.clone() };
        let blocks = if listener.nonblocking { CallAnswer::Fails("EAGAIN") } else { CallAnswer::Blocks };
        let SocketState::Listening { waiting } = &mut listener.kind else { return Ok(CallAnswer::Fails("EINVAL")) };
        let Some(index) = waiting.pop_front() else { return Ok(blocks) };
        let fd = Self::requested_fd(call)?;
        let (nodelay, cork) = (inherited.nodelay, inherited.cork);
        self.sockets.insert(fd, Socket { kind: SocketState::Connected(index), ..inherited });
        if nodelay {
            self.lives[index].end.set_nodelay(true);
        }
        if cork {
            self.lives[index].end.set_cork(true);
        }
        Ok(CallAnswer::Returns(fd))
    }

    fn connect(&mut self, fd: i64) -> Called {
        let socket = self.at(fd);
        let (nonblocking, nodelay) = (socket.nonblocking, socket.nodelay);
        let index = match socket.kind {
            SocketState::Listening { .. } => return Ok(CallAnswer::Fails("EISCONN")),
            SocketState::Connected(index) => index,
            SocketState::Fresh => {
                let own = socket.own.clone();
                let index = self.begin(OpenRole::Active, &own).map_err(CallAnswer::Unsupported)?;
                self.at(fd).kind = SocketState::Connected(index);
                self.at(fd).connecting = true;
                if nodelay {
                    self.lives[index].end.set_nodelay(true);
                }
                self.transmit(index);
                return Ok(if nonblocking { CallAnswer::Fails("EINPROGRESS") } else { CallAnswer::Blocks });
            }
        };
        if let Some(error) = self.failure(fd, index) {
            return Ok(CallAnswer::Fails(error));
        }
        Ok(match self.lives[index].end.stage() {
            ConnectionStage::Opening if nonblocking => CallAnswer::Fails("EALREADY"),
            ConnectionStage::Opening => CallAnswer::Blocks,
            _ if std::mem::take(&mut self.at(fd).connecting) => CallAnswer::Returns(0),
            _ => CallAnswer::Fails("EISCONN"),
        })
    }

    /// Returns the errno of a failed connection, only the first time it is requested.
    pub(super) fn failure(&mut self, fd: i64, index: usize) -> Option<&'static str> {
        let failure = self.lives[index].end.failure()?;
        if std::mem::replace(&mut self.at(fd).failure_reported, true) {
            return None;
        }
        Some(match failure {
            ConnectionFailure::Refused => "ECONNREFUSED",
            ConnectionFailure::Reset => "ECONNRESET",
            ConnectionFailure::TimedOut => "ETIMEDOUT",
        })
    }

    fn close(&mut self, fd: i64) -> Called {
        let Some(socket) = self.sockets.remove(&fd) else { return Ok(CallAnswer::Fails("EBADF")) };
        match socket.kind {
            SocketState::Fresh => {}
            SocketState::Listening { waiting } => self.close_listener(waiting),
            SocketState::Connected(index) => {
                let end = &mut self.lives[index].end;
                if socket.abortive {
                    end.abort();
                } else {
                    end.close();
                }
                self.transmit(index);
            }
        }
        Ok(CallAnswer::Returns(0))
    }

    /// Ends the connections of a closed listener: connections in its accept queue are reset, and one whose handshake
    /// has not ended is forgotten (`inet_csk_listen_stop`).
    fn close_listener(&mut self, waiting: std::collections::VecDeque<usize>) {
        for index in waiting {
            self.lives[index].end.abort();
            self.transmit(index);
        }
        let opening = |index: &usize| self.lives[*index].end.stage() == ConnectionStage::Opening;
        if let Some(index) = self.alive().filter(opening).filter(|index| !self.has_socket(*index)) {
            self.lives[index].end.close();
            self.transmit(index);
        }
    }

    fn shutdown(&mut self, fd: i64, call: &Call) -> Called {
        let how = read_flag_names(call.args.get(1), "what is shut down")?;
        let index = self.connection(fd)?;
        let (read, write) = match how.first().map(String::as_str) {
            Some("SHUT_RD") => (true, false),
            Some("SHUT_WR") => (false, true),
            Some("SHUT_RDWR") => (true, true),
            _ => return refuse_call(format!("shutdown of {}", how.join("|"))),
        };
        if self.lives[index].end.stage() == ConnectionStage::Gone {
            return Ok(CallAnswer::Fails("ENOTCONN"));
        }
        self.at(fd).read_shut |= read;
        if write {
            self.at(fd).write_shut = true;
            self.lives[index].end.shutdown_write();
            self.transmit(index);
        }
        Ok(CallAnswer::Returns(0))
    }

    fn fcntl(&mut self, fd: i64, call: &Call) -> Called {
        match read_flag_names(call.args.get(1), "a command of fcntl")?.first().map(String::as_str) {
            Some("F_SETFL") => {
                let flags = read_flag_names(call.args.get(2), "flags")?;
                self.at(fd).nonblocking = flags.iter().any(|flag| flag == "O_NONBLOCK");
                Ok(CallAnswer::Returns(0))
            }
            // 0x802 is O_RDWR|O_NONBLOCK, 2 is O_RDWR.
            Some("F_GETFL") => Ok(CallAnswer::Returns(if self.at(fd).nonblocking { 0x802 } else { 2 })),
            _ => refuse_call(format!("`{}` of fcntl", call.args.get(1).unwrap_or(&Expr::Any))),
        }
    }

    fn ioctl(&mut self, fd: i64, call: &Call) -> Called {
        let index = self.connection(fd)?;
        let what = read_flag_names(call.args.get(1), "a request of ioctl")?.join("|");
        let end = &self.lives[index].end;
        let found = match what.as_str() {
            "SIOCINQ" | "FIONREAD" => end.readable(),
            "SIOCOUTQ" => end.unacknowledged_bytes(),
            _ => return refuse_call(format!("`{what}` of ioctl")),
        };
        Ok(match first_element(call.args.get(2)) {
            Some(Expr::Number(expected)) if u64::try_from(*expected) != Ok(found) => {
                CallAnswer::Differs { what, expected: expected.to_string(), found: found.to_string() }
            }
            _ => CallAnswer::Returns(0),
        })
    }
}
