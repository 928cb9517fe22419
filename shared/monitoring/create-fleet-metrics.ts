import { type Gauge, Registry } from 'prom-client';
import { type Clock, SECOND } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { QUEUE_NAMES } from '../platform/queues.ts';
import type { SharedRead } from '../platform/shared-read.ts';
import type { FleetStats } from './figures.ts';
import { createFleetGauges, type FleetGauges } from './fleet-gauges.ts';

export interface FleetMetrics {
  registry: Registry;
  /** The figures as text for Prometheus; read afresh at most every five seconds. Never throws. */
  read(): Promise<string>;
}

interface Deps {
  figures: FleetStats;
  clock: Clock;
  log: Logger;
}

const READ_EVERY_MS = 5 * SECOND;
const OUTBOX_STATES = ['pending', 'dispatched', 'dead'];

/** One figure and the gauges that show it. */
interface Collector {
  /** As `marketplace_fleet_read_ok` names it. */
  source: string;
  /** Reads it and shows it; shows nothing and returns false when it can't be read. */
  refresh(): Promise<boolean>;
}

/**
 * Figures of the whole installation, from Postgres and Redis: the same in every process that serves them,
 * so they are to be looked at with `max`, never with `sum`. A figure that can't be read is left out, rather
 * than shown as it last was; the others are there all the same.
 */
export function createFleetMetrics(deps: Deps): FleetMetrics {
  const registry = new Registry();
  const gauges = createFleetGauges(registry);
  const redis = queueCollector(deps, gauges);
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
      // A figure that is slow is its own trouble; Postgres is away when none can be read.
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

/** A reset gauge without labels would say 0, which is not what nobody knows. */
function clear(gauge: Gauge): void {
  gauge.reset();
  const { labelNames } = gauge as unknown as { labelNames: readonly string[] };
  if (labelNames.length === 0) gauge.remove();
}

function queueCollector(deps: Deps, { queueJobs, queueOldest }: FleetGauges): Collector {
  return createCollector(deps, 'redis', deps.figures.queues, [queueJobs, queueOldest], (queues) => {
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
      // A figure that vanishes would stand in a graph as it last was.
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
