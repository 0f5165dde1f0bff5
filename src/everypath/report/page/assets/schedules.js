// Actor programs: the messages of a schedule as a chart, two schedules beside each other, who waits for whom.

const CHART = { widest: 150, narrowest: 78, row: 46, head: 54, left: 34, bar: 12 };

/** The steps of a case, from its recording or else from its schedule alone. */
function turnsOf(shown) {
  if (shown.recording) return shown.recording.steps;
  return shown.schedule.map((turn) => ({ ...turn, end: "", sent: [] }));
}

function chartNames(shown) {
  const known = shown.names || {};
  return (id) => known[id] || (id === "" ? "main" : id.replace(/@.*$/, ""));
}

/** The columns of a chart: the actors in the order in which they appear. */
function columnsOf(shown, turns) {
  const order = [];
  const add = (actor) => {
    if (!order.includes(actor)) order.push(actor);
  };
  for (const actor of Object.keys(shown.inputs.actors || {})) add(actor);
  for (const turn of turns) {
    add(turn.actor);
    for (const made of turn.created || []) add(made);
    for (const sent of turn.sent || []) add(sent.actor);
  }
  return order;
}

/** The chart; `different` is the first step in which another schedule differs. */
function messageChart(shown, different = -1, onStep = null, room = 1120) {
  const turns = turnsOf(shown);
  const name = chartNames(shown);
  const columns = columnsOf(shown, turns);
  const wide = Math.max(CHART.narrowest, Math.min(CHART.widest, (room - CHART.left) / Math.max(1, columns.length)));
  const fits = (text, from, size) => fitting(visible(text), Math.max(5, Math.floor((wide - from) / size)));
  // What a step does stands on the right of its actor, in one half of the column and the beginning of the next.
  const at = (actor) => CHART.left + wide * (columns.indexOf(actor) + 0.3);
  const y = (step) => CHART.head + CHART.row * (step + 0.5);
  const width = CHART.left + wide * Math.max(1, columns.length) + 10;
  const height = CHART.head + CHART.row * turns.length + 28;
  const picture = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": chartText(shown) });
  picture.append(arrowHead("message"));
  for (const actor of columns) {
    const x = at(actor);
    picture.append(svg("line", { class: "lifeline", x1: x, y1: CHART.head - 8, x2: x, y2: height - 8 }));
    const label = actorLabel(name(actor), Math.floor((wide - 18) / 7.6));
    const box = label.length * 7.6 + 12;
    const left = Math.max(2, x - wide * 0.28);
    picture.append(svg("rect", { class: "actor", x: left, y: 8, width: box, height: 28, rx: 5 }));
    picture.append(svg("text", { x: left + 6, y: 26, class: "actor-name", text: label }, svg("title", {}, name(actor))));
  }
  const begins = new Map();
  turns.forEach((turn, step) => {
    if (!begins.has(turn.task)) begins.set(turn.task, step);
  });
  // Messages lie below what is written, so that they strike nothing out.
  if (different >= 0 && different < turns.length) picture.append(svg("rect", { class: "difference", x: 2, y: y(different) - CHART.row / 2 + 3, width: width - 4, height: CHART.row - 4, rx: 6 }));
  turns.forEach((turn, step) => picture.append(...messagesOf(turn, step)));
  turns.forEach((turn, step) => {
    const x = at(turn.actor);
    const group = svg("g", { class: `turn end-${turn.end}${step === different ? " different" : ""}` });
    group.append(svg("text", { x: 8, y: y(step) + 4, class: "step-number", text: String(step + 1) }));
    group.append(svg("rect", { class: "activity", x: x - CHART.bar / 2, y: y(step) - 15, width: CHART.bar, height: 30, rx: 3 }));
    group.append(svg("text", { x: x + CHART.bar, y: y(step) - 4, class: "doing", text: fits(turn.method || "main", 18, 7.3) }));
    group.append(svg("text", { x: x + CHART.bar, y: y(step) + 11, class: "how", text: fits(endText(turn, name), 18, 6.7) }));
    group.append(svg("title", {}, turnText(turn, name)));
    if (onStep) {
      group.classList.add("clickable");
      group.addEventListener("click", () => onStep(step));
    }
    picture.append(group);
  });

  function messagesOf(turn, step) {
    const x = at(turn.actor);
    const drawn = (turn.sent || []).map((sent, number) => {
      const arrival = begins.get(sent.task);
      const to = arrival === undefined ? Math.min(turns.length - 0.55, step + 1) : arrival;
      const start = y(step) + 6 + 3 * number;
      const target = arrival === undefined ? y(to) - 8 : y(to) - 15;
      const x2 = at(sent.actor) + (at(sent.actor) > x ? -CHART.bar / 2 : at(sent.actor) < x ? CHART.bar / 2 : -CHART.bar / 2);
      const from = x + (at(sent.actor) > x ? CHART.bar / 2 : -CHART.bar / 2);
      const own = sent.actor === turn.actor;
      const d = own ? `M${x - CHART.bar / 2} ${start} C${x - 50} ${start}, ${x - 50} ${target}, ${x2} ${target + 4}` : `M${from} ${start} L${x2} ${target}`;
      const path = svg("path", { class: `message${arrival === undefined ? " waiting" : ""}`, d, "marker-end": "url(#message)" });
      path.append(svg("title", {}, `${name(turn.actor)} calls ${name(sent.actor)}.${sent.method}(${(sent.arguments || []).map((each) => valueText(each, name)).join(", ")})`));
      return path;
    });
    for (const made of turn.created || [])
      if (made !== turn.actor) drawn.push(svg("path", { class: "creation", d: `M${x} ${y(step) - 12} L${at(made)} ${y(step) - 12}` }, svg("title", {}, `creates ${name(made)}`)));
    return drawn;
  }
  return { element: el("div", { class: "scrolling", tabindex: "0", role: "group", "aria-label": "Message chart, may scroll" }, picture), picture, turns, width };
}

