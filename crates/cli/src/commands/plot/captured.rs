//! `lasthop plot CAPTURE`.

use ::plot::{Description, Recorder};
use engine::Time;
use lab::captures::BothEnds;
use observe::observation::CapturedConnection;
use report::pictures::{PictureView, draw_captured_connection};
use sim::FlowId;

use super::super::captured::{read_command_captures, refuse_options};
use super::super::places::beside_result;
use super::Args;
use super::failure::convert_picture_error;
use crate::CommandFailure;

/// `lasthop plot CAPTURE`.
pub fn plot_capture(args: &Args, view: &PictureView) -> Result<(), CommandFailure> {
    refuse_options(&[
        ("--flow", args.flow.is_some()),
        ("--all-flows", args.all_flows),
        ("--topology", args.topology),
        ("--medium", args.medium.is_some()),
        ("a third file", args.others.len() > 1),
    ])?;
    let path = &args.scenario.file;
    let (file, other) = read_command_captures(path, args.others.first(), &args.capture)?;
    let both = other.as_ref().map(|other| BothEnds::of([&file, other], args.capture.stream)).transpose()?;
    let default = || if path.is_dir() { path.join("plots") } else { beside_result(path, "plots") };
    let target = args.target(default)?;
    let (from, to) = (view.from.map(|from| Time::ZERO + from), view.to.map(|to| Time::ZERO + to));
    let sink = |connection: &CapturedConnection| {
        Recorder::new([FlowId::new(0)], from, to).with_panels(&::plot::Panel::ALL, &Description::of_capture(connection))
    };
    let all = match &both {
        Some(both) => vec![both.explain(sink)?],
        None => file.explain(&[file.choose_connection(args.capture.stream)?], args.capture.place(), sink)?,
    };
    for (explained, recorder) in all {
        if recorder.has_overflowed() {
            let hint = "draw a part of it with --from and --to";
            return Err(CommandFailure::Run(format!("the connection is too long for one picture\n  hint: {hint}")));
        }
        let drawn =
            draw_captured_connection(&explained, &recorder.finish(), view, false).map_err(convert_picture_error)?;
        target.save(&drawn)?;
    }
    Ok(())
}
