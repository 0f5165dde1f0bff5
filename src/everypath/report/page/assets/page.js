// The frame around the views, and which one is shown: that stands in the address behind the `#`.

const VIEWS = [
  ["/", "Overview"],
  ["/cases", "Cases"],
  ["/tree", "Execution tree"],
  ["/coverage", "Coverage"],
];

function go(address) {
  location.hash = "#" + address;
}

async function viewOf(address) {
  if (page.head.index) return indexView();
  const [path, search] = address.split("?");
  const query = new URLSearchParams(search || "");
  const [, name, first, second] = path.split("/");
  switch (name) {
    case "cases":
      return casesView(query);
    case "case":
      return caseView(Number(first));
    case "compare":
      return compareView(Number(first), Number(second));
    case "tree":
      return treePage(first === undefined ? -1 : Number(first), query.get("case"));
    case "coverage":
      return coverageView(Number(first || 0));
    default:
      return overview();
  }
}

async function treePage(suite, wanted) {
  const view = el("div", {}, el("h1", {}, "Execution tree"));
  const having = page.head.functions.map((each, number) => [each, number]).filter(([each]) => each.trees);
  if (!having.length) {
    view.append(el("p", {}, "These cases have no tree of choices: what differs between them is the order in which things happen."));
    return view;
  }
  const chosen = suite >= 0 ? suite : having[0][1];
  if (having.length > 1) {
    const select = el("select", { id: "tree-function" }, having.map(([each, number]) => el("option", { value: number, selected: number === chosen }, shortened(each.name, 60))));
    select.addEventListener("change", () => go(`/tree/${select.value}`));
    view.append(el("p", {}, el("label", { for: "tree-function" }, "Function "), select));
  } else view.append(el("p", { class: "muted" }, page.head.functions[chosen].name));
  const id = wanted === null || !page.rows[wanted] ? undefined : row(Number(wanted)).id;
  view.append(await treeView(chosen, { further: page.head.can_extend ? askFurther : undefined, id }));
  return view;
}

let turn = 0;

async function show() {
  const mine = ++turn;
  const address = location.hash.slice(1) || "/";
  let view;
  try {
    view = await viewOf(address);
  } catch (error) {
    console.error(error);
    view = el("p", { class: "note bad" }, `This view cannot be shown: ${error.message}`);
  }
  if (mine !== turn) return;
  const main = document.getElementById("main");
  main.replaceChildren(view);
  const heading = main.querySelector("h1");
  document.title = visible(`${heading ? heading.textContent + " · " : ""}Everypath`);
  const section = "/" + (address.split(/[/?]/)[1] || "");
  for (const anchor of document.querySelectorAll("#views a")) {
    const own = anchor.getAttribute("href").slice(1);
    const current = own === section || (own === "/cases" && (section === "/case" || section === "/compare"));
    if (current) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
  if (heading && show.ran) {
    heading.setAttribute("tabindex", "-1");
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  show.ran = true;
}

function themeButton() {
  const button = el("button", { type: "button", class: "theme" });
  const dark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const label = () => {
    button.replaceChildren(dark() ? "☀" : "☾");
    button.setAttribute("aria-label", dark() ? "Light colours" : "Dark colours");
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    label();
  });
  label();
  return button;
}

function frame() {
  const { head } = page;
  const trees = !head.index && head.functions.some((each) => each.trees);
  const views = head.index ? [] : VIEWS.filter(([address]) => address !== "/tree" || trees);
  fill(document.getElementById("page"), {}, [
    el("a", { class: "skip", href: "#main", onclick: (event) => (event.preventDefault(), document.getElementById("main").focus()) }, "Skip to the content"),
    el(
      "header",
      { class: "bar" },
      el("div", { class: "brand" }, head.home ? el("a", { href: head.home }, "Everypath") : el("span", {}, "Everypath"), el("span", { class: "subject" }, shortened(head.title, 80))),
      views.length ? el("nav", { id: "views", "aria-label": "Views" }, el("ul", {}, views.map(([address, text]) => el("li", {}, link(address, text))))) : null,
      el("div", { class: "tools" }, page.live ? liveTools() : null, themeButton()),
    ),
    el("main", { id: "main", tabindex: "-1" }, el("p", { class: "muted" }, "Reading the cases…")),
    el("footer", { class: "foot" }, `${head.language} · made by Everypath ${head.everypath}`),
  ]);
}

function shortcuts(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
  const at = /^#\/case\/(\d+)/.exec(location.hash);
  if (event.key === "/") {
    event.preventDefault();
    if (!document.getElementById("search")) go("/cases");
    setTimeout(() => document.getElementById("search")?.focus(), 60);
  } else if (at && (event.key === "j" || event.key === "n")) go(`/case/${Math.min(page.rows.length - 1, Number(at[1]) + 1)}`);
  else if (at && (event.key === "k" || event.key === "p")) go(`/case/${Math.max(0, Number(at[1]) - 1)}`);
}

async function start() {
  frame();
  if (!page.head.index) page.rows = await piece(page.head.rows);
  addEventListener("hashchange", show);
  addEventListener("keydown", shortcuts);
  await show();
  document.documentElement.dataset.ready = "yes";
  window.everypathReady = performance.now();
  if (page.live) follow();
}

start();
