// Heaps as drawings: a box for every object, an arrow for every reference, so that shared objects show.

const HEAP = { line: 20, pad: 8, title: 22, letter: 7.3, most: 26, widest: 300, smallest: 0.75 };

/** Where objects are within reach of the roots, in the order of discovery. */
function reachableObjects(roots, heap) {
  const seen = [];
  const known = new Set();
  const agenda = roots.flatMap((root) => references(root.value)).reverse();
  while (agenda.length && seen.length < 80) {
    const id = agenda.pop();
    if (known.has(id) || !(id in heap)) continue;
    known.add(id);
    seen.push(id);
    agenda.push(...references(heap[id]).reverse());
  }
  return seen;
}

/** Draws what the roots reach; `before` is an earlier heap, and what differs from it is marked. */
function drawHeap(roots, heap, before = null, rootsBefore = null, label = "Heap") {
  const ids = reachableObjects(roots, heap);
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 42, marginx: 6, marginy: 6 });
  graph.setDefaultEdgeLabel(() => ({}));
  const names = objectNames(ids, heap);
  const boxes = new Map();
  const arrivals = new Map();
  const note = (id) => arrivals.set(id, (arrivals.get(id) || 0) + 1);
  for (const id of ids) {
    const box = objectBox(id, heap[id], before ? before[id] : undefined, before !== null, names);
    boxes.set(id, box);
    graph.setNode("object " + id, { width: box.width, height: box.height });
  }
  const edges = [];
  const atoms = [];
  roots.forEach((root, index) => {
    const targets = references(root.value);
    const known = rootsBefore ? rootsBefore.find((each) => each.name === root.name) : undefined;
    const changed = rootsBefore !== null && (known === undefined || !same(known.value, root.value));
    if (targets.length === 1 && isReference(root.value) && boxes.has(targets[0])) {
      const width = Math.max(30, root.name.length * HEAP.letter + 14);
      graph.setNode("root " + index, { width, height: 24 });
      graph.setEdge("root " + index, "object " + targets[0], {}, "root");
      edges.push({ from: "root " + index, to: targets[0], key: "root", root, changed });
      note(targets[0]);
    } else atoms.push({ root, changed, old: known });
  });
  for (const id of ids)
    boxes.get(id).links.forEach((target, index) => {
      if (!boxes.has(target.id)) return;
      graph.setEdge("object " + id, "object " + target.id, {}, String(index));
      edges.push({ from: "object " + id, to: target.id, key: String(index), port: target, source: id });
      note(target.id);
    });
  const holder = el("div", { class: "heap" });
  if (atoms.length) holder.append(atomTable(atoms, names));
  if (ids.length) {
    arrange(graph, edges, boxes);
    holder.append(heapPicture(graph, ids, boxes, edges, arrivals, names, describeHeap(roots, heap, names, label)));
  } else if (!atoms.length) holder.append(el("p", { class: "muted" }, "nothing"));
  return holder;
}

/** Lays the boxes out in the order of fields and elements, or in the order that dagre finds if that crosses fewer arrows. */
function arrange(graph, edges, boxes) {
  const ways = [{ disableOptimalOrderHeuristic: true }, {}];
  const crossed = ways.map((way) => {
    dagre.layout(graph, way);
    return crossings(graph, edges, boxes);
  });
  if (crossed[0] <= crossed[1]) dagre.layout(graph, ways[0]);
}

/** How many pairs of arrows cross, taken as straight lines. */
function crossings(graph, edges, boxes) {
  const lines = edges.slice(0, 150).map((edge) => {
    const from = graph.node(edge.root ? edge.from : "object " + edge.source);
    const to = graph.node("object " + edge.to);
    const row = edge.root ? 0 : HEAP.title + (edge.port.index + 0.5) * HEAP.line - boxes.get(edge.source).height / 2;
    return [from.x, from.y + row, to.x, to.y];
  });
  const side = (a, x, y) => Math.sign((a[2] - a[0]) * (y - a[1]) - (a[3] - a[1]) * (x - a[0]));
  const cross = (a, b) => side(a, b[0], b[1]) * side(a, b[2], b[3]) < 0 && side(b, a[0], a[1]) * side(b, a[2], a[3]) < 0;
  return sum(lines.map((a, i) => lines.slice(0, i).filter((b) => cross(a, b)).length));
}

/** Short names of objects: the class and a number. */
function objectNames(ids, heap) {
  const counts = new Map();
  const names = new Map();
  for (const id of ids) {
    const title = contents(heap[id]).title;
    counts.set(title, (counts.get(title) || 0) + 1);
    names.set(id, `${title} ${counts.get(title)}`);
  }
  return names;
}

