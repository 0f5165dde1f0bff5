// The data of the page: a head that is there at once, and pieces that are unpacked when they are needed.

const page = { head: JSON.parse(document.getElementById("head").textContent), pieces: new Map(), rows: [] };

/** A piece of the data; it is unpacked once. */
function piece(number) {
  if (!page.pieces.has(number)) page.pieces.set(number, unpack(number));
  return page.pieces.get(number);
}

async function unpack(number) {
  performance.mark("unpack");
  const packed = document.getElementById(`piece-${number}`).textContent;
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const found = JSON.parse(await new Response(stream).text());
  performance.measure(`piece ${number}`, "unpack");
  return found;
}

const ROW = { id: 0, name: 1, suite: 2, input: 3, kind: 4, outcome: 5, condition: 6, alone: 7, flags: 8 };

function row(number) {
  const cells = page.rows[number];
  const made = { number };
  for (const [name, at] of Object.entries(ROW)) made[name] = cells[at];
  made.title = made.name ? made.name.replaceAll("_", " ") : `${page.head.functions[made.suite].name}, case ${made.id.split("#").pop()}`;
  return made;
}

/** All about a case, by the number of its row. */
async function caseOf(number) {
  const per = page.head.per_piece;
  const group = await piece(page.head.case_pieces[Math.floor(number / per)]);
  return group[number % per];
}

/** How to go beyond a bound, in words; empty where no option does. */
function beyond(bound) {
  const option = page.head.options[bound];
  if (!option) return "";
  return bound === "overflow" ? `${option} follows it` : `raise ${option} to go further`;
}

function numberOf(id) {
  if (!page.numbers) page.numbers = new Map(page.rows.map((cells, number) => [cells[ROW.id], number]));
  return page.numbers.get(id);
}

const sources = async () => piece(page.head.sources);
const coverageData = async () => piece(page.head.coverage);

/** The trees of a function. */
async function treesOf(suite) {
  const trees = (await piece(page.head.trees))[suite] || [];
  for (const tree of trees) if (!tree.root) tree.root = grown(tree.nodes);
  return trees;
}

/** The root of a tree whose nodes tell which one they are below. */
function grown(nodes) {
  for (const node of nodes) if (node.above >= 0) (nodes[node.above].children ||= []).push(node);
  return nodes[0];
}

/** What lies on the way from the root to the leaf of a case: [condition, line] for each that was decided. */
async function clauses(suite, id) {
  for (const tree of await treesOf(suite)) {
    const way = wayTo(tree.root, id);
    if (way) {
      const found = [];
      for (let i = 1; i < way.length; i++)
        for (const text of way[i].decided || []) found.push({ text, line: way[i - 1].line, file: way[i - 1].file });
      return found;
    }
  }
  return [];
}

function wayTo(root, id) {
  const agenda = [[root, null]];
  let other = null;
  while (agenda.length) {
    const at = agenda.pop();
    const [node] = at;
    if (node.case === id && !node.same) return unrolled(at);
    if (node.case === id && !other) other = at;
    for (const child of node.children || []) agenda.push([child, at]);
  }
  return other && unrolled(other);
}

function unrolled(at) {
  const way = [];
  for (; at; at = at[1]) way.unshift(at[0]);
  return way;
}
