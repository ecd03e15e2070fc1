//! `lasthop web`.

mod builder;
mod bundle;
mod cache;
mod checkout;
mod needs;
mod node_version;
mod obtain;
mod packed;
mod page_scenario;
mod server;
mod sources;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args as ClapArgs;
use tiny_http::Server;

use super::{ScenarioArgs, print_visible, refuse_input};
use crate::CommandFailure;
use crate::command_groups::Example;
use crate::talk::write_note;
use obtain::{PageOptions, PageSource};

pub use obtain::{ready_page, suggest_build};

/// Port of the server, if it is free.
const PORT: u16 = 8017;

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop web", "Open the page in a browser"),
    ("lasthop web examples/snoop.toml --port 8080 --no-open", "Serve the page with a scenario, and print its address"),
];

/// Arguments of `lasthop web`.
#[derive(ClapArgs)]
pub struct Args {
    /// A TOML scenario, a datafile.dat of the thesis, a result directory, or - for standard input [default: an example]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Change a key of the scenario, such as links.air.rate="2 Mbps"; may be repeated
    #[arg(long, value_name = "KEY=VALUE", requires = "file")]
    set: Vec<String>,
    /// The scheme of every node, such as refined-icmp (see `lasthop list schemes`)
    #[arg(long, value_name = "NAME", requires = "file")]
    scheme: Option<String>,
    /// The port on 127.0.0.1 [default: 8017, or a free one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    /// Build the page without a question, if this lasthop has none yet: needs cargo, npm and the network
    #[arg(long)]
    build: bool,
    /// The checkout of lasthop to build the page from [default: the one that it was installed from]
    #[arg(long, value_name = "DIR")]
    checkout: Option<PathBuf>,
}

impl Args {
    /// The scenario that the page opens at its start.
    fn scenario(&self) -> Option<ScenarioArgs> {
        let file = self.file.clone()?;
        Some(ScenarioArgs { file, set: self.set.clone(), scheme: self.scheme.clone(), seed: None })
    }
}

/// Serves the page until Ctrl-C. If there is no page, it is built first.
pub fn serve_web(args: &Args) -> Result<(), CommandFailure> {
    let opened = args.scenario().as_ref().map(page_scenario::describe_scenario).transpose().map_err(refuse_input)?;
    // Errors that need no page come before a build of minutes.
    let server = Arc::new(listen_on_port(args.port)?);
    let source = obtain::find_page(&PageOptions { build: args.build, checkout: args.checkout.as_deref() })?;
    // Until here Ctrl-C ends the program immediately, also during a question to the user.
    let interrupted = catch_interrupts(&server);
    let page = match source {
        PageSource::Page(page) => page,
        PageSource::Plan(plan) => plan.build(&interrupted)?,
    };
    let address = server.server_addr().to_ip().unwrap_or(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let url = format!("http://{address}/{}", if opened.is_some() { "#open" } else { "" });
    print_visible(&format!("{url}\n"))?;
    write_note("Ctrl-C ends the server");
    if !args.no_open
        && let Err(error) = open::that_detached(&url)
    {
        write_note(format_args!("note: no browser was opened: {error}"));
    }
    let opened = opened.map(|opened| opened.to_string());
    for request in server.incoming_requests() {
        server::serve_request(request, address, &page, opened.as_deref());
    }
    Ok(())
}

/// Ends the server at Ctrl-C; a build ends when the flag is set.
fn catch_interrupts(server: &Arc<Server>) -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let (flag, server) = (Arc::clone(&interrupted), Arc::clone(server));
    let _ = ctrlc::set_handler(move || {
        flag.store(true, Ordering::Relaxed);
        server.unblock();
    });
    interrupted
}

/// Starts a server on the port. If no port is given, the server uses the default port, or a free port if the default
/// port is in use.
fn listen_on_port(port: Option<u16>) -> Result<Server, CommandFailure> {
    let on = |port: u16| Server::http((Ipv4Addr::LOCALHOST, port));
    match port {
        Some(port) => on(port).map_err(|error| CommandFailure::Run(format!("--port {port}: {error}"))),
        None => on(PORT).or_else(|_| on(0)).map_err(|error| CommandFailure::Run(format!("127.0.0.1: {error}"))),
    }
}
