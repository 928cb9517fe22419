import { QUEUE_NAMES, QUEUES, type QueueArea } from '../../messaging/jobs/job-queues.ts';
import { type Clock, SECOND } from '../../platform/clock.ts';
import type { FleetStats } from './fleet-stats.ts';
import { readLateWork } from './late-work.ts';

/** What a partner or user would name; coarse on purpose. */
type Area = 'partner_api' | 'public_api' | QueueArea;

/** In the order in which they are told. */
const AREAS: readonly Area[] = [
  'partner_api',
  'public_api',
  ...new Set(QUEUE_NAMES.map((queue) => QUEUES[queue].area).filter((area) => area !== null)),
];

type AreaStatus = 'operational' | 'degraded';

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
  const late = await readLateWork(deps, STATUS_CACHE_MS);
  const checkedAt = deps.clock.now();
  const reachable = late.redis && late.postgres;
  const works = (good: boolean): AreaStatus => (good ? 'operational' : 'degraded');
  const areas = AREAS.map((area) => ({
    area,
    status: works(
      reachable &&
        !QUEUE_NAMES.some((queue) => QUEUES[queue].area === area && late.queues.has(queue)),
    ),
  }));
  const status = works(areas.every((area) => area.status === works(true)));
  return { status, areas, checkedAt };
}
