//! Flows that arrive faster than a link can carry them.

use std::collections::BTreeMap;

use super::Context;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let Context { network, routes, .. } = *context;
    let mut warnings = Vec::new();
    // Offered bits per second by hop, and the arrival process with the largest offer.
    let mut offered: BTreeMap<usize, (f64, f64, &str)> = BTreeMap::new();
    for (spec, [there, _]) in network.arrivals.iter().zip(&routes[network.flows.len()..]) {
        let mean = spec.sizes.build().mean();
        if mean.is_infinite() {
            let problem =
                Problem::new("a maximum size: without one these sizes have no mean, and no load can be stated");
            warnings.push(problem.key(format!("arrivals.{}.sizes", spec.name)).found("no `max`"));
            continue;
        }
        let bits = 8.0 * mean / spec.rate.mean_interval_s();
        for hop in &there.hops {
            let (sum, most, name) = offered.entry(*hop).or_insert((0.0, 0.0, &spec.name));
            *sum += bits;
            if bits > *most {
                (*most, *name) = (bits, &spec.name);
            }
        }
    }
    let mut reported = Vec::new();
    for (hop, (bits, _, name)) in offered {
        let link = &network.links[hop / 2];
        let rate = link.direction(hop % 2).rate;
        let load = bits / rate.bits_per_sec() as f64;
        if load > 1.0 && !reported.contains(&name) {
            reported.push(name);
            let text = format!(
                "less than the rate of {}, {}: arriving flows offer {:.2} times the data that it carries, so their \
                 number grows without bound",
                link.name, rate, load
            );
            let spec = network.arrivals.iter().find(|spec| spec.name == name);
            let found = spec.map_or_else(String::new, |spec| spec.rate.to_string());
            warnings.push(Problem::new(text).key(format!("arrivals.{name}.rate")).found(found));
        }
    }
    warnings
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, modify_network};

    fn arrivals(rate: &str, sizes: &str) -> String {
        let table = format!("[arrivals.web]\nfrom = \"a\"\nto = \"b\"\nrate = \"{rate}\"\nsizes = {sizes}\n");
        modify_network(&[]) + &table
    }

    pub fn examples() -> [String; 2] {
        let sizes = "{ kind = \"exponential\", mean = \"100 kB\" }";
        [arrivals("2 /s", sizes), arrivals("1 /s", sizes)]
    }

    /// A link of 1 Mbps carries 1.25 objects of 100 kB in a second.
    #[test]
    fn load_above_one_is_reported_with_its_value() {
        let [over, _] = examples();
        assert_only_warning(&over, &["arrivals.web.rate", "the rate of air, 1 Mbps", "1.60 times"]);
        assert_no_warnings(&arrivals("1.2 /s", "{ kind = \"fixed\", bytes = \"100 kB\" }"));
    }

    #[test]
    fn sizes_without_a_mean_are_reported() {
        let sizes = "{ kind = \"pareto\", shape = 0.9, min = \"1 kB\" }";
        assert_only_warning(&arrivals("1 /s", sizes), &["arrivals.web.sizes", "no mean"]);
        assert_no_warnings(&arrivals("1 /s", "{ kind = \"pareto\", shape = 0.9, min = \"1 kB\", max = \"100 kB\" }"));
    }
}
