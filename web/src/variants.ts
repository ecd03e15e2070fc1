/** The runs that are shown side by side: their names, schemes and changes. */

import type { App } from "./app";
import { button, el } from "./dom";
import type { Variant } from "./state";

/** Most variants side by side: more would be too narrow to read. */
const MOST = 6;

/** A name that no variant has. */
export function freeName(variants: Variant[], base: string): string {
  const taken = new Set(variants.map((variant) => variant.name));
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base} ${number}`)) number += 1;
  return `${base} ${number}`;
}

/** The names of the schemes, from the schema. */
async function schemes(app: App): Promise<string[]> {
  const { schema } = await app.engine.call("about", []);
  const definitions = (JSON.parse(schema) as { $defs: Record<string, { anyOf?: { enum?: string[] }[] }> }).$defs;
  return definitions["AgentConfigOrName"]?.anyOf?.find((choice) => choice.enum)?.enum ?? [];
}

export function mountVariants(root: HTMLElement, app: App): void {
  const names = el("span", { class: "names" });
  const list = el("div", { class: "cards" });
  const summary = el("summary", {}, "Side by side: ", names);
  root.append(el("details", { class: "variants" }, summary, list));

  const replace = (number: number, change: Partial<Variant> | undefined): void => {
    const project = app.store.project.value;
    const variants = project.variants.flatMap((variant, other) =>
      other !== number ? [variant] : change === undefined ? [] : [{ ...variant, ...change }],
    );
    app.store.step({ ...project, variants });
  };

  const add = (): void => {
    const project = app.store.project.value;
    const last = project.variants.at(-1) ?? { name: "as written", changes: [] };
    const variants = [...project.variants, { ...last, name: freeName(project.variants, last.name) }];
    app.store.step({ ...project, variants });
    app.announce(`${variants.length} variants side by side`);
  };

  let known: string[] = [];

  const card = (variant: Variant, number: number, count: number): HTMLElement => {
    const name = el("input", {
      value: variant.name,
      maxlength: 60,
      "aria-label": `Name of variant ${number + 1}`,
      on: { change: () => replace(number, { name: freeName(others(number), name.value.trim() || "variant") }) },
    });
    const scheme = el(
      "select",
      {
        "aria-label": `Scheme of ${variant.name}`,
        on: { change: () => replace(number, { scheme: scheme.value || undefined }) },
      },
      el("option", { value: "" }, "scheme as written"),
      ...known.map((kind) => el("option", { value: kind, selected: kind === variant.scheme }, kind)),
    );
    const changes = variant.changes.map((change, at) =>
      button(`${change} ✕`, () => replace(number, { changes: variant.changes.filter((_, other) => other !== at) }), {
        class: "chip",
        title: "Take this change back",
      }),
    );
    const remove = button("Remove", () => replace(number, undefined), {
      "aria-label": `Remove ${variant.name}`,
      disabled: count === 1,
    });
    return el("div", { class: "card" }, name, scheme, ...changes, remove);
  };

  const others = (number: number): Variant[] => app.store.project.value.variants.filter((_, other) => other !== number);

  const draw = (): void => {
    const { variants } = app.store.project.value;
    names.textContent = variants.map((variant) => variant.name).join(" · ");
    const more = button("Add a variant", add, { disabled: variants.length >= MOST });
    list.replaceChildren(...variants.map((variant, number) => card(variant, number, variants.length)), more);
  };

  app.store.project.subscribe(draw);
  schemes(app).then((found) => {
    known = found;
    draw();
  }, console.error);
}
