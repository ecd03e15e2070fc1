/** Colours of the two themes. They are those of the command's pictures, and are defined once, in the style sheet. */

import { Signal } from "./state";

export type Theme = "light" | "dark";

const KEPT = "lasthop-theme";

function kept(): Theme | undefined {
  try {
    const theme = localStorage.getItem(KEPT);
    return theme === "light" || theme === "dark" ? theme : undefined;
  } catch {
    // Storage may be forbidden: the theme is then that of the system.
    return undefined;
  }
}

const colors = new Map<string, string>();

const system = matchMedia("(prefers-color-scheme: dark)");
let chosen = kept();

const current = (): Theme => chosen ?? (system.matches ? "dark" : "light");

/** The theme that is shown. */
export const theme = new Signal<Theme>(current());

/** Chooses the other theme. */
export function toggleTheme(): void {
  chosen = theme.value === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEPT, chosen);
  } catch {
    // It holds for this visit.
  }
  theme.value = chosen;
}

system.addEventListener("change", () => {
  theme.value = current();
});

theme.subscribe((value) => {
  document.documentElement.dataset["theme"] = value;
  colors.clear();
});



/** A colour of the theme, by the name of its variable in the style sheet, without dashes. */
export function color(name: string): string {
  let value = colors.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    colors.set(name, value);
  }
  return value;
}
