// The source with what covers it: how many cases reach a line or take a branch, what was cut, what cannot be.

async function coverageView(number) {
  const texts = await sources();
  const all = await coverageData();
  const view = el("div", { class: "coverage" }, el("h1", {}, "Coverage of the source"));
  if (!all.length) return el("div", {}, el("h1", {}, "Coverage of the source"), el("p", {}, "No source is known."));
  if (all.length > 1)
    view.append(
      el("nav", { class: "files", "aria-label": "Files" }, el("ul", {}, all.map((each, i) => el("li", {}, el("a", { href: `#/coverage/${i}`, "aria-current": i === number ? "page" : undefined }, each.file))))),
    );
  const shown = all[number] || all[0];
  const reached = Object.keys(shown.lines).length;
  const branches = Object.entries(shown.branches);
  const taken = branches.filter(([, count]) => count).length;
  view.append(
    el("p", { class: "status" }, `${shown.file}: ${reached} of ${reached + shown.missed.length} lines reached, ${taken} of ${counted(branches.length, "branch").replace("branchs", "branches")} taken.`),
    ...(shown.untold ? [el("p", { class: "note" }, `${counted(shown.untold, "case")} of a main block or another whole run: which lines they execute is not known, and they are not counted here.`)] : []),
    el("p", { class: "muted" }, "The number beside a line says how many cases reach it. Choose one to see them."),
  );
  const detail = el("div", { class: "line-detail", role: "status", "aria-live": "polite" });
  const missed = new Set(shown.missed);
  const from = new Map();
  for (const [arrow, count] of branches) {
    const [start, end] = arrow.split("->");
    if (!from.has(Number(start))) from.set(Number(start), []);
    from.get(Number(start)).push([end, count]);
  }
  const lines = new Set(Object.keys(shown.lines).map(Number));
  const gutter = (line, element) => {
    const known = shown.lines[line];
    const marks = el("span", { class: "gutter" });
    if (missed.has(line)) element.classList.add("missed");
    if (known || from.has(line) || shown.cut[line] || shown.infeasible[line]) {
      const label = known ? `Line ${line}, ${counted(known[0], "case")}` : `Line ${line}, no case`;
      const button = el("button", { type: "button", class: "hits", "aria-label": label, onclick: () => show(line) }, known ? String(known[0]) : "0");
      marks.append(button);
      const untaken = (from.get(line) || []).filter(([, count]) => !count).length;
      if (untaken) marks.append(el("span", { class: "half", title: counted(untaken, "branch not taken") }, "◐"));
      if (shown.cut[line]) marks.append(el("span", { class: "cut", title: "paths were cut here" }, "✂"));
      if (shown.infeasible[line]) marks.append(el("span", { class: "impossible", title: "a side is infeasible" }, "⊘"));
    }
    return marks;
  };
  function show(line) {
    const known = shown.lines[line];
    const parts = [el("h2", {}, `Line ${line}`)];
    if (known) parts.push(el("p", {}, counted(known[0], "case"), ": ", known[1].map((each, i) => [i ? ", " : "", link(`/case/${each}`, row(each).title)]), known[0] > known[1].length ? ` and ${known[0] - known[1].length} more` : ""));
    else parts.push(el("p", {}, "No case reaches this line."));
    for (const [end, count] of from.get(line) || []) parts.push(el("p", {}, `to line ${end}: ${count ? counted(count, "case") : "not taken"}`));
    for (const [bound, count] of shown.cut[line] || []) parts.push(el("p", {}, `${counted(count, "path")} cut here by the ${bound} bound${beyond(bound) ? `: ${beyond(bound)}` : ""}`));
    for (const [condition, count] of shown.infeasible[line] || []) parts.push(el("p", {}, `proved infeasible on ${counted(count, "path")}: `, el("code", {}, condition)));
    detail.replaceChildren(...parts);
  }
  const source = sourceView(texts[shown.file], lines, shown.file, gutter);
  source.element.classList.add("with-coverage");
  view.append(el("div", { class: "columns wide-left" }, source.element, detail));
  return view;
}
