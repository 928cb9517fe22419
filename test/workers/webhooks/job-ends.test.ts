import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { lockStream } from '../../../shared/messaging/events/event.store.ts';
import { DELIVER_KEY } from '../../../shared/messaging/webhooks/webhook.jobs.ts';
import { randomFraction } from '../../../shared/platform/ids.ts';
import {
  everythingDelivered,
  openJobs,
  type QueuedEndpoint,
  useDeliveryQueue,
} from '../../support/delivery-queue.ts';
import { recordedOrder } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestRuntime } from '../../support/runtime.ts';
import type { WebhookReceiver } from '../../support/webhook-receiver.ts';
import { givenEvents, givenSubject } from '../../support/webhooks.ts';

const { prepare, anotherEndpoint, start, join } = useDeliveryQueue();

/** A process that is always crowded: its jobs end as soon as nothing is due. */
const CROWDED = { WEBHOOK_CONCURRENCY: '1', webhookMaxInFlight: 1 };

describe('an endpoint with a rate limit', () => {
  it('gets its events from a process in which jobs do not linger', async () => {
    const { runtime, receiver, endpoint } = await prepare(CROWDED);
    await runtime.db.knex('webhook_endpoints').update({ max_per_second: 5 });
    await givenEvents(runtime, endpoint, 3);
    start(runtime);
    await everythingDelivered(runtime, 3);
    expect(receiver.received).toHaveLength(3);
  });
});

describe('an event that arrives while the delivery job of its endpoint ends', () => {
  /** The job cannot end before the returned function is called. */
  const holdAnswers = (receiver: WebhookReceiver) => {
    let letAnswer = () => {};
    const until = new Promise<void>((resolve) => {
      letAnswer = resolve;
    });
    receiver.answer(() => until.then(() => ({ status: 200 })));
    return () => letAnswer();
  };
  /** Waits until a backend waits for a lock of `text`. */
  const waitsFor = (runtime: TestRuntime, text: string) =>
    eventually(async () => {
      const { rows } = await runtime.db.knex.raw(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like ?`,
        [`%${text}%`],
      );
      return rows[0].count > 0;
    });

  it('is delivered by that job when it arrives first', async () => {
    const { runtime, receiver, endpoint } = await prepare(CROWDED);
    const { partnerId, environment } = endpoint;
    const letAnswer = holdAnswers(receiver);
    start(runtime);
    await givenEvents(runtime, endpoint, 1);
    await receiver.waitFor(1);
    await runtime.db.transact(async (uow) => {
      await lockStream.run(uow.sql, { partnerId, environment });
      letAnswer();
      await waitsFor(runtime, 'event_streams');
      uow.events.add({ partnerId, environment }, recordedOrder(givenSubject()));
    });
    await receiver.waitFor(2);
    await everythingDelivered(runtime, 2);
  });

  it('gets a new job when the old one ends first', async () => {
    const { runtime, receiver, endpoint } = await prepare(CROWDED);
    const { knex } = runtime.db;
    const letAnswer = holdAnswers(receiver);
    start(runtime);
    await givenEvents(runtime, endpoint, 1);
    await receiver.waitFor(1);
    let event: Promise<void> | undefined;
    await knex.transaction(async (trx) => {
      await trx('job_keys').forUpdate();
      letAnswer();
      // The job that ends holds the stream by now, and can not let go of its key.
      await waitsFor(runtime, 'delete from job_keys');
      event = givenEvents(runtime, endpoint, 1);
      await waitsFor(runtime, 'event_streams');
    });
    await event;
    await receiver.waitFor(2);
    await everythingDelivered(runtime, 2);
    expect(await openJobs(runtime, endpoint)).toBeLessThanOrEqual(1);
  });

  it('is never missed in hundreds of runs with random timing', async () => {
    const { runtime } = await prepare(CROWDED);
    const places = await Promise.all(Array.from({ length: 4 }, () => anotherEndpoint(runtime)));
    start(runtime);
    start(await join(runtime));
    const jobsOf = async ({ endpointId }: QueuedEndpoint): Promise<number> => {
      const key = { dedupe_key: `${DELIVER_KEY}${endpointId}` };
      return (await runtime.db.knex('outbox').where(key).select('id')).length;
    };
    const rounds = await Promise.all(
      places.map(async ({ receiver, endpoint }) => {
        let round = 0;
        // It goes on until many of the jobs did end meanwhile, or nothing would be shown.
        for (let pauseMs = 25; round < 60 || (await jobsOf(endpoint)) <= 10; ) {
          await givenEvents(runtime, endpoint, 1);
          round += 1;
          await receiver.waitFor(round);
          // About when the job ends, which takes some milliseconds after the last answer, more on a slow machine.
          await sleep(randomFraction() * pauseMs);
          if (round % 10 === 0 && (await jobsOf(endpoint)) < round / 4) pauseMs *= 2;
        }
        return round;
      }),
    );
    await everythingDelivered(
      runtime,
      rounds.reduce((sum, each) => sum + each, 0),
    );
    expect(places.map(({ receiver }) => receiver.received.length)).toEqual(rounds);
  });
});
