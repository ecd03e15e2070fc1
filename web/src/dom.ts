/** Elements with attributes, listeners and children. Texts are set as text, never as markup. */

type Child = Node | string | undefined;

interface Attributes {
  class?: string;
  on?: { [E in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[E]) => void };
  [name: string]: unknown;
}

export function el<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value as object)) element.addEventListener(event, listener);
    } else if (typeof value === "boolean") {
      element.toggleAttribute(name, value);
    } else if (value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** A button with a text. */
export function button(text: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return el("button", { type: "button", ...attributes, on: { click } }, text);
}
