// The list of samples, its filters, and one sample whole. Every text becomes a text node: no markup is ever read.

const DATA = JSON.parse(document.getElementById("data").textContent);
const OUTCOMES = ["pass", "fail", "unscored", "not_applicable"];
const SPELLED = { pass: "compliant", fail: "not compliant", unscored: "unscored", not_applicable: "not applicable" };
const FLIPS = ["", "fell", "rose"];
const PAGE = 50;
const FOLDED = 12;
const FILTERS = ["q", "run", "target", "contract", "outcome", "clause", "scenario", "flip"];
const SORTS = {
  scenario: (one) => one.scenario,
  target: (one) => one.label,
  outcome: (one) => OUTCOMES.indexOf(one.outcome),
  fails: (one) => one.failed.length,
};

const at = (id) => document.getElementById(id);
const dialog = at("detail");
const form = at("filters");

/** Return an element; children are elements or texts, attributes whose value is null are left out. */
function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((each) => each !== null && each !== ""));
  return made;
}

// What the page holds

const SAMPLES = DATA.samples.map(([scenario, column, trial, outcome, failed, why, flip], number) => {
  const [run, target, contract, label] = DATA.columns[column];
  const name = DATA.scenarios[scenario];
  const id = `${name}@${contract}@${target}#${trial}`;
  return {
    number, run, target, contract, label, trial, why, id,
    scenario: name,
    key: DATA.runs.length > 1 ? `${run}:${id}` : id,
    asked: `${name}@${contract}#${trial}`,
    outcome: OUTCOMES[outcome],
    failed: failed.map((each) => DATA.clauses[each]),
    flip: FLIPS[flip],
  };
});
const BY_KEY = new Map(SAMPLES.map((each) => [each.key, each]));
const words = new WeakMap();

function haystack(sample) {
  if (!words.has(sample)) {
    const clauses = sample.failed.map(([name]) => name).join(" ");
    words.set(sample, `${sample.id} ${clauses} ${sample.why}`.toLowerCase());
  }
  return words.get(sample);
}

// Blocks are opened when they are asked for; a few stay open.

const opened = new Map();

function block(id) {
  if (!opened.has(id)) {
    if (opened.size > 40) opened.delete(opened.keys().next().value);
    opened.set(id, unpacked(at(id).textContent));
  }
  return opened.get(id);
}

async function unpacked(base64) {
  const packed = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

async function kept(kind, starts, number) {
  let place = starts.length - 1;
  while (starts[place] > number) place -= 1;
  return (await block(`${kind}-${place}`))[number - starts[place]];
}

const text = async (place) => (typeof place === "number" ? kept("text", DATA.texts, place) : place);

async function whole(sample) {
  const record = await kept("record", DATA.records, sample.number);
  const messages = (record.messages ?? []).map(async (each) => ({
    ...each,
    parts: await Promise.all(each.parts.map(async ([kind, heading, place]) => ({ kind, heading, text: await text(place) }))),
  }));
  return { ...record, messages: await Promise.all(messages) };
}

// The state is the address, so that what is seen can be shared.

function readState() {
  const given = location.hash.includes("=") ? new URLSearchParams(location.hash.slice(1)) : new URLSearchParams();
  return { ...Object.fromEntries([...FILTERS, "sort", "page", "sample", "beside"].map((key) => [key, given.get(key) ?? ""])) };
}

function address(changes) {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries({ ...state, ...changes })) if (value) given.set(key, value);
  return `#${given}`;
}

let state = readState();
let found = [];

/** Change what is shown. A new place can be left with the Back button, a filter cannot. */
function go(changes, { push = false } = {}) {
  const to = address(changes);
  history[push ? "pushState" : "replaceState"](null, "", to === "#" ? location.pathname + location.search : to);
  state = { ...state, ...changes };
  show();
}

// The list

function matches(sample) {
  return (
    (!state.run || String(sample.run) === state.run) &&
    ["target", "contract", "outcome", "scenario", "flip"].every((key) => !state[key] || sample[key] === state[key]) &&
    (!state.clause || sample.failed.some(([name]) => name === state.clause)) &&
    state.q.toLowerCase().split(/\s+/).every((each) => haystack(sample).includes(each))
  );
}