function atomTable(atoms, names) {
  const rows = atoms.map(({ root, changed, old }) =>
    el(
      "tr",
      { class: changed ? "changed" : "" },
      el("th", { scope: "row" }, root.name),
      el("td", {}, long(valueText(root.value, (id) => names.get(id) || id))),
      changed && old ? el("td", { class: "old" }, `was ${shortened(valueText(old.value), 60)}`) : null,
    ),
  );
  return el("table", { class: "atoms" }, el("tbody", {}, rows));
}

function objectBox(id, state, before, compared, names) {
  const { title, rows, form, more } = contents(state);
  const old = new Map(before ? contents(before).rows.map(([label, value], i) => [form === "cells" ? i : label, value]) : []);
  const isNew = compared && before === undefined;
  const cells = rows.map(([label, value], index) => {
    const key = form === "cells" ? index : label;
    const target = isReference(value) ? value.$ref : null;
    const text = target === null ? shortened(valueText(value, (each) => names.get(each) || each), HEAP.most) : "●";
    const changed = compared && !isNew && !(old.has(key) && same(old.get(key), value));
    const was = changed && old.has(key) ? valueText(old.get(key), (each) => names.get(each) || each) : null;
    return { label: shortened(visible(label), HEAP.most), text: visible(text), target, changed, was, value };
  });
  if (more) cells.push({ label: "", text: `… ${more} more`, target: null, changed: false, value: null });
  const gone = compared && before ? Math.max(0, contents(before).rows.length - rows.length) : 0;
  const width = Math.min(HEAP.widest, Math.max(title.length * HEAP.letter + 30, ...cells.map(cellWidth), 70));
  // Arrows leave to the right, so that elements that are objects stand below each other.
  const flat = form === "cells" && cells.length && cells.length <= 12 && !cells.some((cell) => cell.target) && sum(cells.map(flatWidth)) <= 460;
  const box = { id, title, cells, form: flat ? "flat" : form, isNew, gone, links: [] };
  if (flat) {
    box.width = Math.max(sum(cells.map(flatWidth)), title.length * HEAP.letter + 30);
    box.height = HEAP.title + HEAP.line + 16;
  } else {
    box.width = width;
    box.height = HEAP.title + Math.max(1, cells.length) * HEAP.line + 4;
  }
  cells.forEach((cell, index) => {
    for (const target of references(cell.value)) box.links.push({ id: target, index });
  });
  return box;
}

const cellWidth = (cell) => (cell.label.length + cell.text.length + 3) * HEAP.letter + 2 * HEAP.pad;
const flatWidth = (cell) => Math.max(26, cell.text.length * HEAP.letter + 12);
const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

