// Links, command lines and CSV, without a browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { source } from "./source.mjs";

const { decode, encode, LinkError, LONGEST, PREFIX } = await source("link.ts");
const { command, fileName, quote } = await source("command.ts");
const { csv, SERIES, seriesCsv, summaryCsv } = await source("csv.ts");

const bytes = (text) => new TextEncoder().encode(text);
const none = async () => undefined;

const PROJECT = {
  name: "goel-refined.toml",
  text: 'title = "a <b>é</b> 𝄞 \\u0000"\n',
  files: { "walk.csv": bytes("0,1\n"), "__proto__": new Uint8Array([0, 255, 128]) },
  changes: ['links.air.rate="2 Mbps"'],
  variants: [
    { name: "unmodified", changes: [], scheme: "unmodified" },
    { name: "it's", changes: ["a=1", "b='x'"] },
  ],
};
Object.defineProperty(PROJECT.files, "__proto__", { value: new Uint8Array([0, 255, 128]), enumerable: true });
const VIEW = { range: { from: 0.25, to: 1.5 }, flow: 2, tab: "share" };

/** A fragment of any JSON. */
const forged = (form) => PREFIX + deflateSync(typeof form === "string" ? form : JSON.stringify(form)).toString("base64url");

test("link returns the project and the view that it was made of", async () => {
  const fragment = await encode({ project: PROJECT, view: VIEW }, none);
  assert.match(fragment, /^1=[\w-]+$/);
  const { project, view } = await decode(fragment, none);
  assert.deepEqual(view, VIEW);
  assert.deepEqual(project.variants, PROJECT.variants);
  assert.deepEqual(Object.entries(project.files), Object.entries(PROJECT.files));
  for (const key of ["name", "text", "changes"]) assert.deepEqual(project[key], PROJECT[key]);
});

test("file of an example is named by the link, and one that has changed since is refused", async () => {
  const recording = bytes("0,1\n".repeat(100_000) + Math.PI);
  const project = { ...PROJECT, files: { "walk.csv": recording } };
  const examples = async (name) => (name === "walk.csv" ? recording : undefined);
  const fragment = await encode({ project, view: { flow: 0 } }, examples);
  assert.ok(fragment.length < 600, `${fragment.length} characters`);
  assert.deepEqual((await decode(fragment, examples)).project.files["walk.csv"], recording);
  await assert.rejects(decode(fragment, async () => bytes("0,2\n")), /walk\.csv.*has changed/);
  await assert.rejects(decode(fragment, none), /walk\.csv.*is not here/);
});

test("recording that is too large for a link is named", async () => {
  let state = 1;
  const noise = Uint8Array.from({ length: 60_000 }, () => (state = Math.imul(state, 1_664_525) + 1_013_904_223) >>> 24);
  const project = { ...PROJECT, files: { "long.trace": noise } };
  await assert.rejects(encode({ project, view: { flow: 0 } }, none), /recording long\.trace is too large for a link/);
  const text = Array.from(noise, String).join("");
  await assert.rejects(encode({ project: { ...PROJECT, text }, view: { flow: 0 } }, none), /the scenario is too large for a link/);
});

test("truncated, altered and forged links give one message and no project", async () => {
  const fragment = await encode({ project: PROJECT, view: VIEW }, none);
  const damaged = [fragment.slice(0, -1), fragment.slice(0, 40), PREFIX, `${PREFIX}%%`, `${PREFIX}é`];
  for (let at = PREFIX.length; at < fragment.length; at += 7) {
    damaged.push(fragment.slice(0, at) + (fragment[at] === "A" ? "B" : "A") + fragment.slice(at + 1));
  }
  const whole = { name: "a.toml", text: "", variants: [{ name: "a" }] };
  assert.equal((await decode(forged(whole), none)).project.name, "a.toml");
  for (const wrong of [
    "", "null", "[]", "{", '"\ud800"', {}, { ...whole, name: 1 }, { ...whole, text: null }, { ...whole, files: [] }, { ...whole, files: { a: null } },
    { ...whole, files: { a: "%" } }, { ...whole, changes: "a=1" }, { ...whole, changes: [1] }, { ...whole, variants: [] },
    { ...whole, variants: Array(7).fill({ name: "a" }) }, { ...whole, variants: [null] }, { ...whole, variants: [{ name: "a", scheme: 1 }] },
    { ...whole, range: [1, 1] }, { ...whole, range: [-1, 1] }, { ...whole, range: [0] }, { ...whole, range: ["0", 1] },
    { ...whole, flow: -1 }, { ...whole, flow: 0.5 }, { ...whole, tab: {} },
  ]) damaged.push(forged(wrong));
  for (const wrong of damaged) {
    await assert.rejects(decode(wrong, none), (error) => error instanceof LinkError && error.message.startsWith("The link is incomplete or damaged"), wrong);
  }
  await assert.rejects(decode("2=AAAA", none), /another version/);
});

