//! `lasthop fit`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use capture::transfer::Vantage;
use clap::Args as ClapArgs;
use engine::Rate;
use fit::log::{Iperf, Ping};
use fit::measured::{self, Given};
use fit::path::Bottleneck;
use fit::transfer::{Transfer, largest};
use fit::{beside, scenario::Fitted};

use super::captured::Place;
use super::{listed, print, shown};
use crate::talk::note;
use crate::{Failure, table};

/// Arguments of `lasthop fit`.
#[derive(ClapArgs)]
pub struct Args {
    /// A capture (pcap or pcapng) of a TCP transfer that fills the path, the log of `iperf3 -c SERVER -J`, or that of
    /// `ping`; a log of iperf3 and one of ping together
    #[arg(required = true, num_args = 1..=2)]
    files: Vec<PathBuf>,
    /// The scenario to write [default: standard output, behind the tables]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The connection of a capture, as Wireshark numbers them [default: the one with most data]
    #[arg(long, value_name = "N")]
    stream: Option<u32>,
    /// Where the capture was made [default: inferred]
    #[arg(long, value_enum, value_name = "PLACE")]
    at: Option<Place>,
    /// The sender's variant, which a capture does not show [default: that of iperf3's log, or cubic]
    #[arg(long)]
    variant: Option<String>,
    /// The rate of the path, if it is known
    #[arg(long)]
    rate: Option<Rate>,
}

/// Fits a scenario to a measurement, and runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    let names: Vec<String> = args.files.iter().map(|file| shown(file)).collect();
    let given = Given { variant: args.variant.clone(), rate: args.rate, source: names.join(" and ") };
    let (fitted, values) = match &args.files[..] {
        [file] => of_one(file, args, &given)?,
        files => of_logs(files, &given)?,
    };
    let text = fitted.to_toml();
    let (simulated, _) =
        beside::simulated("fitted.toml", &text).map_err(|problems| Failure::Input(listed(&problems)))?;
    let rows = |head: [&str; 3], rows: Vec<[String; 3]>| {
        let head = head.map(str::to_owned).to_vec();
        let rows: Vec<Vec<String>> = [head].into_iter().chain(rows.into_iter().map(Vec::from)).collect();
        table::aligned(&rows, 1)
    };
    print(&rows(["of the path", "value", "95 % interval"], measured::rows(&fitted)))?;
    print("\n")?;
    let title = format!("with {}", fitted.variant);
    print(&rows([&title, "measured", "simulated"], measured::beside(&values, &simulated)))?;
    match &args.output {
        Some(file) => {
            let unwritable = |error| Failure::Run(format!("{}: cannot be written: {error}\n", shown(file)));
            fs::write(file, text).map_err(unwritable)?;
            note(format_args!("{}: `lasthop compare {}` runs every scheme on it", shown(file), shown(file)));
            Ok(())
        }
        None => print(&format!("\n{text}")),
    }
}

/// The fit to a capture or a log.
fn of_one(file: &Path, args: &Args, given: &Given) -> Result<(Fitted, beside::Values), Failure> {
    let name = shown(file);
    let refused = |what: String| Failure::Input(format!("{name}: {what}\n"));
    let open = || File::open(file);
    let mut start = [0; 16];
    let read = open().and_then(|mut file| std::io::Read::read(&mut file, &mut start));
    let read = read.map_err(|error| refused(format!("cannot be read: {error}")))?;
    if !capture::is_capture(&start[..read]) {
        return of_logs(std::slice::from_ref(&file.to_owned()), given);
    }
    let number = match args.stream {
        Some(number) => Some(number),
        None => {
            largest(open().map_err(|error| refused(error.to_string()))?).map_err(|error| refused(error.to_string()))?
        }
    };
    let number = number.ok_or_else(|| refused(measured::Unfit::NoData.to_string()))?;
    let at = args.at.map(Vantage::from);
    let transfer = Transfer::of(open, number, at).map_err(|error| refused(error.to_string()))?;
    let ends = transfer.survey.stream.ends;
    note(format_args!(
        "{name}: stream {number}, {} to {}, {} segments with data, captured at the {}",
        ends[transfer.survey.sender.index()],
        ends[transfer.survey.sender.other().index()],
        transfer.transmissions.len(),
        transfer.survey.vantage.name(),
    ));
    measured::of_transfer(&transfer, &Bottleneck::of(&transfer), given).map_err(|error| refused(error.to_string()))
}

/// The fit to logs of iperf3 and ping.
fn of_logs(files: &[PathBuf], given: &Given) -> Result<(Fitted, beside::Values), Failure> {
    let (mut iperf, mut ping) = (None, None);
    for file in files {
        let refused = |what: String| Failure::Input(format!("{}: {what}\n", shown(file)));
        let text = fs::read(file).map_err(|error| refused(format!("cannot be read: {error}")))?;
        let text = String::from_utf8_lossy(&text);
        if Ping::is_log(&text) {
            ping = Some(Ping::parse(&text).map_err(|error| refused(error.to_string()))?);
        } else if text.trim_start().starts_with('{') {
            iperf = Some(Iperf::parse(&text).map_err(|error| refused(error.to_string()))?);
        } else {
            let expected = "found neither a capture nor a log, expected pcap, pcapng, `iperf3 -J` or `ping`";
            return Err(refused(expected.to_owned()));
        }
    }
    let unfit = |error: measured::Unfit| Failure::Input(format!("{}: {error}\n", given.source));
    match (iperf, ping) {
        (Some(iperf), ping) => measured::of_iperf(&iperf, ping.as_ref(), given).map_err(unfit),
        (None, Some(ping)) => measured::of_ping(&ping, given).map_err(unfit),
        (None, None) => Err(unfit(measured::Unfit::NoData)),
    }
}
