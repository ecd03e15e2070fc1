//! Comparison of an expected packet with the one sent.

use std::mem::discriminant;

use crate::report::PacketPart;
use crate::syntax::ast::{IpMark, Opt, Tcp};

/// Parts of packets that are compared only in some cases.
#[derive(Clone, Copy, Debug)]
pub struct ComparedParts {
    /// PSH: the segment ends with the last byte that the application has written.
    pub push: bool,
    /// Time stamp values, not only echoes.
    pub ticks: bool,
}

/// Compares two packets part by part.
///
/// - Parts that the script omits are not compared: the window, options in `<...>`, the ECN field without a mark.
///   An omitted `ack` or `urg` means 0, as in packetdrill.
/// - PSH is compared only where the segment ends with the last byte written without `MSG_MORE`
///   [RFC9293 s3.9.1.2]. Elsewhere the PSH in a script comes from Linux's segmentation offload.
/// - NOPs and the order of options are not compared.
pub fn compare_packets(expected: &Tcp, found: &Tcp, parts: ComparedParts) -> Vec<PacketPart> {
    let cell = |expected: String, found: String, agree: bool| PacketPart { expected, found, agree };
    let range = |tcp: &Tcp| format!("{}:{}({})", tcp.seq, tcp.seq.wrapping_add(tcp.len), tcp.len);
    let mut cells = Vec::new();
    if !expected.ip.is_empty() {
        let agree = expected.ip.iter().all(|mark| has_mark(*mark, &found.ip));
        let found = if found.ip.is_empty() { &[IpMark::NoEcn][..] } else { &found.ip };
        cells.push(cell(render_marks(&expected.ip), render_marks(found), agree));
    }
    cells.push(cell(render_flags(expected), render_flags(found), same_flags(expected, found, parts.push)));
    let same = (expected.seq, expected.len) == (found.seq, found.len);
    cells.push(cell(range(expected), range(found), same));
    let number = |name: &str, value: Option<u32>| value.map_or(String::new(), |value| format!("{name} {value}"));
    for (name, wanted, came, agree) in [
        ("ack", expected.ack, found.ack, expected.ack.unwrap_or(0) == found.ack.unwrap_or(0)),
        ("win", expected.window, found.window, expected.window.is_none() || expected.window == found.window),
        ("urg", expected.urgent, found.urgent, expected.urgent.unwrap_or(0) == found.urgent.unwrap_or(0)),
    ] {
        if wanted.is_some() || !agree {
            cells.push(cell(number(name, wanted), number(name, came), agree));
        }
    }
    if let Some(wanted) = &expected.options {
        let came = found.options.clone().unwrap_or_default();
        cells.extend(compare_options(wanted, &came, parts.ticks));
    }
    cells
}

fn render_flags(tcp: &Tcp) -> String {
    if tcp.flags.is_empty() { "-".into() } else { tcp.flags.clone() }
}

fn same_flags(expected: &Tcp, found: &Tcp, push: bool) -> bool {
    let set = |tcp: &Tcp| {
        let mut all: Vec<char> = tcp.flags.chars().filter(|flag| *flag != 'P' || push).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    set(expected) == set(found)
}

fn render_marks(marks: &[IpMark]) -> String {
    let all: Vec<String> = marks.iter().map(ToString::to_string).collect();
    format!("[{}]", all.join(", "))
}

/// Returns true if the IP marks in `found` agree with `mark`. TTL and flow label are not modelled and always agree.
fn has_mark(mark: IpMark, found: &[IpMark]) -> bool {
    let is = |mark| found.contains(&mark);
    match mark {
        IpMark::NoEcn => found.is_empty(),
        IpMark::Ect01 => is(IpMark::Ect0) || is(IpMark::Ect1),
        IpMark::Tos(tos) => {
            let ecn = wire::Ecn::from_bits(tos as u8);
            ecn == found.iter().fold(wire::Ecn::NotEct, |_, mark| match mark {
                IpMark::Ect0 => wire::Ecn::Ect0,
                IpMark::Ect1 => wire::Ecn::Ect1,
                _ => wire::Ecn::Ce,
            })
        }
        IpMark::Ttl(_) | IpMark::FlowLabel(_) => true,
        mark => is(mark),
    }
}

/// Pairs the expected with the found options by kind; paddings are not compared.
fn compare_options(expected: &[Opt], found: &[Opt], ticks: bool) -> Vec<PacketPart> {
    let real = |options: &[Opt]| -> Vec<Option<Opt>> {
        options.iter().filter(|option| !matches!(option, Opt::Nop | Opt::Eol)).cloned().map(Some).collect()
    };
    let mut left = real(found);
    let mut pairs: Vec<(Option<Opt>, Option<Opt>)> = Vec::new();
    for wanted in real(expected).into_iter().flatten() {
        let alike =
            |came: &&mut Option<Opt>| came.as_ref().is_some_and(|came| discriminant(came) == discriminant(&wanted));
        let came = left.iter_mut().find(alike).and_then(Option::take);
        pairs.push((Some(wanted), came));
    }
    pairs.extend(left.into_iter().filter(Option::is_some).map(|came| (None, came)));
    let agree = |pair: &(Option<Opt>, Option<Opt>)| match pair {
        (Some(Opt::Stamps { echo, .. }), Some(Opt::Stamps { echo: came, .. })) if !ticks => echo == came,
        (wanted, came) => wanted == came,
    };
    let expected = in_brackets(pairs.iter().map(|(wanted, _)| wanted.as_ref()).collect());
    let found = in_brackets(pairs.iter().map(|(_, came)| came.as_ref()).collect());
    let texts = expected.into_iter().zip(found).zip(&pairs);
    texts.map(|((expected, found), pair)| PacketPart { expected, found, agree: agree(pair) }).collect()
}

/// Formats the options between `<` and `>`, one text per option, empty for a missing option.
fn in_brackets(options: Vec<Option<&Opt>>) -> Vec<String> {
    let (first, last) = (options.iter().position(Option::is_some), options.iter().rposition(Option::is_some));
    let text = |(index, option): (usize, &Option<&Opt>)| match option {
        None => String::new(),
        Some(option) => {
            let open = if Some(index) == first { "<" } else { "" };
            let close = if Some(index) == last { ">" } else { "," };
            format!("{open}{option}{close}")
        }
    };
    options.iter().enumerate().map(text).collect()
}
