// One case: what goes in, what comes out, what ran, why.

async function caseView(number) {
  if (!(number >= 0 && number < page.rows.length)) return el("p", {}, "There is no such case on this page.");
  const about = row(number);
  const shown = await caseOf(number);
  const suite = page.head.functions[about.suite];
  const texts = await sources();
  const view = el("article", { class: "case" }, caseHead(about, shown, suite));
  if (shown.wrong) view.append(el("p", { class: "note bad" }, `This case no longer does what was recorded: ${shown.wrong}`));
  if (suite.kind === "actors") await actorCase(view, about, shown, suite, texts);
  else if (suite.kind === "threads") await threadCase(view, about, shown, texts);
  else await callCase(view, about, shown, suite, texts);
  if (shown.test) view.append(section("Test", codeBlock(shown.test, "the test")));
  view.append(section("Run it again", command(shown.replay), page.live ? runButton(number) : null));
  return view;
}

function caseHead(about, shown, suite) {
  const turn = (to, text, label) => (to >= 0 && to < page.rows.length ? el("a", { href: `#/case/${to}`, "aria-label": label, rel: to < about.number ? "prev" : "next" }, text) : null);
  const head = el(
    "header",
    { class: "case-head" },
    el("nav", { class: "crumbs", "aria-label": "Where this is" }, link("/cases", "Cases"), " / ", link(`/cases?function=${about.suite}`, suite.name)),
    el("h1", {}, suite.kind === "threads" && shown.finding ? shown.finding.message : about.title),
    el(
      "p",
      { class: "facts" },
      badge(about.kind, about.kind),
      about.flags.includes("o") ? badge("observed", "observed") : null,
      about.flags.includes("v") ? badge("validated", suite.kind === "threads" ? "replayed" : "ran as predicted") : badge("unvalidated", "not validated"),
      el("code", {}, about.id),
    ),
    el("div", { class: "turning" }, turn(about.number - 1, "← previous", "Previous case"), turn(about.number + 1, "next →", "Next case")),
  );
  if (shown.finding)
    head.append(el("p", { class: "finding-line" }, badge("finding", kindText(shown.finding.kind)), " ", suite.kind === "threads" ? null : [el("span", { class: "message" }, shown.finding.message), " "], el("span", { class: "place" }, `${shown.finding.file}:${shown.finding.line}`)));
  return head;
}

async function callCase(view, about, shown, suite, texts) {
  view.append(callHeaps(about, shown), await conditionView(about, shown, suite, texts));
  if (shown.recording && shown.recording.steps.length) view.append(section("What ran", stepper(shown.recording, texts, suite.file)));
  else view.append(section("Executed lines", executedView(shown, texts, suite.file)));
}

/** The lines on the path of a case whose steps are not known. */
function executedView(shown, texts, file) {
  const lines = new Set(shown.trace.filter((step) => step.startsWith(file + ":")).map((step) => Number(step.split(":").pop())));
  return el("div", {}, el("p", { class: "muted" }, "The steps of this case were not recorded; these are the lines on its path."), sourceView(texts[file], lines, file).element);
}

/** The heap before and after, side by side. */
function callHeaps(about, shown) {
  const { inputs, expected } = shown;
  const before = inputs.ready || inputs.heap;
  const after = expected.heap;
  const roots = [];
  if (inputs.receiver !== undefined && inputs.receiver !== null) roots.push({ name: page.head.words.receiver, value: inputs.receiver });
  for (const [name, value] of Object.entries(inputs.arguments)) roots.push({ name, value });
  const then = [...roots];
  const outcome = "raises" in expected ? null : { name: "result", value: expected.returns };
  const kept = then.filter((root) => references(root.value).length);
  const shownAfter = outcome ? [...kept, outcome] : kept;
  const merged = { ...before, ...after };
  const steps = inputs.steps ? el("p", { class: "muted" }, `Made by: ${inputs.steps.map(stepWords).join(", then ")}`) : null;
  const world = (inputs.replaced || []).length ? el("p", { class: "muted" }, `Replaced for the test: ${inputs.replaced.map((each) => each.function).join(", ")}`) : null;
  const asked = (expected.asked || []).map((call) => el("li", {}, `${call.object}.${call.method || "()"}(${call.arguments.map((each) => valueText(each)).join(", ")})`));
  return el(
    "section",
    { class: "card" },
    el("h2", {}, "Before and after"),
    el("p", { class: "call" }, long(about.input), " ", el("strong", {}, about.outcome)),
    steps,
    world,
    el(
      "div",
      { class: "columns heaps" },
      el("div", { class: "before" }, el("h3", {}, "Before the call"), drawHeap(roots, before, null, null, "Before the call")),
      el(
        "div",
        { class: "after" },
        el("h3", {}, "After the call"),
        "raises" in expected ? el("p", { class: "ending raise" }, `raises ${expected.raises}${expected.message ? ": " + expected.message : ""}`) : null,
        drawHeap(shownAfter, merged, before, roots.concat(outcome ? [outcome] : []), "After the call"),
      ),
    ),
    asked.length ? [el("h3", {}, "Calls of stand-ins"), el("ol", {}, asked)] : null,
  );
}

