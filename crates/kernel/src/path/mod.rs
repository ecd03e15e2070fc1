//! Compares flows of the machine's kernel with simulated flows over the same bottleneck: `--path`.
//!
//! A scenario file describes both: a host, an access link, a router, the bottleneck, and a host. The kernel's ends send
//! through a path emulated in real time ([`kernel`]); lasthop's are simulated ([`ours`]). The measurements are the same
//! ([`measured`]).

mod kernel;
mod measured;
mod ours;

use std::time::Duration;

use engine::Span;
use lab::load::{Overrides, load_from_disk};
use path::channel::ChannelConfig;
use path::link::Timing;
use path::mac::arq::ArqConfig;
use path::queue::Limit;
use path::{HopId, LinkDirection, LinkId};
use sim::{ApplicationConfig, FlowSpec, LinkSpec, Network};

/// Sampling interval of the queue and the round trip times.
const SAMPLING: Span = Span::from_millis(10);

/// Two hosts, a bottleneck, and flows from the first host to the second.
#[derive(Clone, PartialEq, Debug)]
pub struct BottleneckPath {
    /// Rate of the bottleneck in bit/s, in each direction.
    rate: f64,
    /// Propagation delay in each direction.
    delay: Duration,
    /// Queue limit at the bottleneck in packets, in each direction.
    queue: usize,
    /// Loss probability on the access link, in each direction.
    loss_before: f64,
    /// Loss probability on the bottleneck, in each direction.
    loss_behind: f64,
    lasts: Duration,
    flows: Vec<PathFlow>,
    /// The bottleneck link in the direction of the data.
    bottleneck: HopId,
}

/// An unlimited flow.
#[derive(Clone, PartialEq, Debug)]
struct PathFlow {
    name: String,
    control: String,
    start: Duration,
}

impl BottleneckPath {
    /// Returns the path of `network`. `Err` names a property that cannot be emulated for the kernel.
    fn of(network: &Network) -> Result<Self, String> {
        let unlike = "a fast access link and a slower bottleneck, from a host over a router to a host";
        let ([a, b], [first, ..]) = (network.links.as_slice(), network.flows.as_slice()) else {
            return Err(format!("expected {unlike}"));
        };
        let (access, bottleneck, number) = if a.rate > b.rate { (a, b, 1) } else { (b, a, 0) };
        let direction =
            if bottleneck.between[1] == first.to { LinkDirection::Forward } else { LinkDirection::Backward };
        let router = bottleneck.between[direction.index()];
        let joined = bottleneck.between.contains(&first.to)
            && access.between.contains(&first.from)
            && access.between.contains(&router);
        if !joined || !network.nodes[router].kind.forwards() {
            return Err(format!("expected {unlike}"));
        }
        let node = &network.nodes[router];
        if node.buffer.is_some() || node.processing_delay != Span::ZERO {
            return Err(format!("`{}` has a buffer or a processing delay, expected none", node.name));
        }
        if access.queue.limit() != Limit::None {
            return Err(format!("`{}` has a queue limit, expected one only at the bottleneck", access.name));
        }
        let queue = match bottleneck.queue.limit() {
            Limit::None => usize::MAX,
            Limit::Packets(packets) => packets as usize,
            Limit::Bytes(_) => {
                return Err(format!("the queue limit of `{}` is in bytes, expected packets", bottleneck.name));
            }
        };
        let delay = access.delay.as_nanos() + bottleneck.delay.as_nanos();
        Ok(BottleneckPath {
            rate: bottleneck.rate.bits_per_sec() as f64,
            delay: Duration::from_nanos(delay),
            queue,
            loss_before: loss_probability(access)?,
            loss_behind: loss_probability(bottleneck)?,
            lasts: wall_duration(network.duration),
            flows: network.flows.iter().map(|one| convert_flow(one, first)).collect::<Result<_, _>>()?,
            bottleneck: LinkId::from_index(number).hop(direction),
        })
    }
}

