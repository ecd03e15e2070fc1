//! The real host: TUN devices, the machine's clock, and the commands in the namespaces.

use std::io;
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::sync::Arc;

use engine::{Span, Time};
use host::clock::MachineClock;
use host::tun::Tun;

use super::commands::Commands;
use super::files::Files;
use super::gateway::Gateway;
use crate::drive::Host;

/// Interval at which the state of the emulation is shown.
pub(super) const WATCH: Span = Span::from_millis(500);

pub(super) struct Machine<'a> {
    clock: MachineClock,
    devices: Vec<Arc<Tun>>,
    commands: Commands,
    files: Files,
    gateway: Option<Gateway<'a>>,
    watch_at: Time,
}

impl<'a> Machine<'a> {
    pub fn new(devices: Vec<Arc<Tun>>, commands: Commands, files: Files, gateway: Option<Gateway<'a>>) -> Self {
        Machine { clock: MachineClock::start(), devices, commands, files, gateway, watch_at: Time::ZERO }
    }

    pub fn into_parts(self) -> (Commands, Files) {
        (self.commands, self.files)
    }
}

impl Host for Machine<'_> {
    fn devices(&self) -> usize {
        self.devices.len()
    }

    fn now(&mut self) -> Time {
        self.clock.now()
    }

    fn receive(&mut self, device: usize, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        self.devices[device].receive(buffer)
    }

    fn send(&mut self, device: usize, bytes: &[u8]) -> io::Result<()> {
        if let Some(gateway) = &mut self.gateway {
            gateway.delivers(device, bytes);
        }
        self.devices[device].send(bytes).map(|_| ())
    }

    fn wait(&mut self, until: Time) -> io::Result<ControlFlow<()>> {
        let now = self.clock.now();
        if now >= self.watch_at {
            self.watch_at = now + WATCH;
        }
        let mut files: Vec<_> = self.devices.iter().map(|device| device.as_fd()).collect();
        files.push(self.commands.wakes());
        let woken = self.clock.wait(&files, until.min(self.watch_at).min(self.commands.deadline()))?;
        let now = self.clock.now();
        let signalled = woken.last().copied().unwrap_or(false) || now >= self.commands.deadline();
        let over = signalled && self.commands.look(now);
        Ok(if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn passes(&mut self, device: usize, from_host: bool, at: Time, bytes: &[u8]) {
        self.files.packet(device, from_host, at, bytes);
    }
}