function heapPicture(graph, ids, boxes, edges, arrivals, names, description) {
  const { width, height } = graph.graph();
  const picture = svg("svg", {
    class: "heap-picture",
    viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`,
    width: Math.ceil(width),
    height: Math.ceil(height),
    // A little smaller rather than wider than its place; what would be too small to read scrolls.
    style: { width: `max(${HEAP.smallest * Math.ceil(width)}px, min(100%, ${Math.ceil(width)}px))`, height: "auto" },
    role: "img",
    "aria-label": description,
  });
  picture.append(arrowHead("arrow"));
  const ports = new Map();
  for (const id of ids) picture.append(boxPicture(boxes.get(id), graph.node("object " + id), arrivals.get(id) || 0, ports));
  for (const edge of edges) {
    const target = graph.node("object " + edge.to);
    const placed = graph.edge(edge.from, "object " + edge.to, edge.key);
    let start;
    if (edge.root) {
      const at = graph.node(edge.from);
      const tag = svg("g", { class: edge.changed ? "root changed" : "root" });
      tag.append(
        svg("rect", { x: at.x - at.width / 2, y: at.y - 12, width: at.width, height: 24, rx: 12 }),
        svg("text", { x: at.x, y: at.y + 4, "text-anchor": "middle", text: edge.root.name }),
      );
      picture.append(tag);
      start = { x: at.x + at.width / 2, y: at.y };
    } else start = ports.get(edge.source + " " + edge.port.index);
    picture.append(arrow(start, target, placed.points, edge, boxes.get(edge.source)));
  }
  return el("div", { class: "scrolling", tabindex: "0", role: "group", "aria-label": "Drawing, may scroll" }, picture);
}

function arrowHead(id) {
  return svg(
    "defs",
    {},
    svg(
      "marker",
      { id, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
      svg("path", { d: "M0 0 L10 5 L0 10 z", class: "head" }),
    ),
  );
}

function boxPicture(box, at, arrivals, ports) {
  const left = at.x - box.width / 2;
  const top = at.y - box.height / 2;
  const group = svg("g", { class: `object${box.isNew ? " new" : ""}${arrivals > 1 ? " shared" : ""}` });
  group.append(svg("rect", { x: left, y: top, width: box.width, height: box.height, rx: 5, class: "frame" }));
  const mark = box.isNew ? "new " : "";
  group.append(svg("text", { x: left + HEAP.pad, y: top + 15, class: "title", text: mark + box.title }));
  if (arrivals > 1) {
    const shared = svg("text", { x: left + box.width - 6, y: top + 15, class: "count", "text-anchor": "end" }, `×${arrivals}`);
    shared.append(svg("title", {}, `${arrivals} references lead here`));
    group.append(shared);
  }
  group.append(svg("line", { x1: left, y1: top + HEAP.title, x2: left + box.width, y2: top + HEAP.title, class: "rule" }));
  let x = left;
  box.cells.forEach((cell, index) => {
    if (box.form === "flat") {
      const width = flatWidth(cell);
      const y = top + HEAP.title;
      if (cell.changed) group.append(svg("rect", { x, y, width, height: HEAP.line + 16, class: "mark" }));
      if (index) group.append(svg("line", { x1: x, y1: y, x2: x, y2: top + box.height, class: "rule" }));
      group.append(svg("text", { x: x + width / 2, y: y + 12, class: "index", "text-anchor": "middle", text: cell.label }));
      group.append(cellText(cell, x + width / 2, y + 28, "middle"));
      ports.set(box.id + " " + index, { x: x + width / 2, y: y + 24 });
      x += width;
      return;
    }
    const y = top + HEAP.title + index * HEAP.line;
    if (cell.changed) group.append(svg("rect", { x: left + 1, y: y + 1, width: box.width - 2, height: HEAP.line, class: "mark" }));
    group.append(svg("text", { x: left + HEAP.pad, y: y + 15, class: "label", text: cell.label }));
    group.append(cellText(cell, left + box.width - HEAP.pad, y + 15, "end"));
    ports.set(box.id + " " + index, { x: left + box.width - HEAP.pad - 4, y: y + 11 });
  });
  if (!box.cells.length) group.append(svg("text", { x: left + HEAP.pad, y: top + HEAP.title + 15, class: "label", text: "empty" }));
  return group;
}

function cellText(cell, x, y, anchor) {
  const text = svg("text", { x, y, "text-anchor": anchor, class: cell.target ? "dot" : "content", text: cell.text });
  if (cell.was !== null && cell.was !== undefined) text.append(svg("title", {}, `was ${cell.was}`));
  return text;
}

/** An arrow from a cell to an object; it leaves to the right and comes in from the left, or bends back. */
function arrow(start, target, points, edge, box) {
  const end = { x: target.x - target.width / 2, y: Math.min(target.y, target.y - target.height / 2 + 12) };
  let path;
  if (edge.source !== undefined && edge.to === edge.source) {
    const right = target.x + target.width / 2;
    path = `M${start.x} ${start.y} C${right + 40} ${start.y}, ${right + 40} ${end.y - 24}, ${right} ${end.y}`;
  } else if (end.x >= start.x + 8) {
    const middle = Math.max(24, (end.x - start.x) / 2);
    path = `M${start.x} ${start.y} C${start.x + middle} ${start.y}, ${end.x - middle} ${end.y}, ${end.x} ${end.y}`;
  } else {
    const under = target.y + target.height / 2;
    const low = Math.max(start.y, under) + 22;
    path = `M${start.x} ${start.y} C${start.x + 60} ${low}, ${target.x + 20} ${low + 10}, ${target.x} ${under}`;
  }
  const changed = edge.changed || (box && edge.port && box.cells[edge.port.index].changed);
  return svg("path", { d: path, class: `reference${changed ? " changed" : ""}`, "marker-end": "url(#arrow)" });
}

/** The drawing in words, for whoever cannot see it. */
function describeHeap(roots, heap, names, label) {
  const named = (id) => names.get(id) || id;
  const parts = roots.map((root) => `${root.name} is ${shortened(valueText(root.value, named), 60)}`);
  for (const id of names.keys()) {
    const { rows, form } = contents(heap[id]);
    const inside = rows.map(([name, value]) => `${form === "fields" ? name + " is " : form === "entries" ? name + " to " : ""}${shortened(valueText(value, named), 40)}`);
    parts.push(`${named(id)} has ${inside.join(", ") || "nothing"}`);
  }
  return visible(`${label}: ${shortened(parts.join(". "), 2000)}`);
}
