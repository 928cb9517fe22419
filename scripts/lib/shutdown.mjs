import { constants } from 'node:os';
import { killAll } from './processes.mjs';
import { say } from './project.mjs';

/**
 * `npm` passes signals on to a script that already got them from the terminal, so one Ctrl-C arrives twice. Only a
 * signal after this time is a second one.
 */
const sameSignalMs = 1_000;
const parentPollMs = 250;

/**
 * Runs `body(shutdown)` and then, even if it fails, the steps that it added with `shutdown.add`, last one first. The
 * first SIGINT, SIGTERM or SIGHUP prints `announce`, runs the steps at once and exits with 128 + the signal's number; a
 * second one kills all remaining processes.
 */
export async function withShutdown(body, { announce } = {}) {
  const steps = [];
  let running;
  let signalledAt;
  let exitCode;

  const run = () => {
    running ??= (async () => {
      while (steps.length > 0) {
        await steps
          .pop()()
          .catch((error) => process.stderr.write(`${error.stack ?? error}\n`));
      }
    })();
    return running;
  };

  const shutdown = {
    /** True once a signal has asked us to stop; errors after that are expected. */
    requested: false,
    add: (step) => steps.push(step),
  };

  const end = (signal) => {
    if (shutdown.requested) {
      if (Date.now() - signalledAt < sameSignalMs) return;
      killAll();
      process.exit(exitCode);
    }
    shutdown.requested = true;
    signalledAt = Date.now();
    exitCode = 128 + constants.signals[signal];
    if (announce) say(announce);
    run().then(() => process.exit(exitCode));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(signal));
  const parentWatch = watchNpm(() => end('SIGTERM'));

  try {
    return await body(shutdown);
  } catch (error) {
    if (!shutdown.requested) throw error;
  } finally {
    clearInterval(parentWatch);
    await run();
    if (shutdown.requested) process.exit(exitCode);
  }
}

/** A signal sent only to npm ends npm and never reaches us, so we stop when npm is gone. */
function watchNpm(onGone) {
  if (!process.env.npm_lifecycle_event) return undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, parentPollMs);
  timer.unref();
  return timer;
}
