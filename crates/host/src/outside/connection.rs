//! A TCP connection that ends at a namespace and continues in the machine's network.
//!
//! Two threads, one for each direction, copy data until an end closes. A reset is passed on as a reset, never as the
//! end of the data, because a broken transfer must not look complete.

use std::io::{self, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use socket2::{Domain, Protocol, SockRef, Socket, Type};

/// Timeout for an outside host that does not answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Interval at which a thread checks for an abort of the connection while the receiver does not read.
const LOOKS: Duration = Duration::from_millis(200);

/// Both ends of a connection. They are closed when the value is dropped, after [`abort`](RelayedConnection::abort) with a RST.
pub(super) struct RelayedConnection {
    inside: TcpStream,
    outside: TcpStream,
    aborted: AtomicBool,
}

impl RelayedConnection {
    /// A connection of the namespace that will continue to `to`. Errors reset the connection.
    pub fn new(inside: TcpStream, to: SocketAddr) -> io::Result<Self> {
        let outside = outside_end(&inside, to).inspect_err(|_| reset_at_close(&inside))?;
        Ok(RelayedConnection { inside, outside, aborted: AtomicBool::new(false) })
    }

    /// Connects to the outside host and copies until both directions have ended.
    pub fn relay(&self, to: SocketAddr) {
        if SockRef::from(&self.outside).connect_timeout(&to.into(), PATIENCE).is_err() {
            return self.abort();
        }
        thread::scope(|scope| {
            match thread::Builder::new().spawn_scoped(scope, || self.pass(&self.outside, &self.inside)) {
                Ok(_) => self.pass(&self.inside, &self.outside),
                Err(_) => self.abort(),
            }
        });
    }

    /// Ends the connection in any state. The threads return, no FIN is sent, and the ends are reset when they are
    /// closed.
    pub fn abort(&self) {
        self.aborted.store(true, Ordering::SeqCst);
        for stream in [&self.inside, &self.outside] {
            reset_at_close(stream);
            // Both sockets are shut down: nothing more is sent, a reading thread wakes up, and a handshake ends.
            let _ = stream.shutdown(Shutdown::Read);
        }
    }

    fn is_aborted(&self) -> bool {
        self.aborted.load(Ordering::SeqCst)
    }

    /// Copies data in one direction, and forwards the end of the data. An error at one end ends both directions.
    fn pass(&self, mut from: &TcpStream, to: &TcpStream) {
        match io::copy(&mut from, &mut AbortableWriter { connection: self, to }) {
            Ok(_) if self.is_aborted() => {}
            // The peer may have disconnected already.
            Ok(_) => drop(to.shutdown(Shutdown::Write)),
            Err(_) => self.abort(),
        }
    }
}

/// A socket for the other end, with the same settings.
fn outside_end(inside: &TcpStream, to: SocketAddr) -> io::Result<TcpStream> {
    let outside = TcpStream::from(Socket::new(Domain::for_address(to), Type::STREAM, Some(Protocol::TCP))?);
    inside.set_nonblocking(false)?;
    for stream in [inside, &outside] {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(LOOKS))?;
    }
    Ok(outside)
}

/// Makes the connection end with a RST when it is closed.
fn reset_at_close(stream: &TcpStream) {
    let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
}

/// Writes to one end of the connection until the connection is aborted.
struct AbortableWriter<'a> {
    connection: &'a RelayedConnection,
    to: &'a TcpStream,
}

impl Write for AbortableWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        while !self.connection.is_aborted() {
            match self.to.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return result,
            }
        }
        Err(io::ErrorKind::ConnectionAborted.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
