import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { loadConfig } from '../shared/platform/config.ts';
import { isQueueName, QUEUE_NAMES, type QueueName } from '../shared/platform/queues.ts';
import { startTracing } from '../shared/platform/tracing.ts';
import { createRuntime } from '../shared/runtime.ts';
import { startMetricsServer } from './metrics-server.ts';
import { startWorkers } from './start-workers.ts';

/** What is left after the drain (giving jobs back, closing connections) must not hold the process for longer. */
const RELEASE_MS = 5_000;

/** The queues of `--queues a,b`; all of them without the option. @throws Error naming an unknown one */
export function queuesOf(argv: readonly string[]): readonly QueueName[] {
  const { values } = parseArgs({ args: [...argv], options: { queues: { type: 'string' } } });
  if (values.queues === undefined) return QUEUE_NAMES;
  const names = values.queues.split(',').map((name) => name.trim());
  return names.map((name) => {
    if (isQueueName(name)) return name;
    throw new Error(`there is no queue "${name}"; the queues are ${QUEUE_NAMES.join(', ')}`);
  });
}

async function main(): Promise<void> {
  const queues = queuesOf(process.argv.slice(2));
  const runtime = createRuntime(loadConfig(), { process: 'worker' });
  const { log } = runtime;
  process.on('uncaughtException', (error) => {
    // A worker in an unknown state is worth less than a fresh one; its jobs are taken over.
    log.fatal({ err: error }, 'worker: uncaught');
    process.exit(1);
  });
  await runtime.ready();
  const tracing = await startTracing(runtime.config, { process: 'worker', log });
  const metricsServer = await startMetricsServer(runtime);
  const fleet = startWorkers(runtime, { queues });

  let signals = 0;
  const onSignal = (signal: string) => {
    signals += 1;
    if (signals > 1) process.exit(1);
    log.info({ signal }, 'workers: draining');
    setTimeout(() => process.exit(1), runtime.config.shutdownMs + RELEASE_MS).unref();
    fleet
      .stop()
      .then(() => metricsServer?.stop())
      .then(() => tracing.stop())
      .then(() => runtime.stop())
      .then(() => process.exit(0))
      .catch((error) => {
        log.fatal({ err: error }, 'worker: stop');
        process.exit(1);
      });
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main().catch((error) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  });
}
