//! `lasthop fit`.

use std::path::{Path, PathBuf};
use std::{fs, io};

use capture::transfer::Vantage;
use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, ValueEnum};
use engine::{Quantity, Rate};
use fit::log::{Iperf, Ping};
use fit::measured::{self, GivenSettings};
use fit::path::Bottleneck;
use fit::scenario::{FittedHost, FittedPath};
use fit::transfer::MeasuredTransfer;
use fit::{comparison, json};
use lab::captures::{BothEnds, CaptureFile, is_capture, open_decompressed};
use lab::result_dir::EMULATION;

use super::captured::{
    CaptureArgs, CapturePlace, DataDirection, congestion_control, find_host_captures, open_both, read_command_captures,
    refuse_comparison, warn_of_damage,
};
use super::{format_path, format_problems, print_visible, refuse_stdin, unreadable_file, write_whole};
use crate::command_groups::Example;
use crate::input::{UNPACK, identify_compression};
use crate::spool::spool_stdin;
use crate::talk::write_note;
use crate::{CommandFailure, table};

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    (
        "lasthop fit results/snoop-seed1/server.pcapng -o path.toml",
        "Make a scenario of the path of a captured download",
    ),
    ("lasthop fit iperf3.json ping.log --sender mobile", "Print the fit of an upload from logs"),
];

/// Arguments of `lasthop fit`.
#[derive(ClapArgs)]
pub struct Args {
    /// A capture (pcap or pcapng) of a TCP transfer that fills the path, or two of both ends, or a result of `lasthop
    /// shell` that has them; the log of `iperf3 -c SERVER -J`, or of `ping`; or one log of each; - is standard input
    #[arg(required = true, num_args = 1..=2)]
    files: Vec<PathBuf>,
    /// The scenario to write [default: standard output, behind the tables]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The connection of a capture, as Wireshark numbers them [default: the one with most data]
    #[arg(long, value_name = "N")]
    stream: Option<u32>,
    /// Where the capture was made [default: inferred]
    #[arg(long, value_enum, value_name = "PLACE")]
    at: Option<CapturePlace>,
    /// The sender's variant, which a capture does not show [default: that of iperf3's log, or the nearest of several]
    #[arg(long, value_parser = PossibleValuesParser::new(comparison::list_variant_names()), hide_possible_values = true)]
    variant: Option<String>,
    /// The rate of the path, if it is known
    #[arg(long)]
    rate: Option<Rate>,
    /// The host that sends the data, which a measurement does not show: `mobile` for an upload [default: that of a
    /// result of `lasthop shell`, or else server]
    #[arg(long, value_enum, value_name = "HOST")]
    sender: Option<SendingHost>,
    /// Print the fit as JSON
    #[arg(long)]
    json: bool,
}

/// The host that sends the data.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SendingHost {
    /// The wired host: a download
    Server,
    /// The wireless host: an upload
    Mobile,
}

impl From<SendingHost> for FittedHost {
    fn from(host: SendingHost) -> FittedHost {
        match host {
            SendingHost::Server => FittedHost::Server,
            SendingHost::Mobile => FittedHost::Mobile,
        }
    }
}

/// Fits a scenario to a measurement, and runs it.
pub fn fit_scenario(args: &Args) -> Result<(), CommandFailure> {
    let files = args.files.iter().map(|file| Ok(spool_stdin(file)?.unwrap_or_else(|| file.clone())));
    let files: Vec<PathBuf> = files.collect::<io::Result<_>>().map_err(refuse_stdin)?;
    files.iter().try_for_each(|file| refuse_comparison(file))?;
    let names: Vec<String> = files.iter().map(|file| format_path(file)).collect();
    let source = names.join(" and ");
    let given = GivenSettings {
        variant: args.variant.clone(),
        rate: args.rate,
        sender: args.sender.map(FittedHost::from),
        source,
    };
    let (fitted, values, named) = match &files[..] {
        [dir] if !find_host_captures(dir).is_empty() => fit_host_result(dir, args, &given)?,
        [file] => fit_capture_or_log(file, args, &given)?,
        [one, other] if is_capture(one) && is_capture(other) => {
            if args.at.is_some() {
                return Err(CommandFailure::Input("error: --at: found two captures, expected one".to_owned()));
            }
            fit_both_captures(open_both(one, other)?.each_ref(), args, &given)?
        }
        files => fit_logs(files, &given)?,
    };
    let variant = given.variant(named.as_deref());
    let variants: Vec<&str> = variant.as_deref().map_or(comparison::CANDIDATES.to_vec(), |variant| vec![variant]);
    let tried = comparison::try_variants(&fitted, &values, &variants)
        .map_err(|problems| CommandFailure::Input(format_problems(&problems)))?;
    let Some(best) = tried.first() else { return Ok(()) };
    if best.values.is_far(&values) {
        write_note(
            "warning: the simulated goodput is more than 15 % from the measured one: the real path or sender differs \
             from the fit, and results of `lasthop compare` may not apply\n  hint: --variant names the sender's \
             variant",
        );
    }
    if args.json {
        print_visible(&format!("{:#}\n", json::fit_to_json(&tried, &values)))?;
    } else {
        print_fit_tables(&tried, &values, variant.is_none())?;
    }
    let text = best.fitted.to_toml();
    if let Some(file) = &args.out {
        write_whole(file, text.as_bytes())?;
        write_note(format_args!(
            "{}: `lasthop compare {}` runs every scheme on it",
            format_path(file),
            format_path(file)
        ));
    } else if !args.json {
        print_visible(&format!("\n{text}"))?;
    }
    Ok(())
}

