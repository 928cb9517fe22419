import { createInterface } from 'node:readline';
import { patientWait } from './patient-wait.mjs';
import { describeExit, runProcess, startProcess } from './processes.mjs';
import { projectRoot, say } from './project.mjs';

const firstDelayMs = 500;
const longestDelayMs = 30_000;
const healthyAfterMs = 60_000;
const drainMs = 25_000;

/** The arguments with which node runs one of our TypeScript files as it is: a tool, a step of a release. */
export const tsx = (...args) => ['--import', 'tsx', '--enable-source-maps', ...args];

/** Runs one of our programs to its end, from its build as in production. */
export function runProgram(args, { env = process.env, ...options }) {
  return runProcess('sh', [runner, ...args], { ...options, cwd: projectRoot, env: withNode(env) });
}

const runner = 'scripts/run.sh';
/** The very node that runs this script, also where another one is on the path. */
const withNode = (env) => ({ ...env, NODE: process.execPath });

/**
 * Keeps one of our programs running, from its build as in production: its lines appear with its name before them, and when it dies
 * it is started again, after a delay that doubles while it keeps dying.
 * Until `settle()` is called a death is final, and is told by the `failed` promise.
 */
export function keepRunning(name, program, env) {
  let current;
  let timer;
  let stopping = false;
  let settled = false;
  let delay = firstDelayMs;
  let tellFailure;
  const failed = new Promise((resolve) => {
    tellFailure = resolve;
  });

  const launch = () => {
    const startedAt = Date.now();
    current = startProcess('sh', [runner, program], {
      cwd: projectRoot,
      env: withNode(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      graceMs: drainMs,
    });
    passLines(current.child.stdout, process.stdout, name);
    passLines(current.child.stderr, process.stderr, name);
    current.exited.then((result) => {
      if (stopping) return;
      if (!settled) {
        tellFailure(`The ${name} did not start (${describeExit(result)}).`);
        return;
      }
      if (Date.now() - startedAt > healthyAfterMs) delay = firstDelayMs;
      say(
        `The ${name} stopped unexpectedly (${describeExit(result)}); starting it again in ${delay / 1_000} s.`,
      );
      timer = setTimeout(launch, delay);
      delay = Math.min(delay * 2, longestDelayMs);
    });
  };
  launch();

  return {
    failed,
    settle: () => {
      settled = true;
    },
    stop: async () => {
      stopping = true;
      clearTimeout(timer);
      await current.stop();
    },
  };
}

function passLines(from, to, name) {
  createInterface({ input: from, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    to.write(`[${name}] ${line}\n`);
  });
}

/**
 * Waits until the API says that it is ready, however long that takes: who watches whether it is alive ends the wait by
 * `signal`. While it is not ready, what it said last is told from time to time.
 */
export async function waitUntilReady(port, signal) {
  let last = 'no answer yet';
  const isReady = async () => {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`, {
        signal: AbortSignal.timeout(5_000),
      });
      last = `${response.status} ${await response.text()}`;
      return response.status === 200;
    } catch (error) {
      last = error.cause?.message ?? error.message;
      return false;
    }
  };
  await patientWait(isReady, { everyMs: 100, what: () => `the API (${last})`, signal });
}
