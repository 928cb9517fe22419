import { readFileSync } from 'node:fs';
import { patientWait } from './patient-wait.mjs';
import { freePort } from './ports.mjs';
import { describeExit } from './processes.mjs';
import { sleep, UserError } from './project.mjs';

/** How long to retry a start that fails for a temporary reason. */
const retryForMs = 60_000;

/**
 * Starts a server on a free port (`preferredPort` if that is free) and waits until it is ready or has exited. Retries
 * if its log matches `temporary`, for example because another program took the port.
 * `spawn(port)` starts the process; `isReady(port, pid)` tells whether it answers.
 */
export async function launchServer({ name, log, preferredPort, spawn, isReady, temporary }) {
  const deadline = Date.now() + retryForMs;
  for (;;) {
    const port = await freePort(preferredPort);
    const server = spawn(port);
    let ended;
    server.exited.then((result) => {
      ended = result;
    });
    await patientWait(async () => ended || isReady(port, server.pid), {
      everyMs: 25,
      what: () => `${name} (its log: ${log})`,
    });
    if (!ended) return { server, port };

    const text = readFileSync(log, 'utf8').slice(-4_000);
    if (!temporary.test(text) || Date.now() > deadline) {
      const reason = /No space left on device/.test(text)
        ? 'the disk is full, make room on it'
        : describeExit(ended);
      throw new UserError(`${name} did not start (${reason}). Its log ended with:\n${text}`);
    }
    await sleep(250);
  }
}
