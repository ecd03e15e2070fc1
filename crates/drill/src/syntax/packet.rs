//! Packets of a script.

use engine::near::nearest_name;

use super::SyntaxError;
use super::ast::{IpMark, Opt, ScriptPacket, Tcp};
use super::parser::{PacketDirection, ScriptParser};
use super::token::ScriptToken;

const U32: u64 = u32::MAX as u64;

/// Part of an error message: the properties of an injected packet must be complete.
const MADE: &str = "of an injected packet, which must be complete";

/// Names of the supported options.
const SUPPORTED: [&str; 7] = ["mss", "sackOK", "wscale", "TS", "sack", "nop", "eol"];

/// Names of packetdrill's options that are not supported: Fast Open, MD5, AO, AccECN and Multipath TCP, most options of
/// which begin with `mp`.
const UNSUPPORTED: [&str; 12] =
    ["FO", "FOEXP", "exp", "md5", "ao", "ECN", "AccECN", "dss", "add_address", "remove_address", "add_addr", "rm_addr"];

/// Letters of the TCP flags except ACK.
const FLAGS: &str = "FSRPEWU";

impl ScriptParser<'_> {
    pub(super) fn packet(&mut self, way: PacketDirection) -> Result<ScriptPacket, SyntaxError> {
        let from = self.at();
        let ip = if self.accept(ScriptToken::Sign('[')) { self.ip_marks(way)? } else { Vec::new() };
        if self.beyond() {
            Ok(ScriptPacket::Other(self.rest_of_event(from)))
        } else {
            Ok(ScriptPacket::Tcp(self.tcp(ip, way)?))
        }
    }

    /// Parses the IP header fields in `[...]` in front of the flags.
    fn ip_marks(&mut self, way: PacketDirection) -> Result<Vec<IpMark>, SyntaxError> {
        let mut marks = Vec::new();
        loop {
            let wrong = self.wrong("ect0, ect1, ect01, ce, noecn, tos, ttl or flowlabel");
            marks.push(match self.word(&wrong.expected)? {
                "noecn" => IpMark::NoEcn,
                "ect0" => IpMark::Ect0,
                "ect1" => IpMark::Ect1,
                "ect01" if way == PacketDirection::Out => IpMark::Ect01,
                "ect01" => return Err(SyntaxError { expected: format!("ect0 or ect1 {MADE}"), ..wrong }),
                "ce" => IpMark::Ce,
                "tos" => IpMark::Tos(self.whole("the TOS octet", 255)? as u32),
                "ttl" => IpMark::Ttl(self.whole("a time to live", 255)? as u32),
                "flowlabel" => IpMark::FlowLabel(self.whole("a flow label", 0xf_ffff)? as u32),
                _ => return Err(wrong),
            });
            if self.accept(ScriptToken::Sign(']')) {
                return Ok(marks);
            }
            if !self.accept(ScriptToken::Sign(',')) {
                return Err(self.wrong("`,` or `]`"));
            }
        }
    }

    fn tcp(&mut self, ip: Vec<IpMark>, way: PacketDirection) -> Result<Tcp, SyntaxError> {
        let flags = self.flags()?;
        let (seq, len) = self.range()?;
        let mut tcp = Tcp { ip, flags, seq, len, options: Some(Vec::new()), ..Tcp::default() };
        if self.accept(ScriptToken::Word("ack")) {
            tcp.ack = Some(self.whole("an acknowledgment number", U32)? as u32);
        }
        if self.accept(ScriptToken::Word("win")) {
            tcp.window = Some(self.whole("a window", 0xffff)? as u32);
        }
        if self.accept(ScriptToken::Word("urg")) {
            tcp.urgent = Some(self.whole("an urgent pointer", 0xffff)? as u32);
        }
        if self.accept(ScriptToken::Sign('<')) {
            tcp.options = self.options(way)?;
        }
        Ok(tcp)
    }

    /// Parses TCP flags: letters, with a dot for ACK, or `-` for no flags.
    fn flags(&mut self) -> Result<String, SyntaxError> {
        let wrong = || self.wrong(format!("TCP flags: letters of {FLAGS}, `.` for ACK, or `-` for none"));
        if self.peek() == ScriptToken::Sign('-') {
            self.take();
            return Ok(String::new());
        }
        let mut flags = match self.peek() {
            ScriptToken::Word(word) if word.chars().all(|c| FLAGS.contains(c)) => word.to_owned(),
            ScriptToken::Sign('.') => String::new(),
            _ => return Err(wrong()),
        };
        if !flags.is_empty() {
            self.take();
        }
        if self.accept(ScriptToken::Sign('.')) {
            flags.push('.');
        }
        Ok(flags)
    }

    /// Parses a sequence range such as `1:1001(1000)`. Returns the first sequence number and the length in bytes.
    fn range(&mut self) -> Result<(u32, u32), SyntaxError> {
        let from = self.whole("a sequence number, as in `1:1001(1000)`", U32)? as u32;
        self.sign(':')?;
        let place = self.place();
        let to = self.whole("the sequence number after the data", U32)? as u32;
        self.sign('(')?;
        let len = self.whole("the number of bytes", U32)? as u32;
        self.sign(')')?;
        if from.wrapping_add(len) != to {
            return Err(SyntaxError {
                place,
                found: format!("`{to}`"),
                expected: format!("{}: {len} bytes from {from} on", from.wrapping_add(len)),
                hint: Some("SYN and FIN are not counted".into()),
            });
        }
        Ok((from, len))
    }

    /// Parses the options after `<`; returns `None` for `<...>`, which matches any.
    fn options(&mut self, way: PacketDirection) -> Result<Option<Vec<Opt>>, SyntaxError> {
        if way == PacketDirection::In && self.peek() == ScriptToken::Ellipsis {
            return Err(self.wrong(format!("options {MADE}")));
        }
        if self.accept(ScriptToken::Ellipsis) {
            self.sign('>')?;
            return Ok(None);
        }
        let mut options = Vec::new();
        loop {
            if self.accept(ScriptToken::Sign('>')) {
                return Ok(Some(options));
            }
            options.push(self.option()?);
            if !self.accept(ScriptToken::Sign(',')) && self.peek() != ScriptToken::Sign('>') {
                return Err(self.wrong("`,` or `>` after an option"));
            }
        }
    }

    fn option(&mut self) -> Result<Opt, SyntaxError> {
        let wrong = self.wrong("a TCP option: mss, sackOK, wscale, TS, sack, nop, eol or FO");
        Ok(match self.word(&wrong.expected)? {
            "mss" => Opt::Mss(self.whole("a segment size", 0xffff)? as u16),
            "sackOK" => Opt::SackOk,
            "wscale" => Opt::Scale(self.whole("a window scale", 255)? as u8),
            "nop" => Opt::Nop,
            "eol" => Opt::Eol,
            "TS" => {
                self.keyword("val")?;
                let value = self.whole("a time stamp", U32)? as u32;
                self.keyword("ecr")?;
                Opt::Stamps { value, echo: self.whole("the echo of a time stamp", U32)? as u32 }
            }
            "sack" => {
                let mut blocks = Vec::new();
                while matches!(self.peek(), ScriptToken::Number(_)) {
                    let from = self.whole("a SACK block", U32)? as u32;
                    self.sign(':')?;
                    blocks.push((from, self.whole("the end of a SACK block", U32)? as u32));
                }
                if blocks.is_empty() {
                    return Err(self.wrong("a SACK block such as `1001:2001`"));
                }
                Opt::Sack(blocks)
            }
            name if UNSUPPORTED.contains(&name) || name.starts_with("mp") => Opt::Other(self.unsupported_option(name)),
            // A misspelt option is an error; any other may be one of packetdrill's.
            name => match nearest_name(name, SUPPORTED) {
                Some(near) => return Err(SyntaxError { hint: Some(format!("did you mean \"{near}\"?")), ..wrong }),
                None => Opt::Other(self.unsupported_option(name)),
            },
        })
    }

    /// Parses the rest of an unsupported option after its name, up to the comma or `>` behind it. Commas between
    /// brackets are part of the option.
    fn unsupported_option(&mut self, name: &str) -> String {
        let (mut text, mut depth) = (name.to_owned(), 0u32);
        loop {
            match self.peek() {
                ScriptToken::End => return text,
                ScriptToken::Sign(',' | '>') if depth == 0 => return text,
                ScriptToken::Sign('[' | '(') => depth += 1,
                ScriptToken::Sign(']' | ')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            text.push(' ');
            text.push_str(self.take().describe().trim_matches('`'));
        }
    }

    fn keyword(&mut self, name: &'static str) -> Result<(), SyntaxError> {
        if self.accept(ScriptToken::Word(name)) { Ok(()) } else { Err(self.wrong(format!("`{name}`"))) }
    }

    /// Returns true if the next packet is of a kind that packetdrill supports but this crate does not: ICMP, UDP,
    /// encapsulation, ports before the flags, or flags of AccECN (RFC 9768), which are `A` and counts from 0 to 7. Such
    /// a packet is not parsed.
    fn beyond(&self) -> bool {
        match self.peek() {
            ScriptToken::Word("icmp" | "udp" | "gre" | "ipv4" | "ipv6" | "mpls") => true,
            // Addresses before the flags, as in scripts of Multipath TCP: `addr[caddr0] > addr[saddr0] S ...`.
            ScriptToken::Word("addr") => self.peek_behind() == ScriptToken::Sign('['),
            ScriptToken::Word(word) => {
                let precise = |c: char| c == 'A' || ('0'..='7').contains(&c);
                let is_flags = word.chars().all(|c| precise(c) || FLAGS.contains(c));
                let is_count = matches!(self.peek_behind(), ScriptToken::Number(text) if text.starts_with('.'));
                is_flags && (is_count || word.contains(precise))
            }
            ScriptToken::Number(text) => {
                text.starts_with('.') || matches!(self.peek_behind(), ScriptToken::Sign('>' | '.'))
            }
            _ => false,
        }
    }
}
