import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** A real browser; one per test file, closed in `afterAll`. */
export interface TestBrowser {
  /**
   * Opens a page in its own profile (no cookies, no cache). Its `faults` collect what a visitor's console would show:
   * script errors and content policy violations.
   */
  open(options?: BrowserContextOptions): Promise<{ page: Page; faults: string[] }>;
  stop(): Promise<void>;
}

/** A phone with a common width. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
};

export async function startBrowser(): Promise<TestBrowser> {
  if (!process.env.TEST_BROWSER) {
    throw new Error('run the browser tests with `npm run test:browser`');
  }
  const browser: Browser = await chromium.launch({
    executablePath: fileURLToPath(new URL('chromium.sh', import.meta.url)),
    headless: true,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Requests can only reach this machine: other names do not resolve.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
  });
  return {
    async open(options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1_100, height: 850 },
        locale: 'en-US',
        ...options,
      });
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      return { page, faults };
    },
    stop: () => browser.close(),
  };
}

/** Chromium's answer to a capture while the page's new size has no frame yet. The same capture works a moment later. */
const NO_FRAME_YET = 'Unable to capture screenshot';
const CAPTURE_ATTEMPTS = 20;

/** Returns the whole page as a PNG. */
export async function wholePage(page: Page): Promise<Buffer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await page.screenshot({ fullPage: true });
    } catch (error) {
      if (attempt === CAPTURE_ATTEMPTS || !String(error).includes(NO_FRAME_YET)) throw error;
      // Chromium does not tell when it has the frame, so each wait is longer than the last: 10 s in all.
      await page.waitForTimeout(50 * attempt);
    }
  }
}

/** Saves a picture of the whole page for manual review, if SCREENSHOTS names a directory. */
export async function picture(page: Page, name: string): Promise<void> {
  const directory = process.env.SCREENSHOTS;
  if (directory) await writeFile(join(directory, `${name}.png`), await wholePage(page));
}
