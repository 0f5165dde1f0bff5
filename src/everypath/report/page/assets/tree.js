// The symbolic execution tree: a box for every decision and every end of a path, to fold and to walk with the keys.

const TREE = { width: 225, gap: 40, height: 40, row: 50, most: 30, letters: 27 };
const ENDS = {
  returned: "returns",
  raised: "raises",
  cut: "cut",
  infeasible: "infeasible",
  unknown: "unknown",
  unsupported: "not supported",
  open: "not drawn further",
};

/** The bounds that count something, so that there is a next larger one. */
const COUNTED = new Set(["loop", "switch", "actor", "queue"]);

/** What a leaf says in a word or two. */
function leafText(node) {
  if (node.kind === "inner") return "";
  const at = node.case === undefined ? undefined : numberOf(node.case);
  if (at !== undefined) return row(at).outcome;
  if (node.kind === "raised") return node.told === "deadlock" ? "deadlock, no case of its own" : `raises ${node.told || ""}`;
  if (node.kind === "returned") return "returns, no test of its own";
  if (node.kind === "cut") return `cut by the ${node.bound} bound`;
  return ENDS[node.kind];
}

/** What can be done about a leaf that was not followed. */
function advice(node, further) {
  if (node.kind === "cut" && beyond(node.bound)) return further && further(node) ? `click to ${further(node)}, or ${beyond(node.bound)}` : beyond(node.bound);
  if (node.kind === "unsupported" || node.kind === "unknown") return node.told || "";
  return "";
}

/** What a click on a cut leaf does on a served page; empty where nothing can be done about it there. */
function furtherText(entry, node) {
  if (entry.kind !== "actors") return node.bound === "loop" ? "go further here" : "";
  return COUNTED.has(node.bound) ? `search all orders again with ${page.head.options[node.bound]} one higher` : "";
}

function foldDeep(root) {
  // A large tree begins folded, level by level, so that it can be taken in.
  let level = [root];
  let shown = 1;
  while (level.length) {
    const next = level.flatMap((node) => node.children || []);
    shown += next.length;
    if (shown > TREE.most) {
      for (const node of level) if (node.children && node.children.length) node.folded = true;
      return;
    }
    level = next;
  }
}

async function treeView(suite, options = {}) {
  const trees = await treesOf(suite);
  const holder = el("div", { class: "trees" });
  if (!trees.length) holder.append(el("p", { class: "muted" }, "There is no execution tree of this function: its cases were only observed, or its program cannot be loaded."));
  for (const tree of trees) holder.append(await oneTree(tree, suite, trees.length > 1, options));
  return holder;
}

