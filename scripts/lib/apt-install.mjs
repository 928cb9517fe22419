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

/** Installs Debian packages if we have permission, without starting their services. Returns whether it did. */
export async function aptInstall(packages) {
  if (process.platform !== 'linux' || !findProgram('apt-get')) return false;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !sudoWorks()) return false;
  say(`Installing ${packages.join(', ')} with apt-get ...`);
  const shell = ['sh', '-c', APT_SCRIPT, 'sh', ...packages];
  const [command, ...args] = isRoot ? shell : ['sudo', '-n', ...shell];
  const result = await runProcess(command, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    // An interrupted package manager leaves a broken state, so give it time to finish.
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
