import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { KEEP_SERVICES_STOPPED } from './debian-services.mjs';
import { runProcess } from './processes.mjs';
import { say } from './project.mjs';

/** The full path of a program on PATH or where system administrators' tools are; else undefined. */
export function findProgram(name, env = process.env) {
  const directories = [...(env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin'];
  for (const directory of directories.filter(Boolean)) {
    const file = path.join(directory, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

/** The Redis server program of this machine, Redis or Valkey; undefined when there is none. */
export const findRedisServer = () => findProgram('redis-server') ?? findProgram('valkey-server');

/** We run our own server with our own data, so the unit is switched off for the next boot as well. */
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

// These do not start what they install.
const APK_SCRIPT = 'apk add --no-cache redis || apk add --no-cache valkey';
const DNF_SCRIPT = 'dnf install -y -q redis || dnf install -y -q valkey';

/**
 * How this machine could install Redis without asking anyone: `{manager, command, args}`, or
 * undefined. System packages need root or a sudo without password; Homebrew refuses root.
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

/** Installs Redis by the system's package manager when that is possible; tells whether it did. */
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
    // A package manager that is cut short leaves repairs behind: give it time to end well.
    graceMs: 60_000,
  });
  return result.code === 0;
}
