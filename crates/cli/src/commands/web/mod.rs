//! `lasthop web`.

pub mod bundle;
mod opened;
mod server;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args as ClapArgs;
use tiny_http::Server;

use super::{ScenarioArgs, print, refused};
use crate::Failure;
use crate::talk::note;

/// The port, if it is free.
const PORT: u16 = 8017;

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
}

const NO_PAGE: &str = "error: this build of lasthop has no page in it
  hint: in the source tree, `cargo xtask web` makes the page (it needs npm); then build again: cargo run --release -- web";

impl Args {
    /// The scenario that the page opens.
    fn scenario(&self) -> Option<ScenarioArgs> {
        let file = self.file.clone()?;
        Some(ScenarioArgs { file, set: self.set.clone(), scheme: self.scheme.clone(), seed: None })
    }
}

/// Serves the page until Ctrl-C.
pub fn run(args: &Args) -> Result<(), Failure> {
    if !bundle::is_there() {
        return Err(Failure::Input(NO_PAGE.to_owned()));
    }
    let opened = args.scenario().as_ref().map(opened::opened).transpose().map_err(refused)?;
    let server = Arc::new(listen(args.port)?);
    let address = server.server_addr().to_ip().unwrap_or(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let stopping = Arc::clone(&server);
    let _ = ctrlc::set_handler(move || stopping.unblock());
    let page = format!("http://{address}/{}", if opened.is_some() { "#open" } else { "" });
    print(&format!("{page}\n"))?;
    note("Ctrl-C ends the server");
    if !args.no_open
        && let Err(error) = open::that_detached(&page)
    {
        note(format_args!("note: no browser was opened: {error}"));
    }
    let opened = opened.map(|opened| opened.to_string());
    for request in server.incoming_requests() {
        server::serve(request, address, opened.as_deref());
    }
    Ok(())
}

/// A server on the port; without one on the usual port, or on a free one if another program has it.
fn listen(port: Option<u16>) -> Result<Server, Failure> {
    let on = |port: u16| Server::http((Ipv4Addr::LOCALHOST, port));
    match port {
        Some(port) => on(port).map_err(|error| Failure::Run(format!("--port {port}: {error}"))),
        None => on(PORT).or_else(|_| on(0)).map_err(|error| Failure::Run(format!("127.0.0.1: {error}"))),
    }
}
