//! Colours, after Okabe and Ito: distinguishable with any kind of colour vision. Colour is never the only distinction:
//! every mark has its own shape and every line its own dash pattern.

use crate::ink::Color;
use crate::options::Theme;

/// The colours of one theme.
pub(crate) struct Palette {
    pub background: Color,
    /// Headings and axes.
    pub text: Color,
    /// Secondary text and lines.
    pub faint: Color,
    pub grid: Color,
    pub frame: Color,
    /// Intervals in which the channel is BAD.
    pub bad: Color,
    /// Marked intervals of the time axis.
    pub marked: Color,
    pub marked_edge: Color,
    /// Segments sent for the first time.
    pub sent: Color,
    /// Retransmissions.
    pub again: Color,
    pub again_edge: Color,
    pub acked: Color,
    pub lost: Color,
    /// Timeouts and recoveries of the sender.
    pub concluded: Color,
    /// ICMP notices received by the sender, and slots of back-offs.
    pub notice: Color,
    pub cwnd: Color,
    pub ssthresh: Color,
    /// Areas of flows, in order of the legend.
    pub flows: [Color; 8],
}

const LIGHT: Palette = Palette {
    background: Color(0xffffff),
    text: Color(0x1c2430),
    faint: Color(0x5b6675),
    grid: Color(0xe7eaee),
    frame: Color(0x9aa4b1),
    bad: Color(0xe9e2d6),
    marked: Color(0xf1f3fe),
    marked_edge: Color(0x4f5bb5),
    sent: Color(0x0072b2),
    again: Color(0xe69f00),
    again_edge: Color(0x5c3d00),
    acked: Color(0x009e73),
    lost: Color(0xd5310a),
    concluded: Color(0x1c2430),
    notice: Color(0xa03c84),
    cwnd: Color(0x0072b2),
    ssthresh: Color(0xc65100),
    flows: [
        Color(0x0072b2),
        Color(0xe69f00),
        Color(0x009e73),
        Color(0xcc79a7),
        Color(0x56b4e9),
        Color(0xd55e00),
        Color(0xf0e442),
        Color(0x9aa4b1),
    ],
};

const DARK: Palette = Palette {
    background: Color(0x12161c),
    text: Color(0xe8ecf2),
    faint: Color(0x9aa6b5),
    grid: Color(0x252c36),
    frame: Color(0x566273),
    bad: Color(0x463c2b),
    marked: Color(0x191f38),
    marked_edge: Color(0x9aa6f5),
    sent: Color(0x56b4e9),
    again: Color(0xf0b429),
    again_edge: Color(0x12161c),
    acked: Color(0x2cc295),
    lost: Color(0xff6a45),
    concluded: Color(0xf4f6fa),
    notice: Color(0xe394c8),
    cwnd: Color(0x56b4e9),
    ssthresh: Color(0xf2994a),
    flows: [
        Color(0x0072b2),
        Color(0xe69f00),
        Color(0x009e73),
        Color(0xcc79a7),
        Color(0x56b4e9),
        Color(0xd55e00),
        Color(0xf0e442),
        Color(0x9aa4b1),
    ],
};

impl Palette {
    /// Returns the colours of `theme`.
    pub fn of(theme: Theme) -> &'static Self {
        match theme {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }
}
