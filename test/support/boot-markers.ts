import { QUEUE_NAMES } from '../../shared/messaging/jobs/job-queues.ts';
import { bootMarkers } from '../../shared/platform/redis/redis.ts';
import type { Runtime } from './runtime.ts';

/** Sets the markers in Redis that a reconciler sets: without them Redis counts as wiped. */
export async function putBootMarkers({ redis, config }: Runtime): Promise<void> {
  const markers = bootMarkers(config.redisPrefix, QUEUE_NAMES);
  await Promise.all(markers.map((marker) => redis.set(marker, 'test')));
}
