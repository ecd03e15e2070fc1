//! Errors of pictures, in terms of the command's options.

use engine::quantity::format_moment;
use report::pictures::{MAX_RUNS, PictureError, SingleRunChoice};
use scenario::problem::Problem;

use super::super::format_problems;
use crate::CommandFailure;

/// The failure of the command.
pub(in super::super) fn convert_picture_error(error: PictureError) -> CommandFailure {
    let runs = |expected: &str, found: usize| Problem::new(expected).found(format!("{found} runs"));
    let problem = match error {
        PictureError::Flow(problem) => problem.in_file("--flow"),
        PictureError::Medium(problem) => problem.in_file("--medium"),
        PictureError::ManyFlows(flows) => Problem::new(format!("--flow NAME is missing: there are {flows} flows"))
            .hint("--flow all draws every one, two files for each"),
        PictureError::NoCommonFlow => Problem::new("runs that have a flow of the same name").found("none"),
        PictureError::ManyRuns(runs) => {
            Problem::new(format!("at most {MAX_RUNS} runs in one picture")).found(runs.to_string())
        }
        PictureError::OneRun(SingleRunChoice::Together, found) => {
            runs("one run, because all flows are drawn together", found)
        }
        PictureError::OneRun(SingleRunChoice::Medium, found) => runs("one run, because a medium is drawn", found),
        PictureError::Backwards { from, to } => {
            Problem::new(format!("a time after --from ({from})")).in_file("--to").found(to.to_string())
        }
        PictureError::AfterEnd { from, end } => {
            Problem::new(format!("a time before the end of the run ({})", format_moment(end.as_secs_f64())))
                .in_file("--from")
                .found(from.to_string())
        }
        PictureError::TooManyEvents { until, max, flows, media } => {
            let narrower = match flows + media {
                1 => "draw a part of it with --from and --to",
                _ if media > 0 => {
                    "draw one flow with --flow NAME or one medium with --medium NAME, or a part of the run with --from and --to"
                }
                _ => "draw one flow with --flow NAME, or a part of the run with --from and --to",
            };
            return CommandFailure::Run(format!(
                "by {} the run has more than {} million events to draw\n  hint: {narrower}",
                format_moment(until.as_secs_f64()),
                max / 1_000_000
            ));
        }
        PictureError::Run(error) => return error.into(),
    };
    CommandFailure::Input(format_problems(&[problem]))
}
