//! Rate controls of media with a single rate to choose from, as the highest is the lowest.

use sim::network::MediumSpec;

use super::Context;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    (0..context.network.media.len()).filter_map(|medium| without_choice(context, medium)).collect()
}

fn without_choice(context: &Context<'_>, number: usize) -> Option<Problem> {
    let MediumSpec { name, config } = &context.network.media[number];
    let control = config.rate_control();
    let modes = config.standard.modes();
    let mut links = context.incidence.links_in(context.network, number);
    let choice = links
        .any(|link| link.directions().iter().any(|way| way.medium_rate.unwrap_or(config.data_rate()) != modes[0].rate));
    if choice || control.traits().fixed {
        return None;
    }
    let text = format!(
        "more than {}, the lowest rate of {}: the rate is the maximum for rate control, so {} has no choice",
        modes[0].rate,
        config.standard,
        control.name()
    );
    let highest = modes[modes.len() - 1].rate;
    Some(match config.rate {
        Some(rate) => {
            let problem = Problem::new(text).key(format!("media.{name}.rate")).found(rate.to_string());
            problem.hint(format!("leave it out for the highest, {highest}"))
        }
        None => {
            let problem =
                Problem::new(format!("rates of its links of {text}")).key(format!("media.{name}.rate_control"));
            let problem = problem.found(format!("\"{}\"", control.name()));
            problem.hint(format!("leave out `rate` in the links for the highest, {highest}"))
        }
    })
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, cell_network};

    const LOWEST: &str = "rate = \"1 Mbps\"";

    pub fn examples() -> [String; 2] {
        ["arf", "fixed"].map(|control| cell_network(&format!("{LOWEST}, rate_control = \"{control}\""), "", "", ""))
    }

    #[test]
    fn rate_control_below_the_lowest_rate_is_reported() {
        let parts =
            ["media.cell.rate: found 1 Mbps", "the lowest rate of 802.11b", "arf has no choice", "highest, 11 Mbps"];
        assert_only_warning(&cell_network(&format!("{LOWEST}, rate_control = \"arf\""), "", "", ""), &parts);
        let parts =
            ["media.cell.rate_control: found \"minstrel\"", "minstrel has no choice", "leave out `rate` in the links"];
        assert_only_warning(&cell_network("rate_control = \"minstrel\"", "", "", LOWEST), &parts);
        for (media, air) in [
            (format!("{LOWEST}, rate_control = \"fixed\""), ""),
            (LOWEST.to_owned(), ""),
            ("rate = \"2 Mbps\", rate_control = \"arf\"".to_owned(), ""),
            (format!("{LOWEST}, rate_control = \"arf\""), "rate = \"11 Mbps\""),
        ] {
            assert_no_warnings(&cell_network(&media, "", "", air));
        }
    }
}
