//! Colours, after Okabe and Ito, which can be distinguished with any kind of colour vision. Colour is never the only
//! distinction: every mark has its own shape and every line its own dash pattern.

use crate::ink::Color;

/// Colour scheme.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Theme {
    /// White background, for paper.
    #[default]
    Light,
    /// Nearly black background, for screens.
    Dark,
}

/// Declares the palette: each colour with its value in the light and in the dark theme.
macro_rules! palette {
    ($($(#[doc = $doc:literal])* $color:ident: $light:literal, $dark:literal;)*) => {
        /// The colours of one theme.
        pub(crate) struct Palette {
            $($(#[doc = $doc])* pub $color: Color,)*
            /// Areas of flows, in order of the legend.
            pub flows: [Color; 8],
            theme: Theme,
        }

        const LIGHT: Palette = Palette { $($color: Color($light),)* flows: FLOWS, theme: Theme::Light };
        const DARK: Palette = Palette { $($color: Color($dark),)* flows: FLOWS, theme: Theme::Dark };

        /// The name of each colour, as in style sheets, and its values as 0xRRGGBB in the light and in the dark theme.
        pub fn list_palette_colors() -> impl Iterator<Item = (String, [u32; 2])> {
            let colors = [$((stringify!($color), [$light, $dark])),*];
            colors.into_iter().map(|(name, values)| (name.replace('_', "-"), values))
        }
    };
}

palette! {
    background: 0xffffff, 0x12161c;
    /// Headings and axes.
    text: 0x1c2430, 0xe8ecf2;
    /// Secondary text and lines.
    faint: 0x5b6675, 0x9aa6b5;
    grid: 0xe7eaee, 0x252c36;
    frame: 0x9aa4b1, 0x566273;
    /// Intervals in which the channel is BAD.
    bad: 0xe9e2d6, 0x463c2b;
    /// Marked intervals of the time axis.
    marked: 0xf1f3fe, 0x191f38;
    marked_edge: 0x4f5bb5, 0x9aa6f5;
    /// Segments sent for the first time.
    sent: 0x0072b2, 0x56b4e9;
    /// Retransmissions.
    again: 0xe69f00, 0xf0b429;
    again_edge: 0x5c3d00, 0x12161c;
    acked: 0x009e73, 0x2cc295;
    lost: 0xd5310a, 0xff6a45;
    /// Timeouts and recoveries of the sender.
    concluded: 0x1c2430, 0xf4f6fa;
    /// ICMP notices received by the sender, and slots of back-offs.
    notice: 0xa03c84, 0xe394c8;
    cwnd: 0x0072b2, 0x56b4e9;
    ssthresh: 0xc65100, 0xf2994a;
}

/// Colours of flows, the same in both themes.
const FLOWS: [Color; 8] = [
    Color(0x0072b2),
    Color(0xe69f00),
    Color(0x009e73),
    Color(0xcc79a7),
    Color(0x56b4e9),
    Color(0xd55e00),
    Color(0xf0e442),
    Color(0x9aa4b1),
];

impl Palette {
    /// Returns the colours of `theme`.
    pub fn of(theme: Theme) -> &'static Self {
        match theme {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }

    /// Picks the colour of this theme from a pair for the light and the dark one.
    pub fn pick(&self, [light, dark]: [u32; 2]) -> Color {
        Color(match self.theme {
            Theme::Light => light,
            Theme::Dark => dark,
        })
    }
}
