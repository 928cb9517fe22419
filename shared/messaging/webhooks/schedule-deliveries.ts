import type { Clock } from '../../platform/clock.ts';
import type { Pipeline } from '../../platform/database/pipeline.ts';
import { newId } from '../../platform/ids.ts';
import { currentTraceparent } from '../../platform/observability/tracing.ts';
import type { EventType } from '../event-types/event.ts';
import { hastenJob } from '../jobs/hasten-jobs.ts';
import { RELAY } from '../jobs/job.ts';
import { forgetKeyOfEnded } from '../jobs/record-jobs.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts';
import { insertDeliveries, type Scheduled } from './delivery.store.ts';
import { selectForgotten } from './delivery-backlog.store.ts';
import { changedTopic } from './delivery-pool.ts';
import type { EndpointOwner } from './endpoint.ts';
import { DELIVER_KEY, deliverJob } from './webhook.jobs.ts';

// An endpoint has one job (`deliverJob`, which runs `deliverToEndpoint`) while it has pending deliveries: the statement
// that writes a delivery adds the job, or makes it due. Scheduling locks the stream of the partner and environment, and
// so does a job that ends: either the job sees the new delivery, or scheduling sees that no job is left.

/**
 * Schedules a delivery of each event to each of the partner's active endpoints that accept its type. The events must
 * just have been appended to the stream, which must be locked. Calls `wake` with the topics to wake after the commit.
 */
export function scheduleDeliveries(
  pipeline: Pipeline,
  owner: EndpointOwner,
  events: readonly { id: string; type: EventType; subject: string }[],
  now: Date,
  wake: (topics: Iterable<string>) => void,
): Promise<void> {
  return insertDeliveries.sendFor(pipeline, (made) => wake(topicsOf(made)), {
    ...owner,
    ids: events.map(() => newId('webhookDelivery', now)),
    eventIds: events.map(({ id }) => id),
    types: events.map(({ type }) => type),
    subjects: events.map(({ subject }) => subject),
    now,
    traceParent: currentTraceparent(),
  });
}

/** Schedules deliveries with `insert` and returns their ids. Locks the stream until the transaction ends. */
export async function scheduleInStream(
  uow: UnitOfWork,
  { partnerId, environment }: EndpointOwner,
  insert: (traceParent: string | null) => Promise<Scheduled[]>,
): Promise<string[]> {
  await uow.events.hold({ partnerId, environment });
  const made = await insert(currentTraceparent());
  uow.wake(topicsOf(made));
  return made.flatMap(({ ids }) => ids);
}

function topicsOf(made: readonly Scheduled[]): string[] {
  const endpoints = made.map(({ endpointId }) => endpointId);
  return made.some(({ isDue }) => isDue) ? [RELAY, ...endpoints] : endpoints;
}

const FORGOTTEN = 1_000;

/** Adds a job for every active endpoint with pending deliveries and no job; returns how many it added. */
export async function scheduleForgotten({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): Promise<number> {
  const where = { key: DELIVER_KEY, now: clock.now(), limit: FORGOTTEN };
  const forgotten = await selectForgotten.all(db.knex, where);
  await db.transact(async (uow) => {
    for (const { endpointId: endpoint, partnerId: partner, environment } of forgotten) {
      await forgetKeyOfEnded(uow.sql, `${DELIVER_KEY}${endpoint}`);
      uow.jobs.add(deliverJob, { endpoint, partner, environment });
    }
  });
  return forgotten.length;
}

/**
 * Makes an endpoint's job read the endpoint again at once, after its partner changed it. Locks the stream until the
 * transaction ends.
 */
export async function hastenDelivery(
  uow: UnitOfWork,
  { partnerId, environment }: EndpointOwner,
  endpointId: string,
): Promise<void> {
  await uow.events.hold({ partnerId, environment });
  await hastenJob(uow, `${DELIVER_KEY}${endpointId}`);
  uow.wake([changedTopic(endpointId)]);
}
