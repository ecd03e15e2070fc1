//! The syntax tree of a script.

use engine::{Span, Time};

use crate::code::Program;
use crate::place::Place;

/// A whole script.
#[derive(Clone, PartialEq, Debug)]
pub struct Script {
    /// `--name=value` in its head.
    pub options: Vec<HeadOption>,
    /// Commands before the first event.
    pub setup: Vec<Commands>,
    /// The inputs and the expected outputs, in this order.
    pub events: Vec<Event>,
    /// Commands behind the last event.
    pub cleanup: Vec<Commands>,
}

/// An option in a script's head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeadOption {
    /// Where.
    pub place: Place,
    /// Its name, without dashes.
    pub name: String,
    /// The text behind `=`.
    pub value: Option<String>,
}

/// Commands for a shell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Commands {
    /// Where the text begins.
    pub place: Place,
    /// The text between the backticks.
    pub text: String,
}

/// One line of a script.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Where it begins.
    pub place: Place,
    /// When.
    pub when: When,
    /// Where what happens begins, behind the time.
    pub action_place: Place,
    /// What.
    pub action: Action,
}

/// When an event is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// A time relative to the script's beginning.
    At(Time),
    /// A time relative to the event before.
    After(Span),
    /// Between two times.
    Between(Time, Time),
    /// Between two spans after the event before.
    AfterBetween(Span, Span),
    /// `*`: whenever it is.
    Any,
}

/// The kind of an event.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// `<`: this packet comes in.
    Inject(Packet),
    /// `>`: this packet must go out.
    Expect(Packet),
    /// A system call.
    Call(Call),
    /// Commands for a shell.
    Commands(Commands),
    /// Assertions.
    Code(Code),
}

/// A packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Packet {
    /// A TCP segment.
    Tcp(Tcp),
    /// ICMP or UDP, as written.
    Other(String),
}

/// A TCP segment as scripts write it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tcp {
    /// The marks of its IP header.
    pub ip: Vec<IpMark>,
    /// Letters of its flags: `S`, `F`, `R`, `P`, `.` (ACK), `E`, `W`, `U`; none is written `-`.
    pub flags: String,
    /// First sequence number.
    pub seq: u32,
    /// Bytes of data.
    pub len: u32,
    /// Acknowledgment number.
    pub ack: Option<u32>,
    /// The window as it stands in the header.
    pub window: Option<u32>,
    /// The urgent pointer.
    pub urgent: Option<u32>,
    /// Its options; `None` for `<...>`, whatever they are.
    pub options: Option<Vec<Opt>>,
}

/// Something about the IP header.
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
    /// Congestion was met.
    Ce,
    /// The octet with DSCP and ECN.
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
    /// One that is not modelled, as written.
    Other(String),
}

/// A system call.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// If it blocks: when it must return, after the beginning or after the event before, as its start.
    pub returns: Option<Span>,
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub args: Vec<Expr>,
    /// The expected result.
    pub result: Expr,
    /// The name of the error it must fail with.
    pub errno: Option<String>,
}

/// A value in a system call.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// `...`: whatever it is.
    Any,
    /// A number.
    Number(i64),
    /// A number with decimals, as written.
    Decimal(String),
    /// A text in quotes.
    Text(String),
    /// A name such as `SOL_TCP`.
    Name(String),
    /// Names joined by `|`.
    Or(Vec<Expr>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{a, name = b, name(1) = c}`
    Record(Vec<Field>),
    /// `htons(8080)`
    Apply(String, Vec<Expr>),
}

/// A member of a record.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its name, if it has one, and the expression in parentheses behind it.
    pub name: Option<(String, Option<Expr>)>,
    /// Its value.
    pub value: Expr,
}

/// Assertions: a program in a small part of Python.
#[derive(Clone, PartialEq, Debug)]
pub struct Code {
    /// Where the text begins.
    pub place: Place,
    /// As written.
    pub text: String,
    /// As understood.
    pub program: Program,
}
