//! The directions of data at the host of a capture, where its packets say whether they left it.

use capture::{Direction, End};

use super::{CaptureFailure, CaptureFile, opened};

/// Bytes of data in one direction, with those sent again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Data {
    /// Of one connection.
    pub of_connection: u64,
    /// Of all connections.
    pub of_all: u64,
}

impl CaptureFile {
    /// The data that the host of the capture sent and received, of connection `number` and of all; `None` if no packet
    /// of the connection says whether it left the host.
    ///
    /// # Errors
    /// The file cannot be read again.
    pub fn sent_and_received(&self, number: u32) -> Result<Option<[Data; 2]>, CaptureFailure> {
        let mut capture = opened(&self.path)?;
        // The end of each connection that is the host, as soon as a packet tells.
        let mut here: Vec<Option<End>> = vec![None; self.streams.len()];
        // After an error there are no more.
        while let Some(Ok(packet)) = capture.next() {
            let (Some(of), Some(direction)) = (packet.stream, packet.direction) else { continue };
            let end = match direction {
                Direction::Out => of.from,
                Direction::In => of.from.other(),
            };
            if let Some(known) = here.get_mut(of.stream as usize) {
                known.get_or_insert(end);
            }
        }
        let mut all = [Data::default(); 2];
        for (place, (stream, here)) in self.streams.iter().zip(&here).enumerate() {
            let Some(here) = here else { continue };
            for (data, end) in all.iter_mut().zip([*here, here.other()]) {
                let bytes = stream.bytes[end.index()];
                data.of_all += bytes;
                data.of_connection += if place == number as usize { bytes } else { 0 };
            }
        }
        Ok(here.get(number as usize).copied().flatten().map(|_| all))
    }
}
