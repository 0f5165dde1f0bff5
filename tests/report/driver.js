// Drives a real browser for the tests: one command a line comes in as JSON, one answer a line goes out.

const path = require("node:path");
const readline = require("node:readline");

const [, , modules, executable] = process.argv;
const { chromium } = require(path.join(modules, "playwright-core"));
const axe = require.resolve(path.join(modules, "axe-core"));
const QUIET = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
let browser = null;
let context = null;
let page = null;
let seen = null;

const commands = {
  async open({ address, width = 1200, height = 900, theme = "light" }) {
    if (context) await context.close();
    context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]).catch(() => {});
    page = await context.newPage();
    seen = { errors: [], requests: [] };
    page.on("console", (message) => message.type() === "error" && seen.errors.push(message.text()));
    page.on("pageerror", (error) => seen.errors.push(String(error)));
    page.on("dialog", (dialog) => { seen.errors.push("dialog: " + dialog.message()); dialog.dismiss(); });
    page.on("request", (request) => seen.requests.push(request.url()));
    const started = Date.now();
    await page.goto(address);
    await page.waitForSelector("html[data-ready]", { timeout: 20000 });
    return Date.now() - started;
  },
  async status({ address, headers = {} }) {
    const answer = await context.request.fetch(address, { headers, maxRedirects: 0 });
    return answer.status();
  },
  go: async ({ hash }) => {
    await page.evaluate((to) => { location.hash = to; }, hash);
  },
  evaluate: ({ script }) => page.evaluate(script),
  click: ({ selector }) => page.click(selector, { timeout: 5000 }),
  press: ({ key, times = 1 }) => (async () => { for (let i = 0; i < times; i++) await page.keyboard.press(key); })(),
  type: ({ text }) => page.keyboard.type(text),
  fill: ({ selector, text }) => page.fill(selector, text, { timeout: 5000 }),
  choose: ({ selector, value }) => page.selectOption(selector, value, { timeout: 5000 }),
  wait: ({ selector, seconds = 10 }) => page.waitForSelector(selector, { timeout: 1000 * seconds }).then(() => true),
  async holds({ script, seconds = 10 }) {
    // Not with waitForFunction, which would have the page evaluate a text: its content security policy forbids that.
    for (const end = Date.now() + 1000 * seconds; Date.now() < end; await page.waitForTimeout(15)) if (await page.evaluate(script)) return true;
    throw new Error(`this does not come to hold: ${script}`);
  },
  texts: ({ selector }) => page.$$eval(selector, (found) => found.map((each) => each.textContent)),
  seen: async () => seen,
  resize: ({ width, height = 900 }) => page.setViewportSize({ width, height }),
  theme: ({ theme }) => page.emulateMedia({ colorScheme: theme }),
  picture: ({ file, selector, whole = false }) =>
    selector ? page.locator(selector).first().screenshot({ path: file }) : page.screenshot({ path: file, fullPage: whole }),
  async axe() {
    // The content security policy of the page keeps scripts out; the browser's own tools are not bound by it.
    const client = await context.newCDPSession(page);
    const source = require("node:fs").readFileSync(axe, "utf8");
    await client.send("Runtime.evaluate", { expression: source });
    const found = await client.send("Runtime.evaluate", {
      expression: "axe.run(document, { resultTypes: ['violations'] }).then((all) => JSON.stringify(all.violations.map((each) => " +
        "({ id: each.id, impact: each.impact, help: each.help, nodes: each.nodes.slice(0, 4).map((node) => node.html.slice(0, 300) + ': ' + (node.any[0] || node.all[0] || {}).message) }))))",
      awaitPromise: true,
      returnByValue: true,
    });
    return JSON.parse(found.result.value);
  },
};

async function main() {
  browser = await chromium.launch({ executablePath: executable, args: QUIET });
  console.log(JSON.stringify({ result: browser.version() }));
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const { name, given } = JSON.parse(line);
    let answer;
    try {
      answer = { result: (await commands[name](given)) ?? null };
    } catch (error) {
      answer = { error: String(error) };
    }
    console.log(JSON.stringify(answer));
  }
  await browser.close();
}

main();
