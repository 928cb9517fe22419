import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordEvents } from '../../shared/messaging/events/record-events.ts';
import {
  addAllPartitions,
  PARTITIONED_TABLES,
} from '../../shared/operations/partitions/partitioned-tables.ts';
import { recordAudit } from '../../shared/people/audit/audit-log.ts';
import { checkAudit } from '../../shared/people/audit/check-audit.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import { newId } from '../../shared/platform/ids.ts';
import { recordedOrder } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { givenListing } from '../support/factories.ts';
import { PROMPT } from '../support/quick-fleet.ts';
import {
  type RunningService,
  startService,
  untilEverythingHappenedOnce,
  untilMoreOrders,
} from '../support/running-service.ts';
import { sell } from '../support/sales.ts';

const AHEAD_MS = 400 * DAY;

describe('adding partitions under load', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await startService({ env: PROMPT });
  });
  afterAll(() => service.stop());

  const rows = async (table: string) => {
    const found = await service.runtime.db.knex(table).count().first();
    return Number(found?.count);
  };

  /** An order of a sandbox whose clock is ahead, beyond any partition that there is. */
  const givenOrderAhead = async () => {
    const id = newId('order', addMs(new Date(), AHEAD_MS));
    await service.runtime.db.knex.raw(
      `insert into orders select (jsonb_populate_record(o, jsonb_build_object('id', ?::text, 'status', 'CANCELLED'))).*
       from orders o limit 1`,
      [id],
    );
    return id;
  };

  /** Nothing waits in the default partitions; the locks of a table may take several tries. */
  const untilPartitioned = async (at: Date) => {
    await eventually(
      async () => {
        await addAllPartitions(service.runtime.db.knex, at);
        const left = await Promise.all(
          PARTITIONED_TABLES.map(({ table }) => rows(`${table}_default`)),
        );
        return Math.max(...left);
      },
      (left) => left === 0,
    );
  };

  it('moves rows out of the default partitions with no failed request, loss or duplicate', async () => {
    const { runtime, client } = service;
    let selling = true;
    const failures: unknown[] = [];
    let longestMs = 0;
    const seller = async () => {
      while (selling) {
        const listing = await givenListing(runtime);
        const answers = await Promise.all([
          sell(client, listing),
          client.get('/v1/webhooks/deliveries'),
        ]);
        const order = await client.get(`/v1/orders/${answers[0].body.public_id}`);
        if (order.body.timeline?.[0]?.event !== 'order.recorded') failures.push(order.body);
        const statuses = [...answers, order].map(({ status }) => status);
        failures.push(...statuses.filter((status) => status >= 300));
      }
    };
    await sell(client, await givenListing(runtime));
    const orderAhead = await givenOrderAhead();
    const ahead = 20;
    const recordAhead = async (subject: string) => {
      const now = new Date();
      const later = addMs(now, AHEAD_MS);
      const event = recordedOrder('ord_00000000000000000000000000');
      await runtime.db.transact((uow) =>
        recordEvents(uow.pipeline, service.partner, [event], { now: later, realNow: now }),
      );
      await runtime.db
        .knex('order_timeline')
        .insert({ order_id: orderAhead, at: now, status: 'CANCELLED', event: 'order.ahead' });
      await runtime.db.transact((uow) =>
        recordAudit(uow, { actor: 'test', action: 'test:note', subject }),
      );
    };
    /** How long statements of the service wait for the lock of a table. */
    const watcher = async () => {
      while (selling) {
        const { rows: found } = await runtime.db.knex.raw(
          `select coalesce(max(extract(epoch from clock_timestamp() - l.waitstart)) * 1000, 0) as ms
           from pg_locks l join pg_stat_activity a using (pid)
           where not l.granted and l.locktype = 'relation' and a.datname = current_database()
             and a.query not like '%add_range_partition%'`,
        );
        longestMs = Math.max(longestMs, Number(found[0].ms));
        await sleep(20);
      }
    };
    for (let n = 1; n <= ahead; n += 1) await recordAhead(`ahead ${n}`);
    expect(await rows('events_default')).toBe(ahead);
    expect(await rows('order_timeline_default')).toBe(ahead);
    const failed = (error: unknown) => failures.push(error);
    const traffic = Promise.all([seller(), seller(), watcher()].map((each) => each.catch(failed)));
    try {
      await untilMoreOrders(runtime, 5);
      await untilPartitioned(addMs(new Date(), AHEAD_MS));
      await untilMoreOrders(runtime, 5);
    } finally {
      selling = false;
      await traffic;
    }
    expect(failures).toEqual([]);
    expect(longestMs).toBeLessThan(2_000);

    expect(await runtime.db.knex('order_timeline').where({ event: 'order.ahead' })).toHaveLength(
      ahead,
    );
    const { rows: untold } = await runtime.db.knex.raw(
      `select id from orders o where not exists (select from order_timeline t where t.order_id = o.id)`,
    );
    expect(untold).toEqual([]);
    const noted = await runtime.db
      .knex('audit_log')
      .where({ actor: 'test' })
      .orderBy('id')
      .pluck('subject');
    expect(noted).toEqual(Array.from({ length: ahead }, (_, n) => `ahead ${n + 1}`));
    expect(await checkAudit(runtime)).toMatchObject({ ok: true });
    await runtime.db.knex('order_timeline').where({ order_id: orderAhead }).delete();
    await runtime.db.knex('orders').where({ id: orderAhead }).delete();
    await untilEverythingHappenedOnce(service);
    // Every attempt that a delivery counts is in the log, and every key has its job. Some keys are free once it is done.
    const counted = await runtime.db.knex('webhook_deliveries').sum('attempts').first();
    expect(await rows('webhook_attempts')).toBe(Number(counted?.sum));
    const { rows: strays } = await runtime.db.knex.raw(
      `select o.id, o.dedupe_key, k.job_id from (select * from outbox where dedupe_key is not null) o
       full join job_keys k using (dedupe_key)
       where o.id is distinct from k.job_id and (o.state is distinct from 'done' or k.job_id is not null)`,
    );
    expect(strays).toEqual([]);
  });
});
