import { sleep } from './project.mjs';

/** Nobody who looks at a terminal should wonder for longer what it waits for. */
const tellAfterMs = 30_000;

/**
 * Asks `isDone` again and again until it says so, without a limit in time: how long a start takes is for the machine
 * to say. Says at times what it waits for, in the words of `what`. `signal` ends the wait.
 */
export async function patientWait(isDone, { everyMs, what, signal }) {
  let toldAt = Date.now();
  while (!signal?.aborted && !(await isDone())) {
    if (Date.now() - toldAt >= tellAfterMs) {
      // What a command prints may be read by a program.
      process.stderr.write(`Still waiting for ${what()} ...\n`);
      toldAt = Date.now();
    }
    await sleep(everyMs);
  }
}
