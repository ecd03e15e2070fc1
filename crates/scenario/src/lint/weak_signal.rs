//! Signals that are too weak for every rate of their link.

use path::channel::sensitivity::minimum_input;
use sim::LinkSpec;

use super::Context;
use crate::problem::Problem;
use std::collections::BTreeSet;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let Context { network, routes, .. } = *context;
    let mut seen = BTreeSet::new();
    let hops = routes.iter().flat_map(|[there, _]| &there.hops);
    let own = |hop: &usize| if network.links[hop / 2].backward.is_some() { *hop } else { hop / 2 * 2 };
    let hops = hops.map(own).filter(|hop| seen.insert(*hop));
    hops.filter_map(|hop| too_weak(context, &network.links[hop / 2], hop % 2)).collect()
}

fn too_weak(context: &Context<'_>, link: &LinkSpec, direction: usize) -> Option<Problem> {
    let (network, spec) = (context.network, link.direction(direction));
    let signal = spec.channel.traits().signal?;
    let medium = &network.media[link.medium?].config;
    let fixed = medium.rate_control().traits().fixed;
    let highest = spec.medium_rate.unwrap_or(medium.data_rate());
    let rate = if fixed { highest } else { medium.standard.modes()[0].rate };
    let least = minimum_input(rate)?;
    let in_time = signal.value.iter().filter(|level| level.from < network.duration);
    let strongest = in_time.map(|level| level.dbm).fold(f64::NEG_INFINITY, f64::max);
    (strongest < least).then(|| {
        let text = format!(
            "a level of at least {least} dBm at some time, which {rate} need: the maximum is {strongest} dBm, so \
             nothing arrives"
        );
        let problem = Problem::new(text).key(format!("{}.{}", context.key(link, direction, "channel"), signal.key));
        let all = medium.standard.modes().iter().rev().map(|mode| mode.rate);
        let slower = all.filter(|_| fixed).find(|rate| minimum_input(*rate).is_some_and(|least| strongest >= least));
        match slower {
            Some(slower) => problem.hint(format!("write rate = \"{slower}\", or rate_control = \"minstrel\"")),
            None => problem,
        }
    })
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, cell_network};

    fn signal(media: &str, levels: &str) -> String {
        cell_network(media, "", "", &format!("channel = {{ kind = \"signal\", levels = [{levels}] }}"))
    }

    const CONTROLLED: &str = "standard = \"802.11a\", rate_control = \"arf\"";

    pub fn examples() -> [String; 2] {
        ["-82.5", "-82"].map(|dbm| signal(CONTROLLED, &format!("{{ from = \"0 s\", dbm = {dbm} }}")))
    }

    #[test]
    fn signal_below_the_lowest_rates_sensitivity_is_reported() {
        let levels = "{ from = \"0 s\", dbm = -90 }, { from = \"2 s\", dbm = -82.5 }, { from = \"10 s\", dbm = -50 }";
        let parts = ["links.air.channel.levels: ", "at least -82 dBm", "which 6 Mbps need: the maximum is -82.5 dBm"];
        assert_only_warning(&signal(CONTROLLED, levels), &parts);
        assert_no_warnings(&signal(CONTROLLED, "{ from = \"0 s\", dbm = -90 }, { from = \"2 s\", dbm = -82 }"));
    }

    #[test]
    fn fixed_rate_is_checked_with_the_sensitivity_of_that_rate() {
        let text = signal("standard = \"802.11a\"", "{ from = \"0 s\", dbm = -75 }");
        assert_only_warning(
            &text,
            &["at least -65 dBm", "which 54 Mbps need", "write rate = \"18 Mbps\", or rate_control"],
        );
    }
}
