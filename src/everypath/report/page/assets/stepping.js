// A recorded run: what is known at each of its steps, forwards and backwards.

/** The calls under way, their variables and the heap at a step; recordings tell changes only. */
function momentAt(steps, number) {
  const frames = new Map();
  const heap = {};
  let last = null;
  for (let i = 0; i <= number && i < steps.length; i++) {
    const step = steps[i];
    if (!frames.has(step.at))
      frames.set(step.at, { number: step.at, file: step.file, function: step.function, above: step.above || [], variables: {} });
    const frame = frames.get(step.at);
    frame.line = step.line;
    Object.assign(frame.variables, step.set || {});
    for (const name of step.unset || []) delete frame.variables[name];
    Object.assign(heap, step.heap || {});
    last = step;
  }
  if (last === null) return { stack: [], heap, step: null };
  const here = frames.get(last.at);
  const stack = [...here.above, here.number].map((each) => frames.get(each)).filter(Boolean);
  return { stack, heap, step: last };
}

/** The variables of the innermost call as the roots of a heap; those of calls around it where they have other names. */
function rootsAt(moment) {
  const frame = moment.stack[moment.stack.length - 1];
  return frame ? Object.entries(frame.variables).map(([name, value]) => ({ name, value })) : [];
}

/** The part of a case that steps through its run; `follow` is told about the steps that somebody goes to. */
function stepper(recording, texts, mainFile, follow = null) {
  const steps = recording.steps;
  const holder = el("div", { class: "stepper" });
  const status = el("p", { class: "status", role: "status", "aria-live": "polite" });
  const slider = el("input", { type: "range", min: 0, max: Math.max(0, steps.length - 1), value: 0, "aria-label": "Step" });
  const left = el("div", { class: "stepper-source" });
  const right = el("div", { class: "stepper-state" });
  const views = new Map();
  let now = 0;

  function show(number, quiet = false) {
    now = Math.max(0, Math.min(steps.length - 1, number));
    slider.value = now;
    const moment = momentAt(steps, now);
    const before = now > 0 ? momentAt(steps, now - 1) : null;
    const frame = moment.stack[moment.stack.length - 1];
    if (!frame) return;
    status.replaceChildren(visible(stepText(moment, now, steps.length, recording.left_out)));
    if (!views.has(frame.file)) views.set(frame.file, sourceView(texts[frame.file], executedLines(steps, frame.file), frame.file));
    const view = views.get(frame.file);
    if (left.firstChild !== view.element) left.replaceChildren(view.element);
    view.point(frame.line, "returns" in moment.step ? "return" : "raises" in moment.step ? "raise" : "now");
    const sameCall = before !== null && before.step.at === moment.step.at;
    right.replaceChildren();
    fill(right, {}, [
      stackView(moment, (file, line) => shownPlace(file, line, mainFile)),
      el("h4", {}, "Variables and objects"),
      drawHeap(rootsAt(moment), moment.heap, before ? before.heap : null, sameCall ? rootsAt(before) : null, "Variables"),
      ending(moment.step),
    ]);
    if (follow && !quiet) follow(now);
  }

  const button = (text, label, key, go) =>
    el("button", { type: "button", title: `${label} (${key})`, "aria-label": label, onclick: () => show(go()) }, text);
  slider.addEventListener("input", () => show(Number(slider.value)));
  holder.addEventListener("keydown", (event) => {
    if (event.target === slider || event.ctrlKey || event.altKey || event.metaKey) return;
    const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: steps.length - 1 }[event.key];
    if (to !== undefined && !event.target.closest(".scrolling, .source")) {
      event.preventDefault();
      show(to);
    }
  });
  holder.append(
    el(
      "div",
      { class: "controls", role: "group", "aria-label": "Steps of the run" },
      button("⇤", "First step", "Home", () => 0),
      button("◀", "Step back", "Left", () => now - 1),
      slider,
      button("▶", "Step forward", "Right", () => now + 1),
      button("⇥", "Last step", "End", () => steps.length - 1),
    ),
    status,
    el("div", { class: "columns" }, left, right),
  );
  show(0, true);
  // Only when it is on the page is it known how far there is to scroll.
  requestAnimationFrame(() => show(now, true));
  holder.goTo = (number) => show(number, true);
  return holder;
}

function stepText(moment, number, count, leftOut) {
  const { step, stack } = moment;
  const more = leftOut ? ` (${leftOut} more were not recorded)` : "";
  const where = `Step ${number + 1} of ${count}${more}: ${stack[stack.length - 1].function}, line ${step.line}`;
  if ("raises" in step) return `${where}, raises ${step.raises}`;
  if ("returns" in step) return `${where}, returns ${valueText(step.returns, () => "an object")}`;
  return where;
}

function ending(step) {
  if ("raises" in step) return el("p", { class: "ending raise" }, `raises ${step.raises}`);
  if ("returns" in step) return el("p", { class: "ending" }, `returns ${valueText(step.returns, () => "an object")}`);
  return null;
}

function stackView(moment, place) {
  if (moment.stack.length < 2) return null;
  const calls = moment.stack.map((frame) => el("li", {}, `${frame.function}, ${place(frame.file, frame.line)}`));
  return el("div", { class: "stack" }, el("h4", {}, "Calls"), el("ol", {}, calls));
}

function shownPlace(file, line, mainFile) {
  return file === mainFile || !file ? `line ${line}` : `${file}:${line}`;
}

function executedLines(steps, file) {
  const files = new Map();
  const lines = new Set();
  for (const step of steps) {
    if (step.file !== undefined) files.set(step.at, step.file);
    if (files.get(step.at) === file) lines.add(step.line);
  }
  return lines;
}
