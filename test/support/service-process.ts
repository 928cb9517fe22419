import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { leavingsFile } from './leavings.ts';
import { environmentOf, type TestSettings } from './settings.ts';

/**
 * A real process of the service (`api/main.ts`, `workers/main.ts`) from its build, which tests may kill and restart.
 */
export interface ServiceProcess {
  start(): void;
  /** Sends SIGKILL: nothing is cleaned up. */
  kill(): Promise<void>;
  /** Sends SIGTERM: drains. Resolves with the exit code; null if a signal ended it or it was not running. */
  stop(): Promise<number | null>;
  /** Sends SIGSTOP: it freezes in the middle of its work, with open connections. */
  pause(): void;
  /** Sends SIGCONT: it continues as if no time had passed. */
  resume(): void;
  /** The id of the running process. */
  readonly pid: number | undefined;
  /** The code or signal of an unrequested exit; null while it runs. */
  readonly endedWith: number | NodeJS.Signals | null;
}

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** Starts a program from its build; `command` is its source (`workers/main.ts`) and its arguments. */
export function spawnProgram(
  command: readonly string[],
  env: TestSettings,
  stdio: StdioOptions = 'inherit',
): ChildProcess {
  const { NODE_OPTIONS: _jestOnly, ...inherited } = process.env;
  return spawn('sh', ['scripts/run.sh', ...command], {
    cwd: PROJECT,
    env: { ...inherited, NODE: process.execPath, ...environmentOf(env) },
    stdio,
  });
}

/** Sends a signal and waits for the exit; returns the code, or null if a signal ended it or it had already ended. */
export async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals,
): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return null;
  const gone = once(child, 'exit');
  child.kill(signal);
  const [code] = await gone;
  return code;
}

export function serviceProcess(script: string, env: TestSettings): ServiceProcess {
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    child = undefined;
    return running ? endProcess(running, signal) : null;
  };
  return {
    start() {
      const kept = leavingsFile('log');
      child = spawnProgram([script], { ...env, ...(kept && { LOG_LEVEL: 'trace' }) }, [
        'ignore',
        kept ? openSync(kept, 'a') : 'ignore',
        'inherit',
      ]);
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
    get endedWith() {
      return child?.exitCode ?? child?.signalCode ?? null;
    },
  };
}

/** The range in which ports are chosen: below the systems' ephemeral ports, which can't be reserved. */
const PORTS = { from: 12_000, to: 32_000 };
const ATTEMPTS = 100;

/** Returns a port that nothing listens on, and that no other process gets from here while this one runs. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(PORTS.from, PORTS.to);
    if ((await claim(port)) && (await isFree(port))) return port;
  }
  throw new Error(`no free port among ${ATTEMPTS} that were tried`);
}

/** Binds the UDP port with the same number, which marks the port as taken until this process ends. */
function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  socket.unref();
  return new Promise((resolve) => {
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (listens) await new Promise((resolve) => server.close(resolve));
  return listens;
}
