import cluster from 'node:cluster';
import { assertNoDemoAccounts } from '../shared/operations/demo/demo-accounts.ts';
import { openInfrastructure } from '../shared/operations/infrastructure.ts';
import { createFleetMetrics } from '../shared/operations/monitoring/fleet-metrics.ts';
import { requireKeyOfDatabase } from '../shared/people/partners/read-credentials.ts';
import { type Config, productionWarnings } from '../shared/platform/config/config.ts';
import { startMetricsServer } from '../shared/platform/observability/metrics.ts';
import { startTracing } from '../shared/platform/observability/tracing.ts';
import { requireNoEviction } from '../shared/platform/redis/eviction-policy.ts';
import { createApp } from './app.ts';
import { composeApi } from './compose-api.ts';
import { createLoadShedding } from './http/load-shedding.ts';
import { createApiServer } from './http/server.ts';
import { onSupervisorStop } from './web-processes.ts';

/**
 * The target response time of a saturated process; requests that would take longer get a 503. Far above the response
 * time of a process that keeps up.
 */
const TARGET_MS = 150;
/** The maximum time to close connections after the drain, before the process exits anyway. */
const RELEASE_MS = 5_000;

/** Serves the API on PORT until a signal arrives, then finishes open requests and lets the process end. */
export async function serve(config: Config): Promise<void> {
  const runtime = composeApi(openInfrastructure(config, { process: 'web' }));
  const tracing = await startTracing(config, { process: 'web', log: runtime.log });
  const shedding = createLoadShedding({
    targetMs: TARGET_MS,
    poolSize: config.databasePoolSize,
    usedConnections: () => runtime.db.connections().used,
    shed: runtime.metrics.requestsShed,
    limit: runtime.metrics.requestLimit,
  });
  const { server, stop } = createApiServer(createApp(runtime), { shedding });
  let metricsServer: Awaited<ReturnType<typeof startMetricsServer>>;

  let leaving = false;
  const leave = async (reason: string) => {
    if (leaving) return;
    leaving = true;
    runtime.log.info({ reason }, 'stopping');
    setTimeout(() => process.exit(1), config.shutdownMs + RELEASE_MS).unref();
    await stop(config.shutdownMs);
    await metricsServer?.stop();
    await tracing.stop();
    await runtime.stop();
    cluster.worker?.disconnect();
  };
  let signals = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      signals += 1;
      if (signals > 1) process.exit(1);
      void leave(signal);
    });
  }
  if (cluster.isWorker) onSupervisorStop((reason) => void leave(reason));

  await runtime.ready();
  try {
    await requireNoEviction(runtime.redis, runtime.log);
    await requireKeyOfDatabase(runtime);
    await assertNoDemoAccounts(runtime);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
  for (const warning of productionWarnings(config)) runtime.log.warn(warning);
  metricsServer = await startMetricsServer(runtime, createFleetMetrics(runtime).read).catch(
    (error: Error) => {
      runtime.log.fatal({ err: error }, `cannot listen on METRICS_PORT${adviceOn(error)}`);
      process.exit(1);
    },
  );
  server.on('error', (error) => {
    runtime.log.fatal({ err: error }, `cannot listen on PORT${adviceOn(error)}`);
    process.exit(1);
  });
  server.listen({ port: config.port, ...(config.host && { host: config.host }) }, () => {
    runtime.log.info({ address: server.address() }, 'listening');
  });
}

function adviceOn({ code }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return ': another program uses it';
  if (code === 'EACCES')
    return ': this user may not use it; choose one above 1023, or grant CAP_NET_BIND_SERVICE';
  return '';
}
