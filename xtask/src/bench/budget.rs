//! Instructions of lasthop, counted by cachegrind, and their budget in `bench/budget.toml`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::str::FromStr;

use super::lasthop;
use super::row::Workload;
use crate::workspace;

/// The file with the budgets.
pub const BUDGET: &str = "bench/budget.toml";

/// The limit of a measurement: `{ most = 190, goal = 150 }`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// More is an error.
    pub most: f64,
    /// The aim.
    pub goal: Option<f64>,
}

impl Limit {
    /// Reads the limit of `name` in a file of limits.
    pub fn parse(file: &str, name: &str, limits: &toml::Value) -> Result<Limit, String> {
        let number = |key: &str, value: &toml::Value| {
            let number = value.as_float().or(value.as_integer().map(|number| number as f64));
            number.ok_or_else(|| format!("{file}: {name}: `{key}` is no number"))
        };
        let most = limits.get("most").ok_or_else(|| format!("{file}: {name}: expected a number `most`"))?;
        let goal = limits.get("goal").map(|goal| number("goal", goal)).transpose()?;
        Ok(Limit { most: number("most", most)?, goal })
    }
}

/// A measurement and its budget.
pub struct Item {
    name: String,
    measured: f64,
    limit: Limit,
}

/// Measures the instructions of runs, and prints them with the budget. An error names the runs that exceed it.
pub fn check_budget() -> Result<(), String> {
    install_valgrind()?;
    lasthop::build_release()?;
    let mut measured = measure_items("packet", |name| {
        let (row, delays) = name.strip_suffix("-delays").map_or((name, false), |row| (row, true));
        measure_packet(row.parse()?, delays)
    })?;
    measured.extend(measure_items("watched", |name| watched_packet(name.parse()?))?);
    measured.extend(measure_items("growth", |name| {
        let [small, large] = measure_growth(name)?;
        Ok(large as f64 / small as f64)
    })?);
    judge_items(measured)
}

/// Measures each item of a table of the budget, such as `build` or `package.default`.
pub fn measure_items(table: &str, measure: impl Fn(&str) -> Result<f64, String>) -> Result<Vec<Item>, String> {
    let budget = read_budget()?;
    list_limits(&budget, table)?.map(|(name, limits)| Item::new(name, limits, measure(name)?)).collect()
}

/// Reads the budgets.
pub fn read_budget() -> Result<toml::Table, String> {
    let text =
        fs::read_to_string(workspace::root_folder().join(BUDGET)).map_err(|error| format!("{BUDGET}: {error}"))?;
    text.parse().map_err(|error| format!("{BUDGET}: {error}"))
}

/// Prints measurements with their budget.
pub fn print_items(items: &[Item]) -> Result<(), String> {
    workspace::print_text(&render_items(items))
}

/// Returns the items that exceed their budget, each as words.
pub fn find_excess(items: &[Item]) -> Vec<String> {
    items.iter().filter(|item| item.measured > item.limit.most).map(Item::text).collect()
}

/// Prints measurements with their budget.
///
/// # Errors
/// The items that exceed the budget.
pub fn judge_items(items: Vec<Item>) -> Result<(), String> {
    print_items(&items)?;
    let over = find_excess(&items);
    if over.is_empty() { Ok(()) } else { Err(format!("over the budget of {BUDGET}: {}", over.join("; "))) }
}

impl Item {
    fn new(name: &str, limits: &toml::Value, measured: f64) -> Result<Item, String> {
        Ok(Item { name: name.to_owned(), measured, limit: Limit::parse(BUDGET, name, limits)? })
    }

    /// Formats name, measurement and limit.
    fn text(&self) -> String {
        format!(
            "{} is {}, expected at most {}",
            self.name,
            render_number(self.measured),
            render_number(self.limit.most)
        )
    }
}

/// Instructions in whole numbers, ratios with two decimals.
fn render_number(number: f64) -> String {
    if number < 100.0 { format!("{number:.2}") } else { format!("{number:.0}") }
}

fn render_items(items: &[Item]) -> String {
    let mut text = format!("{:<25} {:>10} {:>8} {:>8}\n", "item", "measured", "most", "goal");
    for Item { name, measured, limit: Limit { most, goal } } in items {
        let mark = if measured > most { "  <- over" } else { "" };
        let goal = goal.map_or_else(|| "-".to_owned(), render_number);
        text += &format!("{name:<25} {:>10} {:>8} {goal:>8}{mark}\n", render_number(*measured), render_number(*most));
    }
    text
}

/// Returns the items of a table; dots in the name separate nested tables.
pub fn list_limits<'a>(
    budget: &'a toml::Table,
    name: &str,
) -> Result<impl Iterator<Item = (&'a str, &'a toml::Value)> + use<'a>, String> {
    let table = name.split('.').try_fold(budget, |table, key| table.get(key)?.as_table());
    let table = table.ok_or_else(|| format!("{BUDGET}: there is no table `{name}`"))?;
    Ok(table.iter().map(|(name, limits)| (name.as_str(), limits)))
}