function sorted(samples) {
  const by = SORTS[state.sort.replace("-", "")];
  if (!by) return samples;
  const sign = state.sort.startsWith("-") ? -1 : 1;
  return [...samples].sort((one, other) => {
    const [a, b] = [by(one), by(other)];
    return sign * (a < b ? -1 : a > b ? 1 : 0) || one.number - other.number;
  });
}

function row(sample) {
  const clauses = sample.failed.slice(0, 6).flatMap(([name, says, hard]) => [
    el("span", { class: hard ? "tag hard" : "tag", title: says }, name), " ",
  ]);
  if (sample.failed.length > 6) clauses.push(`and ${sample.failed.length - 6} more`);
  // On a phone each row is laid out as a card; the roles keep it a row for those who listen.
  return el("tr", { role: "row" },
    el("th", { scope: "row", role: "rowheader" },
      el("a", { href: address({ sample: sample.key, beside: "" }), "data-open": true }, sample.scenario),
      el("span", { class: "faint" }, ` #${sample.trial}`)),
    el("td", { role: "cell" }, sample.label),
    el("td", { role: "cell" },
      el("span", { class: `tag ${sample.outcome}` }, SPELLED[sample.outcome]),
      sample.flip && " ", sample.flip && el("span", { class: `tag ${sample.flip}` }, sample.flip)),
    el("td", { role: "cell" }, ...clauses),
    el("td", { role: "cell" }, sample.why));
}

function showList() {
  found = sorted(SAMPLES.filter(matches));
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  const page = Math.min(Math.max(1, Number.parseInt(state.page, 10) || 1), pages);
  const shown = found.slice((page - 1) * PAGE, page * PAGE);
  at("list").tBodies[0].replaceChildren(...shown.map(row));
  at("found").textContent = found.length === SAMPLES.length
    ? `${SAMPLES.length} samples`
    : `${found.length} of ${SAMPLES.length} samples`;
  at("page").textContent = `page ${page} of ${pages}`;
  at("earlier").disabled = page === 1;
  at("later").disabled = page === pages;
  for (const head of at("list").querySelectorAll("th[data-key]")) {
    const key = head.dataset.key;
    const order = state.sort === key ? "ascending" : state.sort === `-${key}` ? "descending" : null;
    if (order) head.setAttribute("aria-sort", order);
    else head.removeAttribute("aria-sort");
  }
  for (const name of FILTERS) {
    const field = form.elements[name];
    if (field && field.value !== state[name]) field.value = state[name];
  }
}

function turn(by) {
  go({ page: String((Number.parseInt(state.page, 10) || 1) + by) });
  at("samples-title").focus();
}

// One sample

function verdict(each) {
  const facts = el("dl", {});
  for (const key of ["expected", "observed"]) {
    if (each[key] !== null) facts.append(el("dt", {}, key), el("dd", {}, each[key]));
  }
  const says = DATA.clauses.find(([name]) => name === each.clause)?.[1];
  return el("div", { class: each.outcome === "fail" ? "verdict" : "verdict other", tabindex: "-1", role: "note", "aria-label": `verdict ${each.clause}` },
    el("p", {},
      el("strong", {}, `${each.outcome === "fail" ? "fails" : each.outcome.replace("_", " ")} ${each.clause}`),
      el("span", { class: "faint" }, ` ${each.level}${each.place ? ` at ${each.place}` : ""}`)),
    el("p", {}, each.reason),
    says ? el("p", { class: "faint" }, says) : null,
    facts.children.length ? facts : null);
}

/** Return a part's text with its verdicts under their lines; a long one without any is folded. */
function said(part, verdicts) {
  const box = el("div", { class: part.kind });
  const lines = part.text.split("\n");
  let from = 0;
  for (const [line, judged] of [...verdicts].sort(([one], [other]) => one - other)) {
    if (line > from) box.append(el("pre", {}, lines.slice(from, line).join("\n")));
    box.append(el("pre", { class: "judged" }, lines[line] ?? ""), ...judged);
    from = line + 1;
  }
  const rest = lines.slice(from);
  const folds = !verdicts.size && (rest.length > FOLDED + 1 || part.text.length > 4000);
  const pre = el("pre", {}, folds ? rest.slice(0, FOLDED).join("\n").slice(0, 2000) : rest.join("\n"));
  if (part.text && rest.length) box.append(pre);
  if (folds) {
    const all = `Show all ${lines.length} lines`;
    const more = el("button", { type: "button", class: "more", "aria-expanded": "false", click: () => {
      const open = more.getAttribute("aria-expanded") === "false";
      more.setAttribute("aria-expanded", String(open));
      more.textContent = open ? "Show less" : all;
      pre.textContent = open ? part.text : lines.slice(0, FOLDED).join("\n").slice(0, 2000);
    } }, all);
    box.append(more);
  }
  return box;
}

