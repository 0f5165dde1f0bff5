// Source texts, line by line, with marks beside the lines.

const TOKENS = /("""|'''|\/\*)|("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(#.*|\/\/.*)|\b(\d[\w.]*)\b|\b([A-Za-z_]\w*)\b/g;
const KEYWORDS = new Set(
  ("and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal " +
    "not or pass raise return try while with yield match case None True False self abstract boolean byte catch char default do " +
    "double enum extends final float implements instanceof int interface long native new null package private protected public " +
    "short static super switch synchronized this throw throws void volatile record sealed permits var module data let suspend get skip").split(" "),
);

/** The lines of a text, each as a list of [kind, text]. */
function highlighted(text) {
  const ends = { '"""': '"""', "'''": "'''", "/*": "*/" };
  let open = "";
  return text.split(/\r\n|\n|\r/).map((line) => {
    const parts = [];
    let at = 0;
    if (open) {
      const end = line.indexOf(open);
      if (end < 0) return [["string", line]];
      parts.push(["string", line.slice(0, end + open.length)]);
      at = end + open.length;
      open = "";
    }
    TOKENS.lastIndex = at;
    for (let found; (found = TOKENS.exec(line)) !== null; ) {
      if (found.index > at) parts.push(["", line.slice(at, found.index)]);
      at = found.index;
      if (found[1]) {
        const end = line.indexOf(ends[found[1]], at + found[1].length);
        const stop = end < 0 ? line.length : end + ends[found[1]].length;
        open = end < 0 ? ends[found[1]] : "";
        parts.push([found[1] === "/*" ? "comment" : "string", line.slice(at, stop)]);
        at = TOKENS.lastIndex = stop;
        continue;
      }
      const kind = found[2] ? "string" : found[3] ? "comment" : found[4] ? "number" : KEYWORDS.has(found[5]) ? "keyword" : "";
      parts.push([kind, found[0]]);
      at = TOKENS.lastIndex;
    }
    if (at < line.length) parts.push(["", line.slice(at)]);
    return parts;
  });
}

const WINDOW = 400;

/** A source text; `marked` are the lines that were executed, `gutter` gives further marks of a line. */
function sourceView(text, marked, name, gutter = null) {
  if (text === undefined || text === null) {
    const element = el("p", { class: "missing" }, `The text of ${name} is not there. Executed lines: ${[...marked].sort((a, b) => a - b).join(", ")}.`);
    return { element, point() {} };
  }
  const all = highlighted(text);
  // Of a very long file only the part around what is marked is made into elements.
  const wanted = [...marked].sort((a, b) => a - b);
  const first = all.length > 3 * WINDOW && wanted.length ? Math.max(0, wanted[0] - WINDOW / 2) : 0;
  const last = all.length > 3 * WINDOW && wanted.length ? Math.min(all.length, wanted[wanted.length - 1] + WINDOW / 2) : all.length;
  const body = el("div", { class: "lines" });
  const lines = new Map();
  for (let i = first; i < last; i++) {
    const number = i + 1;
    const code = el("code", {}, all[i].map(([kind, part]) => (kind ? el("span", { class: "t-" + kind }, part) : part)));
    const line = el("div", { class: marked.has(number) ? "line executed" : "line" }, el("span", { class: "number" }, String(number)));
    if (gutter) line.append(gutter(number, line) || el("span", { class: "gutter" }));
    line.append(code);
    lines.set(number, line);
    body.append(line);
  }
  const element = el("div", { class: "source", tabindex: "0", role: "region", "aria-label": `Source of ${name}` }, body);
  let pointed = null;
  return {
    element,
    lines,
    point(number, kind) {
      if (pointed) {
        pointed.classList.remove("now", "return", "raise");
        pointed.removeAttribute("aria-current");
      }
      pointed = lines.get(number) || null;
      if (!pointed) return;
      pointed.classList.add("now", kind);
      pointed.setAttribute("aria-current", "step");
      const top = pointed.offsetTop - element.clientHeight / 2;
      if (pointed.offsetTop < element.scrollTop + 40 || pointed.offsetTop > element.scrollTop + element.clientHeight - 60) element.scrollTop = top;
    },
  };
}

/** Code that can be copied. */
function codeBlock(text, what) {
  const lines = highlighted(text.replace(/\n$/, ""));
  const code = el("code", {}, lines.map((parts, number) => [
    number ? "\n" : "",
    parts.map(([kind, part]) => (kind ? el("span", { class: "t-" + kind }, part) : part)),
  ]));
  return el(
    "div",
    { class: "code-block" },
    copyButton(text, what),
    el("pre", { tabindex: "0", role: "region", "aria-label": what }, code),
  );
}
