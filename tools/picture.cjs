// Takes a picture of the console when a run has gone on for so many seconds: node picture.cjs URL FILE SECONDS
const { chromium } = require("playwright-core");

const [url, file, seconds] = process.argv.slice(2);

async function main() {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "dark" });
  const errors = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  for (let tries = 0; ; tries++) {
    try {
      await fetch(url);
      // The stream of events never ends, so neither does loading.
      await page.goto(url, { waitUntil: "commit" });
      break;
    } catch (error) {
      if (tries === 150) throw error;
      await new Promise((done) => setTimeout(done, 200));
    }
  }
  for (;;) {
    const status = await (await fetch(new URL("/api/status", url))).json();
    if (status.run_seconds >= Number(seconds)) break;
    await page.waitForTimeout(500);
  }
  await page.screenshot({ path: file });
  await browser.close();
  if (errors.length > 0) throw new Error(`the page reported: ${errors.join("; ")}`);
}

main().catch((error) => {
  console.error(`picture: ${error.message}`);
  process.exit(1);
});