fn wall_duration(span: Span) -> Duration {
    Duration::from_nanos(span.as_nanos())
}

/// Returns the loss probability of `link`, which must have a constant rate and delay.
fn loss_probability(link: &LinkSpec) -> Result<f64, String> {
    let plain = link.medium.is_none()
        && link.changes.is_none()
        && matches!(link.arq, ArqConfig::None(_))
        && link.queue.drop_tail().is_some_and(|queue| queue.ecn_threshold == Limit::None)
        && link.timing == Timing::Exact;
    match &link.channel {
        ChannelConfig::Perfect(_) if plain => Ok(0.0),
        ChannelConfig::Uniform(config) if plain => Ok(config.loss),
        _ => Err(format!("`{}` has more properties than rate, delay, queue and uniform random losses", link.name)),
    }
}

fn convert_flow(flow: &FlowSpec, first: &FlowSpec) -> Result<PathFlow, String> {
    if (flow.from, flow.to) != (first.from, first.to) {
        return Err(format!("`{}` has other endpoints than `{}`, expected the same", flow.name, first.name));
    }
    if flow.traffic != ApplicationConfig::default() {
        return Err(format!("`{}` has the key `bytes`, expected unlimited flows", flow.name));
    }
    let start = Span::from_nanos(flow.start.as_nanos());
    Ok(PathFlow { name: flow.name.clone(), control: flow.tcp.control.name().to_owned(), start: wall_duration(start) })
}

/// Options after `--path`.
#[derive(Debug, Default)]
struct CompareOptions {
    files: Vec<String>,
    set: Vec<String>,
    /// Number of runs of each file; the seeds are 1, 2, ...
    runs: u64,
    /// True if the kernel is not run, so that root is not needed.
    ours: bool,
    /// Maximum number of segments in an offload packet of the kernel; `None` for the kernel's default.
    gso: Option<u32>,
    verbose: bool,
}

impl CompareOptions {
    fn of(words: &[String]) -> Result<Self, String> {
        let mut options = CompareOptions { runs: 3, ..CompareOptions::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} without a value"));
            match word.as_str() {
                "--set" => options.set.push(value()?.clone()),
                "--runs" => {
                    let text = value()?;
                    options.runs = text.parse().ok().filter(|runs| *runs > 0).ok_or(format!("--runs {text}"))?;
                }
                "--gso" => {
                    let text = value()?;
                    options.gso = Some(text.parse().ok().filter(|max| *max > 0).ok_or(format!("--gso {text}"))?);
                }
                "--ours" => options.ours = true,
                "--verbose" | "-v" => options.verbose = true,
                word if word.starts_with('-') => return Err(format!("unknown option `{word}` of --path")),
                file => options.files.push(file.to_owned()),
            }
        }
        if options.files.is_empty() { Err("expected the path of a scenario".into()) } else { Ok(options) }
    }
}

/// Runs the scenario files named in `words` and prints the measurements of both sides. `Err` names an invalid argument
/// or scenario, or an operation that the machine does not permit.
pub fn compare_flows(words: &[String]) -> Result<(), String> {
    let options = CompareOptions::of(words)?;
    for file in &options.files {
        let load = |seed| {
            let overrides = Overrides { set: options.set.clone(), scheme: None, seed: Some(seed) };
            load_from_disk(std::path::Path::new(file), &overrides)
                .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        };
        let path = BottleneckPath::of(&load(1)?.network).map_err(|problem| format!("{file}: {problem}"))?;
        let (mut theirs, mut our) = (Vec::new(), Vec::new());
        for seed in 1..=options.runs {
            if !options.ours {
                theirs.push(kernel::run_kernel_flows(&path, seed, options.gso, options.verbose)?);
            }
            our.push(ours::simulate_flows(&load(seed)?.network, path.bottleneck));
        }
        println!("{file}, {} runs", options.runs);
        let names: Vec<&str> = path.flows.iter().map(|flow| flow.name.as_str()).collect();
        print!("{}", measured::render_comparison(&names, &theirs, &our));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
