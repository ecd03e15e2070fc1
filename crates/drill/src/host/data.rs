//! System calls that send and read data.

use super::CallAnswer;
use super::Host;
use super::answer::{
    Called, find_member, first_element, read_flag_names, read_integer, refuse_call, sum_vector_lengths,
};
use super::life::WriteFlags;
use crate::end::ConnectionStage;
use crate::syntax::ast::{Call, Expr};

/// Flags with which data can be sent. Data is a count of bytes, so `MSG_ZEROCOPY` has no effect on what is sent.
const SEND_FLAGS: [&str; 5] = ["MSG_MORE", "MSG_EOR", "MSG_DONTWAIT", "MSG_NOSIGNAL", "MSG_ZEROCOPY"];

/// Returns the number of bytes and the flags of a call that sends or reads, without control messages.
pub fn read_size_and_flags(call: &Call) -> Result<(i64, Vec<String>), CallAnswer> {
    if find_control(call).is_some() {
        return refuse_call("control messages (msg_control)");
    }
    size_and_flags(call)
}

/// Returns the control messages that a call sends or expects.
fn find_control(call: &Call) -> Option<&Expr> {
    find_member(call.args.get(1), "msg_control").filter(|control| **control != Expr::Any)
}

/// Returns the number of readable bytes that a call expects in a control message (`TCP_CM_INQ`); `None` without control
/// messages.
pub fn expected_inq(call: &Call) -> Result<Option<&Expr>, CallAnswer> {
    let Some(control) = find_control(call) else { return Ok(None) };
    let Expr::List(all) = control else { return refuse_call(format!("the control messages `{control}`")) };
    let mut expected = None;
    for message in all {
        let is =
            |member, name: &str| matches!(find_member(Some(message), member), Some(Expr::Name(found)) if found == name);
        let levels = ["SOL_TCP", "IPPROTO_TCP"];
        if !levels.iter().any(|level| is("cmsg_level", level)) || !is("cmsg_type", "TCP_CM_INQ") {
            return refuse_call(format!("the control message `{message}`"));
        }
        expected = find_member(Some(message), "cmsg_data");
    }
    Ok(expected)
}

fn parse_count(number: i64) -> Result<u64, CallAnswer> {
    u64::try_from(number).map_err(|_| CallAnswer::Fails("EINVAL"))
}

/// Returns true if the buffer of a call that sends or reads is `NULL`.
fn has_null_buffer(call: &Call) -> bool {
    let is_message = ["sendmsg", "recvmsg", "writev", "readv"].contains(&call.name.as_str());
    !is_message && matches!(call.args.get(1), Some(Expr::Name(name)) if name == "NULL")
}

fn size_and_flags(call: &Call) -> Result<(i64, Vec<String>), CallAnswer> {
    let args = &call.args;
    match call.name.as_str() {
        "write" | "read" => Ok((read_integer(args.get(2), "a number of bytes")?, Vec::new())),
        "writev" | "readv" => Ok((sum_vector_lengths(args.get(1))?, Vec::new())),
        "sendmsg" | "recvmsg" => {
            Ok((sum_vector_lengths(find_member(args.get(1), "msg_iov"))?, read_flag_names(args.get(2), "flags")?))
        }
        _ => Ok((read_integer(args.get(2), "a number of bytes")?, read_flag_names(args.get(3), "flags")?)),
    }
}

