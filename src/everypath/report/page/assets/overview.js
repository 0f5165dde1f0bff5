// The first view: findings, then what there is, then what was left out and how to get it.

function overview() {
  const { head } = page;
  const view = el("div", { class: "overview" }, el("h1", {}, head.title));
  for (const file of head.files) if (file.note) view.append(el("p", { class: "note bad" }, file.note));
  fill(view, {}, [findingsView(), totals(), functionsView(), cutsView()]);
  if (head.unreached.length) view.append(section("Errors that callers are not known to cause", el("ul", {}, head.unreached.map((each) => el("li", {}, `${each.file}:${each.line}: ${each.message}; ${each.needs}`)))));
  if (head.problems.length) view.append(problemsView(head.problems));
  return view;
}

function findingsView() {
  const { findings } = page.head;
  if (!findings.length) return el("section", { class: "card good" }, el("h2", {}, "No findings"), el("p", {}, "No case shows a crash, a broken contract, a deadlock, an order-dependent result or a race."));
  const items = findings.map((found) => {
    const numbers = found.cases.map(numberOf).filter((each) => each !== undefined);
    const others = numbers.length - 1;
    return el(
      "li",
      { class: "found" },
      el("div", { class: "finding-line" }, badge("finding", kindText(found.kind)), " ", el("strong", { class: "message" }, long(found.message, 200))),
      el("div", { class: "place" }, `${found.file}:${found.line}${found.function ? ` in ${found.function}` : ""}`),
      found.inputs.length ? el("div", { class: "reason" }, "Reached by ", el("code", {}, long(found.inputs[0], 200))) : null,
      el(
        "div",
        { class: "go" },
        found.dependent && numbers.length === 2 ? link(`/compare/${numbers[0]}/${numbers[1]}`, "Compare the two schedules") : numbers.length ? link(`/case/${numbers[0]}`, "Look at the case") : null,
        others > 0 && !found.dependent ? el("span", { class: "muted" }, ` and ${counted(others, "more case")}`) : null,
      ),
      command(found.replay),
    );
  });
  return el("section", { class: "card findings" }, el("h2", {}, counted(findings.length, "finding")), el("ol", { class: "plain-list" }, items));
}

function total(key) {
  return page.head.functions.reduce((sum, each) => sum + (each.counts[key] || 0), 0);
}

function totals() {
  const { head } = page;
  const cut = head.functions.reduce((sum, each) => sum + Object.values(each.cut).reduce((a, b) => a + b, 0), 0);
  const numbers = [
    [head.cases, head.cases === 1 ? "case" : "cases"],
    [head.findings.length, head.findings.length === 1 ? "finding" : "findings"],
    [head.functions.length, head.functions.length === 1 ? "function" : "functions"],
    [cut, "paths cut by bounds"],
    [total("infeasible"), "sides infeasible"],
    [total("unknown"), "undecided"],
    [total("unsupported"), "not supported"],
  ];
  if (head.functions.some((each) => each.kind === "actors")) numbers.splice(3, 0, [total("executions"), "executions"]);
  return el("ul", { class: "totals", "aria-label": "Totals" }, numbers.filter(([number], i) => number || i < 3).map(([number, what]) => el("li", {}, el("strong", {}, number.toLocaleString("en")), el("span", {}, what))));
}

function functionsView() {
  const rows = page.head.functions.map((each, number) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, link(`/cases?function=${number}`, each.name)),
      el("td", { class: "num" }, String(each.cases)),
      el("td", { class: "num" }, String(page.head.findings.filter((found) => found.number === number).length)),
      el("td", {}, cutText(each) || (each.complete ? "nothing" : ""), each.complete ? null : el("span", { class: "muted" }, cutText(each) ? ", not searched to the end" : "not searched to the end")),
      el("td", {}, each.trees ? link(`/tree/${number}`, "tree") : "", page.head.can_extend && each.kind !== "threads" ? [" ", oneMore(number)] : null),
    ),
  );
  const heads = ["Function", "Cases", "Findings", "Cut by", "Paths"].map((text) => el("th", { scope: "col" }, text));
  const classes = page.head.functions.filter((each) => each.kind === "threads");
  const anew = classes.length ? [el("p", { class: "muted" }, "Schedules of threads are no paths that could be gone on from: a search for more of them begins anew, and longer or with another seed finds others."), classes.map((each) => command(`everypath race ${each.quoted} --time 60 --seed 1`))] : null;
  return section("What was explored", el("div", { class: "scrolling", tabindex: "0", role: "group", "aria-label": "Functions" }, el("table", { class: "functions" }, el("caption", { class: "offscreen" }, "Functions"), el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows))), anew);
}

function cutText(suite) {
  return Object.entries(suite.cut).map(([bound, count]) => `${count} ${bound}`).join(", ");
}

/** What the bounds have cut, and which option lets paths go further. */
function cutsView() {
  const bounds = {};
  for (const each of page.head.functions) for (const [bound, count] of Object.entries(each.cut)) bounds[bound] = (bounds[bound] || 0) + count;
  if (!Object.keys(bounds).length) return null;
  const rows = Object.entries(bounds).map(([bound, count]) => el("li", {}, `${counted(count, "path")} cut by the ${bound} bound`, beyond(bound) ? `: ${beyond(bound)}` : ""));
  return section("What was cut", el("ul", {}, rows));
}

function problemsView(problems) {
  const shown = problems.slice(0, 200).map((each) => el("li", {}, badge(each.kind === "defect" || each.kind === "changed" ? "bad" : "note", each.kind), ` ${each.file ? each.file + (each.line ? ":" + each.line : "") + ": " : ""}`, long(each.message)));
  return section("Notes", el("ul", { class: "plain-list" }, shown), problems.length > 200 ? el("p", { class: "muted" }, `and ${problems.length - 200} more`) : null);
}
