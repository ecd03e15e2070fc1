//! The syntax tree of a script.

use engine::{Span, Time};

use crate::code::Program;
use crate::place::ScriptPlace;

/// A parsed script.
#[derive(Clone, PartialEq, Debug)]
pub struct Script {
    /// Options `--name=value` at the head of the script.
    pub options: Vec<HeadOption>,
    /// Commands before the first event.
    pub setup: Vec<Commands>,
    /// Injected packets, system calls, and expected packets, in script order.
    pub events: Vec<ScriptEvent>,
    /// Commands after the last event.
    pub cleanup: Vec<Commands>,
}

/// An option at the head of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeadOption {
    /// Position of the option in the script.
    pub place: ScriptPlace,
    /// Name, without dashes.
    pub name: String,
    /// Text after `=`; `None` without `=`.
    pub value: Option<String>,
}

/// Shell commands between backticks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Commands {
    /// Position of the text in the script.
    pub place: ScriptPlace,
    /// The text between the backticks.
    pub text: String,
}

/// An event: a line of a script with a time and an action.
#[derive(Clone, PartialEq, Debug)]
pub struct ScriptEvent {
    /// Position of the event in the script.
    pub place: ScriptPlace,
    /// Time of the event.
    pub when: When,
    /// Position of the action, after the time.
    pub action_place: ScriptPlace,
    /// The action.
    pub action: EventAction,
}

/// Time of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// The event occurs at a time since the start of the script.
    At(Time),
    /// The event occurs at a time since the previous event.
    After(Span),
    /// Between two times.
    Between(Time, Time),
    /// Between two times since the previous event.
    AfterBetween(Span, Span),
    /// `*`: at any time.
    Any,
}

/// Action of an event.
#[derive(Clone, PartialEq, Debug)]
pub enum EventAction {
    /// `<`: the script injects this packet.
    Inject(ScriptPacket),
    /// `>`: the host under test must send this packet.
    Expect(ScriptPacket),
    /// A system call.
    Call(Call),
    /// Commands for a shell.
    Commands(Commands),
    /// Assertions.
    Code(Code),
}

/// A packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScriptPacket {
    /// A TCP segment.
    Tcp(Tcp),
    /// Another packet, such as ICMP or UDP, as written; not supported.
    Other(String),
}

/// A TCP segment in packetdrill notation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tcp {
    /// IP header fields that the script states.
    pub ip: Vec<IpMark>,
    /// Letters of the flags: `S`, `F`, `R`, `P`, `.` (ACK), `E`, `W`, `U`. No flags are printed as `-`.
    pub flags: String,
    /// First sequence number.
    pub seq: u32,
    /// Bytes of data.
    pub len: u32,
    /// Acknowledgment number.
    pub ack: Option<u32>,
    /// Window field of the header, unscaled.
    pub window: Option<u32>,
    /// The urgent pointer.
    pub urgent: Option<u32>,
    /// TCP options; `None` for `<...>`, which matches any.
    pub options: Option<Vec<Opt>>,
}

/// An IP header field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IpMark {
    /// Not ECN-capable.
    NoEcn,
    /// ECT(0).
    Ect0,
    /// ECT(1).
    Ect1,
    /// ECT(0) or ECT(1).
    Ect01,
    /// CE: congestion experienced.
    Ce,
    /// TOS octet with DSCP and ECN.
    Tos(u32),
    /// Time to live.
    Ttl(u32),
    /// IPv6 flow label.
    FlowLabel(u32),
}

/// A TCP option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opt {
    /// Maximum segment size.
    Mss(u16),
    /// SACK permitted.
    SackOk,
    /// Window scale.
    Scale(u8),
    /// Timestamps.
    Stamps {
        /// TSval.
        value: u32,
        /// TSecr.
        echo: u32,
    },
    /// SACK blocks.
    Sack(Vec<(u32, u32)>),
    /// Padding.
    Nop,
    /// End of options.
    Eol,
    /// An unsupported option, as written.
    Other(String),
}

/// A system call.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// Time at which a blocking call must return, relative to the same origin as the time of the event; `None` for a
    /// call that does not block.
    pub returns: Option<Span>,
    /// Name of the system call.
    pub name: String,
    /// Arguments.
    pub args: Vec<Expr>,
    /// The expected result.
    pub result: Expr,
    /// Name of the errno with which the call must fail.
    pub errno: Option<String>,
}

/// A value in a system call.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// `...`: any value.
    Any,
    /// A number.
    Number(i64),
    /// A decimal fraction, as written.
    Decimal(String),
    /// A string in quotes.
    Text(String),
    /// A name such as `SOL_TCP`.
    Name(String),
    /// Names joined by `|`.
    Or(Vec<Expr>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{a, name = b, name(1) = c}`
    Record(Vec<RecordField>),
    /// `htons(8080)`
    Apply(String, Vec<Expr>),
}

/// A member of a record.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordField {
    /// Name of the member and the expression in parentheses after it; `None` for a positional member.
    pub name: Option<(String, Option<Expr>)>,
    /// Value of the member.
    pub value: Expr,
}

/// Assertions in a subset of Python.
#[derive(Clone, PartialEq, Debug)]
pub struct Code {
    /// Position of the text in the script.
    pub place: ScriptPlace,
    /// Source text.
    pub text: String,
    /// The parsed statements.
    pub program: Program,
}
