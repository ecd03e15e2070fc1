//! System calls that send and read data.

use super::CallAnswer;
use super::Host;
use super::answer::{Called, find_member, read_flag_names, read_integer, refuse_call, sum_vector_lengths};
use super::life::WriteFlags;
use crate::end::ConnectionStage;
use crate::syntax::ast::Call;

/// Returns the number of bytes and the flags of a call that sends or reads.
pub fn read_size_and_flags(call: &Call) -> Result<(i64, Vec<String>), CallAnswer> {
    let args = &call.args;
    match call.name.as_str() {
        "write" | "read" => Ok((read_integer(args.get(2), "a number of bytes")?, Vec::new())),
        "writev" | "readv" => Ok((sum_vector_lengths(args.get(1))?, Vec::new())),
        "sendmsg" | "recvmsg" => {
            if find_member(args.get(1), "msg_control").is_some() {
                return refuse_call("control messages (msg_control)");
            }
            Ok((sum_vector_lengths(find_member(args.get(1), "msg_iov"))?, read_flag_names(args.get(2), "flags")?))
        }
        _ => Ok((read_integer(args.get(2), "a number of bytes")?, read_flag_names(args.get(3), "flags")?)),
    }
}

impl Host<'_> {
    pub(super) fn send(&mut self, fd: i64, call: &Call) -> Called {
        let (bytes, flags) = read_size_and_flags(call)?;
        if let Some(flag) =
            flags.iter().find(|flag| !["MSG_MORE", "MSG_EOR", "MSG_DONTWAIT", "MSG_NOSIGNAL"].contains(&flag.as_str()))
        {
            return refuse_call(format!("sending with {flag}"));
        }
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
        let bytes = u64::try_from(bytes).map_err(|_| CallAnswer::Fails("EINVAL"))?;
        let (mut taken, most_unsent) = (socket.begun, socket.most_unsent.unwrap_or(u64::MAX));
        // A blocked write continues once half of the limit is free, not at the first free byte
        // (`sk_stream_write_space`).
        let stays = taken > 0 && !self.lives[index].takes_more(most_unsent);
        while taken < bytes && !stays {
            let part = self.lives[index].takes(bytes - taken, most_unsent);
            if part == 0 {
                break;
            }
            taken += part;
            let flags = WriteFlags { more: more || taken < bytes, ends_record: record && taken == bytes };
            self.lives[index].write(part, flags);
            self.transmit(index);
        }
        if taken < bytes {
            self.lives[index].set_more(more);
            self.transmit(index);
        }
        self.at(fd).begun = if taken < bytes && waits { taken } else { 0 };
        Ok(match taken {
            _ if taken < bytes && waits => CallAnswer::Blocks,
            0 if bytes > 0 => CallAnswer::Fails("EAGAIN"),
            _ => CallAnswer::Returns(taken as i64),
        })
    }

    pub(super) fn receive(&mut self, fd: i64, call: &Call) -> Called {
        let (most, flags) = read_size_and_flags(call)?;
        if let Some(flag) = flags.iter().find(|flag| *flag != "MSG_DONTWAIT") {
            return refuse_call(format!("reading with {flag}"));
        }
        let index = self.connection(fd)?;
        let socket = self.at(fd).clone();
        let waits = !socket.nonblocking && flags.is_empty();
        let most = u64::try_from(most).map_err(|_| CallAnswer::Fails("EINVAL"))?;
        let end = &mut self.lives[index].end;
        if end.readable() > 0 {
            let read = end.read(most);
            self.transmit(index);
            return Ok(CallAnswer::Returns(read as i64));
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
}
