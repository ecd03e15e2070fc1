//! Colours: after Okabe and Ito, which people with any kind of colour vision tell apart. No meaning hangs on colour
//! alone: every mark has a shape of its own and every line a dash of its own.

use crate::ink::Color;
use crate::options::Theme;

/// The colours of a theme.
pub(crate) struct Palette {
    pub background: Color,
    /// Headings and axes.
    pub text: Color,
    /// Secondary elements.
    pub faint: Color,
    pub grid: Color,
    pub frame: Color,
    /// Where the air is BAD.
    pub bad: Color,
    /// Marked parts of the time axis.
    pub marked: Color,
    pub marked_edge: Color,
    /// Sent once.
    pub sent: Color,
    /// Sent again.
    pub again: Color,
    pub again_edge: Color,
    pub acked: Color,
    pub lost: Color,
    /// Conclusions of the sender.
    pub concluded: Color,
    /// Notices from the network.
    pub told: Color,
    pub cwnd: Color,
    pub ssthresh: Color,
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
    told: Color(0xa03c84),
    cwnd: Color(0x0072b2),
    ssthresh: Color(0xc65100),
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
    told: Color(0xe394c8),
    cwnd: Color(0x56b4e9),
    ssthresh: Color(0xf2994a),
};

impl Palette {
    /// The colours of `theme`.
    pub fn of(theme: Theme) -> &'static Self {
        match theme {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }
}
