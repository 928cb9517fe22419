import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { createServer } from 'node:net';
import { leavingsFile } from './leavings.ts';

/** A real process of the service (`api/main.ts`, `workers/main.ts`) from its build, that a test may kill and start again. */
export interface ServiceProcess {
  start(): void;
  /** SIGKILL: nothing is tidied up. */
  kill(): Promise<void>;
  /** SIGTERM: drains. Resolves with the exit code; null when a signal ended it or it did not run. */
  stop(): Promise<number | null>;
  /** SIGSTOP: it stands still in mid-step, its connections open. */
  pause(): void;
  /** SIGCONT: it goes on as if no time had passed. */
  resume(): void;
  /** Of the process that runs now. */
  readonly pid: number | undefined;
}

export function serviceProcess(script: string, env: Record<string, string>): ServiceProcess {
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return null;
    const gone = new Promise<number | null>((resolve) => running.once('exit', resolve));
    running.kill(signal);
    return gone;
  };
  return {
    start() {
      const { NODE_OPTIONS: _jestOnly, ...inherited } = process.env;
      const kept = leavingsFile('log');
      child = spawn('sh', ['scripts/run.sh', script], {
        env: { ...inherited, NODE: process.execPath, ...env, ...(kept && { LOG_LEVEL: 'trace' }) },
        stdio: ['ignore', kept ? openSync(kept, 'a') : 'ignore', 'inherit'],
      });
    },
    async kill() {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    get pid() {
      return child?.pid;
    },
  };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
