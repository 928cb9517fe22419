import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** True when a process with this id exists, whoever owns it. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * The command line of a live process, '' when there is none. Ids are reused, so a remembered id
 * means nothing until its command line is compared.
 */
export function commandOf(pid) {
  if (!isAlive(pid)) return '';
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    const ps = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
    return ps.stdout?.trim() ?? '';
  }
}

/** Waits until the process is gone; false when it outlives the deadline. */
export async function waitUntilGone(pid, timeoutMs) {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(pid)) {
    // A zombie whose parent does not reap it is as good as gone.
    if (commandOf(pid) === '') return true;
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

/** Ends a process left over from a crashed run: each signal in turn, with time to obey. */
export async function endLeftover(pid, signals) {
  for (const { signal, waitMs } of signals) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (error.code === 'ESRCH') return;
      throw error;
    }
    if (await waitUntilGone(pid, waitMs)) return;
  }
}
