//! `lasthop import`.

use std::fs;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap::builder::PossibleValuesParser;
use engine::Quantity;
use lab::captures::is_capture;
use scenario::problem::Problem;
use scenario::recordings::format::{Format, FormatReader, READERS};
use scenario::recordings::recorded::LinkRecording;

use super::{format_count, format_path, format_problems, print_visible, refuse_input, unreadable_file, write_whole};
use crate::CommandFailure;
use crate::command_groups::Example;
use crate::input::{UNPACK, identify_compression};
use crate::talk::write_note;

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop import examples/recordings/norway_bus_1", "Print a recording as a table, and its summary"),
    ("lasthop import examples/recordings/norway_bus_1 -o results/bus.csv", "Write the table"),
];

/// Arguments of `lasthop import`.
#[derive(ClapArgs)]
pub struct Args {
    /// The recording: rates, delays or deliveries in one of the formats
    file: PathBuf,
    /// The format [default: recognized]
    #[arg(long, value_parser = PossibleValuesParser::new(READERS.iter().map(|reader| reader.name)))]
    format: Option<String>,
    /// The table to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Prints a recording as lasthop's table.
pub fn import_recording(args: &Args) -> Result<(), CommandFailure> {
    let name = format_path(&args.file);
    if is_capture(&args.file) {
        let problem = Problem::new("a recording of rates, delays or deliveries").in_file(&*name).found("a capture");
        let hint = "`lasthop fit` makes a scenario of a capture; `explain`, `plot` and `report` read it, too";
        return Err(CommandFailure::Input(format_problems(&[problem.hint(hint)])));
    }
    let unfit = |what: String| CommandFailure::Input(format!("error: {name}: {what}"));
    let bytes = fs::read(&args.file).map_err(|error| refuse_input(vec![unreadable_file(&args.file, &error)]))?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let what = match identify_compression(error.as_bytes()) {
                Some(found) => format!("found {found}, expected a recording as text: {UNPACK}"),
                None => "found binary data, expected a recording as text".to_owned(),
            };
            return Err(unfit(what));
        }
    };
    let named = args.format.as_ref().and_then(|name| READERS.iter().find(|reader| reader.name == name));
    // The format is a key in a scenario, and a command-line option here.
    let with_option = |problem: Problem| match &problem.hint {
        Some(hint) => problem.clone().hint(hint.replace("name its format", "--format")),
        None => problem,
    };
    let recognized = || Format::Auto.reader(&name, &text).map_err(with_option);
    let reader = named.map_or_else(recognized, Ok).map_err(|problem| refuse_input(vec![problem]))?;
    let recorded = reader.read(&name, &text).map_err(|problem| refuse_input(vec![problem]))?;
    write_note(format_args!("{name}: {}", describe_recording(reader, &recorded)));
    match &args.out {
        Some(file) => write_whole(file, recorded.to_csv().as_bytes()),
        None => print_visible(&recorded.to_csv()),
    }
}

/// The format of a recording and its extent, in one line.
pub fn describe_recording(reader: &FormatReader, recorded: &LinkRecording) -> String {
    let mut text = format!("{} ({}): {}", reader.name, reader.summary, format_count(recorded.rows.len(), "row"));
    text.push_str(&format!(" over {:.3} s", recorded.end.as_secs_f64()));
    if let Some([mean, lowest, highest]) =
        recorded.rates().map(|rates| rates.map(|bits| Quantity::Rate.format_brief(bits)))
    {
        text.push_str(&format!(", rate {lowest} to {highest}, mean {mean}"));
    }
    let delays = recorded.delays().map(|delays| delays.map(|delay| Quantity::Time.format_brief(delay.as_secs_f64())));
    if let Some([shortest, longest]) = delays {
        text.push_str(&format!(", delay {shortest} to {longest}"));
    }
    text
}