function message(each, number, placed) {
  const here = placed.filter(({ place }) => place[0] === number);
  const box = el("article", { class: `message ${["user", "system", "tool", "assistant"].includes(each.role) ? each.role : ""}` },
    el("h4", {}, each.role, el("span", { class: "faint" }, `${each.name && ` ${each.name}`} · message ${number}`)));
  box.append(...here.filter(({ place }) => place[1] < 0).map(({ shown }) => shown));
  each.parts.forEach((part, index) => {
    const mine = here.filter(({ place }) => place[1] === index);
    const byLine = new Map();
    for (const { place, shown } of mine.filter(({ place: [, , line] }) => line >= 0)) {
      byLine.set(place[2], [...(byLine.get(place[2]) ?? []), shown]);
    }
    if (part.heading) box.append(el("h5", {}, part.heading));
    box.append(...mine.filter(({ place }) => place[2] < 0).map(({ shown }) => shown), said(part, byLine));
  });
  return box;
}

function side(sample, record) {
  const placed = [], loose = [], jumps = [];
  for (const each of record.verdicts) {
    const shown = verdict(each);
    if (each.outcome === "fail") {
      jumps.push(el("li", {}, el("button", { type: "button", click: () => { shown.scrollIntoView({ block: "center" }); shown.focus(); } }, each.clause)));
    }
    if (each.outcome === "fail" && each.at.length) placed.push({ place: each.at, shown });
    else loose.push({ outcome: each.outcome, shown });
  }
  const others = loose.filter(({ outcome }) => outcome !== "fail").map(({ shown }) => shown);
  return el("div", { class: "side" },
    el("p", {}, el("strong", {}, sample.label), " ", el("span", { class: `tag ${sample.outcome}` }, SPELLED[sample.outcome])),
    record.run ? el("p", { class: "would-run" }, record.run) : null,
    record.facts ? el("p", { class: "faint" }, record.facts.join(" · ")) : null,
    jumps.length ? el("ul", { class: "jumps", "aria-label": "Broken clauses, where they broke" }, ...jumps) : null,
    ...loose.filter(({ outcome }) => outcome === "fail").map(({ shown }) => shown),
    record.missing ? el("p", { class: "notice" }, record.missing) : null,
    ...record.messages.map((each, number) => message(each, number, placed)),
    record.end ? el("p", { class: "notice" }, record.end) : null,
    el("p", { class: "message" }, el("strong", {}, "Passed: "), record.passed.join(", ") || "nothing"),
    others.length ? el("details", {}, el("summary", {}, `${others.length} not applicable or unscored`), ...others) : null);
}

function toolbar(sample) {
  const place = found.indexOf(sample);
  const step = (by, name) => el("button", { type: "button", id: `detail-${name}`, disabled: !found[place + by] || place < 0, click: () => go({ sample: found[place + by].key, beside: "" }) }, name === "next" ? "Next" : "Previous");
  const others = SAMPLES.filter((each) => each.asked === sample.asked && each !== sample);
  const beside = el("select", { id: "beside", change: () => go({ beside: beside.value }) },
    el("option", { value: "" }, "nothing"), ...others.map((each) => el("option", { value: each.key }, `${each.label} (${SPELLED[each.outcome]})`)));
  beside.value = state.beside;
  return el("div", { class: "bar-top" },
    el("h2", { id: "detail-title", tabindex: "-1" }, sample.scenario, el("span", { class: "faint" }, ` #${sample.trial}`)),
    others.length ? el("label", {}, "Beside ", beside) : null,
    step(-1, "previous"), step(1, "next"),
    el("button", { type: "button", id: "detail-close", click: () => dialog.close() }, "Close"));
}

let asked = 0;
let shownDetail = "";

