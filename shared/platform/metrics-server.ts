import { createServer } from 'node:http';
import type { Config } from './config.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/**
 * Serves the metrics of this process (`/metrics`) and that it lives (`/healthz`) on METRICS_PORT, which is for
 * the inside of the network; undefined when there is none. `more` are further metrics, as Prometheus reads them.
 * @throws Error when the port is taken
 */
export async function startMetricsServer(
  { config, metrics, log }: { config: Config; metrics: Metrics; log: Logger },
  more: () => Promise<string> = async () => '',
): Promise<{ stop(): Promise<void> } | undefined> {
  const { metricsPort: port, host } = config;
  if (port === 0) return undefined;
  const { registry } = metrics;
  const server = createServer((req, res) => {
    const answer = (status: number, type: string, body: string) =>
      res.writeHead(status, { 'Content-Type': type }).end(body);
    const path = req.url?.split('?', 1)[0];
    if (req.method !== 'GET') answer(405, 'text/plain', 'GET only\n');
    else if (path === '/healthz') answer(200, 'application/json', '{"status":"ok"}');
    else if (path === '/metrics') {
      Promise.all([registry.metrics(), more()]).then(
        (texts) => answer(200, registry.contentType, texts.join('\n')),
        (error) => {
          log.error({ err: error }, 'metrics');
          answer(500, 'text/plain', 'the metrics could not be read\n');
        },
      );
    } else answer(404, 'text/plain', '/metrics and /healthz are here\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host && { host }) }, resolve);
  });
  log.info({ port }, 'metrics');
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
