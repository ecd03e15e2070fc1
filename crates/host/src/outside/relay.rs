//! TCP connections that end at a namespace and continue in the machine's network.
//!
//! A listener is a socket of the namespace; the threads, and the connections that they open, are in the machine's network.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::connection::Connection;
use super::{MACHINE, RESOLVER};
use crate::Error;

/// Maximum number of addresses to which connections are accepted; a new one replaces the oldest. With the connections,
/// fewer than the 1024 files that a process usually may open.
pub(super) const MAX_LISTENERS: usize = 256;

/// Maximum number of connections at one time, with two files each.
const MAX_CONNECTIONS: usize = 300;

type Listening = (TcpListener, SocketAddr);

/// All relays; they end when the value is dropped.
pub(super) struct Relays {
    listeners: Option<Sender<Listening>>,
    /// A byte wakes the thread that accepts connections.
    wakes: UnixStream,
    thread: Option<JoinHandle<()>>,
    open: Arc<Open>,
}

/// The open connections.
#[derive(Default)]
struct Open(Mutex<BTreeMap<u64, Arc<Connection>>>);

impl Open {
    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Connection>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Relays {
    /// No relay yet.
    pub fn start() -> Result<Self, Error> {
        let started = || -> io::Result<Self> {
            let (wakes, woken) = UnixStream::pair()?;
            woken.set_nonblocking(true)?;
            let (listeners, new) = mpsc::channel();
            let open = Arc::new(Open::default());
            let known = Arc::clone(&open);
            let thread = thread::Builder::new().name("relays".to_owned()).spawn(move || run(&woken, &new, &known))?;
            Ok(Relays { listeners: Some(listeners), wakes, thread: Some(thread), open })
        };
        started().map_err(|source| Error::Other { what: "connections cannot be relayed", source })
    }

    /// Connections that the listener accepts go on to the address `to`.
    pub fn listen(&self, listener: TcpListener, to: SocketAddr) {
        if let Some(listeners) = &self.listeners {
            // The thread lives as long as this value.
            let _ = listeners.send((listener, to));
            let _ = (&self.wakes).write_all(&[0]);
        }
    }
}

impl Drop for Relays {
    fn drop(&mut self) {
        self.listeners = None;
        let _ = (&self.wakes).write_all(&[0]);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.open.all().values().for_each(|connection| connection.abort());
    }
}

/// Accepts connections until the sender of `new` is gone.
fn run(woken: &UnixStream, new: &Receiver<Listening>, open: &Arc<Open>) {
    let mut listeners: Vec<Listening> = Vec::new();
    let mut number = 0;
    loop {
        loop {
            match new.try_recv() {
                Ok((listener, to)) if listener.set_nonblocking(true).is_ok() => listeners.push((listener, to)),
                Ok(_) => {}
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return,
            }
        }
        listeners.drain(..listeners.len().saturating_sub(MAX_LISTENERS));
        let files = std::iter::once(woken.as_fd()).chain(listeners.iter().map(|(listener, _)| listener.as_fd()));
        let mut files: Vec<PollFd<'_>> = files.map(|file| PollFd::new(file, PollFlags::POLLIN)).collect();
        // After an interruption nothing is accepted, and it is tried again.
        let _ = poll(&mut files, PollTimeout::NONE);
        let _ = { woken }.read(&mut [0; 64]);
        for (listener, to) in &listeners {
            while let Ok((inside, _)) = listener.accept() {
                number += 1;
                let (open, to) = (Arc::clone(open), outside_address(*to));
                // Without a thread the connection is dropped, which closes it.
                let _ = thread::Builder::new().spawn(move || relay(inside, to, &open, number));
            }
        }
    }
}

/// One connection, from its beginning to its end.
fn relay(inside: TcpStream, to: SocketAddr, open: &Open, number: u64) {
    let full = open.all().len() >= MAX_CONNECTIONS;
    let Ok(connection) = Connection::new(inside, to).map(Arc::new) else { return };
    if full {
        return connection.abort();
    }
    open.all().insert(number, Arc::clone(&connection));
    connection.run(to);
    open.all().remove(&number);
}

/// The address in the machine's network.
fn outside_address(to: SocketAddr) -> SocketAddr {
    let ip = match to.ip() {
        IpAddr::V4(MACHINE) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V4(RESOLVER) => resolver(&fs::read_to_string("/etc/resolv.conf").unwrap_or_default()),
        ip => ip,
    };
    SocketAddr::new(ip, to.port())
}

/// The first resolver that `resolv.conf` names; the machine itself if it names none (resolv.conf(5)).
fn resolver(text: &str) -> IpAddr {
    let named = text.lines().filter_map(|line| line.strip_prefix("nameserver")?.trim().parse().ok()).next();
    named.unwrap_or(Ipv4Addr::LOCALHOST.into())
}

#[cfg(test)]
mod tests {
    use std::net::Shutdown;
    use std::time::Duration;

