// Takes a picture of a page after it has been open for some seconds: node picture.cjs URL FILE SECONDS
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
      await page.goto(url);
      break;
    } catch (error) {
      if (tries === 50) throw error;
      await new Promise((done) => setTimeout(done, 200));
    }
  }
  await page.waitForTimeout(1000 * Number(seconds));
  await page.screenshot({ path: file });
  await browser.close();
  if (errors.length > 0) throw new Error(`the page reported: ${errors.join("; ")}`);
}

main().catch((error) => {
  console.error(`picture: ${error.message}`);
  process.exit(1);
});
