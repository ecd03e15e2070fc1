//! A channel for a train: all frames that overlap a passage through a tunnel are lost. A file lists the passages, a line
//! `from_s,to_s` for each.

use engine::registry::{ContentFault, Fault};
use engine::{Member, MemberFile, Span, Stream};
use path::channel::{Channel, ChannelConfig, ChannelFrame, ChannelTraits, FrameFate, Keyed};
use schemars::JsonSchema;
use serde::Deserialize;

/// Settings: a file, or its contents.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The file, relative to the scenario's folder.
    #[serde(default)]
    pub file: Option<String>,
    /// The passages in ascending order: [from, to].
    #[serde(default)]
    pub passages: Option<Vec<[Span; 2]>>,
}

/// Reads the contents of a file.
///
/// # Errors
/// The first line that is no passage.
pub fn parse(text: &str) -> Result<Vec<[Span; 2]>, ContentFault> {
    let seconds = |text: &str| format!("{} s", text.trim()).parse::<Span>().ok();
    let passage = |(number, line): (usize, &str)| {
        let times = line.split_once(',').and_then(|(from, to)| Some([seconds(from)?, seconds(to)?]));
        times.ok_or_else(|| ContentFault::new(number, "two times in seconds with a comma between them"))
    };
    (1..).zip(text.lines()).map(passage).collect()
}

impl Member<ChannelConfig> for Config {
    fn check(&self) -> Vec<Fault> {
        let Some(passages) = &self.passages else {
            let missing = self.file.is_none().then(|| Fault::new("file", "none", "a `file`, or `passages`"));
            return missing.into_iter().collect();
        };
        let backward = passages.iter().position(|[from, to]| to <= from);
        let fault = |number: usize| {
            let [from, to] = passages[number];
            Fault::new("passages", to, format!("a time after {from}, its begin")).entry(number)
        };
        backward.map(fault).into_iter().collect()
    }

    /// The loader replaces `file` by `passages`.
    fn files(&self) -> Vec<MemberFile> {
        vec![MemberFile::text("file", "passages", parse)]
    }

    /// The lint `absence-after-end` warns if the first passage is after the run.
    fn traits(&self) -> ChannelTraits {
        let first = self.passages.as_ref().and_then(|passages| passages.first());
        let first_absence = first.map(|[from, _]| Keyed { key: "passages", value: *from });
        ChannelTraits { first_absence, ..ChannelTraits::default() }
    }

    fn build(&self, _: Stream) -> Box<dyn Channel> {
        Box::new(Tunnels { passages: self.passages.clone().unwrap_or_default() })
    }
}

struct Tunnels {
    passages: Vec<[Span; 2]>,
}

impl Channel for Tunnels {
    fn fate(&mut self, frame: &ChannelFrame) -> FrameFate {
        let (from, to) = (frame.start.as_nanos(), (frame.start + frame.duration).as_nanos());
        let overlaps = |[begin, end]: &[Span; 2]| from < end.as_nanos() && begin.as_nanos() < to;
        if self.passages.iter().any(overlaps) { FrameFate::Corrupted } else { FrameFate::Arrives }
    }
}