async function showDetail() {
  const sample = BY_KEY.get(state.sample);
  const wanted = sample ? `${state.sample}\n${state.beside}` : "";
  if (wanted === shownDetail) return;
  shownDetail = wanted;
  const mine = (asked += 1);
  if (!sample) {
    if (dialog.open) dialog.close();
    return;
  }
  const other = BY_KEY.get(state.beside);
  const pair = other ? [other, sample] : [sample];
  const records = await Promise.all(pair.map(whole));
  if (mine !== asked) return;
  const focused = document.activeElement?.id;
  dialog.replaceChildren(toolbar(sample),
    el("div", { class: other ? "sides two" : "sides" }, ...pair.map((each, index) => side(each, records[index]))));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  const again = focused && focused !== "theme" && dialog.contains(at(focused)) ? at(focused) : null;
  (again && !again.disabled ? again : at("detail-title")).focus();
}

// Tables that can be sorted, and heat maps that arrow keys walk through

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if ("still" in head.dataset) return;
    const button = el("button", { type: "button", click: () => sortBy(table, head, column) });
    button.append(...head.childNodes);
    head.append(button);
  });
}

function sortBy(table, head, column) {
  const up = head.getAttribute("aria-sort") !== "ascending";
  const value = (line) => line.cells[column].dataset.value ?? line.cells[column].textContent.trim();
  const compare = (one, other) => {
    const [a, b] = [value(one), value(other)];
    return a !== "" && b !== "" && !Number.isNaN(Number(a)) && !Number.isNaN(Number(b)) ? Number(a) - Number(b) : a.localeCompare(b);
  };
  for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  table.tBodies[0].append(...[...table.tBodies[0].rows].sort((one, other) => (up ? 1 : -1) * compare(one, other)));
}

function makeWalkable(table) {
  const cells = () => [...table.tBodies[0].rows].map((line) => [...line.querySelectorAll("a")]);
  cells().flat().forEach((each, place) => { each.tabIndex = place ? -1 : 0; });
  table.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step || event.target.tagName !== "A") return;
    const grid = cells();
    const line = grid.findIndex((each) => each.includes(event.target));
    const column = grid[line].indexOf(event.target);
    const next = grid[line + step[0]]?.[column + step[1]];
    event.preventDefault();
    if (!next) return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}

// Light and dark

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  at("theme").setAttribute("aria-pressed", String(theme === "dark"));
  try { localStorage.setItem("harness-theme", theme); } catch { /* a page that may keep nothing forgets it */ }
}

function startTheme() {
  let kept = null;
  try { kept = localStorage.getItem("harness-theme"); } catch { /* as above */ }
  const dark = kept ? kept === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  if (kept) document.documentElement.dataset.theme = kept;
  const button = at("theme");
  button.hidden = false;
  button.setAttribute("aria-pressed", String(dark));
  button.addEventListener("click", () => setTheme(button.getAttribute("aria-pressed") === "true" ? "light" : "dark"));
}

// Beginning

function show() {
  showList();
  return showDetail();
}

let waiting = 0;
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => go({ ...Object.fromEntries(new FormData(form)), page: "" }), 120);
});
form.addEventListener("reset", (event) => {
  event.preventDefault();
  go({ ...Object.fromEntries(FILTERS.map((each) => [each, ""])), page: "" });
});
at("earlier").addEventListener("click", () => turn(-1));
at("later").addEventListener("click", () => turn(1));
for (const head of at("list").querySelectorAll("th[data-key]")) {
  head.firstElementChild.addEventListener("click", () => {
    const key = head.dataset.key;
    go({ sort: state.sort === key ? `-${key}` : key, page: "" });
  });
}
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-open]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const to = new URLSearchParams(link.hash.slice(1));
  go({ sample: to.get("sample"), beside: to.get("beside") ?? "" }, { push: true });
});
dialog.addEventListener("close", () => {
  if (state.sample) go({ sample: "", beside: "" });
});
addEventListener("hashchange", () => {
  if (location.hash && !location.hash.includes("=")) return;
  const before = address({ sample: "", beside: "" });
  state = readState();
  show();
  if (!state.sample && address({}) !== before) {
    at("samples").scrollIntoView();
    at("samples-title").focus({ preventScroll: true });
  }
});
document.querySelectorAll("table.sortable").forEach(makeSortable);
document.querySelectorAll("table[data-heat]").forEach(makeWalkable);
startTheme();
show().then(() => { document.documentElement.dataset.ready = "yes"; });
