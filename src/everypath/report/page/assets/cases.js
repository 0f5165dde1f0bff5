// The table of cases: to filter, to sort, to search.

const PAGE_ROWS = 100;
const COLUMNS = [
  { key: "function", title: "Function" },
  { key: "input", title: "Input" },
  { key: "outcome", title: "Outcome" },
  { key: "condition", title: "Path condition" },
  { key: "alone", title: "Alone covers" },
];

/** What a search looks at, made once for each row. */
function searchText(number) {
  const cells = page.rows[number];
  page.searched = page.searched || [];
  page.searched[number] ??= [cells[ROW.id], cells[ROW.name].replaceAll("_", " "), page.head.functions[cells[ROW.suite]].name, cells[ROW.input], cells[ROW.outcome], cells[ROW.condition].join(both())].join("\n").toLowerCase();
  return page.searched[number];
}

function sortKey(number, column) {
  const cells = page.rows[number];
  switch (column) {
    case "function":
      return page.head.functions[cells[ROW.suite]].name;
    case "alone":
      return -cells[ROW.alone].length;
    case "condition":
      return cells[ROW.condition].length;
    default:
      return cells[ROW[column]];
  }
}

function casesView(query) {
  const state = { q: query.get("q") || "", function: query.get("function") || "", kind: query.get("kind") || "", only: query.get("only") || "", sort: "", down: false, most: PAGE_ROWS };
  const kinds = [...new Set(page.rows.map((cells) => cells[ROW.kind]))].sort();
  const body = el("tbody");
  const count = el("p", { class: "status", role: "status", "aria-live": "polite" });
  const more = el("button", { type: "button", class: "more", onclick: () => ((state.most += 5 * PAGE_ROWS), draw()) });
  const search = el("input", { type: "search", id: "search", value: state.q, placeholder: "Search inputs, outcomes, conditions", autocomplete: "off", spellcheck: "false" });
  search.addEventListener("input", () => ((state.q = search.value), (state.most = PAGE_ROWS), draw()));
  const select = (id, label, key, options) => {
    const chosen = el("select", { id }, el("option", { value: "" }, label), options.map(([value, text]) => el("option", { value, selected: state[key] === value }, shortened(text, 60))));
    chosen.addEventListener("change", () => ((state[key] = chosen.value), (state.most = PAGE_ROWS), draw()));
    return el("label", { for: id, class: "filter" }, el("span", { class: "offscreen" }, label), chosen);
  };
  const heads = COLUMNS.map(({ key, title }) => {
    const button = el("button", { type: "button", class: "sort", onclick: () => sort(key) }, title);
    return el("th", { scope: "col", "aria-sort": "none", class: "col-" + key }, button);
  });

  function sort(key) {
    state.down = state.sort === key && !state.down;
    state.sort = key;
    heads.forEach((head, i) => head.setAttribute("aria-sort", COLUMNS[i].key !== key ? "none" : state.down ? "descending" : "ascending"));
    draw();
  }

  function chosen() {
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const suite = state.function === "" ? -1 : Number(state.function);
    const found = [];
    for (let number = 0; number < page.rows.length; number++) {
      const cells = page.rows[number];
      if (suite >= 0 && cells[ROW.suite] !== suite) continue;
      if (state.kind && cells[ROW.kind] !== state.kind) continue;
      if (state.only && !cells[ROW.flags].includes(state.only)) continue;
      if (words.length && !words.every((word) => searchText(number).includes(word))) continue;
      found.push(number);
    }
    if (state.sort) {
      const keys = new Map(found.map((number) => [number, sortKey(number, state.sort)]));
      const turn = state.down ? -1 : 1;
      found.sort((a, b) => turn * (keys.get(a) < keys.get(b) ? -1 : keys.get(a) > keys.get(b) ? 1 : a - b));
    }
    return found;
  }

  function draw() {
    const found = chosen();
    body.replaceChildren(...found.slice(0, state.most).map(tableRow));
    count.replaceChildren(found.length === page.rows.length ? counted(found.length, "case") : `${found.length.toLocaleString("en")} of ${counted(page.rows.length, "case")}`);
    more.hidden = found.length <= state.most;
    more.replaceChildren(`Show ${Math.min(5 * PAGE_ROWS, found.length - state.most)} more of ${found.length - state.most}`);
  }

  draw();
  const functions = page.head.functions.map((each, i) => [String(i), `${each.name} (${each.cases})`]);
  return el(
    "div",
    { class: "cases" },
    el("h1", {}, "Cases"),
    el(
      "form",
      { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
      el("label", { for: "search", class: "offscreen" }, "Search"),
      search,
      functions.length > 1 ? select("function", "All functions", "function", functions) : null,
      kinds.length > 1 ? select("kind", "All outcomes", "kind", kinds.map((kind) => [kind, kind])) : null,
      select("only", "All cases", "only", [["f", "findings"], ["o", "observed"], ["w", "no longer as recorded"]].filter(([flag]) => page.rows.some((cells) => cells[ROW.flags].includes(flag)))),
    ),
    count,
    el("div", { class: "scrolling", tabindex: "0", role: "group", "aria-label": "Table of cases, may scroll" }, el("table", { class: "case-table" }, el("caption", { class: "offscreen" }, "All cases"), el("thead", {}, el("tr", {}, heads)), body)),
    more,
  );
}

function tableRow(number) {
  const cells = page.rows[number];
  const flags = cells[ROW.flags];
  const name = cells[ROW.name] ? cells[ROW.name].replaceAll("_", " ") : cells[ROW.id];
  const alone = cells[ROW.alone];
  return el(
    "tr",
    { class: flags.includes("f") ? "has-finding" : "" },
    el("td", { class: "col-function" }, el("a", { href: `#/case/${number}` }, page.head.functions[cells[ROW.suite]].name), el("div", { class: "muted small" }, name)),
    el("td", { class: "col-input" }, el("code", {}, shortened(cells[ROW.input], 160))),
    el("td", { class: "col-outcome" }, flags.includes("f") ? badge("finding", "finding") : null, " ", el("span", { class: "out-" + cells[ROW.kind] }, shortened(cells[ROW.outcome], 120)), flags.includes("o") ? badge("observed", "observed") : null, flags.includes("w") ? badge("bad", "changed") : null),
    el("td", { class: "col-condition" }, el("code", { class: "muted" }, shortened(cells[ROW.condition].join(both()) || "any input", 160))),
    el("td", { class: "col-alone" }, alone.length ? [alone.slice(0, 3).map((each, i) => [i ? ", " : "", el("span", { class: "arc" }, each.replace("->", "→"))]), alone.length > 3 ? ` and ${alone.length - 3} more` : ""] : ""),
  );
}
