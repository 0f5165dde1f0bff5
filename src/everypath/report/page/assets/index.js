// The page that lists the pages of many modules.

function indexView() {
  const { index, unusable, title } = page.head;
  const sum = (key) => index.reduce((all, each) => all + each[key], 0);
  const numbers = [
    [index.length, index.length === 1 ? "module" : "modules"],
    [sum("functions"), "functions"],
    [sum("cases"), "cases"],
    [sum("findings"), "findings"],
    [sum("cut"), "paths cut by bounds"],
  ];
  const rows = index.map((each) =>
    el(
      "tr",
      { class: each.findings ? "has-finding" : "" },
      el("th", { scope: "row" }, el("a", { href: each.address.split("/").map(encodeURIComponent).join("/") }, each.title)),
      ["functions", "cases", "findings", "cut"].map((key) => el("td", { class: "num" }, String(each[key]))),
      el("td", { class: "num" }, each.lines ? `${each.lines_reached} of ${each.lines}` : ""),
    ),
  );
  const heads = ["Module", "Functions", "Cases", "Findings", "Cut", "Lines reached"].map((text, i) => el("th", { scope: "col", class: i ? "num" : "" }, text));
  return el(
    "div",
    { class: "overview" },
    el("h1", {}, title),
    index.length ? null : el("p", { class: "note" }, "No suite is stored here yet: `everypath generate` stores them, and this page then shows them."),
    el("ul", { class: "totals", "aria-label": "Totals" }, numbers.map(([number, what]) => el("li", {}, el("strong", {}, number.toLocaleString("en")), el("span", {}, what)))),
    el("div", { class: "card scrolling", tabindex: "0", role: "group", "aria-label": "Modules" }, el("table", { class: "index-table" }, el("caption", { class: "offscreen" }, "Modules"), el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows))),
    unusable.length ? section("Left out", el("ul", {}, unusable.map((each) => el("li", {}, each)))) : null,
  );
}
