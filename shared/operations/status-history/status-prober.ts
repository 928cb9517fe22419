import type { Queues } from '../../messaging/jobs/job-queues.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { type Clock, MINUTE, SECOND } from '../../platform/clock.ts';
import { inTime } from '../../platform/concurrency/deadline.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { HttpClient } from '../../platform/outbound/http-client.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import { createFleetStats } from '../monitoring/fleet-stats.ts';
import { readLateWork } from '../monitoring/late-work.ts';
import { isProbed, recordProbes } from './status-history.ts';
import { COMPONENTS, type Component, type Probe } from './status-rule.ts';

interface Deps {
  config: Pick<Config, 'baseUrl' | 'figureWaitMs' | 'registrarLive'>;
  db: Database;
  redis: Redis;
  queues: Queues;
  clock: Clock;
  log: Logger;
  /** The client for our own public address, which may also be a private one. */
  http: HttpClient;
}

const PROBE_MS = 5 * SECOND;
/** A day of probes is buffered while Postgres is unavailable. */
const MAX_UNRECORDED = 24 * 60 * COMPONENTS.length;

/**
 * Creates a function that probes the components and records the results, once per minute however many processes call
 * it. Skips queues and webhooks while their backlog cannot be read. Never throws.
 */
export function createStatusProber(deps: Deps): () => Promise<void> {
  const figures = createFleetStats(deps);
  let unrecorded: Probe[] = [];
  return async () => {
    const at = new Date(Math.floor(deps.clock.now().getTime() / MINUTE) * MINUTE);
    const known = await inTime(isProbed(deps, at), PROBE_MS).catch(() => false);
    if (known || unrecorded.some((probe) => probe.at.getTime() === at.getTime())) return;
    const found = await probeComponents(deps, figures);
    const probes = COMPONENTS.flatMap((component): Probe[] => {
      const ok = found[component];
      return ok === undefined ? [] : [{ component, at, ok }];
    });
    unrecorded = [...unrecorded, ...probes].slice(-MAX_UNRECORDED);
    try {
      await recordProbes(deps, unrecorded);
      unrecorded = [];
    } catch (error) {
      deps.log.debug({ err: error, unrecorded: unrecorded.length }, 'status probes: kept');
    }
  };
}

async function probeComponents(
  deps: Deps,
  figures: ReturnType<typeof createFleetStats>,
): Promise<Partial<Record<Component, boolean>>> {
  const { config, db, redis, http } = deps;
  const [api, database, ping, work] = await Promise.all([
    http.request({
      method: 'GET',
      url: `${config.baseUrl}/healthz`,
      deadlineMs: PROBE_MS,
      maxResponseBytes: 1_000,
    }),
    inTime(db.isWritable(), PROBE_MS).catch(() => false),
    inTime(redis.ping(), PROBE_MS).then(
      () => true,
      () => false,
    ),
    readLateWork({ ...deps, figures }, 0),
  ]);
  const late = [...work.queues];
  return {
    api: api.kind === 'response' && api.status === 200,
    database,
    redis: ping,
    ...(work.redis &&
      work.postgres && {
        queues: late.every((queue) => queue === 'webhooks'),
        webhooks: !late.includes('webhooks'),
      }),
  };
}
