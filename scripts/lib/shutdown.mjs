import { constants } from 'node:os';
import { killAll } from './processes.mjs';
import { say } from './project.mjs';

/**
 * One orderly end for a script: steps run once, the last added first. The first SIGINT, SIGTERM or
 * SIGHUP runs them and exits with 128 + the signal's number; the second kills all that is left.
 */
export function createShutdown({ announce } = {}) {
  const steps = [];
  let running;

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

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    const code = 128 + constants.signals[signal];
    process.on(signal, () => {
      if (shutdown.requested) {
        killAll();
        process.exit(code);
      }
      shutdown.requested = true;
      if (announce) say(announce);
      run().then(() => process.exit(code));
    });
  }

  const shutdown = {
    /** True once a signal has asked us to end; whatever fails from then on is no news. */
    requested: false,
    add: (step) => steps.push(step),
    run,
  };
  return shutdown;
}
