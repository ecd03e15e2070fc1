//! Captures of Linux 6.18 behind `lasthop shell`, at the sender, cut to headers. The capture at the other end shows
//! which transmissions are lost. The path has 4 Mbps, 25 ms and a queue of 30 packets. `iperf3 -R -t 2` leaves data in
//! flight at its end.

use std::fs::File;

use fit::path::Bottleneck;
use fit::transfer::MeasuredTransfer;
use fit::transmission::TransmissionFate;

/// A capture, and the numbers of transmissions that are found lost.
fn find_lost(name: &str) -> (MeasuredTransfer, Vec<usize>) {
    let path = format!("{}/tests/captures/{name}", env!("CARGO_MANIFEST_DIR"));
    let transfer = MeasuredTransfer::read(|| File::open(&path), None, None).expect("it is readable");
    let numbered = transfer.transmissions.iter().enumerate();
    let lost = numbered.filter(|(_, sent)| sent.fate() == TransmissionFate::Lost).map(|(number, _)| number).collect();
    (transfer, lost)
}

/// BBR, and a channel with p = 1 %, r = 40 %.
#[test]
fn lost_transmissions_of_bbr_are_found() {
    let (transfer, lost) = find_lost("linux-bbr.pcap");
    let truth = [
        27, 28, 29, 30, 31, 32, 130, 132, 134, 136, 138, 140, 142, 144, 145, 217, 218, 235, 236, 237, 238, 239, 240,
        241, 242, 244, 246, 248, 250, 252, 355, 356, 357, 368, 369, 393, 558, 559, 560, 561, 646, 647,
    ];
    assert_eq!(lost, truth);
    // Fourteen of these did not arrive, which the sender did not learn.
    assert_eq!(transfer.transmissions.iter().filter(|sent| sent.fate() == TransmissionFate::Open).count(), 22);
    let fitted = Bottleneck::measure(&transfer);
    assert_eq!(fitted.reordering.map(|reordering| reordering.share.value), Some(0.0));
    assert!((29..=30).contains(&fitted.queue.expect("waits are seen")));
}

/// CUBIC, a channel with p = 0.5 %, r = 40 %, and 3 % of the packets 20 to 45 ms late.
#[test]
fn late_segments_of_cubic_do_not_count_as_lost() {
    let (transfer, lost) = find_lost("linux-cubic-reordered.pcap");
    // Number 515 arrived, and was discarded, because its timestamp was older than that of a segment that filled a gap.
    assert_eq!(lost, [99, 101, 126, 127, 128, 129, 297, 298, 299, 300, 301, 302, 303, 473, 515]);
    let reordering = Bottleneck::measure(&transfer).reordering.expect("there is SACK");
    assert!((reordering.share.interval[0]..reordering.share.interval[1]).contains(&0.03), "{reordering:?}");
    let delays = reordering.late.expect("some are late").delays.map(|delay| 1e3 * delay.as_secs_f64());
    // The delays are exact to the transmission time of a packet, 3 ms.
    assert!(delays[0] > 17.0 && delays[4] < 48.0, "{delays:?}");
}
