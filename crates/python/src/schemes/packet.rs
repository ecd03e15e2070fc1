//! A packet as a Python object.

use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use wire::{Body, Ecn, Flags, Notice, NoticeKind, Options, Packet, Protocol, Segment, SeqNum};

/// Names of the codepoints of the ECN field.
const ECN: [(&str, Ecn); 4] = [("not-ect", Ecn::NotEct), ("ect1", Ecn::Ect1), ("ect0", Ecn::Ect0), ("ce", Ecn::Ce)];

/// A packet that crosses a node, or that an agent sends.
#[pyclass(name = "Packet", module = "lasthop")]
#[derive(Clone)]
pub struct PyPacket(pub Packet);

impl PyPacket {
    fn segment(&self) -> PyResult<&Segment> {
        match &self.0.body {
            Body::Tcp(segment) => Ok(segment),
            Body::Icmp(_) | Body::Datagram(_) => Err(self.no_segment()),
        }
    }

    fn segment_mut(&mut self) -> PyResult<&mut Segment> {
        let error = self.no_segment();
        match &mut self.0.body {
            Body::Tcp(segment) => Ok(segment),
            Body::Icmp(_) | Body::Datagram(_) => Err(error),
        }
    }

    fn no_segment(&self) -> PyErr {
        PyAttributeError::new_err(format!("a packet of protocol {} has no TCP header", self.protocol()))
    }

    fn set_flag(&mut self, flag: Flags, value: bool) -> PyResult<()> {
        let flags = &mut self.segment_mut()?.flags;
        *flags = Flags(if value { flags.0 | flag.0 } else { flags.0 & !flag.0 });
        Ok(())
    }

    fn has(&self, flag: Flags) -> bool {
        matches!(&self.0.body, Body::Tcp(segment) if segment.flags.has(flag))
    }
}

