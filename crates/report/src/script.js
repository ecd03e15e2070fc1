// Tables sort by the heading that is clicked. Without scripts they are complete, only not sortable.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    // No <button>: browsers do not repeat table heads with controls on each printed page.
    const button = document.createElement("span");
    button.setAttribute("role", "button");
    button.tabIndex = 0;
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      button.click();
    });
    button.addEventListener("click", () => {
      const down = head.ariaSort === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].map((row) => [row, row.cells[column]]);
      rows.sort(([, a], [, b]) => compare(a, b, down ? -1 : 1));
      table.tBodies[0].append(...rows.map(([row]) => row));
    });
  });
}

// Numbers as numbers, text as text; cells that hold nothing come last either way.
function compare(a, b, direction) {
  const [x, y] = [a.dataset.n, b.dataset.n];
  if (x !== undefined && y !== undefined) return direction * (Number(x) - Number(y));
  const [nothingA, nothingB] = [a, b].map((cell) => cell.textContent === "" || cell.textContent === "\u2013");
  if (nothingA !== nothingB) return nothingA ? 1 : -1;
  return direction * a.textContent.localeCompare(b.textContent, "en");
}
