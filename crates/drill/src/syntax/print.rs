//! Prints scripts in a canonical form.

use std::fmt::{self, Display, Formatter};

use engine::{Span, Time};

use super::ast::{Call, EventAction, Expr, IpMark, Opt, RecordField, Script, ScriptEvent, ScriptPacket, Tcp, When};

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

impl Display for ScriptEvent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.when)?;
        match &self.action {
            EventAction::Inject(packet) => write!(f, "< {packet}"),
            EventAction::Expect(packet) => write!(f, "> {packet}"),
            EventAction::Call(call) => match call.returns {
                Some(returns) => write!(f, "... {} {call}", span_as_time(returns)),
                None => write!(f, "{call}"),
            },
            EventAction::Commands(commands) => write!(f, "`{}`", commands.text),
            EventAction::Code(code) => write!(f, "%{{ {} }}%", code.text),
        }
    }
}

/// Converts a span for printing as seconds.
fn span_as_time(span: Span) -> Time {
    Time::ZERO + span
}

impl Display for When {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            When::At(time) => write!(f, "{time}"),
            When::After(span) => write!(f, "+{}", span_as_time(span)),
            When::Between(from, to) => write!(f, "{from}~{to}"),
            When::AfterBetween(from, to) => write!(f, "+{}~+{}", span_as_time(from), span_as_time(to)),
            When::Any => write!(f, "*"),
        }
    }
}

impl Display for ScriptPacket {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            ScriptPacket::Tcp(tcp) => write!(f, "{tcp}"),
            ScriptPacket::Other(text) => f.write_str(text),
        }
    }
}

impl Display for Tcp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.ip.is_empty() {
            write!(f, "[{}] ", join_texts(&self.ip, ", "))?;
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
            Some(options) => write!(f, " <{}>", join_texts(options, ",")),
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
        write!(f, "{}({}) = {}", self.name, join_texts(&self.args, ", "), self.result)?;
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
            Expr::Or(all) => f.write_str(&join_texts(all, "|")),
            Expr::List(all) => write!(f, "[{}]", join_texts(all, ", ")),
            Expr::Record(fields) => write!(f, "{{{}}}", join_texts(fields, ", ")),
            Expr::Apply(name, args) => write!(f, "{name}({})", join_texts(args, ", ")),
        }
    }
}

impl Display for RecordField {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.name {
            None => {}
            Some((name, None)) => write!(f, "{name}=")?,
            Some((name, Some(of))) => write!(f, "{name}({of})=")?,
        }
        write!(f, "{}", self.value)
    }
}

fn join_texts(all: &[impl Display], between: &str) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}
