import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { embeddedPostgresPackage } from './embedded-postgres.mjs';
import { takeLock } from './lock.mjs';
import { projectRoot, say, sleep, UserError } from './project.mjs';

const minimumNode = [20, 19];

/**
 * Makes node_modules match package-lock.json (`npm ci`), and links the embedded database's libraries if npm was told
 * not to run install scripts. Takes a few milliseconds if there is nothing to do.
 */
export async function ensureDependencies() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < minimumNode[0] || (major === minimumNode[0] && minor < minimumNode[1])) {
    throw new UserError(
      `Node ${minimumNode.join('.')} or newer is needed; this is ${process.version}.`,
    );
  }
  if (!installedMatchesLockfile()) await withInstallLock(install);
  linkEmbeddedPostgres();
}

/** npm records what it installed in a hidden lockfile; each of our packages has to be in it. */
function installedMatchesLockfile() {
  const wanted = readJson('package-lock.json')?.packages;
  if (!wanted) throw new UserError('package-lock.json is missing or damaged.');
  const installed = readJson('node_modules/.package-lock.json')?.packages;
  if (!installed) return false;
  return Object.entries(wanted).every(([location, entry]) => {
    if (location === '') return true;
    const found = installed[location];
    return found ? found.version === entry.version : entry.optional === true;
  });
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(path.join(projectRoot, file), 'utf8'));
  } catch {
    return undefined;
  }
}

/** If two scripts start at once in a fresh clone, one installs, and the other waits and finds it done. */
async function withInstallLock(action) {
  const key = createHash('sha256').update(projectRoot).digest('hex').slice(0, 12);
  const file = path.join(os.tmpdir(), `domain-marketplace-install-${key}.lock`);
  for (;;) {
    const { holder, release } = takeLock(file);
    if (!holder) {
      try {
        if (!installedMatchesLockfile()) action();
      } finally {
        release();
      }
      return;
    }
    await sleep(500);
    if (installedMatchesLockfile()) return;
  }
}

function install() {
  say('Installing dependencies (npm ci) ...');
  // Under `npm start`, this is the npm that runs us, which may not be on PATH.
  const program = process.env.npm_execpath;
  const [command, prefix] = program?.endsWith('.js') ? [process.execPath, [program]] : ['npm', []];
  const { error, status } = spawnSync(
    command,
    [...prefix, 'ci', '--include=dev', '--loglevel=error'],
    { cwd: projectRoot, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  if (status === 0) return;
  throw new UserError(
    `npm could not install the dependencies${error ? ` (${error.message})` : ''}.\n` +
      'Is the package registry reachable?',
  );
}

function linkEmbeddedPostgres() {
  const directory = embeddedPostgresPackage();
  const links = readJson(
    path.relative(projectRoot, path.join(directory, 'native/pg-symlinks.json')),
  );
  if (!links || links.every(({ target }) => isLinked(path.join(directory, target)))) return;
  const { status } = spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], {
    cwd: directory,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) say('The libraries of the embedded Postgres could not be linked.');
}

function isLinked(file) {
  return existsSync(file) || Boolean(lstatSync(file, { throwIfNoEntry: false }));
}