impl Host<'_> {
    pub(super) fn send(&mut self, fd: i64, call: &Call) -> Called {
        let (bytes, flags) = read_size_and_flags(call)?;
        if let Some(flag) = flags.iter().find(|flag| !SEND_FLAGS.contains(&flag.as_str())) {
            return refuse_call(format!("sending with {flag}"));
        }
        let bytes = u64::try_from(bytes).map_err(|_| CallAnswer::Fails("EINVAL"))?;
        if self.connection(fd).is_ok() && flags.iter().any(|flag| flag == "MSG_ZEROCOPY") {
            self.at(fd).sent_zero_copy = true;
        }
        self.send_bytes(fd, bytes, &flags, has_null_buffer(call))
    }

    /// Sends the next part of a file, at most `count` bytes from the offset in the third argument or from the file's
    /// position.
    pub(super) fn sendfile(&mut self, fd: i64, call: &Call) -> Called {
        let file = read_integer(call.args.get(1), "a file")?;
        let Some(opened) = self.files.get(&file).copied() else { return Ok(CallAnswer::Fails("EBADF")) };
        let offset = match first_element(call.args.get(2)) {
            None | Some(Expr::Any | Expr::Name(_)) => None,
            given => Some(parse_count(read_integer(given, "an offset")?)?),
        };
        let count = parse_count(read_integer(call.args.get(3), "a number of bytes")?)?;
        let begun = self.at(fd).begun;
        let left = opened.size.saturating_sub(offset.unwrap_or(opened.position));
        let sent = self.send_bytes(fd, count.min(left), &[], false)?;
        if let (CallAnswer::Returns(sent), None, Some(opened)) = (&sent, offset, self.files.get_mut(&file)) {
            opened.position += u64::try_from(*sent).unwrap_or(0).max(begun);
        }
        Ok(sent)
    }

    /// Sends `bytes` bytes. With `is_null` their address is invalid.
    fn send_bytes(&mut self, fd: i64, bytes: u64, flags: &[String], is_null: bool) -> Called {
        let Ok(index) = self.connection(fd) else { return Ok(CallAnswer::Fails("EPIPE")) };
        if let Some(error) = self.failure(fd, index) {
            return Ok(CallAnswer::Fails(error));
        }
        let socket = self.at(fd).clone();
        let waits = !socket.nonblocking && !flags.iter().any(|flag| flag == "MSG_DONTWAIT");
        let has = |name: &str| flags.iter().any(|flag| flag == name);
        let (more, record) = (has("MSG_MORE"), has("MSG_EOR"));
        match self.lives[index].end.stage() {
            _ if socket.write_shut => return Ok(CallAnswer::Fails("EPIPE")),
            ConnectionStage::Gone => return Ok(CallAnswer::Fails("EPIPE")),
            ConnectionStage::Opening => {
                return Ok(if waits { CallAnswer::Blocks } else { CallAnswer::Fails("EAGAIN") });
            }
            ConnectionStage::Open => {}
        }
        if bytes > 0 && is_null {
            return Ok(CallAnswer::Fails("EFAULT"));
        }
        let (mut taken, limits) = (socket.begun, socket.send_limits());
        // A blocked write continues once the socket is writable, not at the first free byte
        // (`sk_stream_write_space`).
        let stays = taken > 0 && !self.lives[index].takes_more(limits);
        self.lives[index].is_writing = true;
        while taken < bytes && !stays {
            let part = self.lives[index].takes(bytes - taken, limits);
            if part == 0 {
                break;
            }
            taken += part;
            let flags = WriteFlags { more: more || taken < bytes, ends_record: record && taken == bytes };
            self.lives[index].write(part, flags);
            self.transmit(index);
        }
        self.lives[index].is_writing = false;
        self.lives[index].note_state(self.now);
        if taken < bytes {
            self.lives[index].set_more(more);
            self.transmit(index);
            self.lives[index].note_full(self.now, limits);
        }
        if taken > 0 && (taken == bytes || !waits) {
            self.lives[index].end_write(self.now);
        }
        self.at(fd).begun = if taken < bytes && waits { taken } else { 0 };
        Ok(match taken {
            _ if taken < bytes && waits => CallAnswer::Blocks,
            0 if bytes > 0 => CallAnswer::Fails("EAGAIN"),
            _ => CallAnswer::Returns(taken as i64),
        })
    }

    pub(super) fn receive(&mut self, fd: i64, call: &Call) -> Called {
        let (most, flags) = size_and_flags(call)?;
        if flags.iter().any(|flag| flag == "MSG_ERRQUEUE") {
            if most > 0 {
                return refuse_call("reading data from the error queue");
            }
            let Ok(index) = self.connection(fd) else { return Ok(CallAnswer::Fails("EAGAIN")) };
            if self.at(fd).sent_zero_copy {
                return refuse_call("completions of MSG_ZEROCOPY");
            }
            return self.lives[index].stamps.read(find_control(call), self.tolerance);
        }
        let expected_inq = expected_inq(call)?;
        if let Some(flag) = flags.iter().find(|flag| *flag != "MSG_DONTWAIT") {
            return refuse_call(format!("reading with {flag}"));
        }
        let index = self.connection(fd)?;
        let socket = self.at(fd).clone();
        let waits = !socket.nonblocking && flags.is_empty();
        let most = u64::try_from(most).map_err(|_| CallAnswer::Fails("EINVAL"))?;
        let end = &mut self.lives[index].end;
        if end.readable() > 0 {
            if most > 0 && has_null_buffer(call) {
                return Ok(CallAnswer::Fails("EFAULT"));
            }
            let read = end.read(most);
            self.transmit(index);
            return Ok(self.compare_inq(fd, index, expected_inq).unwrap_or(CallAnswer::Returns(read as i64)));
        }
        let over = end.at_end() || socket.read_shut || end.stage() == ConnectionStage::Gone;
        if let Some(error) = self.failure(fd, index) {
            return Ok(CallAnswer::Fails(error));
        }
        Ok(if over {
            CallAnswer::Returns(0)
        } else if waits {
            CallAnswer::Blocks
        } else {
            CallAnswer::Fails("EAGAIN")
        })
    }

    /// Compares the number of readable bytes that a call expects in a control message with the actual one; `None` if
    /// they agree. After a FIN it is at least 1 (`tcp_inq_hint`).
    fn compare_inq(&mut self, fd: i64, index: usize, expected: Option<&Expr>) -> Option<CallAnswer> {
        let expected = expected.filter(|expected| **expected != Expr::Any)?;
        let end = &self.lives[index].end;
        let found = if !self.sockets[&fd].inq {
            "no control message".to_owned()
        } else if end.at_end() {
            "1".to_owned()
        } else {
            end.readable().to_string()
        };
        let (what, expected) = ("TCP_CM_INQ".to_owned(), expected.to_string());
        (expected != found).then_some(CallAnswer::Differs { what, expected, found })
    }
}
