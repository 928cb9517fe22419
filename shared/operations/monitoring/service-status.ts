import { QUEUE_NAMES, QUEUES, type QueueArea } from '../../messaging/jobs/job-queues.ts';
import { type Clock, SECOND } from '../../platform/clock.ts';
import type { FleetStats } from './fleet-stats.ts';
import { readLateWork } from './late-work.ts';

/** An area of the service as partners and users know it; deliberately coarse. */
type Area = 'partner_api' | 'public_api' | QueueArea;

/** All areas, in display order. */
const AREAS: readonly Area[] = [
  'partner_api',
  'public_api',
  ...new Set(QUEUE_NAMES.map((queue) => QUEUES[queue].area).filter((area) => area !== null)),
];

type AreaStatus = 'operational' | 'degraded';

/** The public status of the service. */
export interface ServiceStatus {
  /** `operational` if all areas are. */
  status: AreaStatus;
  areas: readonly { area: Area; status: AreaStatus }[];
  checkedAt: Date;
}

interface Deps {
  figures: FleetStats;
  clock: Clock;
}

/** How long a status is cached. */
export const STATUS_CACHE_MS = 15 * SECOND;

/** Creates a function that reads the status, at most once per `STATUS_CACHE_MS`. Never throws. */
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
