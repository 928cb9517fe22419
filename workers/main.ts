import { assertNoDemoAccounts } from '../shared/operations/demo/demo-accounts.ts';
import { openInfrastructure } from '../shared/operations/infrastructure.ts';
import { requireKeyOfDatabase } from '../shared/people/partners/read-credentials.ts';
import {
  loadConfig,
  requireMailServer,
  requireSecretsKey,
} from '../shared/platform/config/config.ts';
import { startMetricsServer } from '../shared/platform/observability/metrics.ts';
import { startTracing } from '../shared/platform/observability/tracing.ts';
import { requireNoEviction } from '../shared/platform/redis/eviction-policy.ts';
import { composeWorkers } from './compose-workers.ts';
import { queuesOf, startWorkers } from './start-workers.ts';

/** The maximum time after the drain for giving jobs back and closing connections. */
const RELEASE_MS = 5_000;

async function main(): Promise<void> {
  const queues = queuesOf(process.argv.slice(2));
  const config = loadConfig();
  // Deliveries are signed with their endpoints' secrets, and links in mail with our own key; authorization codes of
  // domains are stored sealed.
  const transfersOverEpp =
    config.registrarLive !== 'manual' &&
    (queues.includes('transfers') || queues.includes('transfer-polls'));
  if (queues.includes('webhooks') || (queues.includes('mail') && config.mail) || transfersOverEpp)
    requireSecretsKey(config);
  if (queues.includes('mail')) requireMailServer(config);
  const runtime = composeWorkers(openInfrastructure(config, { process: 'worker' }));
  const { log } = runtime;
  process.on('uncaughtException', (error) => {
    // Restarting is safer than running in an unknown state; other workers take over the jobs.
    log.fatal({ err: error }, 'worker: uncaught');
    process.exit(1);
  });
  await runtime.ready();
  await requireNoEviction(runtime.redis, log);
  if (config.secretsKey.length > 0) await requireKeyOfDatabase(runtime);
  await assertNoDemoAccounts(runtime);
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

await main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
});
