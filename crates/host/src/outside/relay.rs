//! TCP connections that end at a namespace and continue in the machine's network.
//!
//! Listeners are sockets of the namespace; the threads and their outgoing connections belong to the machine's network.

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

use super::connection::RelayedConnection;
use super::{MACHINE, RESOLVER};
use crate::Error;

/// Maximum number of addresses to which connections are accepted; a new one replaces the oldest. 256 + 2 x 300 descriptors
/// stay below the usual RLIMIT_NOFILE of 1024.
pub(super) const MAX_LISTENERS: usize = 256;

/// Maximum number of connections at one time, with two files each; further connections are reset.
const MAX_CONNECTIONS: usize = 300;

/// Pause after a failure to accept, such as too many open files. Without the pause, the connection that could not be
/// accepted would immediately end any wait for new connections.
const PAUSE_MS: u16 = 100;

type Listening = (TcpListener, SocketAddr);

/// All relays; they end when the value is dropped.
pub(super) struct Relays {
    listeners: Option<Sender<Listening>>,
    /// A byte wakes the thread that accepts connections.
    wakes: UnixStream,
    thread: Option<JoinHandle<()>>,
    open: Arc<OpenConnections>,
}

/// The open connections, from their acceptance on.
struct OpenConnections {
    max: usize,
    connections: Mutex<Connections>,
}

#[derive(Default)]
struct Connections {
    next: u64,
    open: BTreeMap<u64, Arc<RelayedConnection>>,
}

impl OpenConnections {
    fn lock(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a connection. Returns `None` if there are too many.
    fn register(self: &Arc<Self>, connection: &Arc<RelayedConnection>) -> Option<Registered> {
        let mut connections = self.lock();
        if connections.open.len() >= self.max {
            return None;
        }
        let number = connections.next;
        connections.next += 1;
        connections.open.insert(number, Arc::clone(connection));
        Some(Registered { open: Arc::clone(self), number })
    }
}

/// A connection that counts until the value is dropped.
struct Registered {
    open: Arc<OpenConnections>,
    number: u64,
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.open.lock().open.remove(&self.number);
    }
}

impl Relays {
    /// No relay yet.
    pub fn start_connection() -> Result<Self, Error> {
        Self::with_limit(MAX_CONNECTIONS)
    }

    fn with_limit(max: usize) -> Result<Self, Error> {
        let started = || -> io::Result<Self> {
            let (wakes, woken) = UnixStream::pair()?;
            woken.set_nonblocking(true)?;
            let (listeners, new) = mpsc::channel();
            let open = Arc::new(OpenConnections { max, connections: Mutex::default() });
            let known = Arc::clone(&open);
            let thread = thread::Builder::new()
                .name("relays".to_owned())
                .spawn(move || accept_connections(&woken, &new, &known))?;
            Ok(Relays { listeners: Some(listeners), wakes, thread: Some(thread), open })
        };
        started().map_err(|source| Error::Other { what: "connections cannot be relayed", source })
    }

    /// Connections that the listener accepts are relayed to the address `to`.
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
        self.open.lock().open.values().for_each(|connection| connection.abort());
    }
}

/// Accepts connections until the sender of `new` is dropped.
fn accept_connections(woken: &UnixStream, new: &Receiver<Listening>, open: &Arc<OpenConnections>) {
    let mut listeners: Vec<Listening> = Vec::new();
    let mut failed = false;
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
        if failed {
            wait_for_connection(woken, &[], PAUSE_MS.into());
        } else {
            wait_for_connection(woken, &listeners, PollTimeout::NONE);
        }
        failed = false;
        for (listener, to) in &listeners {
            failed |= accept_all(listener, *to, open).is_err();
        }
    }
}

/// Waits for a byte from `woken` or for a connection. The function may return earlier.
fn wait_for_connection(woken: &UnixStream, listeners: &[Listening], limit: PollTimeout) {
    let files = std::iter::once(woken.as_fd()).chain(listeners.iter().map(|(listener, _)| listener.as_fd()));
    let mut files: Vec<PollFd<'_>> = files.map(|file| PollFd::new(file, PollFlags::POLLIN)).collect();
    // After an interruption nothing was accepted. The call is repeated.
    let _ = poll(&mut files, limit);
    let _ = { woken }.read(&mut [0; 64]);
}

