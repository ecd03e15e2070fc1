//! The members keep the contracts of lasthop's own, with the settings of the scenario.

use contracts::Breach;
use contracts::transfer::Weather;

#[test]
fn members_keep_the_contracts() -> Result<(), Breach> {
    let members = outside::members().expect("the names are free");
    let loaded = scenario::from_toml_with("scenario.toml", include_str!("../scenario.toml"), &members).unwrap();
    let (station, flow) = (&loaded.network.nodes[1], &loaded.network.flows[0]);
    for seed in 1..=3 {
        contracts::check_control(&flow.tcp.control, seed)?;
        contracts::check_transfers(&flow.tcp.control, seed)?;
        contracts::check_transfer(&flow.tcp, &Weather::USUAL[5], seed)?;
        contracts::check_agent(&station.agent, seed)?;
    }
    assert_eq!((flow.tcp.control.name(), station.agent.name()), ("scalable", "mark-at-air"));
    Ok(())
}
