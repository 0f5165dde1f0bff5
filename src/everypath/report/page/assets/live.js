// A page that a server shows: it can ask for more, and shows what others have found meanwhile. A page from disk has no
// server, and no such buttons.

page.live = "live" in page.head;
const POLL = 1500;

/** Have the server do something; what it tells. */
async function ask(action, given) {
  const answer = await fetch(`${location.pathname}/${action}`, { method: "POST", body: JSON.stringify(given), headers: { "Content-Type": "application/json" } });
  if (!answer.ok) throw new Error(`the server refuses this (${answer.status})`);
  const told = await answer.json();
  if (told.error) throw new Error(told.error);
  return told;
}

function announce(text, bad = false) {
  const place = document.getElementById("live-status");
  place.replaceChildren(visible(shortened(text, 200)));
  place.classList.toggle("bad-text", bad);
}

/** Do something while the button says so. */
async function busy(button, doing, work) {
  button.disabled = true;
  announce(doing);
  try {
    await work();
  } catch (error) {
    announce(error.message, true);
  } finally {
    button.disabled = false;
  }
}

function liveTools() {
  const status = el("span", { id: "live-status", class: "live-status", role: "status", "aria-live": "polite" });
  return [status];
}

function oneMore(suite) {
  const button = el("button", { type: "button", class: "one-more" }, "One more case");
  button.addEventListener("click", () =>
    busy(button, "Looking for one more case…", async () => {
      const told = await ask("next", { suite });
      await refresh();
      announce(told.told);
      const number = told.case === undefined ? undefined : numberOf(told.case);
      if (number !== undefined) go(`/case/${number}`);
    }),
  );
  return button;
}

/** What lies behind a cut leaf: its choices from the root lead there; orders of messages are searched anew instead. */
async function askFurther(suite, node, tree) {
  const way = [];
  const agenda = [[tree.root, null]];
  while (agenda.length) {
    const at = agenda.pop();
    if (at[0] === node) {
      for (let each = at; each; each = each[1]) if (each[0].choice !== undefined) way.unshift(each[0].choice);
      break;
    }
    for (const child of at[0].children || []) agenda.push([child, at]);
  }
  announce("Going further here…");
  try {
    const told = await ask("further", { suite, choices: way, bound: node.bound });
    await refresh();
    announce(told.told);
  } catch (error) {
    announce(error.message, true);
  }
}

function runButton(number) {
  const about = row(number);
  const said = el("p", { class: "run-said", role: "status" });
  const button = el("button", { type: "button", class: "run-case" }, "Run this case");
  button.addEventListener("click", () =>
    busy(button, "Running the case…", async () => {
      const told = await ask("run", { suite: about.suite, case: about.id });
      announce("");
      said.replaceChildren(badge(told.passed ? "returns" : "bad", told.passed ? "passed" : "failed"), " ", visible(told.told));
    }),
  );
  return el("div", { class: "running" }, button, said);
}

/** Take over the data of the page as it is now on the server, and show the same view with it. */
async function refresh() {
  const answer = await fetch(location.pathname);
  if (!answer.ok) return;
  const made = new DOMParser().parseFromString(await answer.text(), "text/html");
  const head = made.getElementById("head");
  if (!head) return;
  for (const old of document.querySelectorAll("script[type='application/gzip']")) old.remove();
  for (const each of made.querySelectorAll("script[type='application/gzip']")) document.body.append(document.adoptNode(each));
  Object.assign(page, { head: JSON.parse(head.textContent), pieces: new Map(), numbers: null, searched: null });
  if (!page.head.index) page.rows = await piece(page.head.rows);
  await show();
}

/** Look from time to time whether a run has stored something. */
async function follow() {
  const state = page.head.index ? "state" : "../state";
  for (;;) {
    await new Promise((done) => setTimeout(done, POLL));
    try {
      const { stamp } = await (await fetch(state)).json();
      if (stamp !== page.head.live) await refresh();
      // A page whose own suite has not changed keeps its data.
      page.head.live = stamp;
    } catch {
      announce("The server has ended.", true);
      return;
    }
  }
}
