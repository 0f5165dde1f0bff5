// Values of the program as text. In JSON, what JSON lacks is an object with one key that begins with a dollar.

function isReference(value) {
  return value !== null && typeof value === "object" && "$ref" in value;
}

/** What stands between conditions all of which must hold. */
function both() {
  return ` ${page.head.words.conjunction} `;
}

/** A value in one line; `named` gives objects their names. */
function valueText(value, named = (id) => id) {
  const words = page.head.words;
  if (value === null) return words.nothing;
  if (value === true) return words.yes;
  if (value === false) return words.no;
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map((each) => valueText(each, named)).join(", ")}]`;
  const [key] = Object.keys(value);
  const content = value[key];
  switch (key) {
    case "$ref":
      return named(content);
    case "$tuple": {
      const inside = content.map((each) => valueText(each, named)).join(", ");
      return `(${inside}${content.length === 1 ? "," : ""})`;
    }
    case "$list":
    case "$set":
    case "$map":
      return `${key.slice(1)}[${content.map((each) => valueText(each, named)).join(", ")}]`;
    case "$data": {
      const name = content.constructor.split(".").pop();
      const inside = content.arguments.map((each) => valueText(each, named)).join(", ");
      return inside ? `${name}(${inside})` : name;
    }
    case "$future":
      return `Fut(${named(content)})`;
    case "$instance":
    case "$opaque":
      return `<${content}>`;
    case "$bytes":
      return typeof content === "string" ? content : JSON.stringify(content);
    default:
      return typeof content === "string" ? content : JSON.stringify(content);
  }
}

function quoted(text) {
  const marks = page.head.words.nothing === "None" ? "'" : '"';
  return marks + text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll(marks, "\\" + marks) + marks;
}

/** Whether two JSON values are equal. */
function same(first, second) {
  return first === second || JSON.stringify(first) === JSON.stringify(second);
}

/** The references inside a value, in order. */
function references(value, found = []) {
  if (isReference(value)) found.push(value.$ref);
  else if (Array.isArray(value)) value.forEach((each) => references(each, found));
  else if (value !== null && typeof value === "object") Object.values(value).forEach((each) => references(each, found));
  return found;
}

/** A class without its module, and without the class around it. */
function simpleName(name) {
  return name.split(/[.$]/).pop();
}

/** What an object holds, as rows of [label, value], and how it is drawn. */
function contents(state) {
  if (state === undefined) return { title: "?", rows: [], form: "fields" };
  for (const kind of ["list", "set", "array"]) {
    if (kind in state) {
      const rows = state[kind].map((value, index) => [kind === "set" ? "" : String(index), value]);
      return { title: state.class || kind, rows, form: "cells", more: state.more || 0 };
    }
  }
  const pairs = Object.keys(state).find((key) => Array.isArray(state[key]));
  if (pairs !== undefined && !("class" in state && "fields" in state && !pairs)) {
    const rows = state[pairs].map(([key, value]) => [valueText(key), value, key]);
    return { title: state.class || pairs, rows, form: "entries", more: state.more || 0 };
  }
  const fields = Object.entries(state.fields || {});
  if ("stands_for" in state) {
    const answers = Object.entries(state.answers || {}).map(([method, given]) => [
      `${method || "()"} →`,
      given.map((each) => ("gives" in each ? valueText(each.gives) : `raises ${simpleName(each.raises)}`)).join(", "),
    ]);
    return { title: `stand-in for ${simpleName(state.stands_for)}`, rows: [...fields, ...answers], form: "fields" };
  }
  return { title: simpleName(state.class || "object"), rows: fields, form: "fields", more: state.more || 0 };
}
