import { createServer } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { Postgres } from '../database/postgres.ts';
import type { Redis } from '../redis/redis.ts';
import type { Logger } from './logger.ts';

/**
 * A process's own metrics, for Prometheus. Figures of the whole installation are in
 * `shared/operations/monitoring`. Labels are fixed words, never an id, a name or a domain.
 */
export interface Metrics {
  registry: Registry;
  /** Seconds a request took, by method, route pattern and status. */
  httpSeconds: Histogram<'method' | 'route' | 'status'>;
  /** Requests that were refused unread because the process was overloaded. */
  requestsShed: Counter;
  /** Requests without an answer from which on others are refused, while the process is overloaded. */
  requestLimit: Gauge;
  /** Jobs by queue, name and outcome. */
  jobsTotal: Counter<'queue' | 'name' | 'outcome'>;
  /** Seconds a job took, by queue and name. */
  jobSeconds: Histogram<'queue' | 'name'>;
  /** Seconds from the moment at which a job was due to the start of the attempt, by queue and name. */
  jobWaitSeconds: Histogram<'queue' | 'name'>;
  /** Seconds from the start of a settlement run to a statement that it closed. */
  statementSeconds: Histogram;
  /** Events that were sent although their schema refuses them. */
  eventFaults: Counter;
  /** Requests to webhook endpoints, by the endpoint's health before (healthy, failing) and the outcome. */
  webhookAttempts: Counter<'class' | 'outcome'>;
  /** Seconds such a request took, by class. */
  webhookAttemptSeconds: Histogram<'class'>;
  /** Seconds from an event to the first request with it, by class. */
  webhookFirstAttemptSeconds: Histogram<'class'>;
  /** Seconds from an event to the answer that took it, by class. */
  webhookDeliverySeconds: Histogram<'class'>;
  /** Seconds a search of the market took, by whether it found something. */
  searchSeconds: Histogram<'result'>;
  /** Lookups of domains at registries, by source (cache, registry) and outcome. */
  lookupsTotal: Counter<'source' | 'outcome'>;
  /** Seconds that a question to a registry took. */
  lookupSeconds: Histogram<'outcome'>;
  /** Requests that are missing in partners' request logs, by reason. */
  requestLogDropped: Counter<'reason'>;
}

const QUICK_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
/** With the goals of docs/monitoring.md among them. */
const WAIT_BUCKETS = [0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800];

let ofProcess: Registry | undefined;

/** Memory, event loop, garbage collection: begun once a process, because nothing ends the watching. */
function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** The metrics of one process; its connections are looked at when they are scraped. */
export function createMetrics(connections: {
  db: Pick<Postgres, 'connections'>;
  redis: Readonly<Record<string, Redis>>;
}): Metrics {
  const registry = Registry.merge([processMetrics()]);
  watchConnections(registry, connections);
  const registers = [registry];
  return {
    registry,
    httpSeconds: new Histogram({
      name: 'marketplace_http_seconds',
      help: 'Seconds a request took.',
      labelNames: ['method', 'route', 'status'],
      buckets: QUICK_BUCKETS,
      registers,
    }),
    requestsShed: new Counter({
      name: 'marketplace_http_shed_total',
      help: 'Requests refused because the process was overloaded.',
      registers,
    }),
    requestLimit: new Gauge({
      name: 'marketplace_http_limit',
      help: 'Requests that an overloaded process keeps.',
      registers,
    }),
    jobsTotal: new Counter({
      name: 'marketplace_jobs_total',
      help: 'Jobs by outcome.',
      labelNames: ['queue', 'name', 'outcome'],
      registers,
    }),
    jobSeconds: new Histogram({
      name: 'marketplace_job_seconds',
      help: 'Seconds a job took.',
      labelNames: ['queue', 'name'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120],
      registers,
    }),
    jobWaitSeconds: new Histogram({
      name: 'marketplace_job_wait_seconds',
      help: 'Seconds from when a job was due to its start.',
      labelNames: ['queue', 'name'],
      buckets: WAIT_BUCKETS,
      registers,
    }),
    statementSeconds: new Histogram({
      name: 'marketplace_statement_seconds',
      help: 'Seconds from the start of a settlement run to a statement that it closed.',
      buckets: WAIT_BUCKETS,
      registers,
    }),
    eventFaults: new Counter({
      name: 'marketplace_event_faults_total',
      help: 'Events that were sent although their schema refuses them.',
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'marketplace_webhook_attempts_total',
      help: 'Requests to webhook endpoints.',
      labelNames: ['class', 'outcome'],
      registers,
    }),
    webhookAttemptSeconds: new Histogram({
      name: 'marketplace_webhook_attempt_seconds',
      help: 'Seconds a request to a webhook endpoint took.',
      labelNames: ['class'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    webhookFirstAttemptSeconds: new Histogram({
      name: 'marketplace_webhook_first_attempt_seconds',
      help: 'Seconds from an event to the first request with it.',
      labelNames: ['class'],
      buckets: WAIT_BUCKETS,
      registers,
    }),
    webhookDeliverySeconds: new Histogram({
      name: 'marketplace_webhook_delivery_seconds',
      help: 'Seconds from an event to its delivery.',
      labelNames: ['class'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800, 7_200, 43_200],
      registers,
    }),
    searchSeconds: new Histogram({
      name: 'marketplace_search_seconds',
      help: 'Seconds a search of the market took.',
      labelNames: ['result'],
      buckets: QUICK_BUCKETS,
      registers,
    }),
    lookupsTotal: new Counter({
      name: 'marketplace_lookups_total',
      help: 'Answers about domains, from the cache or a registry.',
      labelNames: ['source', 'outcome'],
      registers,
    }),
    lookupSeconds: new Histogram({
      name: 'marketplace_lookup_seconds',
      help: 'Seconds a query to a registry took.',
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8],
      registers,
    }),
    requestLogDropped: new Counter({
      name: 'marketplace_request_log_dropped_total',
      help: 'Requests that the request logs of partners lack.',
      labelNames: ['reason'],
      registers,
    }),
  };
}

function watchConnections(
  registry: Registry,
  { db, redis }: { db: Pick<Postgres, 'connections'>; redis: Readonly<Record<string, Redis>> },
): void {
  const registers = [registry];
  new Gauge({
    name: 'marketplace_postgres_connections',
    help: 'Connections of the pool.',
    labelNames: ['state'],
    registers,
    collect() {
      const { used, free } = db.connections();
      this.set({ state: 'used' }, used);
      this.set({ state: 'free' }, free);
    },
  });
  new Gauge({
    name: 'marketplace_postgres_waiting',
    help: 'Callers waiting for a connection.',
    registers,
    collect() {
      this.set(db.connections().waiting);
    },
  });
  new Gauge({
    name: 'marketplace_redis_up',
    help: 'Whether a connection to Redis can take commands.',
    labelNames: ['connection'],
    registers,
    collect() {
      for (const [connection, each] of Object.entries(redis)) {
        this.set({ connection }, each.status === 'ready' ? 1 : 0);
      }
    },
  });
}

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