/// Accepts the connections that wait at a listener, and starts a thread for each.
fn accept_all(listener: &TcpListener, to: SocketAddr, open: &Arc<OpenConnections>) -> io::Result<()> {
    loop {
        match listener.accept() {
            Ok((inside, _)) => start_connection(inside, outside_address(to), open),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// Starts one connection, or resets it if there are too many, or no file descriptor or thread is available.
fn start_connection(inside: TcpStream, to: SocketAddr, open: &Arc<OpenConnections>) {
    let Ok(connection) = RelayedConnection::new(inside, to).map(Arc::new) else { return };
    let Some(registered) = open.register(&connection) else { return connection.abort() };
    let same = Arc::clone(&connection);
    let relay = move || {
        same.relay(to);
        drop(registered);
    };
    if thread::Builder::new().spawn(relay).is_err() {
        connection.abort();
    }
}

/// The address in the machine's network.
fn outside_address(to: SocketAddr) -> SocketAddr {
    let ip = match to.ip() {
        IpAddr::V4(MACHINE) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V4(RESOLVER) => find_resolver(&fs::read_to_string("/etc/resolv.conf").unwrap_or_default()),
        ip => ip,
    };
    SocketAddr::new(ip, to.port())
}

/// Returns the first resolver that `resolv.conf` names, or the machine itself if it names none (resolv.conf(5)).
fn find_resolver(text: &str) -> IpAddr {
    let named = text.lines().filter_map(|line| line.strip_prefix("nameserver")?.trim().parse().ok()).next();
    named.unwrap_or(Ipv4Addr::LOCALHOST.into())
}

#[cfg(test)]
mod tests {
    use std::net::Shutdown;
    use std::time::Duration;

    use nix::time::{ClockId, clock_gettime};
    use socket2::{Domain, SockRef, Socket, Type};

    use super::*;

    #[test]
    fn machine_and_resolver_have_distinct_addresses() {
        let outside: SocketAddr = "198.51.100.7:443".parse().unwrap();
        assert_eq!(outside_address(outside), outside);
        assert_eq!(outside_address((MACHINE, 80).into()), "127.0.0.1:80".parse().unwrap());
        assert_eq!(
            find_resolver("search example\nnameserver 192.0.2.9\nnameserver 192.0.2.8\n").to_string(),
            "192.0.2.9"
        );
        assert_eq!(find_resolver("# nameserver 192.0.2.9\n").to_string(), "127.0.0.1");
    }

    /// A host that returns the received text in upper case after the end of the text.
    fn uppercase_echo_server() -> SocketAddr {
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
        let relays = Relays::start_connection().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap();
        relays.listen(listener, uppercase_echo_server());
        let mut stream = TcpStream::connect(here).unwrap();
        stream.write_all(b"hello").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answer, "HELLO");
    }

    #[test]
    fn refused_connection_is_reset() {
        let relays = Relays::start_connection().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap();
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        relays.listen(listener, closed);
        let mut stream = TcpStream::connect(here).unwrap();
        let ended = stream.read(&mut [0; 1]);
        assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    }

    /// There are more addresses than the limit, and a connection to the last address.
    #[test]
    fn oldest_listeners_are_closed() {
        let relays = Relays::start_connection().unwrap();
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

    /// Returns a relay to a new host, and both ends of a connection through it.
    fn relay_one_connection() -> (Relays, TcpStream, TcpStream) {
        let relays = Relays::start_connection().unwrap();
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

    /// Sends 10 bytes at `from`, and a RST once `to` has received them. Returns the error with which the connection
    /// ends at `to`.
    fn end_after_reset(mut from: TcpStream, mut to: TcpStream) -> io::ErrorKind {
        from.write_all(b"ten bytes.").unwrap();
        to.read_exact(&mut [0; 10]).unwrap();
        SockRef::from(&from).set_linger(Some(Duration::ZERO)).unwrap();
        drop(from);
        to.read_to_end(&mut Vec::new()).map_or_else(|error| error.kind(), |_| io::ErrorKind::UnexpectedEof)
    }

    #[test]
    fn reset_by_the_outside_host_is_not_an_end_of_data() {
        let (_relays, inside, outside) = relay_one_connection();
        assert_eq!(end_after_reset(outside, inside), io::ErrorKind::ConnectionReset);
    }

    #[test]
    fn reset_by_the_program_inside_is_not_an_end_of_data() {
        let (_relays, inside, outside) = relay_one_connection();
        assert_eq!(end_after_reset(inside, outside), io::ErrorKind::ConnectionReset);
    }

    #[test]
    fn open_connections_are_reset_at_the_end_of_the_relays() {
        let (relays, mut inside, mut outside) = relay_one_connection();
        outside.write_all(b"x").unwrap();
        assert_eq!(inside.read(&mut [0; 1]).unwrap(), 1);
        drop(relays);
        for mut stream in [inside, outside] {
            assert_eq!(stream.read(&mut [0; 1]).unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        }
    }

    #[test]
    fn connection_to_a_host_that_does_not_read_is_reset_at_the_end_of_the_relays() {
        let (relays, mut inside, _outside) = relay_one_connection();
        inside.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
        while inside.write(&[0; 65_536]).is_ok() {}
        drop(relays);
        assert_eq!(inside.read(&mut [0; 1]).unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    }

    /// A host that answers no SYN, because its backlog is full while these sockets exist.
    fn server_with_full_backlog() -> (SocketAddr, Vec<Socket>) {
        let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let socket = || Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        let host = socket();
        host.bind(&any.into()).unwrap();
        host.listen(0).unwrap();
        let address = host.local_addr().unwrap().as_socket().unwrap();
        let mut sockets = vec![host];
        loop {
            let client = socket();
            let connected = client.connect_timeout(&address.into(), Duration::from_millis(200)).is_ok();
            sockets.push(client);
            if !connected {
                return (address, sockets);
            }
        }
    }

    /// Relays with a limit of three connections, three of which are open to a silent host.
    fn relays_at_limit() -> (Relays, [TcpStream; 3], SocketAddr, Vec<Socket>) {
        let relays = Relays::with_limit(3).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap();
        let (to, sockets) = server_with_full_backlog();
        relays.listen(listener, to);
        let streams = [(); 3].map(|()| connect_with_timeout(here));
        while relays.open.lock().open.len() < 3 {
            thread::sleep(Duration::from_millis(1));
        }
        (relays, streams, here, sockets)
    }

    fn connect_with_timeout(to: SocketAddr) -> TcpStream {
        let stream = TcpStream::connect(to).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        stream
    }

    fn error_at_end(mut stream: &TcpStream) -> io::ErrorKind {
        stream.read(&mut [0; 1]).unwrap_err().kind()
    }

    #[test]
    fn connection_beyond_the_limit_to_a_silent_host_is_reset() {
        let (_relays, streams, here, _silent) = relays_at_limit();
        assert_eq!(error_at_end(&connect_with_timeout(here)), io::ErrorKind::ConnectionReset);
        streams.iter().for_each(|stream| stream.set_nonblocking(true).unwrap());
        assert_eq!(streams.each_ref().map(error_at_end), [io::ErrorKind::WouldBlock; 3]);
    }

    #[test]
    fn connections_that_are_not_open_yet_are_reset_at_the_end_of_the_relays() {
        let (relays, streams, _, _silent) = relays_at_limit();
        drop(relays);
        assert_eq!(streams.each_ref().map(error_at_end), [io::ErrorKind::ConnectionReset; 3]);
    }

    #[test]
    fn ended_connections_do_not_count() {
        let relays = Relays::with_limit(1).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap();
        let host = TcpListener::bind("127.0.0.1:0").unwrap();
        relays.listen(listener, host.local_addr().unwrap());
        for _ in 0..3 {
            let inside = connect_with_timeout(here);
            drop(host.accept().unwrap());
            assert_eq!((&inside).read(&mut [0; 1]).unwrap(), 0);
            drop(inside);
            while !relays.open.lock().open.is_empty() {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }

    /// A socket that does not listen is always ready, and accepts nothing, as with too many open files.
    #[test]
    fn failure_to_accept_uses_no_processor_time() {
        let (mut wakes, woken) = UnixStream::pair().unwrap();
        woken.set_nonblocking(true).unwrap();
        let (listeners, new) = mpsc::channel();
        let deaf = TcpListener::from(Socket::new(Domain::IPV4, Type::STREAM, None).unwrap());
        listeners.send((deaf, "127.0.0.1:1".parse().unwrap())).unwrap();
        let open = Arc::new(OpenConnections { max: 1, connections: Mutex::default() });
        let end = thread::spawn(move || {
            thread::sleep(Duration::from_millis(1000));
            drop(listeners);
            wakes.write_all(&[0]).unwrap();
        });
        let used = || Duration::from(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap());
        let before = used();
        accept_connections(&woken, &new, &open);
        let spent = used() - before;
        end.join().unwrap();
        assert!(spent < Duration::from_millis(20), "{spent:?} of 1 s");
    }
}