test("link that would fill the memory is refused", async () => {
  const bomb = forged(`"${" ".repeat(12_000_000)}"`);
  assert.ok(bomb.length < LONGEST);
  await assert.rejects(decode(bomb, none), /more than this page opens/);
  await assert.rejects(decode(PREFIX + "A".repeat(LONGEST), none), /longer than this page opens/);
});

test("shell reads quoted words as they were", () => {
  const words = [
    "a=1", "", "it's", "$HOME `id` \"x\" \\", 'links.air.channel={kind="perfect"}', "a b", "!!", "~", "*", "#", "'", "\\'", "é 𝄞", "a\nb", "\u001b[31m'\\x",
    "\u202egnp", "\u0007;id", "a\tb", "-x", "=x", "$'x'",
  ];
  for (const word of words) {
    const line = quote(word);
    assert.doesNotMatch(line, /[\u0000-\u001f\u202e]/, JSON.stringify(word));
    const read = execFileSync("bash", ["--norc", "-c", `printf %s ${line}`], { encoding: "utf8", env: { LC_ALL: "C.UTF-8", HOME: "/" } });
    assert.equal(read, word);
  }
});

test("command has the changes in their order and the scheme", () => {
  const line = command(PROJECT, PROJECT.variants[1], "examples/goel-refined.toml");
  assert.equal(line, `lasthop run examples/goel-refined.toml --set 'links.air.rate="2 Mbps"' --set a=1 --set 'b='\\''x'\\'''`);
  assert.match(command(PROJECT, PROJECT.variants[0], "a.toml"), / --scheme unmodified$/);
});

test("names of files have no folders, no control characters and no dash or dot at their begin", () => {
  assert.equal(fileName("walk.toml"), "walk.toml");
  assert.equal(fileName("../../etc/pass\u0000wd"), "pass-wd");
  assert.equal(fileName("C:\\x\\a?.toml"), "a-.toml");
  assert.equal(fileName("--set"), "set");
  assert.equal(fileName("..."), "scenario.toml");
  assert.equal(fileName("\u202elmot.x"), "lmot.x");
});

test("CSV quotes texts, defuses formulas and keeps all digits", () => {
  assert.equal(csv([["a", 'b"c', "d,e", "f\ng", null, NaN, Infinity, 0.1 + 0.2, true]]), 'a,"b""c","d,e","f\ng",,,inf,0.30000000000000004,true\n');
  assert.equal(csv([["=1+1", "+x", "-x", "@x", -5]]), "'=1+1,'+x,'-x,'@x,-5\n");
});

test("series of all variants are the rows of one table, summaries a line a flow", () => {
  const column = (width, ...values) => ({ width, values: Float64Array.from(values) });
  const flow = { name: "download", windows: column(3, 0, 1460, Infinity, 0.5, 2920, 730), marks: [{ kind: "lost", what: "lost", points: column(2, 1, NaN) }] };
  const figure = { flows: [flow], summary: { title: "t", links: [{}], flows: [{ name: "download", timeouts: 0, state: { bytes: 3 } }] } };
  const results = [
    { variant: { name: "a" }, figure },
    { variant: { name: "b" }, figure: undefined },
    { variant: { name: "c" }, figure },
  ];
  assert.equal(
    seriesCsv(results, 5, SERIES.windows),
    "variant,flow,time_s,cwnd_bytes,ssthresh_bytes\na,download,0,1460,inf\na,download,0.5,2920,730\nc,download,0,1460,inf\nc,download,0.5,2920,730\n",
  );
  assert.equal(seriesCsv(results.slice(0, 1), 0, SERIES.marks), "variant,flow,time_s,kind,offset_bytes,what\na,download,1,lost,,lost\n");
  assert.equal(summaryCsv(results.slice(0, 2)), "variant,title,flow.name,flow.timeouts,flow.state.bytes\na,t,download,0,3\n");
});