/// Prints a fit. The variant is `assumed` if neither the user nor the measurement names it.
fn print_fit_tables(
    tried: &[comparison::TriedVariant],
    values: &comparison::TransferValues,
    assumed: bool,
) -> Result<(), CommandFailure> {
    let Some(best) = tried.first() else { return Ok(()) };
    print_visible(&table::align_rows(&measured::render_fit_rows(&best.fitted), 1))?;
    print_visible(&format!("\n{}", table::align_rows(&measured::render_comparison_rows(values, best), 1)))?;
    if !assumed || values.goodput.is_none() {
        return Ok(());
    }
    let goodput = |tried: &comparison::TriedVariant| {
        let goodput = Quantity::Rate.format_brief(tried.values.goodput.unwrap_or_default());
        format!("{} {goodput}", tried.fitted.variant)
    };
    let others: Vec<String> = tried.iter().map(goodput).collect();
    print_visible(&format!(
        "\nthe sender's variant is unknown; goodput by variant, nearest first: {}\n",
        others.join(", ")
    ))
}

/// Says which host is taken for the sender, if `sends` may be a mobile: servers do not open connections.
fn note_direction(given: &GivenSettings, sends: Option<&str>) {
    if let Some(sends) = sends.filter(|_| given.sender.is_none()) {
        write_note(format_args!(
            "note: fitted as a download; if {sends}, which sends, is the wireless host: --sender mobile"
        ));
    }
}

/// A fit, the values of the measurement, and the variant that it names.
type Fit = (FittedPath, comparison::TransferValues, Option<String>);

/// The fit to a result of real hosts, which shows the sender.
fn fit_host_result(dir: &Path, args: &Args, given: &GivenSettings) -> Result<Fit, CommandFailure> {
    let (file, other) = read_command_captures(dir, None, &CaptureArgs { stream: args.stream, at: args.at })?;
    let direction = DataDirection::of(dir, &file, other.as_ref(), file.choose_connection(args.stream)?);
    let seen = direction.filter(|_| given.sender.is_none()).map(|direction| {
        write_note(direction.to_string());
        if direction.is_upload { FittedHost::Mobile } else { FittedHost::Server }
    });
    if let Some(control) = congestion_control(dir).filter(|_| given.variant.is_none()) {
        write_note(format_args!(
            "note: the machine's congestion control was {control}, unless the program chose another: set it with --variant"
        ));
    }
    let given = &GivenSettings { sender: given.sender.or(seen), ..given.clone() };
    match &other {
        Some(other) => fit_both_captures([&file, other], args, given),
        None => {
            let transfer =
                MeasuredTransfer::read(|| open_decompressed(&file.path), args.stream, args.at.map(Vantage::from));
            let name = format_path(&file.path);
            let refused = |error| CommandFailure::Input(format!("error: {name}: {error}"));
            fit_transfer(&name, &transfer.map_err(refused)?, given)
        }
    }
}

/// The fit to a capture or a log.
fn fit_capture_or_log(file: &Path, args: &Args, given: &GivenSettings) -> Result<Fit, CommandFailure> {
    let name = format_path(file);
    let refused = |what: String| CommandFailure::Input(format!("error: {name}: {what}"));
    let found = fs::metadata(file).map_err(|error| refuse_unreadable(file, &error))?;
    if found.is_dir() {
        let what =
            "found a directory without captures of real hosts, expected one of `lasthop shell`, a capture, or a log";
        return Err(refused(what.to_owned()));
    }
    if !is_capture(file) {
        if let Some(option) = args.stream.map(|_| "--stream").or(args.at.map(|_| "--at")) {
            return Err(refused(format!("found no capture, expected one with {option}")));
        }
        return fit_logs(std::slice::from_ref(&file.to_owned()), given);
    }
    let at = args.at.map(Vantage::from);
    let transfer = MeasuredTransfer::read(|| open_decompressed(file), args.stream, at)
        .map_err(|error| refused(error.to_string()))?;
    warn_of_damage(file, transfer.incomplete.as_deref(), transfer.skipped, transfer.bad_timestamps);
    fit_transfer(&name, &transfer, given)
}

/// The fit to the captures of both ends.
fn fit_both_captures(captures: [&CaptureFile; 2], args: &Args, given: &GivenSettings) -> Result<Fit, CommandFailure> {
    let both = BothEnds::of(captures, args.stream)?;
    let path = &both.files[0].path;
    if !both.whole_path {
        write_note(format_args!(
            "note: the captures are not from both ends of the connection: {} alone is fitted",
            format_path(path)
        ));
    }
    let truth = both.truth();
    let at = both.whole_path.then_some(Vantage::Sender);
    let transfer =
        MeasuredTransfer::read_with_truth(|| open_decompressed(path), Some(both.numbers[0]), at, truth.as_ref());
    let transfer = transfer.map_err(|error| CommandFailure::Input(format!("error: {}: {error}", format_path(path))))?;
    fit_transfer(&given.source, &transfer, given)
}

