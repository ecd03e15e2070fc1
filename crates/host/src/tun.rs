//! TUN devices: network devices whose other end is this process.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsFd, BorrowedFd};

use tun_rs::{DeviceBuilder, SyncDevice};

use crate::Error;
use crate::ip::run_ip;

/// A TUN device without offloading: packets are at most as large as the MTU, and have valid checksums.
pub struct Tun {
    device: SyncDevice,
    name: String,
}

impl Tun {
    /// Creates a device in the thread's network namespace. It disappears when the value is dropped.
    ///
    /// # Errors
    ///
    /// If /dev/net/tun does not exist, or the thread lacks the privilege to open it.
    pub fn new(name: &str, mtu: u16) -> Result<Self, Error> {
        Self::build(DeviceBuilder::new().name(name).mtu(mtu), name)
    }

    fn build(builder: DeviceBuilder, name: &str) -> Result<Self, Error> {
        let device = builder.build_sync().map_err(|source| match source.kind() {
            ErrorKind::NotFound => Error::NoTun,
            ErrorKind::PermissionDenied => Error::TunPermission { source },
            _ => Error::Device { name: name.to_owned(), source },
        })?;
        let blocking = |source| Error::Other { what: "a TUN device cannot be made non-blocking", source };
        device.set_nonblocking(true).map_err(blocking)?;
        Ok(Tun { device, name: name.to_owned() })
    }

    /// Opens a device of the thread's network namespace, or creates the device. Its settings are left to the user.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn open(name: &str) -> Result<Self, Error> {
        let builder = DeviceBuilder::new().name(name).inherit_enable_state();
        Self::build(builder, name)
    }

    /// Assigns addresses to the device, and makes it the default route. IPv6 is set up only if the namespace supports
    /// it.
    ///
    /// # Errors
    /// If `ip` fails.
    pub fn configure(&self, ipv4: Ipv4Addr, ipv6: Option<Ipv6Addr>) -> Result<(), Error> {
        let name = self.name.as_str();
        run_ip(&["link", "set", "lo", "up"])?;
        run_ip(&["address", "add", &format!("{ipv4}/8"), "dev", name])?;
        if let Some(ipv6) = ipv6 {
            // Duplicate address detection is off, since it would delay the start by a second.
            run_ip(&["-6", "address", "add", &format!("{ipv6}/64"), "dev", name, "nodad"])?;
        }
        run_ip(&["link", "set", name, "up"])?;
        run_ip(&["route", "add", "default", "dev", name])?;
        if ipv6.is_some() {
            run_ip(&["-6", "route", "add", "default", "dev", name])?;
        }
        Ok(())
    }

    /// Sets the maximum number of packets that the kernel queues for this process; 500 without this call.
    ///
    /// # Errors
    /// If `ip` fails.
    pub fn set_queue(&self, packets: u32) -> Result<(), Error> {
        run_ip(&["link", "set", &self.name, "txqueuelen", &packets.to_string()])
    }

    /// Sets the MTU of the device to `mtu`.
    ///
    /// # Errors
    ///
    /// If the kernel refuses the setting.
    pub fn set_mtu(&self, mtu: u16) -> io::Result<()> {
        self.device.set_mtu(mtu)
    }

    /// Reads a packet into `buffer`, if one is available, and returns its length.
    ///
    /// # Errors
    ///
    /// If the device was removed.
    pub fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match self.device.recv(buffer) {
            Ok(length) => Ok(Some(length)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a packet; returns false if the kernel did not accept it.
    ///
    /// # Errors
    ///
    /// If the device was removed.
    pub fn send(&self, packet: &[u8]) -> io::Result<bool> {
        match self.device.send(packet) {
            Ok(_) => Ok(true),
            // A packet is lost, as on any device, if the kernel does not accept it or has no memory for it.
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::InvalidInput | ErrorKind::OutOfMemory | ErrorKind::Interrupted => {
                    Ok(false)
                }
                _ => Err(error),
            },
        }
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

/// Lets the user send echo requests in the thread's network namespace, where set-user-ID programs have no privileges.
pub fn permit_ping() {
    let group = nix::unistd::getegid();
    // Ping reports missing permission without this setting.
    let _ = std::fs::write("/proc/sys/net/ipv4/ping_group_range", format!("{group} {group}"));
}

/// Whether the thread's network namespace has IPv6.
pub fn has_ipv6() -> bool {
    std::path::Path::new("/proc/net/if_inet6").exists()
}
