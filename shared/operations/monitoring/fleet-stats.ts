import type { Queues } from '../../messaging/jobs/job-queues.ts';
import {
  type BacklogStatus,
  outboxBacklog,
  type QueueStatus,
  queueDepths,
} from '../../messaging/jobs/queue-status.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import {
  type DeliveryBacklog,
  readDeliveryBacklog,
} from '../../messaging/webhooks/read-deliveries.ts';
import type { Clock } from '../../platform/clock.ts';
import { createSharedRead, type SharedRead } from '../../platform/concurrency/shared-read.ts';
import type { Config } from '../../platform/config/config.ts';
import { type EvictionPolicy, readEvictionPolicy } from '../../platform/redis/eviction-policy.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import {
  countOpenSettlementRuns,
  type OpenSettlementRuns,
} from '../../settlement/statements/read-settlement-runs.ts';
import {
  countOpenWork,
  type LedgerCheckSummary,
  readLedgerCheckSummary,
  type WorkByEnvironment,
} from './console-read-model.ts';

/**
 * The health of the installation, for metrics, status page, console and commands. Each figure is read separately,
 * cached for as long as the caller accepts, and limited to two seconds in Postgres; a slow one does not affect the
 * others.
 */
export interface FleetStats {
  /** From Redis. */
  queues: SharedRead<QueueStatus[]>;
  eviction: SharedRead<EvictionPolicy>;
  backlog: SharedRead<BacklogStatus[]>;
  deliveries: SharedRead<DeliveryBacklog[]>;
  runs: SharedRead<OpenSettlementRuns[]>;
  work: SharedRead<WorkByEnvironment>;
  ledger: SharedRead<LedgerCheckSummary | null>;
}

/** Creates the figures that one process reads. */
export function createFleetStats(deps: {
  config: Pick<Config, 'figureWaitMs' | 'registrarLive'>;
  db: Database;
  clock: Clock;
  queues: Queues;
  redis: Redis;
}): FleetStats {
  const { figureWaitMs } = deps.config;
  return {
    queues: createSharedRead(() => queueDepths(deps), figureWaitMs),
    eviction: createSharedRead(() => readEvictionPolicy(deps.redis), figureWaitMs),
    backlog: createSharedRead(() => outboxBacklog(deps), figureWaitMs),
    deliveries: createSharedRead(() => readDeliveryBacklog(deps), figureWaitMs),
    runs: createSharedRead(() => countOpenSettlementRuns(deps), figureWaitMs),
    work: createSharedRead(() => countOpenWork(deps), figureWaitMs),
    ledger: createSharedRead(() => readLedgerCheckSummary(deps), figureWaitMs),
  };
}
