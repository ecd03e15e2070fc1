// Compares the WebAssembly module with the command: `node equal.cjs MODULE.js COMMAND EXAMPLES EVERY`. The summary, the
// explanation and the first flow's picture of every EVERY-th example must be equal, byte for byte.

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const [module_, command, examples, every] = process.argv.slice(2);
const lasthop = require(path.resolve(module_));

function printed(...options) {
  return execFileSync(command, ["-q", ...options], { maxBuffer: 1 << 28, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

/** What `lasthop plot` writes of a flow; undefined if it refuses. */
function drawn(file, flow) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lasthop-equal-"));
  try {
    printed("plot", file, "--flow", flow, "--out", folder);
    return fs.readFileSync(path.join(folder, fs.readdirSync(folder).find((name) => name.endsWith(".svg"))), "utf8");
  } catch {
    return undefined;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** The module's picture of the first flow; undefined if it refuses. */
function picture(scenario) {
  try {
    return scenario.picture(0, undefined, undefined, false, always);
  } catch {
    return undefined;
  }
}

const scenarios = fs.readdirSync(examples).filter((name) => name.endsWith(".toml")).sort();
// Recordings lie beside the scenarios that name them.
const recordings = ["", "recordings"].flatMap((folder) =>
  fs.readdirSync(path.join(examples, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".toml"))
    .map((entry) => path.posix.join(folder, entry.name)),
);
const always = (share) => share >= 0;
let different = 0;
let compared = 0;
let pictures = 0;
for (const name of scenarios.filter((_, place) => place % Number(every) === 0)) {
  const file = path.join(examples, name);
  const scenario = new lasthop.Scenario(file, fs.readFileSync(file));
  recordings.forEach((name) => scenario.add_file(name, fs.readFileSync(path.join(examples, name))));
  const explained = scenario.explain(20, always);
  const [first] = JSON.parse(explained);
  const svg = first && picture(scenario);
  if (svg) pictures += 1;
  const pairs = [
    ["run", () => scenario.run(true, always), () => printed("run", file, "--json", "--no-out")],
    ["explain", () => explained, () => printed("explain", file, "--json")],
    ["picture", () => svg, () => first && drawn(file, first.flow)],
  ];
  for (const [what, ours, theirs] of pairs) {
    compared += 1;
    if (ours() !== theirs()) {
      different += 1;
      console.error(`${what} ${file}: the module and the command differ`);
    }
  }
}

// A wrong scenario is data, not a trap.
const wrong = new lasthop.Scenario("x.toml", Buffer.from("duration = 3"));
let problems = [];
try {
  wrong.check();
} catch (error) {
  problems = JSON.parse(error);
}
if (problems[0]?.key !== "duration" || problems[0]?.line !== 1) {
  different += 1;
  console.error(`a wrong scenario gives ${JSON.stringify(problems)}, expected a problem of duration in line 1`);
}
// A run that its page has ended.
const long = new lasthop.Scenario("long.toml", fs.readFileSync(path.join(examples, "goel-refined.toml")));
let ended;
try {
  long.run(true, () => false);
} catch (error) {
  ended = error;
}
if (ended !== null) {
  different += 1;
  console.error(`an ended run gives ${ended}, expected null`);
}
console.log(`${compared} outputs of the module compared with the command, ${different} differences`);
process.exit(different === 0 && compared > 10 && pictures > 4 ? 0 : 1);
