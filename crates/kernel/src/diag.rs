//! Queries a connection's state and `struct tcp_info` from the kernel (`inet_diag`), also after its socket is closed.

use std::io;
use std::net::Ipv4Addr;

use netlink_packet_core::{NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
use netlink_packet_sock_diag::SockDiagMessage;
use netlink_packet_sock_diag::constants::{AF_INET, IPPROTO_TCP};
use netlink_packet_sock_diag::inet::nlas::Nla;
use netlink_packet_sock_diag::inet::{ExtensionFlags, InetRequest, SocketId, StateFlags};
use netlink_sys::protocols::NETLINK_SOCK_DIAG;
use netlink_sys::{Socket, SocketAddr};

/// Members of `struct tcp_info` (`include/uapi/linux/tcp.h`): name without `tcpi_`, offset and size in bytes.
const MEMBERS: [(&str, usize, usize); 47] = [
    ("ca_state", 1, 1),
    ("retransmits", 2, 1),
    ("probes", 3, 1),
    ("backoff", 4, 1),
    ("options", 5, 1),
    ("rto", 8, 4),
    ("ato", 12, 4),
    ("snd_mss", 16, 4),
    ("rcv_mss", 20, 4),
    ("unacked", 24, 4),
    ("sacked", 28, 4),
    ("lost", 32, 4),
    ("retrans", 36, 4),
    ("pmtu", 60, 4),
    ("rcv_ssthresh", 64, 4),
    ("rtt", 68, 4),
    ("rttvar", 72, 4),
    ("snd_ssthresh", 76, 4),
    ("snd_cwnd", 80, 4),
    ("advmss", 84, 4),
    ("reordering", 88, 4),
    ("rcv_rtt", 92, 4),
    ("rcv_space", 96, 4),
    ("total_retrans", 100, 4),
    ("pacing_rate", 104, 8),
    ("max_pacing_rate", 112, 8),
    ("bytes_acked", 120, 8),
    ("bytes_received", 128, 8),
    ("segs_out", 136, 4),
    ("segs_in", 140, 4),
    ("notsent_bytes", 144, 4),
    ("min_rtt", 148, 4),
    ("data_segs_in", 152, 4),
    ("data_segs_out", 156, 4),
    ("delivery_rate", 160, 8),
    ("busy_time", 168, 8),
    ("rwnd_limited", 176, 8),
    ("sndbuf_limited", 184, 8),
    ("delivered", 192, 4),
    ("delivered_ce", 196, 4),
    ("bytes_sent", 200, 8),
    ("bytes_retrans", 208, 8),
    ("dsack_dups", 216, 4),
    ("reord_seen", 220, 4),
    ("rcv_ooopack", 224, 4),
    ("snd_wnd", 228, 4),
    ("rcv_wnd", 232, 4),
];

/// State number of a closed connection, `TCP_CLOSE`.
pub const CLOSED: u8 = 7;
/// State number of a listening socket, `TCP_LISTEN`.
pub const LISTENING: u8 = 10;

/// An `inet_diag` netlink socket.
pub struct Diag {
    socket: Socket,
}

/// The kernel's information about a connection.
pub struct Said {
    /// Linux's number of the connection's state.
    pub state: u8,
    /// Bytes that can be read, and bytes that are not acknowledged.
    pub queues: (u32, u32),
    /// Bytes of `struct tcp_info`; empty in TIME-WAIT and without a connection.
    info: Vec<u8>,
}

impl Said {
    /// Returns a member of `struct tcp_info`, by its name without `tcpi_`.
    pub fn member(&self, name: &str) -> Option<i64> {
        if name == "state" {
            return Some(self.state.into());
        }
        let (_, offset, bytes) = MEMBERS.iter().find(|(known, ..)| *known == name)?;
        let bytes = self.info.get(*offset..offset + bytes)?;
        let mut wide = [0; 8];
        // Members have the machine's byte order.
        if cfg!(target_endian = "little") {
            wide[..bytes.len()].copy_from_slice(bytes);
        } else {
            wide[8 - bytes.len()..].copy_from_slice(bytes);
        }
        i64::try_from(u64::from_ne_bytes(wide)).ok()
    }
}

impl Diag {
    /// Opens a netlink socket in the current network namespace.
    pub fn new() -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_SOCK_DIAG)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Diag { socket })
    }

    /// Queries the connection between these addresses and ports; state [`CLOSED`] if there is none.
    pub fn ask(&self, local: (Ipv4Addr, u16), remote: (Ipv4Addr, u16)) -> io::Result<Said> {
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST;
        let request = InetRequest {
            family: AF_INET,
            protocol: IPPROTO_TCP,
            extensions: ExtensionFlags::INFO,
            states: StateFlags::all(),
            socket_id: SocketId {
                source_port: local.1,
                destination_port: remote.1,
                source_address: local.0.into(),
                destination_address: remote.0.into(),
                interface_id: 0,
                // All ones match any socket cookie.
                cookie: [0xff; 8],
            },
        };
        let mut message = NetlinkMessage::new(header, SockDiagMessage::InetRequest(request).into());
        message.finalize();
        let mut bytes = vec![0; message.buffer_len()];
        message.serialize(&mut bytes);
        self.socket.send(&bytes, 0)?;
        let mut answer = vec![0; 8192];
        let length = self.socket.recv(&mut &mut answer[..], 0)?;
        let answer = NetlinkMessage::<SockDiagMessage>::deserialize(&answer[..length])
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
        match answer.payload {
            NetlinkPayload::InnerMessage(SockDiagMessage::InetResponse(said)) => {
                let info = said.nlas.into_iter().find_map(|nla| match nla {
                    Nla::TcpInfo(bytes) => Some(bytes),
                    _ => None,
                });
                let queues = (said.header.recv_queue, said.header.send_queue);
                Ok(Said { state: said.header.state, queues, info: info.unwrap_or_default() })
            }
            // No such connection exists.
            _ => Ok(Said { state: CLOSED, queues: (0, 0), info: Vec::new() }),
        }
    }
}