#[pymethods]
impl PyPacket {
    /// tcp, udp, echo-request, echo-reply, other, icmp-defer or icmp-retransmit.
    #[getter]
    fn protocol(&self) -> &'static str {
        match &self.0.body {
            Body::Tcp(_) => "tcp",
            Body::Icmp(Notice { kind: NoticeKind::Defer, .. }) => "icmp-defer",
            Body::Icmp(Notice { kind: NoticeKind::Retransmit, .. }) => "icmp-retransmit",
            Body::Datagram(datagram) => match datagram.protocol {
                Protocol::Udp => "udp",
                Protocol::EchoRequest => "echo-request",
                Protocol::EchoReply => "echo-reply",
                Protocol::Other => "other",
            },
        }
    }

    /// Number of the source node, by its place in the scenario, from 0.
    #[getter]
    fn source(&self) -> usize {
        self.0.src.node()
    }

    /// Number of the destination node.
    #[getter]
    fn destination(&self) -> usize {
        self.0.dst.node()
    }

    /// Source port. With both nodes and both ports it identifies a flow.
    #[getter]
    fn source_port(&self) -> u16 {
        self.0.ports()[0]
    }

    /// Destination port.
    #[getter]
    fn destination_port(&self) -> u16 {
        self.0.ports()[1]
    }

    /// Bytes with all headers except the link layer's.
    #[getter]
    fn size(&self) -> u32 {
        self.0.size()
    }

    /// Bytes of payload.
    #[getter]
    fn length(&self) -> u32 {
        match &self.0.body {
            Body::Tcp(segment) => segment.len,
            Body::Icmp(_) => 0,
            Body::Datagram(datagram) => datagram.len,
        }
    }

    /// Sequence number of the first byte, modulo 2^32. TCP only.
    #[getter]
    fn seq(&self) -> PyResult<u32> {
        Ok(self.segment()?.seq.0)
    }

    /// The next byte expected, modulo 2^32. TCP only.
    #[getter]
    fn ack(&self) -> PyResult<u32> {
        Ok(self.segment()?.ack.0)
    }

    #[setter]
    fn set_ack(&mut self, ack: u32) -> PyResult<()> {
        self.segment_mut()?.ack = SeqNum(ack);
        Ok(())
    }

    /// Receive window in bytes, after scaling. TCP only.
    #[getter]
    fn window(&self) -> PyResult<u32> {
        Ok(self.segment()?.window)
    }

    #[setter]
    fn set_window(&mut self, bytes: u32) -> PyResult<()> {
        self.segment_mut()?.window = bytes;
        Ok(())
    }

    /// SYN: begins a connection.
    #[getter]
    fn syn(&self) -> bool {
        self.has(Flags::SYN)
    }

    /// FIN: the sender will send no more data.
    #[getter]
    fn fin(&self) -> bool {
        self.has(Flags::FIN)
    }

    /// RST: aborts a connection.
    #[getter]
    fn rst(&self) -> bool {
        self.has(Flags::RST)
    }

    /// Whether the acknowledgment number is valid.
    #[getter]
    fn acknowledges(&self) -> bool {
        self.has(Flags::ACK)
    }

    /// ECN-Echo: the receiver got a mark [RFC3168 s6.1].
    #[getter]
    fn ecn_echo(&self) -> bool {
        self.has(Flags::ECE)
    }

    #[setter]
    fn set_ecn_echo(&mut self, value: bool) -> PyResult<()> {
        self.set_flag(Flags::ECE, value)
    }

    /// Explicit loss notification: the segment at `ack` was lost on the radio link.
    #[getter]
    fn eln(&self) -> bool {
        self.has(Flags::ELN)
    }

    #[setter]
    fn set_eln(&mut self, value: bool) -> PyResult<()> {
        self.set_flag(Flags::ELN, value)
    }

    /// SACK blocks, each as first byte and byte after the last.
    #[getter]
    fn sack(&self) -> Vec<(u32, u32)> {
        let blocks = self.0.options().map_or(&[][..], |options| options.sack.as_slice());
        blocks.iter().map(|(from, to)| (from.0, to.0)).collect()
    }

    /// ECN field of the IP header: not-ect, ect0, ect1 or ce.
    #[getter]
    fn ecn(&self) -> &'static str {
        ECN[usize::from(self.0.ecn.bits())].0
    }

    #[setter]
    fn set_ecn(&mut self, name: &str) -> PyResult<()> {
        let known = ECN.iter().find(|(known, _)| *known == name);
        let expected = || PyValueError::new_err(format!("ecn: found \"{name}\", expected not-ect, ect0, ect1 or ce"));
        self.0.ecn = known.ok_or_else(expected)?.1;
        Ok(())
    }

    /// A copy, which may be sent and changed.
    fn copy(&self) -> PyPacket {
        self.clone()
    }

    /// A pure acknowledgment from this segment's destination to its source, of all bytes before `ack`.
    fn acknowledgment(&self, ack: u32, window: u32) -> PyResult<PyPacket> {
        let Segment { src_port, dst_port, ack: seq, window_shift, .. } = *self.segment()?;
        let segment = Segment {
            src_port: dst_port,
            dst_port: src_port,
            seq,
            ack: SeqNum(ack),
            window,
            len: 0,
            flags: Flags::ACK,
            window_shift,
            options: Options::default(),
        };
        Ok(PyPacket(Packet::new(self.0.dst, self.0.src, Body::Tcp(segment))))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyPacket>().is_ok_and(|other| other.borrow().0 == self.0)
    }

    fn __repr__(&self) -> String {
        let (from, to) = (self.source(), self.destination());
        match &self.0.body {
            Body::Tcp(Segment { seq, ack, len, .. }) => {
                format!("<Packet tcp {from} to {to}, seq {}, {len} bytes, ack {}>", seq.0, ack.0)
            }
            Body::Icmp(_) | Body::Datagram(_) => {
                format!("<Packet {} {from} to {to}, {} bytes>", self.protocol(), self.length())
            }
        }
    }
}
