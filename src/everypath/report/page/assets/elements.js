// Making elements. Strings only ever become text: nothing here, or anywhere else, parses markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "text") node.append(visible(String(value)));
    else if (name === "style") Object.assign(node.style, value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : visible(String(child)));
  }
  return node;
}

/** An HTML element; children that are strings become text. */
function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// Control characters, marks that change the direction of text, and halves of characters: shown by their number.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A text in which every character can be seen. */
function visible(text) {
  return text.replace(UNSEEN, (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** A text of at most so many characters. */
function shortened(text, most) {
  return text.length <= most ? text : text.slice(0, most - 1) + "…";
}

/** `1 case`, `2 cases` */
function counted(number, what) {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

/** A text that may be long: its beginning, and all of it on request. */
function long(text, most = 240) {
  if (text.length <= most) return el("span", { class: "value" }, text);
  const all = el("span", { class: "value" }, text.slice(0, most) + "… ");
  const more = el("button", { type: "button", class: "plain", onclick: () => all.replaceChildren(visible(text)) });
  more.append(`all ${text.length.toLocaleString("en")} characters`);
  all.append(more);
  return all;
}

/** A button that copies a text. */
function copyButton(text, what) {
  const said = el("span", { class: "said", role: "status" });
  const button = el("button", { type: "button", class: "copy", "aria-label": `Copy ${what}` }, "Copy");
  button.addEventListener("click", async () => {
    said.replaceChildren((await copied(text)) ? "Copied" : "Press Ctrl+C");
    setTimeout(() => said.replaceChildren(), 2500);
  });
  return el("span", { class: "copying" }, button, said);
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages from disk may not have the right; what is selected can always be copied.
    const area = el("textarea", { class: "offscreen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** A command line that can be copied. */
function command(text) {
  return el("div", { class: "command" }, el("code", {}, text), copyButton(text, "the command"));
}

/** A link inside the page. */
function link(address, ...children) {
  return el("a", { href: "#" + address }, ...children);
}

function badge(kind, text) {
  return el("span", { class: `badge ${kind}` }, text);
}

function section(title, ...children) {
  return el("section", { class: "card" }, el("h2", {}, title), ...children);
}