/** A text, or as many of its first words as there is room for: `awaits, line 16` is then `awaits`. */
function fitting(text, most) {
  const parts = [text, text.split(/[,:]/)[0], text.split(/[ ,:]/)[0]];
  return parts.find((part) => part.length <= most) || shortened(parts[2], most);
}

/** The name of an actor, shortened so that its number stays. */
function actorLabel(name, most) {
  const [, head, number] = /^(.*?)(#\d+)?$/s.exec(visible(name));
  return shortened(head, Math.max(3, most - (number || "").length)) + (number || "");
}

function endText(turn, name) {
  switch (turn.end) {
    case "returns":
      return turn.value === undefined ? "returns" : `returns ${valueText(turn.value, name)}`;
    case "fails":
      return `fails: ${valueText(turn.value, name)}`;
    case "waits":
      return turn.line ? `awaits, line ${turn.line}` : "awaits";
    case "blocks":
      return turn.line ? `blocks, line ${turn.line}` : "blocks";
    case "pauses":
      return "suspends";
    default:
      return "";
  }
}

function turnText(turn, name) {
  const known = name(turn.task);
  const parts = [known.includes(".") || !turn.actor ? known : `${name(turn.actor)}.${turn.method}`];
  for (const made of turn.created || []) parts.push(`creates ${name(made)}`);
  for (const sent of turn.sent || []) parts.push(`calls ${name(sent.actor)}.${sent.method}(${(sent.arguments || []).map((each) => valueText(each, name)).join(", ")})`);
  if (turn.prints) parts.push(`prints ${JSON.stringify(turn.prints)}`);
  if (endText(turn, name)) parts.push(endText(turn, name));
  return parts.join(", ");
}

function chartText(shown) {
  const name = chartNames(shown);
  const steps = turnsOf(shown).map((turn, number) => `${number + 1}: ${turnText(turn, name)}`);
  return visible(`Message chart of ${steps.length} steps. ${shortened(steps.join(". "), 3000)}`);
}

/** The fields of every actor after a step; what the step has changed is marked. */
function actorsAt(shown, step) {
  const state = {};
  for (const [actor, given] of Object.entries(shown.inputs.actors || {})) state[actor] = { ...given.fields };
  const turns = turnsOf(shown);
  for (let i = 0; i <= step; i++) for (const [actor, fields] of Object.entries(turns[i].actors || {})) state[actor] = { ...state[actor], ...fields };
  return { state, changed: step >= 0 ? turns[step].actors || {} : {} };
}

function actorTable(state, changed, name) {
  const rows = Object.entries(state).map(([actor, fields]) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, name(actor)),
      el(
        "td",
        {},
        Object.keys(fields).length
          ? Object.entries(fields).map(([field, value]) => el("span", { class: changed[actor] && field in changed[actor] ? "field changed" : "field" }, `${field} = ${shortened(valueText(value, name), 80)}`))
          : el("span", { class: "muted" }, "no fields"),
      ),
    ),
  );
  return el("table", { class: "actor-table" }, el("caption", { class: "offscreen" }, "Fields of the actors"), el("tbody", {}, rows));
}

