//! HTML output of a page.

use engine::text::escape_controls;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::frame::Drawing;
use crate::page::{Page, PageBlock, PageSection};
use crate::{bars, budget, changes, course, curves, table, words};

/// Content security policy: the page fetches no resource; style and script are embedded.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// Returns the page as one HTML document; equal pages give equal bytes.
pub fn render_html_page(page: &Page) -> String {
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(concat!("lasthop ", env!("CARGO_PKG_VERSION")));
                title { (page.title) }
                // Keeps browsers from requesting a favicon from the server.
                link rel="icon" href="data:,";
                style { (PreEscaped([include_str!("chart.css"), &budget::render_cause_rules(), include_str!("style.css")].concat())) }
            }
            body {
                header {
                    h1 { (page.title) }
                    @if !page.subtitle.is_empty() { p.subtitle { (page.subtitle) } }
                    (render_facts(&page.facts))
                    @if page.sections.len() > 1 { (render_contents(&page.sections)) }
                }
                main {
                    @for (number, part) in page.sections.iter().enumerate() {
                        (render_section(number, part, !page.script.is_empty()))
                    }
                }
                @if !page.footer.is_empty() {
                    footer { (PreEscaped(words::markdown_to_html(&page.footer, 2))) }
                }
                script { (PreEscaped(include_str!("script.js"))) }
                @if !page.script.is_empty() && iter_courses(page).next().is_some() {
                    script { (PreEscaped(&page.script)) }
                }
            }
        }
    };
    escape_controls(&document.into_string()).into_owned()
}

fn render_contents(sections: &[PageSection]) -> Markup {
    html! {
        nav aria-label="Contents" { ol {
            @for (number, section) in sections.iter().enumerate() {
                li { a href=(format!("#section-{}", number + 1)) { (section.heading) } }
            }
        } }
    }
}

/// Returns the blocks with courses of runs.
fn iter_courses(page: &Page) -> impl Iterator<Item = &PageBlock> {
    page.sections.iter().flat_map(|section| &section.blocks).filter(|block| matches!(block, PageBlock::Course(_)))
}

/// Renders a section. With `data` its courses include the input of the script that draws them.
fn render_section(number: usize, section: &PageSection, data: bool) -> Markup {
    let id = format!("section-{}", number + 1);
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (section.heading) }
            // Consecutive charts share a row.
            @for run in section.blocks.chunk_by(|a, b| is_chart(a) && is_chart(b)) {
                @if is_chart(&run[0]) { (render_charts(run)) } @else { @for other in run { (render_block(other, data)) } }
            }
        }
    }
}

fn is_chart(block: &PageBlock) -> bool {
    matches!(block, PageBlock::Bars(_) | PageBlock::Budgets(_) | PageBlock::Changes(_) | PageBlock::Curves(_))
}

/// Places charts side by side, in columns as wide as the widest chart.
fn render_charts(run: &[PageBlock]) -> Markup {
    let drawn: Vec<(&str, Drawing, &str)> = run.iter().filter_map(draw_chart).collect();
    let wide = drawn.iter().map(|(_, drawing, _)| drawing.wide).fold(0.0, f64::max);
    html! {
        div.charts style=(format!("--wide:{wide:.0}px")) {
            @for (title, drawing, caption) in &drawn {
                figure.chart {
                    @if !title.is_empty() { figcaption.title { (title) } }
                    div.scroll style=(format!("--own:{:.0}px", drawing.wide)) { (drawing.svg) }
                    @if !caption.is_empty() { p.caption { (caption) } }
                }
            }
        }
    }
}

/// Returns the title, the picture and the caption of a chart; `None` for other blocks.
pub(crate) fn draw_chart(block: &PageBlock) -> Option<(&str, Drawing, &str)> {
    match block {
        PageBlock::Bars(chart) => Some((&chart.title, bars::draw_bar_chart(chart), &chart.caption)),
        PageBlock::Budgets(chart) => Some((&chart.title, budget::draw_budget_chart(chart), &chart.caption)),
        PageBlock::Changes(chart) => Some((&chart.title, changes::draw_change_chart(chart), "")),
        PageBlock::Curves(chart) => Some((&chart.title, curves::draw_curve_chart(chart), &chart.caption)),
        _ => None,
    }
}

fn render_block(block: &PageBlock, data: bool) -> Markup {
    match block {
        PageBlock::Words(text) => PreEscaped(words::markdown_to_html(text, 3)),
        PageBlock::Facts(list) => render_facts(list),
        PageBlock::Warnings(list) if list.is_empty() => html! {},
        PageBlock::Warnings(list) => html! {
            div.warnings role="note" aria-label="Warnings" {
                ul { @for warning in list { li { (warning) } } }
            }
        },
        PageBlock::Bars(_) | PageBlock::Budgets(_) | PageBlock::Changes(_) | PageBlock::Curves(_) => {
            render_charts(std::slice::from_ref(block))
        }
        PageBlock::Course(of) => course::render_course(of, data),
        PageBlock::Table(of) => table::render_table_markup(of),
        PageBlock::Svg { svg, caption } => html! {
            figure.picture { (PreEscaped(svg)) figcaption { (caption) } }
        },
        PageBlock::Code { text, caption } => html! {
            figure.code {
                figcaption { (caption) }
                pre tabindex="0" role="region" aria-label=(caption) { code { (text) } }
            }
        },
    }
}

fn render_facts(list: &[(String, String)]) -> Markup {
    html! {
        @if !list.is_empty() {
            dl.facts {
                @for (name, value) in list { div { dt { (name) } dd { (value) } } }
            }
        }
    }
}