/// The fit to a transfer, captured in the file of this name.
fn fit_transfer(name: &str, transfer: &MeasuredTransfer, given: &GivenSettings) -> Result<Fit, CommandFailure> {
    let refused = |what: String| CommandFailure::Input(format!("error: {name}: {what}"));
    let ends = transfer.survey.stream.ends;
    write_note(format_args!(
        "{name}: stream {}, {} to {}, {} segments with data, captured at {}",
        transfer.survey.number,
        ends[transfer.survey.sender.index()],
        ends[transfer.survey.sender.other().index()],
        transfer.transmissions.len(),
        transfer.survey.describe_place(),
    ));
    let opened = transfer.survey.sender == capture::End::Client;
    note_direction(given, opened.then_some("the end that opened the connection"));
    let at_sender = transfer.survey.place_of_times() == Vantage::Sender;
    if at_sender && transfer.counts.missing > transfer.counts.segments / 100 {
        let missing = transfer.counts.missing;
        write_note(format_args!(
            "warning: {name}: segments that were not captured: {missing}; it is less certain which other segments were \
             lost"
        ));
    }
    if !at_sender {
        write_note(
            "note: not captured at the sender: waits are not visible, and drops at a full queue count as losses on the \
             channel",
        );
    }
    let fitted = measured::fit_to_transfer(transfer, &Bottleneck::measure(transfer), given);
    fitted.map(|(fitted, values)| (fitted, values, None)).map_err(|error| refused(error.to_string()))
}

/// An error for an unreadable file.
fn refuse_unreadable(file: &Path, error: &io::Error) -> CommandFailure {
    CommandFailure::Input(format_problems(&[unreadable_file(file, error)]))
}

/// The fit to logs of iperf3 and ping.
fn fit_logs(files: &[PathBuf], given: &GivenSettings) -> Result<Fit, CommandFailure> {
    let (mut iperf, mut ping) = (None, None);
    for file in files {
        let refused = |what: String| CommandFailure::Input(format!("error: {}: {what}", format_path(file)));
        let bytes = fs::read(file).map_err(|error| refuse_unreadable(file, &error))?;
        let text = String::from_utf8_lossy(&bytes);
        if is_capture(file) {
            return Err(refused(
                "found a capture and another file, expected one capture alone, or two of one connection".to_owned(),
            ));
        } else if Ping::is_log(&text) {
            if ping.is_some() {
                return Err(refused("found a second log of ping, expected one".to_owned()));
            }
            ping = Some(Ping::parse(&text).map_err(|error| refused(error.to_string()))?);
        } else if text.trim_start().starts_with('{') {
            if file.file_name().is_some_and(|name| name == EMULATION) {
                return Err(refused(
                    "found the report of a result of `lasthop shell`, expected its directory".to_owned(),
                ));
            }
            if iperf.is_some() {
                return Err(refused("found a second log of iperf3, expected one".to_owned()));
            }
            iperf = Some(Iperf::parse(&text).map_err(|error| refused(error.to_string()))?);
        } else if Iperf::is_plain(&text) {
            return Err(refused(
                "found the text output of iperf3, expected its JSON: run it with -J (`iperf3 -c SERVER -J`)".to_owned(),
            ));
        } else {
            return Err(refused(format!(
                "{}, expected pcap, pcapng, or the output of `iperf3 -J` or `ping`",
                describe_unknown_file(&bytes)
            )));
        }
    }
    let unfit = |error: measured::FitError| CommandFailure::Input(format!("error: {}: {error}", given.source));
    match (iperf, ping) {
        (Some(iperf), ping) => {
            let (fitted, values) = measured::fit_to_iperf(&iperf, ping.as_ref(), given).map_err(unfit)?;
            if iperf.both_ways {
                write_note(
                    "note: a log of --bidir: only the data sent by the host that wrote the log is fitted; if both \
                     directions share a medium, one direction without the other has a higher rate",
                );
            }
            note_direction(given, (!iperf.receives).then_some("the host that wrote the log"));
            write_note("note: a log of iperf3 has means only; a capture shows queue and losses");
            Ok((fitted, values, iperf.control))
        }
        (None, Some(ping)) => {
            let (fitted, values) = measured::fit_to_ping(&ping, given).map_err(unfit)?;
            Ok((fitted, values, None))
        }
        (None, None) => Err(CommandFailure::Input(format!("error: {}: found no log", given.source))),
    }
}

/// Describes a file that is neither a capture nor a log.
fn describe_unknown_file(bytes: &[u8]) -> String {
    match identify_compression(bytes) {
        _ if bytes.is_empty() => "found an empty file".to_owned(),
        Some(found) => format!("found {found} ({UNPACK})"),
        None => "found neither a capture nor a log".to_owned(),
    }
}
