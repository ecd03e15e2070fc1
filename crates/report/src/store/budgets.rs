//! The time budget of one run of each case.

use lab::figures::words;
use lab::store::KeptCell;
use lab::sweep::budget::{Budgets, CellBudget};

use crate::page::PageBlock;
use crate::pictures::compute_cause_shares;
use crate::{BudgetChart, BudgetRow};

/// Returns the chart of a sweep's time budgets, or the reason why it has none.
pub(super) fn render_budget_blocks(budgets: &Budgets) -> Vec<PageBlock> {
    let heading = PageBlock::Words("# Where the time went".into());
    if let Some(problem) = &budgets.problem {
        let text = format!("No time budgets: the sweep cannot be run again here ({problem}).");
        return vec![heading, PageBlock::Warnings(vec![text])];
    }
    let Some(first) = budgets.cells.first() else { return Vec::new() };
    let left_out = match budgets.left_out {
        0 => String::new(),
        count => format!(" {count} more cases are left out."),
    };
    let replication = if budgets.cells.iter().all(|cell| cell.replication == first.replication) {
        format!("replication {}", first.replication)
    } else {
        "the first stored replication".to_owned()
    };
    let caption = format!(
        "Shares of the time of flow {}, by cause, as in `lasthop explain`: one run for each case ({replication}, seed {}), not a mean. \
         At the right the flow's time.{left_out}",
        first.flow, first.seed
    )
    .replace('`', "");
    let rows = budgets.cells.iter().map(build_budget_row).collect();
    vec![heading, PageBlock::Budgets(BudgetChart { title: "Time budget".into(), caption, rows })]
}

/// Returns the values by which a cell differs from the other cells; `None` if there are no other cells.
pub(super) fn label_cell(cell: &KeptCell) -> Option<String> {
    let value = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let changes = cell.changes.iter().map(|(key, changed)| format!("{} {}", words::name_key(key), value(changed)));
    let name = Some(cell.case_name.clone()).filter(|name| !name.is_empty());
    let label: Vec<String> = changes.chain(name).collect();
    (!label.is_empty()).then(|| label.join(", "))
}

fn build_budget_row(cell: &CellBudget) -> BudgetRow {
    let took = cell.took.as_secs_f64();
    BudgetRow {
        label: label_cell(&cell.cell).unwrap_or_else(|| cell.flow.clone()),
        took: format!("{}{took:.3} s", if cell.completed { "" } else { "incomplete, " }),
        shares: compute_cause_shares(&cell.causes, cell.took),
    }
}
