//! What the page takes from the tables of marks, colours and causes is generated, in `web/src/vocabulary.ts` and
//! `web/src/vocabulary.css`.

use std::fmt::Write;
use std::path::Path;

use engine::{Quantity, quantity};
use plot::{Mark, MarkRow, list_palette_colors};
use serde_json::{Value, json};

const ORIGIN: &str =
    "Generated from the tables of the crates plot and observe by `UPDATE_GOLDEN=1 cargo test -p lasthop-figure`.";

/// Inks of a text on the colour of a cause: dark and white.
const INKS: [u32; 2] = [0x10_1418, 0xff_ffff];

#[test]
fn vocabulary_of_the_page_follows_the_tables() {
    assert_up_to_date("vocabulary.ts", &render_script());
    assert_up_to_date("vocabulary.css", &render_style());
}

/// The page formats numbers itself, because it draws without the module. The tests of the page read these examples.
#[test]
fn examples_of_quantities_equal_the_output_of_the_formatter() {
    let values = [0.0, 1.0, 0.25, 999.94, 999.96, 1e3, 1460.0, 65_535.0, 605_107.07, 999_960.0, 1e6, 2.5e6, 8e9, 1e12];
    let small = [1e-9, 4.56e-8, 2.5e-6, 0.000_999_96, 0.012_345_6, 13.616, 120.0];
    let mut examples: Vec<Value> = Vec::new();
    for quantity in Quantity::ALL {
        let of_kind = if quantity == Quantity::Time { &small[..] } else { &values[..] };
        for value in of_kind.iter().chain(&[0.0, -3.5]) {
            examples.push(json!({ "unit": quantity.base(), "value": value, "text": quantity.format_brief(*value) }));
        }
    }
    for share in [0.0, 0.5, 0.123_45, 0.999_9, 1.0] {
        examples.push(json!({ "unit": "share", "value": share, "text": quantity::format_percent(share) }));
    }
    for seconds in [0.0, 12.5, 0.000_001_4, 1.0 / 3.0, 3600.0, -1e-9] {
        examples.push(json!({ "unit": "moment", "value": seconds, "text": quantity::format_moment(seconds) }));
    }
    let lines = examples.iter().map(|example| format!("  {example}")).collect::<Vec<_>>().join(",\n");
    assert_up_to_date("../tests/quantities.json", &format!("[\n{lines}\n]\n"));
}

#[test]
fn text_on_each_cause_has_a_contrast_of_4_5_at_least() {
    for (name, colors) in figure::list_cause_colors() {
        for color in colors {
            assert!(
                measure_contrast(choose_ink(color), color) >= 4.5,
                "{name}: {:.2}",
                measure_contrast(choose_ink(color), color)
            );
        }
    }
}

/// Compares the generated text with the file of the repository; with `UPDATE_GOLDEN` writes the file.
fn assert_up_to_date(name: &str, generated: &str) {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&kept, generated).unwrap();
    }
    let found = std::fs::read_to_string(&kept).unwrap_or_default();
    assert!(found == generated, "web/src/{name} is out of date: UPDATE_GOLDEN=1");
}

fn render_script() -> String {
    let mut text = format!("// {ORIGIN}\n\n");
    text += "/** How a mark is drawn. */\nexport interface MarkShape {\n";
    text += "  /** The outline as SVG path data, in CSS pixels around the place of the mark. */\n  path: string;\n";
    text += "  /** The name of its colour in the style sheet. */\n  color: string;\n";
    text +=
        "  /** The colour of the edge around a filled shape; null for a shape of lines. */\n  edge: string | null;\n";
    text += "  /** Width of its lines in CSS pixels. */\n  width: number;\n}\n\n";
    text += "/** The shapes of all kinds of marks. */\nexport const MARKS: Readonly<Record<string, MarkShape>> = {\n";
    for mark in Mark::ALL {
        let MarkRow { kind, role, width, .. } = *mark.row();
        let edge = role.edge().map_or("null".to_owned(), |edge| format!("\"{edge}\""));
        let (path, color) = (mark.path_data(), role.name());
        writeln!(text, "  \"{kind}\": {{ path: \"{path}\", color: \"{color}\", edge: {edge}, width: {width} }},")
            .unwrap();
    }
    text += "};\n\n/** The units of quantities by their base unit, each with its size there, the largest first. */\n";
    text += "export const UNITS = {\n";
    for quantity in Quantity::ALL {
        let units = quantity.units().iter().map(|unit| format!("[{}, \"{}\"]", unit.size, unit.name));
        writeln!(text, "  \"{}\": [{}],", quantity.base(), units.collect::<Vec<_>>().join(", ")).unwrap();
    }
    text + "} as const;\n"
}

fn render_style() -> String {
    let mut text = format!("/* {ORIGIN} Colours after Okabe and Ito. */\n");
    for (theme, selector) in [":root", ":root[data-theme=\"dark\"]"].into_iter().enumerate() {
        writeln!(text, "{selector} {{").unwrap();
        for (name, colors) in list_palette_colors() {
            writeln!(text, "  --{name}: #{:06x};", colors[theme]).unwrap();
        }
        for (name, colors) in figure::list_cause_colors() {
            let color = colors[theme];
            writeln!(text, "  --cause-{name}: #{color:06x}; --on-cause-{name}: #{:06x};", choose_ink(color)).unwrap();
        }
        text += "}\n";
    }
    for (name, _) in figure::list_cause_colors() {
        writeln!(text, ".cause-{name} {{ background: var(--cause-{name}); color: var(--on-cause-{name}); }}").unwrap();
    }
    text
}

/// The ink with the higher contrast.
fn choose_ink(color: u32) -> u32 {
    let [dark, white] = INKS;
    if measure_contrast(dark, color) >= measure_contrast(white, color) { dark } else { white }
}

/// The contrast of two colours, 1 to 21 (WCAG 2.2, relative luminance).
fn measure_contrast(one: u32, other: u32) -> f64 {
    let linear = |shift: u32, color: u32| {
        let share = f64::from(color >> shift & 0xff) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { libm::pow((share + 0.055) / 1.055, 2.4) }
    };
    let luminance =
        |color: u32| -> f64 { 0.2126 * linear(16, color) + 0.7152 * linear(8, color) + 0.0722 * linear(0, color) };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}
