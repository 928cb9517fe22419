import { aptInstall } from './apt-install.mjs';
import { UserError } from './project.mjs';
import { findProgram } from './redis-install.mjs';

/** The first is the same engine without windows, menus and extensions, and takes two thirds of the time. */
const PROGRAMS = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

const findBrowser = () =>
  process.env.BROWSER_PROGRAM || PROGRAMS.map((name) => findProgram(name)).find(Boolean);

/**
 * Returns the full path of this machine's Chromium or Chrome. If there is none, installs it with apt-get, if we have
 * permission.
 */
export async function browserProgram() {
  const found = findBrowser() ?? ((await installChromium()) ? findBrowser() : undefined);
  if (found) return found;
  throw new UserError(
    [
      'The browser tests need Chromium or Chrome, and this machine has none that could be found or installed.',
      'Install it (Debian: apt-get install chromium), or name the program in BROWSER_PROGRAM.',
    ].join('\n'),
  );
}

const installChromium = () => aptInstall(['chromium-headless-shell', 'fonts-liberation']);
