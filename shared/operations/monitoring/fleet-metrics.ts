import { Gauge, Registry } from 'prom-client';
import { QUEUE_NAMES } from '../../messaging/jobs/job-queues.ts';
import { type Clock, SECOND } from '../../platform/clock.ts';
import type { SharedRead } from '../../platform/concurrency/shared-read.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { FleetStats } from './fleet-stats.ts';

export interface FleetMetrics {
  registry: Registry;
  /** Returns the figures in Prometheus text format, at most five seconds old. Never throws. */
  read(): Promise<string>;
}

interface Deps {
  figures: FleetStats;
  clock: Clock;
  log: Logger;
}

const READ_EVERY_MS = 5 * SECOND;
const OUTBOX_STATES = ['pending', 'dispatched', 'dead'];

/** A figure and its gauges. */
interface Collector {
  /** The figure's label in `marketplace_fleet_read_ok`. */
  source: string;
  /** Reads the figure and sets its gauges; clears them and returns false if it cannot be read. */
  refresh(): Promise<boolean>;
}

/**
 * Creates the metrics of the whole installation, from Postgres and Redis. Every process serves the same values, so
 * aggregate them with `max`, never with `sum`. A figure that cannot be read is left out rather than reported with its
 * last value; the others are unaffected.
 */
export function createFleetMetrics(deps: Deps): FleetMetrics {
  const registry = new Registry();
  const gauges = createFleetGauges(registry);
  const redis = redisCollector(deps, gauges);
  const ofPostgres = [
    backlogCollector(deps, gauges),
    deliveryCollector(deps, gauges),
    settlementRunCollector(deps, gauges),
    workCollector(deps, gauges),
    ledgerCollector(deps, gauges),
  ];
  return {
    registry,
    async read() {
      const refresh = async ({ source, refresh }: Collector) => {
        const ok = await refresh();
        gauges.readOk.set({ source }, ok ? 1 : 0);
        return ok;
      };
      const [postgres] = await Promise.all([Promise.all(ofPostgres.map(refresh)), refresh(redis)]);
      // A single slow figure says little; Postgres counts as down only if no figure can be read.
      gauges.readOk.set({ source: 'postgres' }, postgres.includes(true) ? 1 : 0);
      return registry.metrics();
    },
  };
}

function createCollector<T>(
  { log }: Deps,
  source: string,
  read: SharedRead<T>,
  mine: readonly Gauge[],
  show: (found: T) => void,
): Collector {
  return {
    source,
    async refresh() {
      const found = await read(READ_EVERY_MS).then(
        (value) => ({ value }),
        (error: unknown) => {
          log.debug({ err: error, source }, 'figures of the installation');
          return undefined;
        },
      );
      for (const gauge of mine) clear(gauge);
      if (found) show(found.value);
      return found !== undefined;
    },
  };
}

/** Removes a gauge's values. A reset gauge without labels would report 0, but the value is unknown. */
function clear(gauge: Gauge): void {
  gauge.reset();
  const { labelNames } = gauge as unknown as { labelNames: readonly string[] };
  if (labelNames.length === 0) gauge.remove();
}

function redisCollector(
  deps: Deps,
  { queueJobs, queueOldest, redisEvicts }: FleetGauges,
): Collector {
  const { queues, eviction } = deps.figures;
  const read = async (maxAgeMs: number) => ({
    queues: await queues(maxAgeMs),
    policy: await eviction(maxAgeMs),
  });
  const mine = [queueJobs, queueOldest, redisEvicts];
  return createCollector(deps, 'redis', read, mine, ({ queues, policy }) => {
    redisEvicts.set(policy === 'evicts' ? 1 : 0);
    for (const { queue, counts, oldestWaitingMs } of queues) {
      for (const [state, count] of Object.entries(counts)) queueJobs.set({ queue, state }, count);
      queueOldest.set({ queue }, (oldestWaitingMs ?? 0) / SECOND);
    }
  });
}

function backlogCollector(deps: Deps, { outboxBacklog, outboxOldest }: FleetGauges): Collector {
  return createCollector(
    deps,
    'outbox',
    deps.figures.backlog,
    [outboxBacklog, outboxOldest],
    (backlog) => {
      // Set missing series to 0: otherwise graphs would keep showing their last value.
      for (const queue of QUEUE_NAMES) {
        for (const state of OUTBOX_STATES) {
          outboxBacklog.set({ queue, state }, 0);
          outboxOldest.set({ queue, state }, 0);
        }
      }
      for (const { queue, state, count, oldestMs } of backlog) {
        outboxBacklog.set({ queue, state }, count);
        outboxOldest.set({ queue, state }, oldestMs / SECOND);
      }
    },
  );
}

function deliveryCollector(deps: Deps, gauges: FleetGauges): Collector {
  const { endpoints, deliveriesDue, deliveriesOldest } = gauges;
  const mine = [endpoints, deliveriesDue, deliveriesOldest];
  return createCollector(deps, 'deliveries', deps.figures.deliveries, mine, (work) => {
    for (const { class: kind, endpoints: count, due, oldestDue } of work) {
      endpoints.set({ class: kind }, count);
      deliveriesDue.set({ class: kind }, due);
      deliveriesOldest.set({ class: kind }, secondsSince(deps, oldestDue));
    }
  });
}

