//! The system call `poll`.

use super::CallAnswer;
use super::Host;
use super::answer::{Called, find_member, read_flag_names, read_integer, refuse_call};
use super::socket::SocketState;
use crate::end::ConnectionStage;
use crate::syntax::ast::{Call, Expr};

impl Host<'_> {
    /// Returns the events that `poll` reports for a socket.
    fn ready(&self, fd: i64) -> Vec<&'static str> {
        let Some(socket) = self.sockets.get(&fd) else { return vec!["POLLNVAL"] };
        match &socket.kind {
            SocketState::Fresh => vec!["POLLOUT", "POLLHUP"],
            SocketState::Listening { waiting } if waiting.is_empty() => Vec::new(),
            SocketState::Listening { .. } => vec!["POLLIN"],
            SocketState::Connected(index) => {
                let end = &self.lives[*index].end;
                let gone = end.stage() == ConnectionStage::Gone;
                let ended = end.at_end() || socket.read_shut || gone;
                let mut ready = Vec::new();
                ready.extend((end.readable() > 0 || ended).then_some("POLLIN"));
                let takes = socket.write_shut || self.lives[*index].takes_more(socket.send_limits());
                ready.extend((end.stage() != ConnectionStage::Opening && takes).then_some("POLLOUT"));
                ready.extend(ended.then_some("POLLRDHUP"));
                ready.extend((end.failure().is_some() && !socket.failure_reported).then_some("POLLERR"));
                ready.extend((gone || ended && socket.write_shut).then_some("POLLHUP"));
                ready
            }
        }
    }

    pub(super) fn poll(&mut self, call: &Call) -> Called {
        answer_poll(call, |fd| self.ready(fd))
    }
}

/// Returns the outcome of `poll`, with `ready` as the function that returns the events of a file descriptor.
pub fn answer_poll(call: &Call, ready: impl Fn(i64) -> Vec<&'static str>) -> Called {
    let Some(Expr::List(all)) = call.args.first() else { return refuse_call("poll without a list of sockets") };
    let timeout = read_integer(call.args.get(2), "a timeout")?;
    let mut count = 0;
    let mut differs = None;
    for one in all {
        let fd = read_integer(find_member(Some(one), "fd"), "a file descriptor")?;
        let asked = read_flag_names(find_member(Some(one), "events"), "events")?;
        let always = ["POLLERR", "POLLHUP", "POLLNVAL"];
        let mut found: Vec<&str> =
            ready(fd).into_iter().filter(|event| always.contains(event) || asked.iter().any(|a| a == event)).collect();
        count += i64::from(!found.is_empty());
        let expected = match find_member(Some(one), "revents") {
            Some(Expr::Any) => continue,
            expected => expected,
        };
        // No events are expected without `revents`, as in packetdrill.
        let mut expected = read_flag_names(expected, "events")?;
        expected.sort();
        found.sort_unstable();
        if expected != found {
            let joined = |all: &[String]| if all.is_empty() { "0".to_owned() } else { all.join("|") };
            let found: Vec<String> = found.iter().map(|event| (*event).to_owned()).collect();
            differs = Some((format!("revents of {fd}"), joined(&expected), joined(&found)));
        }
    }
    match differs {
        // An event may still occur.
        _ if count == 0 && timeout != 0 => Ok(CallAnswer::Blocks),
        Some((what, expected, found)) => Ok(CallAnswer::Differs { what, expected, found }),
        None => Ok(CallAnswer::Returns(count)),
    }
}
