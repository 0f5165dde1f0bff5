// Two threads: what each does and when the other one cuts in, beside what every serial order gives.

const OPERATION = /^(read|write|update|acquire|release|wait on|notify) /;
const FRAME = /^(enter|leave) /;

/** Steps without those that only say where functions begin and end; equal ones in a row once. */
function operations(recording) {
  const shown = [];
  for (const step of recording.steps) {
    if (FRAME.test(step.text)) continue;
    const last = shown[shown.length - 1];
    if (last && last.thread === step.thread && last.text === step.text && last.line === step.line) last.times++;
    else shown.push({ ...step, times: 1 });
  }
  shown.forEach((step, number) => (step.cuts = number > 0 && shown[number - 1].thread !== step.thread));
  return shown;
}

function kindOf(text) {
  const found = OPERATION.exec(text);
  if (!found) return "call";
  return /acquire|release|wait|notify/.test(found[1]) ? "lock" : found[1] === "read" ? "read" : "write";
}

async function timelineView(shown) {
  const texts = await sources();
  const steps = shown.recording ? operations(shown.recording) : [];
  const breaking = breakingSwitch(steps);
  const rows = [];
  steps.forEach((step, number) => {
    if (step.cuts) {
      const to = step.thread ? "B" : "A";
      const breaks = number === breaking;
      rows.push(
        el("tr", { class: breaks ? "switch breaks" : "switch" }, el("td", { colspan: 2 }, breaks ? `⚡ here thread ${to} cuts in` : `thread ${to} goes on`)),
      );
    }
    const code = ((texts[step.file] || "").split("\n")[step.line - 1] || "").trim();
    const cell = el(
      "td",
      { class: `operation op-${kindOf(step.text)}` },
      step.line ? el("span", { class: "number", title: step.file }, String(step.line)) : null,
      el("span", { class: "what" }, step.times > 1 ? `${step.text} (${step.times}×)` : step.text),
      code && kindOf(step.text) !== "call" ? el("code", { class: "muted" }, shortened(code, 60)) : null,
    );
    rows.push(el("tr", {}, step.thread ? [el("td"), cell] : [cell, el("td")]));
  });
  const table = el(
    "table",
    { class: "timeline" },
    el("caption", { class: "offscreen" }, "What the two threads do, from top to bottom"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Thread A"), el("th", { scope: "col" }, "Thread B"))),
    el("tbody", {}, rows),
  );
  return el("div", { class: "scrolling", tabindex: "0", role: "group", "aria-label": "Timeline, may scroll" }, steps.length ? table : el("p", { class: "muted" }, "There is no timeline: the schedule could not be followed again."));
}

/** The first switch after which the thread that was cut off goes on later: what it had read may be stale by then. */
function breakingSwitch(steps) {
  for (let i = 1; i < steps.length; i++) if (steps[i].cuts && steps.slice(i).some((step) => step.thread === steps[i - 1].thread)) return i;
  return -1;
}

/** What was seen, and what the same calls give one after the other. */
function outcomesView(shown) {
  const { observed, serial } = shown.expected;
  const equal = serial.length > 0 && serial.every((each) => same(each, serial[0]));
  const names = equal ? ["in either order"] : serial.length === 2 ? ["A, then B", "B, then A"] : serial.map((_, i) => `serial order ${i + 1}`);
  const columns = [["interleaved", observed], ...names.map((name, i) => [name, serial[i]])];
  const most = Math.max(...columns.map(([, lines]) => lines.length));
  const rows = [];
  for (let i = 0; i < most; i++)
    rows.push(el("tr", {}, columns.map(([, lines], column) => el("td", { class: column === 0 && columns.slice(1).every(([, other]) => other[i] !== lines[i]) ? "changed" : "" }, lines[i] || ""))));
  return el(
    "table",
    { class: "outcomes" },
    el("caption", { class: "offscreen" }, "What came out, and what comes out when the calls run one after the other"),
    el("thead", {}, el("tr", {}, columns.map(([name]) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, rows),
  );
}

function threadsView(shown) {
  const { setup, before, threads } = shown.inputs;
  const code = [`sut = ${setup}`, ...before].join("\n");
  return el(
    "div",
    { class: "thread-input" },
    el("pre", {}, el("code", {}, code)),
    el("div", { class: "columns" }, threads.map((calls, index) => el("div", {}, el("h4", {}, `Thread ${"AB"[index]}`), el("pre", {}, el("code", {}, calls.join("\n")))))),
  );
}