/** The chart of a case with steps to walk through; `follow` is told about the steps that somebody goes to. */
function chartStepper(shown, follow = () => {}) {
  const name = chartNames(shown);
  const state = el("div", { class: "actor-state" });
  const status = el("p", { class: "status", role: "status", "aria-live": "polite" });
  let now = -1;
  const chart = messageChart(shown, -1, (step) => show(step));
  const marker = svg("rect", { class: "current", x: 2, width: chart.width - 4, height: CHART.row - 4, rx: 6, visibility: "hidden" });
  chart.picture.insertBefore(marker, chart.picture.firstChild.nextSibling);
  function show(step, quiet = false) {
    now = Math.max(-1, Math.min(chart.turns.length - 1, step));
    marker.setAttribute("visibility", now < 0 ? "hidden" : "visible");
    chart.picture.querySelectorAll(".turn").forEach((turn, step) => turn.classList.toggle("here", step === now));
    marker.setAttribute("y", CHART.head + CHART.row * now + 3);
    const at = actorsAt(shown, now);
    status.replaceChildren(visible(now < 0 ? `Before the first of ${chart.turns.length} steps` : `Step ${now + 1} of ${chart.turns.length}: ${turnText(chart.turns[now], name)}`));
    state.replaceChildren(actorTable(at.state, at.changed, name));
    if (!quiet) follow(now);
  }
  const button = (text, label, to) => el("button", { type: "button", "aria-label": label, title: label, onclick: () => show(to()) }, text);
  const controls = el(
    "div",
    { class: "controls", role: "group", "aria-label": "Steps of the schedule" },
    button("⇤", "Before the first step", () => -1),
    button("◀", "Step back", () => now - 1),
    button("▶", "Step forward", () => now + 1),
    button("⇥", "Last step", () => chart.turns.length - 1),
  );
  show(-1, true);
  const holder = el("div", { class: "stepper chart-stepper" }, controls, status, chart.element, state);
  holder.goTo = (step) => show(step, true);
  return holder;
}

/** The messages of a case, and the lines that its steps execute: whoever walks through one is shown the place in the other. */
function scheduleSections(shown, texts, file) {
  const lines = [];
  const turns = [];
  const name = chartNames(shown);
  const named = (heap) => Object.fromEntries(Object.entries(heap).map(([actor, state]) => [actor, { ...state, class: name(actor) }]));
  turnsOf(shown).forEach((turn, number) => {
    for (const line of turn.lines || []) {
      lines.push(line.heap ? { ...line, heap: named(line.heap) } : line);
      turns.push(number);
    }
  });
  const chart = chartStepper(shown, (turn) => turns.includes(turn) && source && source.goTo(turns.indexOf(turn)));
  const source = lines.length ? stepper({ steps: lines, left_out: 0 }, texts, file, (step) => chart.goTo(turns[step])) : null;
  const ran = source || executedView(shown, texts, file);
  return [section("Messages", chart), section(source ? "What ran" : "Executed lines", ran)];
}

/** Two schedules beside each other, the first difference marked in both. */
async function compareView(first, second) {
  const both = [await caseOf(first), await caseOf(second)];
  const turns = both.map(turnsOf);
  let different = 0;
  while (different < Math.min(turns[0].length, turns[1].length) && turns[0][different].task === turns[1][different].task) different++;
  const suite = page.head.functions[row(first).suite];
  const found = suite.dependences.find((each) => each.first === both[0].id && each.second === both[1].id);
  const name = chartNames(both[0]);
  const step = (number) => (turns[number][different] ? turnText(turns[number][different], chartNames(both[number])) : "the schedule has ended");
  return el(
    "div",
    { class: "compare" },
    el("h1", {}, "Two schedules of the same input"),
    found ? el("p", { class: "message" }, found.message) : null,
    el("p", { class: "status" }, `First difference: step ${different + 1}. On the left ${step(0)}; on the right ${step(1)}.`),
    el(
      "div",
      { class: "columns" },
      [first, second].map((number, side) =>
        el(
          "section",
          { class: "card" },
          el("h2", {}, link(`/case/${number}`, side ? "Second schedule" : "First schedule")),
          el("p", { class: "outcome" }, row(number).outcome),
          messageChart(both[side], different, null, 520).element,
          el("h3", {}, "At the end"),
          actorTable(finalActors(both[side]), differing(both, side), name),
        ),
      ),
    ),
  );
}

