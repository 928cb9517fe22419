import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { KEEP_SERVICES_STOPPED } from './debian-services.mjs';
import { runProcess } from './processes.mjs';
import { say } from './project.mjs';

/** Returns the full path of a program on PATH or in the system's sbin directories, or undefined. */
export function findProgram(name, env = process.env) {
  const directories = [...(env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin'];
  for (const directory of directories.filter(Boolean)) {
    const file = path.join(directory, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this directory.
    }
  }
  return undefined;
}

/** Finds this machine's Redis or Valkey server program; undefined if there is none. */
export const findRedisServer = () => findProgram('redis-server') ?? findProgram('valkey-server');

/** We run our own server with our own data, so this also disables the unit for the next boot. */
const APT_SCRIPT = `
${KEEP_SERVICES_STOPPED}
install() {
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 redis-server
}
install || { apt-get update -qq && install; }
if [ -d /run/systemd/system ]; then
  systemctl disable --now redis-server.service >/dev/null 2>&1 || true
fi
`;

// These package managers do not start what they install.
const APK_SCRIPT = 'apk add --no-cache redis || apk add --no-cache valkey';
const DNF_SCRIPT = 'dnf install -y -q redis || dnf install -y -q valkey';

/**
 * Returns how this machine can install Redis without a password: `{manager, command, args}`, or undefined.
 * System packages need root or a passwordless sudo; Homebrew refuses root.
 */
export function chooseInstaller({ platform, isRoot, has, sudoWorks }) {
  if (platform === 'darwin') {
    if (isRoot || !has('brew')) return undefined;
    return { manager: 'brew', command: 'brew', args: ['install', '--quiet', 'redis'] };
  }
  if (platform !== 'linux') return undefined;
  const known = { 'apt-get': APT_SCRIPT, apk: APK_SCRIPT, dnf: DNF_SCRIPT };
  const manager = Object.keys(known).find(has);
  if (!manager) return undefined;
  const shell = ['sh', '-c', known[manager]];
  if (isRoot) return { manager, command: shell[0], args: shell.slice(1) };
  if (has('sudo') && sudoWorks()) return { manager, command: 'sudo', args: ['-n', ...shell] };
  return undefined;
}

/** Installs Redis with the system's package manager, if possible. Returns whether it did. */
export async function installRedis() {
  const installer = chooseInstaller({
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    has: (name) => findProgram(name) !== undefined,
    sudoWorks: () => spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0,
  });
  if (!installer) return false;
  say(`Installing Redis with ${installer.manager} (no system service is started) ...`);
  const result = await runProcess(installer.command, installer.args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    // An interrupted package manager leaves a broken state, so give it time to finish.
    graceMs: 60_000,
  });
  return result.code === 0;
}
