//! Prints scripts in a canonical form.

use std::fmt::{self, Display, Formatter};

use engine::{Span, Time};

use super::ast::{Action, Call, Event, Expr, Field, IpMark, Opt, Packet, Script, Tcp, When};

impl Display for Script {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for option in &self.options {
            match &option.value {
                Some(value) => writeln!(f, "--{}={value}", option.name)?,
                None => writeln!(f, "--{}", option.name)?,
            }
        }
        for commands in &self.setup {
            writeln!(f, "`{}`", commands.text)?;
        }
        for event in &self.events {
            writeln!(f, "{event}")?;
        }
        for commands in &self.cleanup {
            writeln!(f, "`{}`", commands.text)?;
        }
        Ok(())
    }
}

impl Display for Event {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.when)?;
        match &self.action {
            Action::Inject(packet) => write!(f, "< {packet}"),
            Action::Expect(packet) => write!(f, "> {packet}"),
            Action::Call(call) => match call.returns {
                Some(returns) => write!(f, "... {} {call}", seconds(returns)),
                None => write!(f, "{call}"),
            },
            Action::Commands(commands) => write!(f, "`{}`", commands.text),
            Action::Code(code) => write!(f, "%{{ {} }}%", code.text),
        }
    }
}

/// Converts a span for printing as seconds.
fn seconds(span: Span) -> Time {
    Time::ZERO + span
}

impl Display for When {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            When::At(time) => write!(f, "{time}"),
            When::After(span) => write!(f, "+{}", seconds(span)),
            When::Between(from, to) => write!(f, "{from}~{to}"),
            When::AfterBetween(from, to) => write!(f, "+{}~+{}", seconds(from), seconds(to)),
            When::Any => write!(f, "*"),
        }
    }
}

impl Display for Packet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Packet::Tcp(tcp) => write!(f, "{tcp}"),
            Packet::Other(text) => f.write_str(text),
        }
    }
}

impl Display for Tcp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.ip.is_empty() {
            write!(f, "[{}] ", joined(&self.ip, ", "))?;
        }
        let flags = if self.flags.is_empty() { "-" } else { &self.flags };
        write!(f, "{flags} {}:{}({})", self.seq, self.seq.wrapping_add(self.len), self.len)?;
        for (name, value) in [("ack", self.ack), ("win", self.window), ("urg", self.urgent)] {
            if let Some(value) = value {
                write!(f, " {name} {value}")?;
            }
        }
        match &self.options {
            None => write!(f, " <...>"),
            Some(options) if options.is_empty() => Ok(()),
            Some(options) => write!(f, " <{}>", joined(options, ",")),
        }
    }
}

impl Display for IpMark {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            IpMark::NoEcn => write!(f, "noecn"),
            IpMark::Ect0 => write!(f, "ect0"),
            IpMark::Ect1 => write!(f, "ect1"),
            IpMark::Ect01 => write!(f, "ect01"),
            IpMark::Ce => write!(f, "ce"),
            IpMark::Tos(tos) => write!(f, "tos {tos:#x}"),
            IpMark::Ttl(ttl) => write!(f, "ttl {ttl}"),
            IpMark::FlowLabel(label) => write!(f, "flowlabel {label:#x}"),
        }
    }
}

impl Display for Opt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Opt::Mss(mss) => write!(f, "mss {mss}"),
            Opt::SackOk => write!(f, "sackOK"),
            Opt::Scale(shift) => write!(f, "wscale {shift}"),
            Opt::Stamps { value, echo } => write!(f, "TS val {value} ecr {echo}"),
            Opt::Sack(blocks) => {
                write!(f, "sack")?;
                blocks.iter().try_for_each(|(from, to)| write!(f, " {from}:{to}"))
            }
            Opt::Nop => write!(f, "nop"),
            Opt::Eol => write!(f, "eol"),
            Opt::Other(text) => f.write_str(text),
        }
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}) = {}", self.name, joined(&self.args, ", "), self.result)?;
        match &self.errno {
            Some(errno) => write!(f, " {errno}"),
            None => Ok(()),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Any => write!(f, "..."),
            Expr::Number(number) => write!(f, "{number}"),
            Expr::Decimal(text) | Expr::Name(text) => f.write_str(text),
            Expr::Text(text) => write!(f, "\"{text}\""),
            Expr::Or(all) => f.write_str(&joined(all, "|")),
            Expr::List(all) => write!(f, "[{}]", joined(all, ", ")),
            Expr::Record(fields) => write!(f, "{{{}}}", joined(fields, ", ")),
            Expr::Apply(name, args) => write!(f, "{name}({})", joined(args, ", ")),
        }
    }
}

impl Display for Field {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.name {
            None => {}
            Some((name, None)) => write!(f, "{name}=")?,
            Some((name, Some(of))) => write!(f, "{name}({of})=")?,
        }
        write!(f, "{}", self.value)
    }
}

fn joined(all: &[impl Display], between: &str) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}
