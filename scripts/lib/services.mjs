import { startPostgres } from './postgres.mjs';
import { describeExit } from './processes.mjs';
import { say, sleep } from './project.mjs';
import { startRedis } from './redis.mjs';

/**
 * Starts Postgres and Redis in parallel and adds their stop to `shutdown` (Redis first, then Postgres), even if one is
 * still starting by then. With `restart`, one that dies is started again on the same port with the same data.
 */
export async function startServices(shutdown, { restart = false, ...options }) {
  const starting = [
    keep('Postgres', () => startPostgres(options)),
    keep('Redis', () => startRedis(options)),
  ];

  function keep(name, start) {
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
      say(`${name} stopped unexpectedly (${describeExit(result)}); starting it again.`);
      await sleep(500);
      if (stopping) return;
      current = start();
      current.then(watch, (error) => say(`${name} could not be started again: ${error.message}`));
    };
    if (restart) current.then((service) => service.external || watch(service)).catch(() => {});
    return current;
  }

  // Waits for both before it throws, so that nothing is left half started.
  await Promise.allSettled(starting);
  const [postgres, redis] = await Promise.all(starting);
  return { postgres, redis };
}