/// Installs valgrind if it is missing.
pub fn install_valgrind() -> Result<(), String> {
    if workspace::on_path("valgrind") {
        return Ok(());
    }
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "-qq", "--no-install-recommends", "valgrind"]);
    workspace::run_command(&mut install).map_err(|error| format!("the budget needs valgrind: {error}"))
}

/// Instructions for each packet of a workload: the difference between a longer and a shorter run, which excludes the
/// start of the program. Delays are measured if `delays` is true.
fn measure_packet(row: Workload, delays: bool) -> Result<f64, String> {
    let [shorter, longer] = match row {
        Workload::P1 => [20, 120],
        Workload::P2 { flows } if flows < 100 => [2, 4],
        Workload::P2 { .. } => [1, 2],
        Workload::P3 { .. } => [20, 60],
    };
    let counted = |seconds: u32| {
        let file = write_scenario(&format!("{row}-{seconds}s"), &row.scenario_of(seconds))?;
        let mut command = lasthop::lasthop_program();
        command.arg("run").arg(file).args(["--json", "--no-out"]);
        if !delays {
            command.arg("--no-delays");
        }
        let (instructions, printed) = count_instructions(&command)?;
        Ok::<_, String>((instructions, lasthop::parse_outcome(&printed)?.delivered))
    };
    let ((few, first), (many, last)) = (counted(shorter)?, counted(longer)?);
    Ok((many - few) as f64 / (last - first) as f64)
}

/// A reader of a run's events, or of a capture of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Watcher {
    /// The trace `series`.
    Series,
    /// `lasthop explain` of the scenario.
    Explain,
    /// `lasthop plot` of the scenario.
    Plot,
    /// `lasthop explain` of the sender's capture.
    Capture,
    /// `lasthop fit` of the sender's capture.
    Fit,
}

impl FromStr for Watcher {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "series" => Ok(Watcher::Series),
            "explain" => Ok(Watcher::Explain),
            "plot" => Ok(Watcher::Plot),
            "capture" => Ok(Watcher::Capture),
            "fit" => Ok(Watcher::Fit),
            _ => Err(format!("{BUDGET}: no reader of runs is called `{name}`")),
        }
    }
}

/// Instructions of a reader for each packet of P1, including the run itself: the difference between 60 s and 20 s.
fn watched_packet(watcher: Watcher) -> Result<f64, String> {
    let folder = workspace::target_folder().join("budget");
    let counted = |seconds: u32| {
        let row = Workload::P1;
        let file = write_scenario(&format!("{row}-{seconds}s"), &row.scenario_of(seconds))?;
        let out = folder.join(format!("{row}-{seconds}s"));
        let mut run = lasthop::lasthop_program();
        run.arg("run").arg(&file).args(["--json", "--trace", "pcapng", "--out"]).arg(&out);
        let delivered = lasthop::parse_outcome(&workspace::read_output(&mut run)?)?.delivered;
        let (scenario, capture) = (file.as_path(), out.join("a.pcapng"));
        let mut command = lasthop::lasthop_program();
        match watcher {
            Watcher::Series => command.arg("run").arg(scenario).args(["--trace", "series", "--out"]).arg(&out),
            Watcher::Explain => command.arg("explain").arg(scenario).arg("--json"),
            Watcher::Plot => command.arg("plot").arg(scenario).arg("--out").arg(folder.join("plots")),
            Watcher::Capture => command.arg("explain").arg(capture).arg("--json"),
            Watcher::Fit => command.arg("fit").arg(capture).args(["--json", "--out"]).arg(folder.join("fit.toml")),
        };
        Ok::<_, String>((count_instructions(&command)?.0, delivered))
    };
    let ((few, first), (many, last)) = (counted(20)?, counted(60)?);
    Ok((many - few) as f64 / (last - first) as f64)
}

/// Instructions of the smaller and of the larger run.
fn measure_growth(name: &str) -> Result<[u64; 2], String> {
    let both = |word: &str, options: &[&str], texts: [String; 2]| {
        let mut counts = [0; 2];
        for (place, text) in texts.iter().enumerate() {
            let file = write_scenario(&format!("{name}-{place}"), text)?;
            let mut command = lasthop::lasthop_program();
            command.arg(word).arg(file).args(options);
            counts[place] = count_instructions(&command)?.0;
        }
        Ok(counts)
    };
    match name {
        "check-star" => both("check", &[], [1000, 10_000].map(render_star)),
        "walkers" => both("run", &["--json", "--no-delays", "--no-out"], [false, true].map(render_cell)),
        _ => Err(format!("{BUDGET}: growth of `{name}` is not known")),
    }
}

/// A star of hosts, each with a flow to a server.
fn render_star(hosts: u32) -> String {
    let mut text = String::from("duration = \"10 s\"\nnodes.r.kind = \"router\"\nnodes.s.kind = \"host\"\n");
    let link = |name: &str, rate: &str| {
        format!(
            "[links.{name}]\nkind = \"wired\"\nbetween = [\"{name}\", \"r\"]\nrate = \"{rate}\"\ndelay = \"5 ms\"\n"
        )
    };
    (0..hosts).for_each(|host| text += &format!("nodes.h{host}.kind = \"host\"\n"));
    text += &link("s", "1 Gbps");
    (0..hosts).for_each(|host| text += &link(&format!("h{host}"), "10 Mbps"));
    (0..hosts).for_each(|host| text += &format!("[flows.f{host}]\nfrom = \"h{host}\"\nto = \"s\"\n"));
    text
}

