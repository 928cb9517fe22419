import { spawnSync } from 'node:child_process';
import { runProcess } from './processes.mjs';
import { say, UserError } from './project.mjs';
import { findProgram } from './redis-install.mjs';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const APT_SCRIPT = `
set -eu
export DEBIAN_FRONTEND=noninteractive
install() {
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 chromium fonts-liberation
}
install || { apt-get update -qq && install; }
`;

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

async function installChromium() {
  if (process.platform !== 'linux' || !findProgram('apt-get')) return false;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !sudoWorks()) return false;
  say('Installing Chromium with apt-get ...');
  const shell = ['sh', '-c', APT_SCRIPT];
  const [command, ...args] = isRoot ? shell : ['sudo', '-n', ...shell];
  const result = await runProcess(command, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    // A package manager that is cut short leaves repairs behind: give it time to end well.
    graceMs: 60_000,
  });
  return result.code === 0;
}

function sudoWorks() {
  return (
    findProgram('sudo') !== undefined &&
    spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0
  );
}
