import { spawn } from 'node:child_process';

/**
 * Ends a child if this script dies without a chance to do so (kill -9, OOM killer). It waits on a pipe whose other end
 * only we hold: the kernel closes that when we die, however that happens. The word "done" means that the child exited
 * normally. A plain shell takes only a megabyte and works on every Unix, unlike a parent-death signal.
 */
const GUARD = `
trap '' INT TERM HUP
pid=$1 signal=$2 tenths=$3 directory=$4
read -r word
[ "$word" = done ] && exit 0
runs() {
  kill -0 "$pid" 2>/dev/null && ! grep -q '^State:[[:space:]]*Z' "/proc/$pid/status" 2>/dev/null
}
kill -s "$signal" "$pid" 2>/dev/null
while [ "$tenths" -gt 0 ] && runs; do sleep 0.1; tenths=$((tenths - 1)); done
kill -s KILL -- "-$pid" 2>/dev/null
[ -n "$directory" ] && rm -rf -- "$directory"
exit 0
`;

const live = new Set();

/** Kills every process that this script started. */
export function killAll() {
  for (const entry of live) entry.kill();
}

function startGuard(pid, { stopSignal, graceMs, crashCleanup }) {
  const args = [pid, stopSignal.replace(/^SIG/, ''), Math.ceil(graceMs / 100), crashCleanup ?? ''];
  const guard = spawn('sh', ['-c', GUARD, 'guard', ...args.map(String)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  guard.stdin.unref?.();
  return () => guard.stdin.end('done\n');
}

/**
 * Starts a process in its own group, so that the terminal's Ctrl-C only reaches us and we can stop things in order, and
 * makes sure that no part of it outlives us.
 * To stop it, we send `stopSignal` to the process, then SIGKILL to the rest of its group after `graceMs`.
 * `crashCleanup` is a directory to remove if we die without a chance to do so.
 */
export function startProcess(command, args, options = {}) {
  const { stopSignal = 'SIGTERM', graceMs = 5_000, crashCleanup, ...spawnOptions } = options;
  const child = spawn(command, args, { ...spawnOptions, detached: true });
  const signalGroup = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It is already gone.
    }
  };
  const release = child.pid
    ? startGuard(child.pid, { stopSignal, graceMs, crashCleanup })
    : () => {};

  const entry = {
    child,
    pid: child.pid,
    /** Resolves, never rejects, with `{code, signal, error}`. */
    exited: new Promise((resolve) => {
      const settle = (result) => {
        if (!live.delete(entry) && child.pid) return;
        if (child.pid) signalGroup('SIGKILL');
        release();
        resolve(result);
      };
      child.once('error', (error) => {
        if (!child.pid) settle({ code: null, signal: null, error });
      });
      child.once('exit', (code, signal) => settle({ code, signal }));
    }),
    kill: () => child.pid && signalGroup('SIGKILL'),
    async stop() {
      if (!live.has(entry)) return entry.exited;
      child.kill(stopSignal);
      const timer = setTimeout(entry.kill, graceMs);
      const result = await entry.exited;
      clearTimeout(timer);
      return result;
    },
  };
  if (child.pid) live.add(entry);
  return entry;
}

/**
 * Runs a process until it exits; returns `{code, signal, error, stdout, stderr}`, with the text of piped streams.
 * With `shutdown`, it is stopped when the script ends.
 */
export async function runProcess(command, args, { shutdown, ...options } = {}) {
  const entry = startProcess(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    ...options,
  });
  shutdown?.add(() => entry.stop());
  const [result, stdout, stderr] = await Promise.all([
    entry.exited,
    readAll(entry.child.stdout),
    readAll(entry.child.stderr),
  ]);
  return { ...result, stdout, stderr };
}

async function readAll(stream) {
  let text = '';
  if (!stream) return text;
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}

/** Describes in words how a process ended. */
export function describeExit({ code, signal, error }) {
  if (error) return error.message;
  return signal ? `signal ${signal}` : `exit code ${code}`;
}
