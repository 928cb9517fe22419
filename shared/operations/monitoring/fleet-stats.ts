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
import { type Clock, SECOND } from '../../platform/clock.ts';
import { createSharedRead, type SharedRead } from '../../platform/concurrency/shared-read.ts';
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
 * How the installation fares, for whoever watches it: metrics, status page, console, commands. Each figure is
 * read by itself, once for all who ask within the age that they name, and costs Postgres two seconds at most;
 * so one that is slow is missing, and none of the others.
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

/** A second more than a statement gets, for the way to it. */
const WAIT_MS = 3 * SECOND;

/** The figures of one process. */
export function createFleetStats(deps: {
  db: Database;
  clock: Clock;
  queues: Queues;
  redis: Redis;
}): FleetStats {
  return {
    queues: createSharedRead(() => queueDepths(deps), WAIT_MS),
    eviction: createSharedRead(() => readEvictionPolicy(deps.redis), WAIT_MS),
    backlog: createSharedRead(() => outboxBacklog(deps), WAIT_MS),
    deliveries: createSharedRead(() => readDeliveryBacklog(deps), WAIT_MS),
    runs: createSharedRead(() => countOpenSettlementRuns(deps), WAIT_MS),
    work: createSharedRead(() => countOpenWork(deps), WAIT_MS),
    ledger: createSharedRead(() => readLedgerCheckSummary(deps), WAIT_MS),
  };
}