/// A cell of 300 stations in a square of 120 m, which are still, or move in all directions at up to 1.7 m/s.
fn render_cell(walk: bool) -> String {
    let mut text = String::from(
        "duration = \"20 s\"\n[media]\ncell = { standard = \"802.11b\", range = \"100 m\" }\n[nodes]\n\
         server = { kind = \"host\" }\nap = { kind = \"base-station\", position = [\"0 m\", \"0 m\"] }\n",
    );
    let spread = |number: i64, factor: i64, most: i64| (number * factor) % (2 * most + 1) - most;
    for number in 1..=300 {
        let [x, y] = [7919, 3571].map(|factor| spread(number, factor, 600) as f64 / 10.0);
        let [east, north] = [104_729, 15_485].map(|factor| spread(number, factor, 1200) as f64 / 1000.0);
        let motion =
            if walk { format!(", motion = {{ velocity = [\"{east} m/s\", \"{north} m/s\"] }}") } else { String::new() };
        text += &format!("w{number} = {{ kind = \"host\", position = [\"{x} m\", \"{y} m\"]{motion} }}\n");
    }
    text += "[links]\nwire = { kind = \"wired\", between = [\"server\", \"ap\"], rate = \"100 Mbps\", delay = \"10 ms\" }\n";
    for number in 1..=300 {
        text +=
            &format!("a{number} = {{ kind = \"wireless\", between = [\"ap\", \"w{number}\"], medium = \"cell\" }}\n");
    }
    text += "[flows]\n";
    (1..=300).for_each(|number| text += &format!("f{number} = {{ from = \"w{number}\", to = \"server\" }}\n"));
    text
}

fn write_scenario(name: &str, text: &str) -> Result<PathBuf, String> {
    let folder = workspace::target_folder().join("budget");
    let file = folder.join(format!("{name}.toml"));
    let made = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, text));
    made.map(|()| file.clone()).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// Runs a command under cachegrind. Returns the instructions and the output of the command.
pub fn count_instructions(command: &Command) -> Result<(u64, String), String> {
    let mut counted = Command::new("valgrind");
    counted.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    counted.arg(command.get_program()).args(command.get_args());
    let line = workspace::spell_command(&counted);
    let output = counted.output().map_err(|error| format!("cannot run `{line}`: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("`{line}` failed ({}): {said}", output.status));
    }
    let count = parse_instructions(&said).ok_or_else(|| format!("`{line}` counted nothing: {said}"))?;
    Ok((count, String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// The number in cachegrind's line `==1== I   refs:      467,558,175`.
fn parse_instructions(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.contains(" refs:") && line.contains(" I "))?;
    line.rsplit(' ').next()?.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_read_from_the_summary_of_cachegrind() {
        let said =
            "==7== Cachegrind, a cache and branch-prediction profiler\n==7== \n==7== I   refs:      467,558,175\n";
        assert_eq!(parse_instructions(said), Some(467_558_175));
        assert_eq!(parse_instructions("==7== I refs: none"), None);
    }

    #[test]
    fn every_item_of_the_budget_is_known_and_has_limits() {
        let budget = read_budget().unwrap();
        let packets: Vec<_> = list_limits(&budget, "packet").unwrap().collect();
        for (name, limits) in &packets {
            let row = name.strip_suffix("-delays").unwrap_or(name);
            assert_eq!(row.parse::<Workload>().unwrap().to_string(), row);
            let item = Item::new(name, limits, 0.0).unwrap();
            assert!(item.limit.goal.is_some_and(|goal| goal <= item.limit.most), "{name}");
        }
        assert_eq!(packets.len(), 6);
        let watchers: Vec<_> =
            list_limits(&budget, "watched").unwrap().map(|(name, _)| name.parse::<Watcher>()).collect();
        assert_eq!(watchers.len(), 5, "{watchers:?}");
        assert!(watchers.iter().all(Result::is_ok), "{watchers:?}");
        let growth: Vec<_> = list_limits(&budget, "growth").unwrap().map(|(name, _)| name).collect();
        assert_eq!(growth, ["check-star", "walkers"]);
    }

    #[test]
    fn items_over_their_limit_are_marked() {
        let item =
            |measured| Item { name: "p1".to_owned(), measured, limit: Limit { most: 2000.0, goal: Some(1900.0) } };
        let text = render_items(&[item(2000.0), item(2001.0)]);
        assert!(text.lines().nth(1).is_some_and(|line| line.ends_with("1900")), "{text}");
        assert!(text.lines().nth(2).is_some_and(|line| line.ends_with("<- over")), "{text}");
        assert_eq!(item(2001.4).text(), "p1 is 2001, expected at most 2000");
    }
}
