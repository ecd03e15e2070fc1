//! Properties of every page: well-formed, self-contained, and safe for any text.

use crate::common;

use common::{Element, elements};
use report::{
    BarChart, BarGroup, ChangeChart, CurveChart, CurveLine, CurvePoint, Estimate, Page, PageBlock, PageSection,
    ReportCell, ReportColumn, ReportTable,
};

const EVIL: &str = "<script>alert('x')</script> & \"quoted\" <img src=x onerror=y> ]]> --> </style> </title>";

/// A page with every kind of block, and with `text` in every text field.
fn page(text: &str) -> Page {
    let owned = || text.to_owned();
    let some = |mean| Some(Estimate { mean, n: 1, ..Estimate::default() });
    let bars = BarChart {
        title: owned(),
        caption: owned(),
        measure: owned(),
        along: owned(),
        cases: vec![owned(), owned()],
        groups: vec![BarGroup { label: owned(), bars: vec![some(1.0), None] }],
        reach: None,
    };
    let changed = Estimate { change: Some(2.0), ..Estimate::default() };
    let changes = ChangeChart {
        title: owned(),
        measure: owned(),
        baseline: owned(),
        along: owned(),
        cases: vec![owned(), owned()],
        groups: vec![BarGroup { label: owned(), bars: vec![Some(changed), None] }],
        reach: None,
    };
    let points =
        vec![CurvePoint { x: 1.0, label: owned(), y: some(1.0) }, CurvePoint { x: 2.0, label: owned(), y: some(3.0) }];
    let curves = CurveChart {
        title: owned(),
        caption: owned(),
        measure: owned(),
        along: owned(),
        lines: vec![CurveLine { name: owned(), points }],
        reach: None,
    };
    let table = ReportTable {
        caption: owned(),
        columns: vec![ReportColumn::text(text, text), ReportColumn::number(text, text)],
        rows: vec![vec![ReportCell::text(text), ReportCell::number(1.5, text)]],
    };
    let blocks = vec![
        PageBlock::Words(owned()),
        PageBlock::Facts(vec![(owned(), owned())]),
        PageBlock::Warnings(vec![owned()]),
        PageBlock::Bars(bars),
        PageBlock::Changes(changes),
        PageBlock::Curves(curves),
        PageBlock::Table(table),
        PageBlock::Svg { svg: r#"<svg xmlns="http://www.w3.org/2000/svg"></svg>"#.into(), caption: owned() },
        PageBlock::Code { text: owned(), caption: owned() },
    ];
    let section = PageSection { heading: owned(), blocks };
    Page {
        title: owned(),
        subtitle: owned(),
        facts: vec![(owned(), owned())],
        sections: vec![section.clone(), section],
        footer: owned(),
        script: String::new(),
    }
}

#[test]
fn markup_in_text_is_escaped_everywhere() {
    // The harmless text has the same length, because long text is cut and changes the layout.
    let harmless = elements(&report::render_html_page(&page(&"x".repeat(EVIL.len())))).unwrap();
    let evil = elements(&report::render_html_page(&page(EVIL))).unwrap();
    let names = |found: &[Element]| -> Vec<String> { found.iter().map(|element| element.name.clone()).collect() };
    assert_eq!(names(&harmless), names(&evil));
    assert!(!evil.iter().any(|element| element.attributes.iter().any(|(name, _)| name.starts_with("on"))));
}

#[test]
fn page_refers_to_no_external_resource() {
    let html = report::render_html_page(&page("words"));
    let alone = html.replace("http://www.w3.org/2000/svg", "");
    for other in ["http:", "https:", "src=", "url(", "@import", "<iframe"] {
        assert!(!alone.contains(other), "{other}");
    }
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn links_have_targets_and_headings_are_in_order() {
    let found = elements(&report::render_html_page(&page("# words"))).unwrap();
    let of = |wanted: &str| -> Vec<String> {
        let attributes = found.iter().flat_map(|element| &element.attributes);
        attributes.filter(|(name, _)| name == wanted).map(|(_, value)| value.clone()).collect()
    };
    let ids = of("id");
    for reference in
        of("aria-labelledby").iter().map(String::as_str).chain(of("href").iter().filter_map(|to| to.strip_prefix('#')))
    {
        assert!(ids.iter().any(|id| id == reference), "{reference}");
    }
    let levels = found.iter().filter_map(|element| match element.name.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
        _ => None,
    });
    let levels: Vec<u8> = levels.collect();
    assert_eq!(levels[0], 1);
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1);
    assert_eq!(found[0].attributes, [("lang".to_owned(), "en".to_owned())]);
}

#[test]
fn equal_pages_give_equal_bytes() {
    assert_eq!(report::render_html_page(&page("a")), report::render_html_page(&page("a")));
}

#[test]
fn empty_blocks_give_a_valid_page() {
    elements(&report::render_html_page(&Page::default())).unwrap();
    let blocks = vec![
        PageBlock::Bars(BarChart::default()),
        PageBlock::Changes(ChangeChart::default()),
        PageBlock::Curves(CurveChart::default()),
        PageBlock::Table(ReportTable::default()),
        PageBlock::Warnings(Vec::new()),
    ];
    let sections = vec![PageSection { heading: String::new(), blocks }];
    let html = report::render_html_page(&Page { sections, ..Page::default() });
    elements(&html).unwrap();
    assert!(!html.contains("NaN") && !html.contains("inf"));
}

#[test]
fn shares_of_time_have_the_colours_of_the_table_of_causes() {
    let html = report::render_html_page(&Page::default());
    let (light, dark) = html.split_once("svg.drawn .cause-link-rate").unwrap().1.split_once("@media screen").unwrap();
    for (name, [on_light, on_dark]) in figure::list_cause_colors().into_iter().skip(1) {
        for (color, part) in [(on_light, light), (on_dark, dark)] {
            assert!(part.contains(&format!("svg.drawn .cause-{name} {{ fill: #{color:06x}; }}")), "{name}");
        }
    }
}
