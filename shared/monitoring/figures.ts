import {
  countWork,
  type LedgerState,
  readLedgerState,
  type WorkByEnvironment,
} from '../desk/read-desk.ts';
import {
  type BacklogStatus,
  outboxBacklog,
  type QueueStatus,
  queueDepths,
} from '../outbox/queue-status.ts';
import { type Clock, SECOND } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Queues } from '../platform/queues.ts';
import { type SharedRead, shareRead } from '../platform/shared-read.ts';
import { type OpenRuns, openRuns } from '../settlements/open-runs.ts';
import { countDeliveryWork, type DeliveryWork } from '../webhooks/count-delivery-work.ts';

/**
 * How the installation fares, for whoever watches it: metrics, status page, console, commands. Each figure is
 * read by itself, once for all who ask within the age that they name, and costs Postgres two seconds at most;
 * so one that is slow is missing, and none of the others.
 */
export interface Figures {
  /** From Redis. */
  queues: SharedRead<QueueStatus[]>;
  backlog: SharedRead<BacklogStatus[]>;
  deliveries: SharedRead<DeliveryWork[]>;
  runs: SharedRead<OpenRuns[]>;
  work: SharedRead<WorkByEnvironment>;
  ledger: SharedRead<LedgerState | null>;
}

/** A second more than a statement gets, for the way to it. */
const WAIT_MS = 3 * SECOND;

/** The figures of one process. */
export function createFigures(deps: { db: Database; clock: Clock; queues: Queues }): Figures {
  return {
    queues: shareRead(() => queueDepths(deps), WAIT_MS),
    backlog: shareRead(() => outboxBacklog(deps), WAIT_MS),
    deliveries: shareRead(() => countDeliveryWork(deps), WAIT_MS),
    runs: shareRead(() => openRuns(deps), WAIT_MS),
    work: shareRead(() => countWork(deps), WAIT_MS),
    ledger: shareRead(() => readLedgerState(deps), WAIT_MS),
  };
}