    use socket2::SockRef;

    use super::*;

    #[test]
    fn machine_and_resolver_have_addresses_of_their_own() {
        let outside: SocketAddr = "198.51.100.7:443".parse().unwrap();
        assert_eq!(outside_address(outside), outside);
        assert_eq!(outside_address((MACHINE, 80).into()), "127.0.0.1:80".parse().unwrap());
        assert_eq!(resolver("search example\nnameserver 192.0.2.9\nnameserver 192.0.2.8\n").to_string(), "192.0.2.9");
        assert_eq!(resolver("# nameserver 192.0.2.9\n").to_string(), "127.0.0.1");
    }

    /// A host that answers what it received, in capitals, after the end of it.
    fn shouting() -> SocketAddr {
        let host = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = host.local_addr().unwrap();
        thread::spawn(move || {
            let (mut stream, _) = host.accept().unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            stream.write_all(text.to_uppercase().as_bytes()).unwrap();
        });
        address
    }

    #[test]
    fn bytes_and_the_end_of_data_pass_in_both_directions() {
        let relays = Relays::start().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap();
        relays.listen(listener, shouting());
        let mut stream = TcpStream::connect(here).unwrap();
        stream.write_all(b"hello").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answer, "HELLO");
    }

    #[test]
    fn refused_connection_is_reset() {
        let relays = Relays::start().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap();
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        relays.listen(listener, closed);
        let mut stream = TcpStream::connect(here).unwrap();
        let ended = stream.read(&mut [0; 1]);
        assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    }

    /// More addresses than are kept, and a connection to the last one.
    #[test]
    fn oldest_listeners_are_closed() {
        let relays = Relays::start().unwrap();
        let listeners: Vec<TcpListener> =
            (0..MAX_LISTENERS + 2).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let places: Vec<SocketAddr> = listeners.iter().map(|listener| listener.local_addr().unwrap()).collect();
        let host = TcpListener::bind("127.0.0.1:0").unwrap();
        listeners.into_iter().for_each(|listener| relays.listen(listener, host.local_addr().unwrap()));
        let connected = TcpStream::connect(places[places.len() - 1]).unwrap();
        let (mut other, _) = host.accept().unwrap();
        other.write_all(b"x").unwrap();
        assert_eq!((&connected).read(&mut [0; 1]).unwrap(), 1);
        let refused = |place: &SocketAddr| TcpStream::connect(place).is_err();
        assert!(places[..2].iter().all(refused) && !refused(&places[2]));
    }

    /// A relay to a new host, and a connection through it: both of its ends.
    fn relayed() -> (Relays, TcpStream, TcpStream) {
        let relays = Relays::start().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap();
        let host = TcpListener::bind("127.0.0.1:0").unwrap();
        relays.listen(listener, host.local_addr().unwrap());
        let inside = TcpStream::connect(here).unwrap();
        let (outside, _) = host.accept().unwrap();
        for stream in [&inside, &outside] {
            stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        }
        (relays, inside, outside)
    }

    /// `from` sends 10 bytes, and a RST once `to` has received them: how `to` sees the end.
    fn end_after_reset(mut from: TcpStream, mut to: TcpStream) -> io::ErrorKind {
        from.write_all(b"ten bytes.").unwrap();
        to.read_exact(&mut [0; 10]).unwrap();
        SockRef::from(&from).set_linger(Some(Duration::ZERO)).unwrap();
        drop(from);
        to.read_to_end(&mut Vec::new()).map_or_else(|error| error.kind(), |_| io::ErrorKind::UnexpectedEof)
    }

    #[test]
    fn reset_by_the_outside_host_is_no_end_of_data() {
        let (_relays, inside, outside) = relayed();
        assert_eq!(end_after_reset(outside, inside), io::ErrorKind::ConnectionReset);
    }

    #[test]
    fn reset_by_the_program_inside_is_no_end_of_data() {
        let (_relays, inside, outside) = relayed();
        assert_eq!(end_after_reset(inside, outside), io::ErrorKind::ConnectionReset);
    }

    #[test]
    fn open_connections_are_reset_at_the_end_of_the_relays() {
        let (relays, mut inside, mut outside) = relayed();
        outside.write_all(b"x").unwrap();
        assert_eq!(inside.read(&mut [0; 1]).unwrap(), 1);
        drop(relays);
        for mut stream in [inside, outside] {
            assert_eq!(stream.read(&mut [0; 1]).unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        }
    }

    #[test]
    fn connection_to_a_host_that_does_not_read_is_reset_at_the_end_of_the_relays() {
        let (relays, mut inside, _outside) = relayed();
        inside.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
        while inside.write(&[0; 65_536]).is_ok() {}
        drop(relays);
        assert_eq!(inside.read(&mut [0; 1]).unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    }
}
