import { createInterface } from 'node:readline';
import { patientWait } from './patient-wait.mjs';
import { describeExit, runProcess, startProcess } from './processes.mjs';
import { projectRoot, say } from './project.mjs';

const firstDelayMs = 500;
const longestDelayMs = 30_000;
const healthyAfterMs = 60_000;
const drainMs = 25_000;

/** Node arguments that run a TypeScript file directly, without a build: for tools and release steps. */
export const tsx = (...args) => ['--import', 'tsx', '--enable-source-maps', ...args];

/** Runs one of our programs until it exits, from its build, as in production. */
export function runProgram(args, { env = process.env, ...options }) {
  return runProcess('sh', [runner, ...args], { ...options, cwd: projectRoot, env: withNode(env) });
}

const runner = 'scripts/run.sh';
/** Uses the node that runs this script, even if PATH has another one. */
const withNode = (env) => ({ ...env, NODE: process.execPath });

/**
 * Keeps one of our programs running, from its build, as in production. Prefixes its output with its name. If it dies,
 * starts it again, with a delay that doubles while it keeps dying. Until `settle()` is called, it is not restarted, and
 * `failed` resolves with the reason instead.
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
 * Waits until the API is ready, without a time limit: callers abort `signal` if it dies. Meanwhile, its last answer is
 * printed from time to time.
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
