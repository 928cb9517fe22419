import { sleep } from './project.mjs';

/** How often to print what we are waiting for. */
const tellAfterMs = 30_000;

/**
 * Polls `isDone` until it returns true, without a time limit: how long a start takes depends on the machine. From time
 * to time, prints what it is waiting for, as returned by `what`. `signal` ends the wait.
 */
export async function patientWait(isDone, { everyMs, what, signal }) {
  let toldAt = Date.now();
  while (!signal?.aborted && !(await isDone())) {
    if (Date.now() - toldAt >= tellAfterMs) {
      // On stderr, since a program may read stdout.
      process.stderr.write(`Still waiting for ${what()} ...\n`);
      toldAt = Date.now();
    }
    await sleep(everyMs);
  }
}
