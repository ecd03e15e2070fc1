//! System calls that send and read data.

use super::Answer;
use super::Host;
use super::answer::{Called, member, names, number, unsupported, vectors};
use crate::end::Stage;
use crate::syntax::ast::Call;

/// Returns the number of bytes and the flags of a call that sends or reads.
pub fn amount(call: &Call) -> Result<(i64, Vec<String>), Answer> {
    let args = &call.args;
    match call.name.as_str() {
        "write" | "read" => Ok((number(args.get(2), "a number of bytes")?, Vec::new())),
        "writev" | "readv" => Ok((vectors(args.get(1))?, Vec::new())),
        "sendmsg" | "recvmsg" => {
            if member(args.get(1), "msg_control").is_some() {
                return unsupported("control messages (msg_control)");
            }
            Ok((vectors(member(args.get(1), "msg_iov"))?, names(args.get(2), "flags")?))
        }
        _ => Ok((number(args.get(2), "a number of bytes")?, names(args.get(3), "flags")?)),
    }
}

impl Host<'_> {
    pub(super) fn send(&mut self, fd: i64, call: &Call) -> Called {
        let (bytes, flags) = amount(call)?;
        if let Some(flag) =
            flags.iter().find(|flag| !["MSG_MORE", "MSG_EOR", "MSG_DONTWAIT", "MSG_NOSIGNAL"].contains(&flag.as_str()))
        {
            return unsupported(format!("sending with {flag}"));
        }
        let Ok(index) = self.connection(fd) else { return Ok(Answer::Fails("EPIPE")) };
        if let Some(error) = self.failure(fd, index) {
            return Ok(Answer::Fails(error));
        }
        let socket = self.at(fd).clone();
        let waits = !socket.nonblocking && !flags.iter().any(|flag| flag == "MSG_DONTWAIT");
        let has = |name: &str| flags.iter().any(|flag| flag == name);
        let (more, record) = (has("MSG_MORE"), has("MSG_EOR"));
        match self.lives[index].end.stage() {
            _ if socket.write_shut => return Ok(Answer::Fails("EPIPE")),
            Stage::Gone => return Ok(Answer::Fails("EPIPE")),
            Stage::Opening => return Ok(if waits { Answer::Blocks } else { Answer::Fails("EAGAIN") }),
            Stage::Open => {}
        }
        let bytes = u64::try_from(bytes).map_err(|_| Answer::Fails("EINVAL"))?;
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
            self.lives[index].write(part, more || taken < bytes, record && taken == bytes);
            self.transmit(index);
        }
        if taken < bytes {
            self.lives[index].set_more(more);
            self.transmit(index);
        }
        self.at(fd).begun = if taken < bytes && waits { taken } else { 0 };
        Ok(match taken {
            _ if taken < bytes && waits => Answer::Blocks,
            0 if bytes > 0 => Answer::Fails("EAGAIN"),
            _ => Answer::Returns(taken as i64),
        })
    }

    pub(super) fn receive(&mut self, fd: i64, call: &Call) -> Called {
        let (most, flags) = amount(call)?;
        if let Some(flag) = flags.iter().find(|flag| *flag != "MSG_DONTWAIT") {
            return unsupported(format!("reading with {flag}"));
        }
        let index = self.connection(fd)?;
        let socket = self.at(fd).clone();
        let waits = !socket.nonblocking && flags.is_empty();
        let most = u64::try_from(most).map_err(|_| Answer::Fails("EINVAL"))?;
        let end = &mut self.lives[index].end;
        if end.readable() > 0 {
            let read = end.read(most);
            self.transmit(index);
            return Ok(Answer::Returns(read as i64));
        }
        let over = end.at_end() || socket.read_shut || end.stage() == Stage::Gone;
        if let Some(error) = self.failure(fd, index) {
            return Ok(Answer::Fails(error));
        }
        Ok(match over {
            true => Answer::Returns(0),
            false if waits => Answer::Blocks,
            false => Answer::Fails("EAGAIN"),
        })
    }
}