function stepWords(step) {
  const given = Object.values(step.arguments || {}).map((value) => valueText(value)).join(", ");
  return `${step.method || simpleName(step.class)}(${given})`;
}

/** The path condition clause by clause, with the line that gave each. */
async function conditionView(about, shown, suite, texts) {
  const found = await clauses(about.suite, about.id);
  const list = found.length ? found : shown.condition.map((text) => ({ text, line: 0 }));
  if (!list.length) return section("Path condition", el("p", { class: "muted" }, "Any input takes this path."));
  const rows = list.map(({ text, line, file }) => {
    const code = line ? ((texts[file || suite.file] || "").split("\n")[line - 1] || "").trim() : "";
    return el("tr", {}, el("td", {}, el("code", { class: "clause" }, long(text))), el("td", {}, line ? `line ${line}` : ""), el("td", {}, code ? el("code", { class: "muted" }, shortened(code, 80)) : ""));
  });
  const table = el(
    "table",
    { class: "conditions" },
    el("caption", { class: "offscreen" }, "What inputs must satisfy to take this path"),
    el("thead", {}, el("tr", {}, ["must hold", "decided at", ""].map((text) => (text ? el("th", { scope: "col" }, text) : el("td"))))),
    el("tbody", {}, rows),
  );
  return section("Path condition", el("div", { class: "scrolling", tabindex: "0", role: "group", "aria-label": "Path condition" }, table), suite.trees ? el("p", {}, link(`/tree/${about.suite}?case=${about.number}`, "Show this path in the execution tree")) : null);
}

async function actorCase(view, about, shown, suite, texts) {
  const pairs = suite.dependences.filter((each) => each.first === shown.id || each.second === shown.id);
  const name = chartNames(shown);
  for (const each of pairs) {
    const [first, second] = [numberOf(each.first), numberOf(each.second)];
    if (first !== undefined && second !== undefined) view.append(el("p", { class: "finding-line" }, badge("finding", "order-dependent"), " ", each.message, " ", link(`/compare/${first}/${second}`, "Compare the two schedules")));
  }
  view.append(
    section("Input", el("p", { class: "call" }, long(about.input)), Object.keys(shown.inputs.actors || {}).length ? actorTable(Object.fromEntries(Object.entries(shown.inputs.actors).map(([actor, state]) => [actor, state.fields])), {}, name) : null),
  );
  if (shown.expected.deadlock) view.append(section("Who waits for whom", waitCycle(shown)));
  view.append(...scheduleSections(shown, texts, suite.file));
  view.append(section("At the end", el("p", { class: "call" }, el("strong", {}, about.outcome)), actorTable(finalActors(shown), {}, name), shown.expected.output ? el("pre", {}, shown.expected.output) : null));
  if (shown.condition.length) view.append(section("Path condition", el("ul", { class: "clauses" }, shown.condition.map((text) => el("li", {}, el("code", {}, long(text)))))));
  if (suite.trees) view.append(section("Among the other orders", el("p", {}, link(`/tree/${about.suite}?case=${about.number}`, "Show this path in the execution tree"))));
}

async function threadCase(view, about, shown, texts) {
  view.append(
    section("What the threads call", threadsView(shown)),
    el("section", { class: "card" }, el("h2", {}, "Timeline and serial orders"), el("div", { class: "columns wide-left" }, await timelineView(shown), el("div", {}, el("h3", {}, "What came out"), el("div", { class: "scrolling", tabindex: "0", role: "group", "aria-label": "Outcomes" }, outcomesView(shown)), el("h3", {}, "Schedule"), scheduleList(shown)))),
  );
  const file = shown.entry.file;
  const lines = new Set(shown.trace.filter((step) => step.startsWith(file + ":")).map((step) => Number(step.split(":").pop())));
  view.append(section("Source", sourceView(texts[file], lines, file).element));
}

function scheduleList(shown) {
  const legs = shown.schedule.map((leg) => {
    const thread = "AB"[leg.thread];
    return el("li", {}, leg.function ? `${thread} runs until it is about to ${leg.operation} in ${leg.function}${leg.occurrence > 1 ? ` (time ${leg.occurrence})` : ""}` : `${thread} runs to its end`);
  });
  return el("ol", { class: "schedule" }, legs);
}

const KINDS = { "runtime-error": "crash", assertion: "failed assertion", contract: "broken contract", overflow: "overflow", deadlock: "deadlock", "order-dependent": "order-dependent result", race: "race", cancellation: "cancellation leak" };

function kindText(kind) {
  return KINDS[kind] || kind;
}
