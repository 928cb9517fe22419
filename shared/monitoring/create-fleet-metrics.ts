import { Registry } from 'prom-client';
import { countWork } from '../desk/read-desk.ts';
import { outboxBacklog, queueDepths } from '../outbox/queue-status.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import type { Logger } from '../platform/logger.ts';
import { QUEUE_NAMES, type Queues } from '../platform/queues.ts';
import { openRuns } from '../settlements/open-runs.ts';
import { countDeliveryWork } from '../webhooks/count-delivery-work.ts';
import { createFleetGauges, type FleetGauges } from './fleet-gauges.ts';

export interface FleetMetrics {
  registry: Registry;
  /** The figures as text for Prometheus; read afresh at most every five seconds. Never throws. */
  read(): Promise<string>;
}

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
  queues: Queues;
  log: Logger;
}

const READ_EVERY_MS = 5_000;
/** What is not read by then is left out of this scrape. */
const READ_MS = 3_000;
const OUTBOX_STATES = ['pending', 'dispatched', 'dead'];

/**
 * Figures of the whole installation, from Postgres and Redis: the same in every process that serves them,
 * so they are to be looked at with `max`, never with `sum`. A source that can't be read has no figures,
 * rather than old ones.
 */
export function createFleetMetrics(deps: Deps): FleetMetrics {
  const registry = new Registry();
  const gauges = createFleetGauges(registry);
  const fromRedis = source(gauges, 'redis', deps.log, () => readRedis(deps, gauges));
  const fromPostgres = source(gauges, 'postgres', deps.log, () => readPostgres(deps, gauges));
  let reading: Promise<unknown> = Promise.resolve();
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    registry,
    async read() {
      if (performance.now() - readAt >= READ_EVERY_MS) {
        readAt = performance.now();
        reading = Promise.all([fromRedis(), fromPostgres()]);
      }
      await reading;
      return registry.metrics();
    },
  };
}

/** Reads one source's figures, all of them or none. */
function source(
  gauges: FleetGauges,
  name: 'redis' | 'postgres',
  log: Logger,
  read: () => Promise<() => void>,
): () => Promise<void> {
  const mine = name === 'redis' ? redisGauges(gauges) : postgresGauges(gauges);
  return async () => {
    const show = await inTime(read()).catch((error: unknown) => {
      log.debug({ err: error, source: name }, 'figures of the installation');
      return undefined;
    });
    for (const gauge of mine) gauge.reset();
    // A reset gauge without labels would say 0, which is not what nobody knows.
    if (name === 'postgres') for (const gauge of unlabelled(gauges)) gauge.remove();
    show?.();
    gauges.readOk.set({ source: name }, show ? 1 : 0);
  };
}

function unlabelled({ ledgerImbalances, ledgerCheckAge }: FleetGauges) {
  return [ledgerImbalances, ledgerCheckAge];
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('too slow')), READ_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function redisGauges({ queueJobs, queueOldest }: FleetGauges) {
  return [queueJobs, queueOldest];
}

function postgresGauges({ readOk, queueJobs, queueOldest, ...rest }: FleetGauges) {
  return Object.values(rest);
}

async function readRedis(deps: Deps, gauges: FleetGauges): Promise<() => void> {
  const queues = await queueDepths(deps);
  return () => {
    for (const { queue, counts, oldestWaitingMs } of queues) {
      for (const [state, count] of Object.entries(counts)) {
        gauges.queueJobs.set({ queue, state }, count);
      }
      gauges.queueOldest.set({ queue }, (oldestWaitingMs ?? 0) / 1_000);
    }
  };
}

async function readPostgres(deps: Deps, gauges: FleetGauges): Promise<() => void> {
  const now = deps.clock.now().getTime();
  const seconds = (since: Date | null) => (since ? Math.max(0, now - since.getTime()) / 1_000 : 0);
  const [backlog, deliveries, runs, work] = await Promise.all([
    outboxBacklog(deps),
    countDeliveryWork(deps),
    openRuns(deps),
    countWork(deps),
  ]);
  return () => {
    // A figure that vanishes would stand in a graph as it last was.
    for (const queue of QUEUE_NAMES) {
      for (const state of OUTBOX_STATES) {
        gauges.outboxBacklog.set({ queue, state }, 0);
        gauges.outboxOldest.set({ queue, state }, 0);
      }
    }
    for (const { queue, state, count, oldestMs } of backlog) {
      gauges.outboxBacklog.set({ queue, state }, count);
      gauges.outboxOldest.set({ queue, state }, oldestMs / 1_000);
    }
    for (const { class: kind, endpoints, due, oldestDue } of deliveries) {
      gauges.endpoints.set({ class: kind }, endpoints);
      gauges.deliveriesDue.set({ class: kind }, due);
      gauges.deliveriesOldest.set({ class: kind }, seconds(oldestDue));
    }
    for (const { environment, count, oldest } of runs) {
      gauges.settlementRuns.set({ environment }, count);
      gauges.settlementRunOldest.set({ environment }, seconds(oldest));
    }
    const { ledger, ...waiting } = work;
    for (const [kind, count] of Object.entries(waiting)) {
      gauges.work.set({ kind: kind.replace(/[A-Z]/g, (big) => `_${big.toLowerCase()}`) }, count);
    }
    if (ledger) {
      gauges.ledgerImbalances.set(ledger.imbalances);
      gauges.ledgerCheckAge.set(seconds(ledger.at));
    }
  };
}
