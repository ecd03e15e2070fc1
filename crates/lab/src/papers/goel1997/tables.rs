//! Tables 5.4 to 5.12: by how many percent each scheme is faster than unmodified TCP.

/// A table: its number, its channel and latency, and a row for each window.
pub(super) struct PrintedTable {
    /// The number, such as "table 5.4".
    pub place: &'static str,
    /// Latency of the wired link, as the scenario writes it.
    pub delay: &'static str,
    /// Mean sojourn time in BAD.
    pub mean_bad: &'static str,
    /// Simple and Refined, for windows of 4, 8, 16, 32 and 48 KB.
    pub rows: [(f64, f64); 5],
}

/// The windows of the rows, in KB.
pub(super) const WINDOWS: [u64; 5] = [4, 8, 16, 32, 48];

/// The values as printed.
pub(super) const TABLES: [PrintedTable; 9] = [
    PrintedTable {
        place: "table 5.4",
        delay: "100 ms",
        mean_bad: "100 ms",
        rows: [(-1.14, 3.78), (2.83, 6.34), (3.84, 7.16), (1.34, 8.04), (-0.65, 5.35)],
    },
    PrintedTable {
        place: "table 5.5",
        delay: "100 ms",
        mean_bad: "300 ms",
        rows: [(-24.73, 8.46), (-21.62, 18.18), (-14.66, 23.04), (-2.18, 26.18), (-3.19, 25.2)],
    },
    PrintedTable {
        place: "table 5.6",
        delay: "100 ms",
        mean_bad: "500 ms",
        rows: [(-26.86, 15.22), (-47.53, 23.68), (-41.93, 29.77), (-63.52, 24.71), (-66.36, 23.11)],
    },
    PrintedTable {
        place: "table 5.7",
        delay: "75 ms",
        mean_bad: "100 ms",
        rows: [(-3.26, 3.81), (3.34, 8.00), (2.18, 8.50), (1.83, 6.61), (-1.17, 5.06)],
    },
    PrintedTable {
        place: "table 5.8",
        delay: "75 ms",
        mean_bad: "300 ms",
        rows: [(-22.07, 10.82), (-18.10, 19.77), (-9.71, 24.35), (-13.97, 19.35), (-11.81, 21.31)],
    },
    PrintedTable {
        place: "table 5.9",
        delay: "75 ms",
        mean_bad: "500 ms",
        rows: [(-31.67, 14.41), (-44.32, 25.87), (-61.42, 26.36), (-37.65, 25.33), (-39.29, 23.79)],
    },
    PrintedTable {
        place: "table 5.10",
        delay: "50 ms",
        mean_bad: "100 ms",
        rows: [(-1.63, 4.43), (1.46, 5.01), (0.64, 6.52), (-0.29, 5.42), (-2.50, 4.20)],
    },
    PrintedTable {
        place: "table 5.11",
        delay: "50 ms",
        mean_bad: "300 ms",
        rows: [(-24.88, 11.25), (-16.03, 17.78), (-16.08, 20.20), (-19.16, 16.86), (-17.88, 16.66)],
    },
    PrintedTable {
        place: "table 5.12",
        delay: "50 ms",
        mean_bad: "500 ms",
        rows: [(-37.00, 14.15), (-55.45, 20.95), (-42.96, 23.47), (-50.43, 19.26), (-48.67, 18.33)],
    },
];
