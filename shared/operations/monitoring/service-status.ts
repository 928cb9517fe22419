import { QUEUE_NAMES, QUEUES, type QueueArea } from '../../delivery/jobs/job-queues.ts';
import { type Clock, MINUTE, SECOND } from '../../platform/clock.ts';
import type { SharedRead } from '../../platform/concurrency/shared-read.ts';
import type { FleetStats } from './fleet-stats.ts';

/** What a partner or user would name; coarse on purpose. */
export type Area = 'partner_api' | 'public_api' | QueueArea;

/** In the order in which they are told. */
const AREAS: readonly Area[] = [
  'partner_api',
  'public_api',
  ...new Set(QUEUE_NAMES.map((queue) => QUEUES[queue].area).filter((area) => area !== null)),
];

export type AreaStatus = 'operational' | 'degraded';

/** What anybody may know of how the service fares. */
export interface ServiceStatus {
  /** `operational` when all areas are. */
  status: AreaStatus;
  areas: readonly { area: Area; status: AreaStatus }[];
  checkedAt: Date;
}

interface Deps {
  figures: FleetStats;
  clock: Clock;
}

/** Work that waits longer shows that nobody does it, or not enough. */
const MAX_LAG_MS = 5 * MINUTE;
/** How long a status is told again before it is read anew. */
export const STATUS_CACHE_MS = 15 * SECOND;

/** Reads the status, at most once in `STATUS_CACHE_MS` however often it is asked. Never throws. */
export function createServiceStatus(deps: Deps): () => Promise<ServiceStatus> {
  let reading: Promise<ServiceStatus> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (!reading || performance.now() - readAt >= STATUS_CACHE_MS) {
      readAt = performance.now();
      reading = readStatus(deps);
    }
    return reading;
  };
}

async function readStatus(deps: Deps): Promise<ServiceStatus> {
  const { figures } = deps;
  const [redis, backlog, deliveries] = await Promise.all([
    readOrUndefined(figures.queues),
    readOrUndefined(figures.backlog),
    readOrUndefined(figures.deliveries),
  ]);
  const checkedAt = deps.clock.now();
  const late = new Set<string>();
  for (const { queue, oldestWaitingMs } of redis ?? []) {
    if ((oldestWaitingMs ?? 0) > MAX_LAG_MS) late.add(queue);
  }
  for (const { queue, state, oldestMs } of backlog ?? []) {
    // Work that is under way may take long.
    if (state === 'pending' && oldestMs > MAX_LAG_MS) late.add(queue);
  }
  // What endpoints that fail have coming is their own affair.
  const healthy = deliveries?.find((row) => row.class === 'healthy');
  if (healthy?.oldestDue && checkedAt.getTime() - healthy.oldestDue.getTime() > MAX_LAG_MS) {
    late.add('webhooks');
  }
  // One that can't be read says nothing of the areas; Postgres is away when none of its figures can be.
  const postgres = backlog ?? deliveries;
  const reachable = redis !== undefined && postgres !== undefined;
  const works = (good: boolean): AreaStatus => (good ? 'operational' : 'degraded');
  const areas = AREAS.map((area) => ({
    area,
    status: works(
      reachable && !QUEUE_NAMES.some((queue) => QUEUES[queue].area === area && late.has(queue)),
    ),
  }));
  const status = works(areas.every((area) => area.status === works(true)));
  return { status, areas, checkedAt };
}

/** Undefined when it failed or took too long. */
function readOrUndefined<T>(read: SharedRead<T>): Promise<T | undefined> {
  return read(STATUS_CACHE_MS).catch(() => undefined);
}
