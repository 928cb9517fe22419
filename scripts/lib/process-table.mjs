import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Whether a process with this id exists, whoever owns it. */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Returns the command line of a running process, or '' if there is none. Process ids are reused, so compare the command
 * line before you trust a stored one.
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

/** Waits until the process is gone; returns false if it is still there after the timeout. */
async function waitUntilGone(pid, timeoutMs) {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(pid)) {
    // A zombie that its parent does not reap counts as gone.
    if (commandOf(pid) === '') return true;
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

/** Ends a process left over from a crashed run: sends each signal in turn and waits after each. */
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

/** Returns all processes as `{pid, parent, zombie}`. */
function listProcesses() {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          // The program's name is in parentheses and can contain anything.
          const [state, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
            .replace(/^.*\) /s, '')
            .split(' ');
          return [{ pid: Number(name), parent: Number(parent), zombie: state === 'Z' }];
        } catch {
          return [];
        }
      });
  }
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, state]) => ({
      pid: Number(pid),
      parent: Number(parent),
      zombie: state.startsWith('Z'),
    }));
}

/** Returns the ids of a process and all its descendants. */
export function processTree(root) {
  const processes = listProcesses();
  const tree = [root];
  for (const id of tree) {
    tree.push(...processes.filter(({ parent }) => parent === id).map(({ pid }) => pid));
  }
  return tree;
}

/** Returns the ids that are still running; zombies don't count. */
export function stillRunning(pids) {
  const running = new Set(listProcesses().flatMap(({ pid, zombie }) => (zombie ? [] : [pid])));
  return pids.filter((pid) => running.has(pid));
}
