/** The page's regions: tabs with their keys, and parts that open. */

import { el } from "./dom";

export interface Tab {
  id: string;
  title: string;
  /** Fills the tab when it is shown for the first time. */
  mount: (root: HTMLElement) => void;
}

/** Tabs as the ARIA practices describe them: arrows change the tab, and each mounts when it is first shown. */
export function tabs(label: string, list: Tab[], shown?: (id: string) => void): { element: HTMLElement; show: (id: string) => void } {
  const mounted = new Set<string>();
  const buttons = list.map((tab) =>
    el("button", { type: "button", role: "tab", id: `tab-${tab.id}`, "aria-controls": `panel-${tab.id}` }, tab.title),
  );
  const panels = list.map((tab) =>
    el("div", { role: "tabpanel", id: `panel-${tab.id}`, "aria-labelledby": `tab-${tab.id}`, class: `tab tab-${tab.id}` }),
  );
  const show = (id: string): void => {
    for (const [number, tab] of list.entries()) {
      const [button, panel] = [buttons[number], panels[number]];
      if (!button || !panel) continue;
      const chosen = tab.id === id;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      panel.hidden = !chosen;
      if (chosen && !mounted.has(id)) {
        mounted.add(id);
        tab.mount(panel);
      }
    }
    shown?.(id);
  };
  for (const [number, button] of buttons.entries()) {
    button.addEventListener("click", () => show(list[number]?.id ?? ""));
    button.addEventListener("keydown", (event) => {
      const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (way === undefined) return;
      event.preventDefault();
      const next = (number + way + list.length) % list.length;
      show(list[next]?.id ?? "");
      buttons[next]?.focus();
    });
  }
  const first = list[0];
  if (first) show(first.id);
  const row = el("div", { role: "tablist", "aria-label": label, class: "tabs" }, ...buttons);
  return { element: el("section", { class: "tabbed", "aria-label": label }, row, ...panels), show };
}
