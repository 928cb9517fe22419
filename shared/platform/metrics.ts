import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What the service measures of itself, for Prometheus; nothing is global, each process has its own. */
export interface Metrics {
  registry: Registry;
  /** Seconds a request took, by method, route pattern and status. */
  httpSeconds: Histogram<'method' | 'route' | 'status'>;
  /** Jobs by queue, name and outcome. */
  jobsTotal: Counter<'queue' | 'name' | 'outcome'>;
  /** Seconds a job took, by queue and name. */
  jobSeconds: Histogram<'queue' | 'name'>;
  /** Outbox rows due and not done, by queue and state. */
  outboxBacklog: Gauge<'queue' | 'state'>;
}

/** How often a scrape may ask the database for the backlog. */
const BACKLOG_EVERY_MS = 5_000;

type BacklogReader = () => Promise<readonly { queue: string; state: string; count: number }[]>;

/** `readBacklog` is asked when the registry is scraped, at most every five seconds. */
export function createMetrics(readBacklog?: BacklogReader): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    httpSeconds: new Histogram({
      name: 'marketplace_http_seconds',
      help: 'Seconds a request took.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
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
    outboxBacklog: new Gauge({
      name: 'marketplace_outbox_backlog',
      help: 'Outbox rows that are due and not done.',
      labelNames: ['queue', 'state'],
      registers,
      ...(readBacklog && { collect: collectorOf(readBacklog) }),
    }),
  };
}

function collectorOf(
  readBacklog: BacklogReader,
): (this: Gauge<'queue' | 'state'>) => Promise<void> {
  let readAt = Number.NEGATIVE_INFINITY;
  return async function collect() {
    if (performance.now() - readAt < BACKLOG_EVERY_MS) return;
    readAt = performance.now();
    const rows = await readBacklog().catch(() => undefined);
    // An absent database leaves the last figures and does not take the other metrics with it.
    if (!rows) return;
    this.reset();
    for (const { queue, state, count } of rows) this.set({ queue, state }, count);
  };
}