function finalActors(shown) {
  return Object.fromEntries(Object.entries(shown.expected.actors || {}).map(([actor, state]) => [actor, state.fields]));
}

function differing(both, side) {
  const [mine, other] = side ? [both[1], both[0]] : both;
  const changed = {};
  for (const [actor, fields] of Object.entries(finalActors(mine))) {
    const theirs = finalActors(other)[actor] || {};
    changed[actor] = Object.fromEntries(Object.entries(fields).filter(([field, value]) => !same(value, theirs[field])));
  }
  return changed;
}

/** Who waits for whom: the tasks of a deadlock in a circle. */
function waitCycle(shown) {
  const { waits, cycle } = shown.expected.deadlock;
  const name = chartNames(shown);
  const tasks = cycle.length ? cycle : waits.map((wait) => wait.task);
  const named = (text) => Object.entries(shown.names || {}).sort((a, b) => b[0].length - a[0].length).reduce((all, [id, short]) => (id.includes("@") ? all.replaceAll(id, short) : all), text);
  const radius = Math.max(70, tasks.length * 24);
  const size = { x: 2 * radius + 320, y: 2 * radius + 80 };
  const place = (index) => {
    const angle = (2 * Math.PI * index) / tasks.length - Math.PI / 2;
    return { x: size.x / 2 + radius * Math.cos(angle) * 1.25, y: size.y / 2 + radius * Math.sin(angle) };
  };
  const picture = svg("svg", {
    class: "cycle",
    viewBox: `0 0 ${size.x} ${size.y}`,
    width: size.x,
    height: size.y,
    role: "img",
    "aria-label": visible(`Wait cycle: ${tasks.map(name).join(" waits for ")} waits for ${name(tasks[0])}`),
  });
  const labelOf = (task) => shortened(visible(name(task)), 30);
  const boxWidth = (task) => labelOf(task).length * 7.4 + 20;
  picture.append(arrowHead("waiting"));
  if (cycle.length)
    tasks.forEach((task, index) => {
      const from = place(index);
      const to = place((index + 1) % tasks.length);
      const bend = tasks.length === 2 ? (index ? 46 : -46) : 0;
      const cut = betweenBoxes(from, to, boxWidth(task), boxWidth(tasks[(index + 1) % tasks.length]));
      const middle = { x: (from.x + to.x) / 2 + (tasks.length === 2 ? -bend : 0), y: (from.y + to.y) / 2 };
      picture.append(svg("path", { class: "waits", d: `M${cut.x1} ${cut.y1} Q${middle.x} ${middle.y} ${cut.x2} ${cut.y2}`, "marker-end": "url(#waiting)" }));
    });
  tasks.forEach((task, index) => {
    const at = place(index);
    const label = labelOf(task);
    const width = boxWidth(task);
    picture.append(svg("rect", { class: "task", x: at.x - width / 2, y: at.y - 15, width, height: 30, rx: 15 }));
    picture.append(svg("text", { x: at.x, y: at.y + 4, "text-anchor": "middle", text: label }));
  });
  const list = waits.map((wait) => el("li", {}, el("strong", {}, name(wait.task)), ` at ${wait.file}:${wait.line} waits for ${named(wait.waits_for)}`));
  return el("div", { class: "deadlock" }, cycle.length ? el("div", { class: "scrolling", tabindex: "0", role: "group", "aria-label": "Wait cycle" }, picture) : null, el("ul", {}, list));
}

/** The line between two boxes, without what lies inside of them. */
function betweenBoxes(from, to, fromWidth, toWidth) {
  const dx = to.x - from.x || 0.001;
  const dy = to.y - from.y || 0.001;
  const inside = (width) => Math.min((width / 2 + 4) / Math.abs(dx), 19 / Math.abs(dy), 0.45);
  const first = inside(fromWidth);
  const last = inside(toWidth);
  return { x1: from.x + dx * first, y1: from.y + dy * first, x2: to.x - dx * last, y2: to.y - dy * last };
}
