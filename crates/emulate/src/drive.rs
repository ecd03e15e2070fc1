//! The loop of an emulation, over any clock and devices.

use std::io;
use std::ops::ControlFlow;

use engine::Time;
use sim::Sink;

use crate::emulator::{Emulator, Outgoing};
use crate::lateness::Lateness;

/// Maximum number of packets read from one device before events are handled and other devices are read. No packet is
/// written in the meantime.
const BATCH: usize = 16;

/// Maximum length of an IP packet in bytes.
const MAX_PACKET: usize = 1 << 16;

/// The clock and the devices of real hosts. Times are counted from the beginning of the emulation.
pub trait Host {
    /// The number of devices.
    fn devices(&self) -> usize;

    /// The current time, which never decreases.
    fn now(&mut self) -> Time;

    /// Reads a packet from a device, if it has one, into `buffer`, and returns its length.
    ///
    /// # Errors
    ///
    /// If the device was removed.
    fn receive(&mut self, device: usize, buffer: &mut [u8]) -> io::Result<Option<usize>>;

    /// Writes a packet to a device; a device that has no space drops it.
    ///
    /// # Errors
    ///
    /// If the device was removed.
    fn send(&mut self, device: usize, bytes: &[u8]) -> io::Result<()>;

    /// Waits until a device has a packet, or until `until`; [`Time::NEVER`] for no limit. May return earlier. `Break`
    /// ends the emulation.
    ///
    /// # Errors
    ///
    /// If waiting is impossible.
    fn wait(&mut self, until: Time) -> io::Result<ControlFlow<()>>;

    /// Called for each packet that passes a device, from the host (`true`) or to the host; in order of time at each
    /// device.
    fn passes(&mut self, device: usize, from_host: bool, at: Time, bytes: &[u8]) {
        let _ = (device, from_host, at, bytes);
    }
}

/// Runs the emulation until the host ends it, or until a device is removed; returns how late packets were.
///
/// The clock is read once for each batch of packets. Before packets of a batch enter the network, all earlier events of
/// the network are handled, and packets that leave it are written. `watch` is called after each batch.
///
/// # Errors
///
/// If the host returns one. Lateness is returned in any case.
pub fn drive_emulator<H: Host, S: Sink>(
    emulator: &mut Emulator,
    host: &mut H,
    sink: &mut S,
    watch: &mut dyn FnMut(&Emulator, Time),
) -> (Lateness, io::Result<()>) {
    let mut lateness = Lateness::default();
    let mut buffer = vec![0; MAX_PACKET];
    let mut outgoing = Vec::new();
    let ended = loop {
        match run_turn(emulator, host, sink, watch, &mut lateness, (&mut buffer, &mut outgoing)) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    // Late packets and the duration are counted until the end.
    let now = host.now();
    while emulator.advance(now, sink) && write_outgoing(emulator, host, &mut lateness, &mut outgoing).is_ok() {}
    let _ = write_outgoing(emulator, host, &mut lateness, &mut outgoing);
    (lateness, ended)
}

fn run_turn<H: Host, S: Sink>(
    emulator: &mut Emulator,
    host: &mut H,
    sink: &mut S,
    watch: &mut dyn FnMut(&Emulator, Time),
    lateness: &mut Lateness,
    (buffer, outgoing): (&mut [u8], &mut Vec<Outgoing>),
) -> io::Result<ControlFlow<()>> {
    let now = host.now();
    loop {
        let more = emulator.advance(now, sink);
        write_outgoing(emulator, host, lateness, outgoing)?;
        if !more {
            break;
        }
    }
    let mut received = 0;
    for device in 0..host.devices() {
        for _ in 0..BATCH {
            let Some(length) = host.receive(device, buffer)? else { break };
            host.passes(device, true, now, &buffer[..length]);
            emulator.receive(device, &buffer[..length], sink);
            received += 1;
        }
    }
    write_outgoing(emulator, host, lateness, outgoing)?;
    watch(emulator, now);
    // More packets may arrive during a batch. Then the loop does not wait, but the host can end the emulation.
    let until = if received > 0 { Time::ZERO } else { emulator.next_wakeup().unwrap_or(Time::NEVER) };
    host.wait(until)
}

/// Writes the packets that have left the network.
fn write_outgoing<H: Host>(
    emulator: &mut Emulator,
    host: &mut H,
    lateness: &mut Lateness,
    outgoing: &mut Vec<Outgoing>,
) -> io::Result<()> {
    emulator.take(outgoing);
    if outgoing.is_empty() {
        return Ok(());
    }
    let now = host.now();
    for packet in outgoing.drain(..) {
        host.send(packet.device, &packet.bytes)?;
        host.passes(packet.device, false, packet.at, &packet.bytes);
        lateness.record(packet.at, now);
    }
    Ok(())
}
