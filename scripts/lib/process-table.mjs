import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** True when a process with this id exists, whoever owns it. */
function isAlive(pid) {
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
async function waitUntilGone(pid, timeoutMs) {
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

/** All processes as `{pid, parent, zombie}`. */
function listProcesses() {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          // The program's name stands in parentheses and may hold anything.
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

/** The process and everything below it, as a list of ids. */
export function processTree(root) {
  const processes = listProcesses();
  const tree = [root];
  for (const id of tree) {
    tree.push(...processes.filter(({ parent }) => parent === id).map(({ pid }) => pid));
  }
  return tree;
}

/** Those of the ids that still run; a zombie does not. */
export function stillRunning(pids) {
  const running = new Set(listProcesses().flatMap(({ pid, zombie }) => (zombie ? [] : [pid])));
  return pids.filter((pid) => running.has(pid));
}