async function oneTree(tree, suite, several, options) {
  const texts = await sources();
  const entry = page.head.functions[suite];
  const linesOf = (file) => (texts[file || entry.file] || "").split("\n");
  if (!tree.seen) foldDeep(tree.root);
  tree.seen = true;
  let infeasible = true;
  const way = options.id === undefined ? null : wayTo(tree.root, options.id);
  // The path that somebody wants to see is unfolded.
  for (const node of way || []) node.folded = false;
  let current = way ? way[way.length - 1] : tree.root;
  const scroller = el("div", { class: "scrolling tree-scroll" });
  const counts = countLeaves(tree.root);
  const toggle = el("input", { type: "checkbox", checked: true });
  toggle.addEventListener("change", () => {
    infeasible = toggle.checked;
    draw();
  });
  const legend = el(
    "ul",
    { class: "legend" },
    Object.entries(counts).map(([kind, count]) => el("li", { class: "end-" + kind }, el("span", { class: "swatch", "aria-hidden": "true" }), `${count} ${ENDS[kind] || kind}`)),
  );
  const folding = (text, folded) =>
    el("button", {
      type: "button",
      onclick: () => {
        walk(tree.root, (node) => (node.folded = folded && node !== tree.root && (node.children || []).length > 0));
        draw();
      },
    }, text);

  function children(node) {
    if (node.folded) return [];
    return (node.children || []).filter((child) => infeasible || child.kind !== "infeasible");
  }

  function draw(focus) {
    const root = d3.hierarchy(tree.root, children);
    d3.tree().nodeSize([TREE.row, TREE.width + TREE.gap]).separation(() => 1)(root);
    const nodes = root.descendants();
    const low = Math.min(...nodes.map((node) => node.x)) - TREE.height / 2 - 8;
    const high = Math.max(...nodes.map((node) => node.x)) + TREE.height / 2 + 8;
    const wide = Math.max(...nodes.map((node) => node.y)) + TREE.width + 16;
    const picture = svg("svg", {
      class: "tree",
      viewBox: `-8 ${low} ${wide} ${high - low}`,
      width: wide,
      height: high - low,
      role: "tree",
      "aria-label": `Execution tree of ${entry.name}`,
    });
    for (const node of nodes.slice(1)) {
      const from = { x: node.parent.y + TREE.width, y: node.parent.x };
      const to = { x: node.y, y: node.x };
      const middle = (from.x + to.x) / 2;
      picture.append(svg("path", { class: `edge edge-${node.data.kind}`, d: `M${from.x} ${from.y} C${middle} ${from.y}, ${middle} ${to.y}, ${to.x} ${to.y}` }));
    }
    let focused = null;
    for (const node of nodes) {
      const group = nodePicture(node, linesOf, options.further && ((leaf) => furtherText(entry, leaf)));
      group.addEventListener("click", () => act(node.data, true));
      group.addEventListener("keydown", (event) => key(event, node));
      if (node.data === current) focused = group;
      if (way && way.includes(node.data)) group.classList.add("on-way");
      picture.append(group);
    }
    if (!focused) {
      current = tree.root;
      focused = picture.querySelector("[role=treeitem]");
    }
    focused.setAttribute("tabindex", "0");
    scroller.replaceChildren(picture);
    if (focus) focused.focus();
  }

  function act(node, click) {
    current = node;
    if ((node.children || []).length) {
      node.folded = !node.folded;
      draw(true);
    } else if (node.case !== undefined && numberOf(node.case) !== undefined) go(`/case/${numberOf(node.case)}`);
    else if (options.further && node.kind === "cut" && furtherText(entry, node)) options.further(suite, node, tree);
    else draw(!click);
  }

  function key(event, node) {
    const data = node.data;
    const siblings = node.parent ? node.parent.children : [node];
    const at = siblings.indexOf(node);
    const level = [];
    node.ancestors().pop().each((each) => each.depth === node.depth && level.push(each));
    const place = level.indexOf(node);
    let next = null;
    switch (event.key) {
      case "ArrowRight":
        if (data.folded) data.folded = false;
        else next = (node.children || [])[0];
        break;
      case "ArrowLeft":
        if ((node.children || []).length && !data.folded) data.folded = true;
        else next = node.parent;
        break;
      case "ArrowDown":
        next = siblings[at + 1] || level[place + 1];
        break;
      case "ArrowUp":
        next = siblings[at - 1] || level[place - 1];
        break;
      case "Home":
        next = node.ancestors().pop();
        break;
      case "Enter":
      case " ":
        event.preventDefault();
        return act(data);
      default:
        return undefined;
    }
    event.preventDefault();
    current = next ? next.data : data;
    return draw(true);
  }

  draw();
  requestAnimationFrame(() => {
    const here = scroller.querySelector("[tabindex='0']");
    if (way) {
      here?.scrollIntoView({ block: "center", inline: "center" });
      here?.focus();
    } else if (here) scroller.scrollTop = here.getBoundingClientRect().top - scroller.getBoundingClientRect().top - scroller.clientHeight / 2;
  });
  return el(
    "div",
    { class: "tree-view" },
    several ? el("h3", {}, `From ${tree.title}`) : null,
    el("div", { class: "tree-bar" }, legend, el("div", { class: "buttons" }, counts.infeasible ? el("label", {}, toggle, " infeasible sides") : null, folding("Unfold all", false), folding("Fold all", true))),
    tree.complete ? null : el("p", { class: "note" }, "This tree is not whole: only the paths of the cases are drawn, or there are more than fit."),
    scroller,
  );
}

function walk(node, visit) {
  const agenda = [node];
  while (agenda.length) {
    const each = agenda.pop();
    visit(each);
    agenda.push(...(each.children || []));
  }
}

function countLeaves(root) {
  const counts = {};
  walk(root, (node) => {
    if (!(node.children || []).length) counts[node.kind] = (counts[node.kind] || 0) + 1;
  });
  return counts;
}

function nodePicture(node, linesOf, further) {
  const data = node.data;
  const leaf = !(data.children || []).length;
  const decided = (data.decided || []).join(both());
  const code = (linesOf(data.file)[data.line - 1] || "").trim();
  const below = leaf ? leafText(data) : data.line ? `${data.line}: ${code}` : data.told || "start";
  const told = advice(data, further);
  const folded = data.folded ? countLeaves(data) : null;
  const hidden = folded ? `, ${Object.values(folded).reduce((a, b) => a + b, 0)} ends folded` : "";
  const first = decided || (node.depth ? "" : "any input");
  const name = visible(`${first ? first + ": " : ""}${below}${told ? ", " + told : ""}${hidden}`);
  const group = svg("g", {
    class: `node end-${data.kind}${data.folded ? " folded" : ""}${data.case !== undefined ? " has-case" : ""}`,
    transform: `translate(${node.y} ${node.x - TREE.height / 2})`,
    role: "treeitem",
    tabindex: "-1",
    "aria-level": node.depth + 1,
    "aria-expanded": leaf ? undefined : String(!data.folded),
    "aria-selected": "false",
  });
  group.append(svg("title", {}, name));
  if (data.kind === "returned" || data.kind === "raised")
    group.append(svg("rect", { class: "outer", x: -3, y: -3, width: TREE.width + 6, height: TREE.height + 6, rx: 8 }));
  group.append(svg("rect", { class: "box", width: TREE.width, height: TREE.height, rx: 6 }));
  group.append(svg("text", { x: 9, y: 16, class: "decided", "aria-hidden": "true", text: shortened(visible(first), TREE.letters) }));
  const count = folded ? `+${Object.values(folded).reduce((a, b) => a + b, 0)}` : "";
  group.append(svg("text", { x: 9, y: 32, class: "below", "aria-hidden": "true", text: shortened(visible(below), TREE.letters - count.length) }));
  if (count) group.append(svg("text", { x: TREE.width - 8, y: 32, class: "fold", "aria-hidden": "true", "text-anchor": "end", text: count }));
  return group;
}
