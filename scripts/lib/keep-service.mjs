import { readFileSync } from 'node:fs';
import { describeExit } from './processes.mjs';
import { say, sleep } from './project.mjs';

const longestDelayMs = 5_000;
/** How much of its log to print if a service dies: a new start begins a new log. */
const logLines = 10;

/**
 * Starts a service and adds its stop to `shutdown`. With `restart`, starts it again whenever it dies, as often as it
 * takes: a full disk lets no database start until somebody has made space. `tell` prints what happens; the waits begin
 * with `firstDelayMs` and double.
 */
export function keepService(
  shutdown,
  name,
  start,
  { restart = false, tell = say, firstDelayMs = 500 } = {},
) {
  let current = start();
  let stopping = false;
  shutdown.add(async () => {
    stopping = true;
    const service = await current.catch(() => undefined);
    await service?.stop();
  });
  const watch = async (service) => {
    const result = await service.exited;
    if (stopping) return;
    tell(
      `${name} stopped unexpectedly (${describeExit(result)}); starting it again. Its log ended with:\n${endOf(service.log)}`,
    );
    await startAgain();
  };
  const startAgain = async () => {
    for (let tries = 1, delay = firstDelayMs; ; tries += 1) {
      await sleep(delay);
      if (stopping) return;
      current = start();
      try {
        const service = await current;
        tell(`${name} is running again.`);
        return await watch(service);
      } catch (error) {
        if (tries === 1) tell(`${name} cannot be started again yet; trying on. ${error.message}`);
        delay = Math.min(delay * 2, longestDelayMs);
      }
    }
  };
  if (restart) current.then((service) => service.external || watch(service)).catch(() => {});
  return current;
}

function endOf(log) {
  try {
    return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-logLines).join('\n');
  } catch {
    return '(it cannot be read)';
  }
}
