import { spawnSync } from 'node:child_process';
import { KEEP_SERVICES_STOPPED } from './debian-services.mjs';
import { runProcess } from './processes.mjs';
import { say } from './project.mjs';
import { findProgram } from './redis-install.mjs';

const APT_SCRIPT = `
${KEEP_SERVICES_STOPPED}
install() {
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 "$@"
}
install "$@" || { apt-get update -qq && install "$@"; }
if [ -d /run/systemd/system ]; then
  for package; do systemctl disable --now "$package.service" >/dev/null 2>&1 || true; done
fi
`;

/** Installs packages of Debian where that needs nobody's leave, and starts no service; tells whether it did. */
export async function aptInstall(packages) {
  if (process.platform !== 'linux' || !findProgram('apt-get')) return false;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !sudoWorks()) return false;
  say(`Installing ${packages.join(', ')} with apt-get ...`);
  const shell = ['sh', '-c', APT_SCRIPT, 'sh', ...packages];
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
