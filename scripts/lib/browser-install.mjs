import { aptInstall } from './apt-install.mjs';
import { UserError } from './project.mjs';
import { findProgram } from './redis-install.mjs';

/** The first has the same engine without windows, menus and extensions, and does the same in two thirds of the time. */
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
 * The full path of a Chromium or Chrome of this machine, installed by apt-get when it is missing and
 * that needs nobody's leave.
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
