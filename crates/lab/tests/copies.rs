//! Schemes compared at nodes with `count`.

use lab::load::{self, Overrides};
use testkit::COUNTED_CELL;

/// Refined ICMP must also run at the senders. These are copies here.
#[test]
fn schemes_are_compared_for_copied_nodes() {
    let source =
        load::of_text("cell".into(), "cell.toml".into(), COUNTED_CELL.as_bytes(), &Overrides::default()).unwrap();
    let schemes = ["unmodified", "refined-icmp"].map(str::to_owned);
    let plan = lab::compare::plan_comparison(source, &schemes, 1).unwrap();
    let refined = &plan.points[0].cells[1].scenario;
    let scheme = |node: &str| refined.nodes[node].scheme.as_ref().map(|scheme| scheme.0.name());
    assert_eq!(["m1", "m2", "m3"].map(scheme), [Some("refined-icmp"); 3]);
}
