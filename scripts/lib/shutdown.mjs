import { constants } from 'node:os';
import { killAll } from './processes.mjs';
import { say } from './project.mjs';

/**
 * `npm` passes a signal on to a script that already had it from the terminal, so that one Ctrl-C
 * arrives twice. Only what comes later than this is a second wish.
 */
const sameSignalMs = 1_000;
const parentPollMs = 250;

/**
 * Runs `body(shutdown)` and then, whatever came of it, the steps that it added with `shutdown.add`,
 * the last one first. A first SIGINT, SIGTERM or SIGHUP runs the steps at once and exits with 128 +
 * the signal's number; a second kills all that is left. `announce` is said at the first.
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
    /** True once a signal has asked us to end; whatever fails from then on is no news. */
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

/** A signal that is sent to npm alone ends npm and never reaches us: when it is gone, we go too. */
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
