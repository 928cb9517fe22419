import { readFileSync } from 'node:fs';
import { freePort } from './ports.mjs';
import { describeExit } from './processes.mjs';
import { sleep, UserError } from './project.mjs';

const startTimeoutMs = 60_000;

/**
 * Starts a server on a free port, `preferredPort` if it is, and waits until it is ready. A start that fails
 * with one of the `temporary` reasons in its log, such as a port lost to someone else, is tried again.
 * `spawn(port)` starts the process; `isReady(port, pid)` tells whether it answers.
 */
export async function launchServer({ name, log, preferredPort, spawn, isReady, temporary }) {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const port = await freePort(preferredPort);
    const server = spawn(port);
    let ended;
    server.exited.then((result) => {
      ended = result;
    });
    while (!ended && !(await isReady(port, server.pid))) {
      if (Date.now() > deadline) {
        await server.stop();
        throw new UserError(`${name} was not ready after 60 s; see ${log}`);
      }
      await sleep(25);
    }
    if (!ended) return { server, port };

    const text = readFileSync(log, 'utf8').slice(-4_000);
    if (!temporary.test(text) || Date.now() > deadline) {
      throw new UserError(`${name} did not start (${describeExit(ended)}).\n${text}`);
    }
    await sleep(250);
  }
}
