/** Where in a TOML text the cursor is: which key or value is being written, also if the text is not complete. */

export interface Place {
  kind: "key" | "value" | "header";
  /** Of a key its table, of a value its key, as `links.air.rate`; empty at the top. */
  path: string;
  /** Where the word begins that a completion replaces. */
  from: number;
  /** What has been written of it. */
  typed: string;
  /** The text without the unfinished entry, with all brackets closed. */
  repaired: string;
}

/** An open table or list. */
interface Frame {
  path: string;
  close: "" | "}" | "]";
  /** Whether a key is written, or its value. */
  inKey: boolean;
  /** Where the entry begins. */
  entry: number;
  key: string;
  item: number;
  word: number | undefined;
}

/** The parts of a dotted key. */
function parts(key: string): string[] {
  const found = key.match(/"(?:\\.|[^"\\])*"|'[^']*'|[^\s."']+/g) ?? [];
  return found.map((part) => part.replace(/^(["'])(.*)\1$/, "$2"));
}

/** A path with a key below it, written as the controls write theirs. */
export function below(path: string, key: string): string {
  const written = parts(key).map((part) => (/[.[ ]/.test(part) ? `"${part}"` : part));
  return [path, ...written].filter((part) => part !== "").join(".");
}

/** The end of the string that begins at a place, behind its quotes; beyond the text if it is not closed. */
function endOfString(text: string, start: number): number {
  const quote = text[start] ?? "";
  const long = quote.repeat(3);
  if (text.startsWith(long, start)) {
    const end = text.indexOf(long, start + 3);
    return end < 0 ? text.length + 1 : end + 3;
  }
  for (let at = start + 1; at < text.length && text[at] !== "\n"; at++) {
    if (text[at] === "\\" && quote === '"') at += 1;
    else if (text[at] === quote) return at + 1;
  }
  const line = text.indexOf("\n", start);
  return line < 0 ? text.length + 1 : line + 1;
}

/** The place of the cursor; `undefined` in a comment. */
export function placeAt(text: string, cursor: number): Place | undefined {
  const counts = new Map<string, number>();
  const frame = (path: string, close: Frame["close"], entry: number): Frame => ({
    path,
    close,
    inKey: close !== "]",
    entry,
    key: "",
    item: 0,
    word: undefined,
  });
  let stack = [frame("", "", 0)];
  const top = (): Frame => stack[stack.length - 1] as Frame;
  const valuePath = (here: Frame): string => (here.close === "]" ? `${here.path}[${here.item}]` : below(here.path, here.key));
  let at = 0;
  while (at < cursor) {
    const here = top();
    const sign = text[at] ?? "";
    const isStart = stack.length === 1 && here.inKey && here.word === undefined;
    if (sign === "#") {
      const end = text.indexOf("\n", at);
      if (end < 0 || end >= cursor) return undefined;
      at = end;
      continue;
    }
    if (sign === "[" && isStart) {
      const line = text.indexOf("\n", at);
      const end = text.indexOf("]", at);
      const many = text[at + 1] === "[";
      const from = at + (many ? 2 : 1);
      if (end < 0 || end >= cursor || (line >= 0 && line < end)) {
        const typed = text.slice(from, cursor);
        return { kind: "header", path: "", from, typed, repaired: without(text, at, cursor, "") };
      }
      const path = below("", text.slice(from, end));
      const count = counts.get(path) ?? 0;
      counts.set(path, count + 1);
      at = end + (many ? 2 : 1);
      stack = [frame(many ? `${path}[${count}]` : path, "", at)];
      continue;
    }
    if (sign === '"' || sign === "'") {
      here.word ??= at;
      at = endOfString(text, at);
      continue;
    }
    if (sign === "=" && here.inKey) {
      here.key = text.slice(here.word ?? at, at).trim();
      [here.inKey, here.word] = [false, undefined];
    } else if (sign === "{" || sign === "[") {
      here.word ??= at;
      stack.push(frame(valuePath(here), sign === "{" ? "}" : "]", at + 1));
    } else if (sign === here.close && sign !== "") {
      stack.pop();
    } else if (sign === "," && here.close !== "") {
      [here.inKey, here.word, here.entry] = [here.close === "}", undefined, at];
      here.item += 1;
    } else if (sign === "\n" && here.close === "") {
      [here.inKey, here.word, here.entry] = [true, undefined, at + 1];
    } else if (!/\s/.test(sign)) {
      here.word ??= at;
    }
    at += 1;
  }
  const here = top();
  const from = here.word ?? cursor;
  const closers = stack.map((open) => open.close).reverse().join("");
  return {
    kind: here.inKey ? "key" : "value",
    path: here.inKey ? here.path : valuePath(here),
    from,
    typed: text.slice(from, cursor),
    repaired: without(text, here.entry, cursor, closers),
  };
}

/** The text without what stands between a place and the end of the cursor's line. */
function without(text: string, from: number, cursor: number, closers: string): string {
  const end = text.indexOf("\n", cursor);
  return `${text.slice(0, from)} ${closers}${end < 0 ? "" : text.slice(end)}`;
}