function settlementRunCollector(
  deps: Deps,
  { settlementRuns, settlementRunOldest }: FleetGauges,
): Collector {
  const mine = [settlementRuns, settlementRunOldest];
  return createCollector(deps, 'settlement_runs', deps.figures.runs, mine, (runs) => {
    for (const { environment, count, oldest } of runs) {
      settlementRuns.set({ environment }, count);
      settlementRunOldest.set({ environment }, secondsSince(deps, oldest));
    }
  });
}

function workCollector(deps: Deps, { work }: FleetGauges): Collector {
  return createCollector(deps, 'work', deps.figures.work, [work], (waiting) => {
    for (const [environment, counts] of Object.entries(waiting)) {
      for (const [name, count] of Object.entries(counts)) {
        const kind = name.replace(/[A-Z]/g, (big) => `_${big.toLowerCase()}`);
        work.set({ kind, environment }, count);
      }
    }
  });
}

function ledgerCollector(deps: Deps, gauges: FleetGauges): Collector {
  const { ledgerImbalances, ledgerCheckAge, ledgerWholeCheckAge } = gauges;
  const mine = [ledgerImbalances, ledgerCheckAge, ledgerWholeCheckAge];
  return createCollector(deps, 'ledger', deps.figures.ledger, mine, (ledger) => {
    if (!ledger) return;
    ledgerImbalances.set(ledger.imbalances);
    ledgerCheckAge.set(secondsSince(deps, ledger.at));
    if (ledger.wholeAt) ledgerWholeCheckAge.set(secondsSince(deps, ledger.wholeAt));
  });
}

function secondsSince({ clock }: Deps, since: Date | null): number {
  return since ? Math.max(0, clock.now().getTime() - since.getTime()) / SECOND : 0;
}

/** The gauges of the whole installation; every process reports the same values. */
interface FleetGauges {
  /** Whether the figures of a source (`postgres`, `redis`) could be read. */
  readOk: Gauge<'source'>;
  queueJobs: Gauge<'queue' | 'state'>;
  queueOldest: Gauge<'queue'>;
  redisEvicts: Gauge;
  outboxBacklog: Gauge<'queue' | 'state'>;
  outboxOldest: Gauge<'queue' | 'state'>;
  endpoints: Gauge<'class'>;
  deliveriesDue: Gauge<'class'>;
  deliveriesOldest: Gauge<'class'>;
  settlementRuns: Gauge<'environment'>;
  settlementRunOldest: Gauge<'environment'>;
  work: Gauge<'kind' | 'environment'>;
  ledgerImbalances: Gauge;
  ledgerCheckAge: Gauge;
  ledgerWholeCheckAge: Gauge;
}

/** Creates the gauges of the installation, in their own registry. */
function createFleetGauges(registry: Registry): FleetGauges {
  const gauge = <T extends string>(name: string, help: string, labelNames: readonly T[]) =>
    new Gauge<T>({ name: `marketplace_${name}`, help, labelNames, registers: [registry] });
  return {
    readOk: gauge('fleet_read_ok', 'Whether these metrics could be read.', ['source']),
    queueJobs: gauge('queue_jobs', 'Jobs in Redis; one can carry up to 16 rows.', [
      'queue',
      'state',
    ]),
    queueOldest: gauge('queue_oldest_waiting_seconds', 'How long the next job has waited.', [
      'queue',
    ]),
    redisEvicts: gauge(
      'redis_evicts',
      'Whether a full Redis would forget keys, such as nonces.',
      [],
    ),
    outboxBacklog: gauge('outbox_backlog', 'Outbox rows that are due or dead.', ['queue', 'state']),
    outboxOldest: gauge('outbox_oldest_seconds', 'How long the oldest due row has been due.', [
      'queue',
      'state',
    ]),
    endpoints: gauge('webhook_endpoints', 'Webhook endpoints.', ['class']),
    deliveriesDue: gauge(
      'webhook_deliveries_due',
      'Due deliveries, counted up to 1,000 per endpoint.',
      ['class'],
    ),
    deliveriesOldest: gauge(
      'webhook_oldest_due_seconds',
      'How long the oldest due delivery has been due.',
      ['class'],
    ),
    settlementRuns: gauge('settlement_runs_open', 'Settlement runs that have not ended.', [
      'environment',
    ]),
    settlementRunOldest: gauge(
      'settlement_run_oldest_seconds',
      'Age of the oldest settlement run that has not ended.',
      ['environment'],
    ),
    work: gauge('work_waiting', 'What waits for people, by kind and environment.', [
      'kind',
      'environment',
    ]),
    ledgerImbalances: gauge('ledger_imbalances', 'Imbalances found by the last ledger check.', []),
    ledgerCheckAge: gauge('ledger_check_age_seconds', 'Age of the last ledger check.', []),
    ledgerWholeCheckAge: gauge(
      'ledger_whole_check_age_seconds',
      'Age of the last full ledger check.',
      [],
    ),
  };
}
