import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '../../db/migrate.ts';
import * as boundLogs from '../../db/migrations/20261124032000_bound_logs_by_time.ts';
import * as checkLogs from '../../db/migrations/20261124032100_check_logs_to_partition.ts';
import * as partitionLogs from '../../db/migrations/20261124032200_partition_logs.ts';
import * as keepPartitions from '../../db/migrations/20261124040000_let_the_service_keep_partitions.ts';
import * as freeDeliveries from '../../db/migrations/20261125040000_free_deliveries_of_keys.ts';
import * as boundDeliveries from '../../db/migrations/20261125040100_bound_deliveries_by_time.ts';
import * as checkDeliveries from '../../db/migrations/20261125040200_check_deliveries_to_partition.ts';
import * as partitionDeliveries from '../../db/migrations/20261125040300_partition_deliveries.ts';
import * as boundEvents from '../../db/migrations/20261125050000_bound_events_by_time.ts';
import * as checkEvents from '../../db/migrations/20261125050100_check_events_to_partition.ts';
import * as partitionEvents from '../../db/migrations/20261125050200_partition_events.ts';
import * as copyJobKeys from '../../db/migrations/20261126010000_copy_job_keys.ts';
import * as fillJobKeys from '../../db/migrations/20261126010100_fill_job_keys.ts';
import * as indexJobs from '../../db/migrations/20261126010200_index_jobs_by_time.ts';
import * as checkOutbox from '../../db/migrations/20261126010300_check_outbox_to_partition.ts';
import * as partitionOutbox from '../../db/migrations/20261126010400_partition_outbox.ts';
import * as indexTimelines from '../../db/migrations/20261126030000_index_timelines_by_order.ts';
import * as boundTimelines from '../../db/migrations/20261126030100_bound_timelines_by_time.ts';
import * as checkTimelines from '../../db/migrations/20261126030200_check_timelines_to_partition.ts';
import * as partitionTimelines from '../../db/migrations/20261126030300_partition_timelines.ts';
import * as boundAudit from '../../db/migrations/20261126040000_bound_audit_log_by_time.ts';
import * as checkAuditLog from '../../db/migrations/20261126040100_check_audit_log_to_partition.ts';
import * as partitionAudit from '../../db/migrations/20261126040200_partition_audit_log.ts';
import { recordEvents } from '../../shared/delivery/events/record-events.ts';
import { recordAudit } from '../../shared/people/audit/audit-log.ts';
import { checkAudit } from '../../shared/people/audit/check-audit.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import { newId } from '../../shared/platform/ids.ts';
import { recordedOrder } from '../support/events.ts';
import { givenListing } from '../support/factories.ts';
import { QUICK } from '../support/quick-fleet.ts';
import {
  type RunningService,
  startService,
  untilEverythingHappenedOnce,
  untilMoreOrders,
} from '../support/running-service.ts';
import { sell } from '../support/sales.ts';

const MIGRATIONS = {
  '20261124032000_bound_logs_by_time': boundLogs,
  '20261124032100_check_logs_to_partition': checkLogs,
  '20261124032200_partition_logs': partitionLogs,
  '20261124040000_let_the_service_keep_partitions': keepPartitions,
  '20261125040000_free_deliveries_of_keys': freeDeliveries,
  '20261125040100_bound_deliveries_by_time': boundDeliveries,
  '20261125040200_check_deliveries_to_partition': checkDeliveries,
  '20261125040300_partition_deliveries': partitionDeliveries,
  '20261125050000_bound_events_by_time': boundEvents,
  '20261125050100_check_events_to_partition': checkEvents,
  '20261125050200_partition_events': partitionEvents,
  '20261126010000_copy_job_keys': copyJobKeys,
  '20261126010100_fill_job_keys': fillJobKeys,
  '20261126010200_index_jobs_by_time': indexJobs,
  '20261126010300_check_outbox_to_partition': checkOutbox,
  '20261126010400_partition_outbox': partitionOutbox,
  '20261126030000_index_timelines_by_order': indexTimelines,
  '20261126030100_bound_timelines_by_time': boundTimelines,
  '20261126030200_check_timelines_to_partition': checkTimelines,
  '20261126030300_partition_timelines': partitionTimelines,
  '20261126040000_bound_audit_log_by_time': boundAudit,
  '20261126040100_check_audit_log_to_partition': checkAuditLog,
  '20261126040200_partition_audit_log': partitionAudit,
};

describe('a database with a history', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await startService({ env: QUICK });
    await goBackBefore('20261124032000_bound_logs_by_time');
  });
  afterAll(() => service.stop());

  /** Takes this migration back, and all later ones. */
  const goBackBefore = async (first: keyof typeof MIGRATIONS) => {
    const { knex } = service.runtime.db;
    const later = Object.entries(MIGRATIONS).filter(([name]) => name >= first);
    for (const [name, migration] of later.reverse()) {
      if ('config' in migration) await migration.down(knex);
      else await knex.transaction((tx) => migration.down(tx));
      await knex('knex_migrations').where({ name }).delete();
    }
  };

  /** Asks for a job under a key as the release before does; due at no time that the test sees. */
  const ask = (key: string) =>
    service.runtime.db.knex
      .raw(
        `insert into outbox (queue, name, payload, run_at, dedupe_key, created_at, trace_parent)
         select 'maintenance', 'asked', '{}', '2080-01-01', ?, now(), null on conflict do nothing`,
        [key],
      )
      .options({ name: 'release-before' });
  const asked = () =>
    service.runtime.db
      .knex('outbox')
      .where({ name: 'asked' })
      .orderBy('id')
      .select('id', 'dedupe_key');

  const rows = async (table: string) => {
    const found = await service.runtime.db.knex(table).count().first();
    return Number(found?.count);
  };

  const audit = (subject: string) =>
    service.runtime.db.transact((uow) =>
      recordAudit(uow, { actor: 'test', action: 'test:note', subject }),
    );
  const audited = () =>
    service.runtime.db.knex('audit_log').where({ actor: 'test' }).orderBy('id').pluck('subject');
  const timelines = () =>
    service.runtime.db.knex('order_timeline').orderBy('id').select('id', 'order_id', 'event');

  /** An order of a sandbox whose clock is ahead, beyond any partition that there is. */
  const givenOrderAhead = async () => {
    const id = newId('order', addMs(new Date(), 400 * DAY));
    await service.runtime.db.knex.raw(
      `insert into orders select (jsonb_populate_record(o, jsonb_build_object('id', ?::text, 'status', 'CANCELLED'))).*
       from orders o limit 1`,
      [id],
    );
    return id;
  };

  it('is partitioned while orders are sold and webhooks are sent; no request fails, nothing is lost', async () => {
    const { runtime, client } = service;
    let selling = true;
    const failures: unknown[] = [];
    let longestMs = 0;
    const seller = async () => {
      while (selling) {
        const listing = await givenListing(runtime);
        const answers = await Promise.all([
          sell(client, listing),
          client.get('/webhooks/deliveries'),
        ]);
        const order = await client.get(`/v1/orders/${answers[0].body.public_id}`);
        if (order.body.timeline?.[0]?.event !== 'order.recorded') failures.push(order.body);
        const statuses = [...answers, order].map(({ status }) => status);
        failures.push(...statuses.filter((status) => status >= 300));
      }
    };
    await sell(client, await givenListing(runtime));
    const orderAhead = await givenOrderAhead();
    // As of a sandbox whose clock is ahead.
    let ahead = 0;
    const recordAhead = async () => {
      const now = new Date();
      const event = recordedOrder('ord_00000000000000000000000000');
      await runtime.db.transact((uow) =>
        recordEvents(uow.sql, service.partner, [event], addMs(now, 400 * DAY), undefined, now),
      );
      await runtime.db
        .knex('order_timeline')
        .insert({ order_id: orderAhead, at: now, status: 'CANCELLED', event: 'order.ahead' });
      ahead += 1;
      await audit(`ahead ${ahead}`);
    };
    const traveller = async () => {
      while (selling) {
        await recordAhead();
        await sleep(50);
      }
    };
    /** How long statements of the service wait for the lock of a table. */
    const watcher = async () => {
      while (selling) {
        const { rows } = await runtime.db.knex.raw(
          `select coalesce(max(extract(epoch from clock_timestamp() - l.waitstart)) * 1000, 0) as ms
           from pg_locks l join pg_stat_activity a using (pid)
           where not l.granted and l.locktype = 'relation' and a.datname = current_database()
             and a.application_name <> 'migrate'`,
        );
        longestMs = Math.max(longestMs, Number(rows[0].ms));
        await sleep(20);
      }
    };
    // Both ask for the same jobs, each at its own pace, and for one of before again.
    const begun = [0, 0];
    const asker = async (which: 0 | 1) => {
      for (let n = 0; selling; n += 1) {
        begun[which] = n + 1;
        for (const key of [`asked ${n}`, `asked ${Math.floor(n / 2)}`, 'early'])
          await ask(key).catch((error: unknown) => failures.push(error));
      }
    };
    await recordAhead();
    await ask('early');
    const traffic = Promise.all([seller(), seller(), traveller(), watcher(), asker(0), asker(1)]);
    try {
      await untilMoreOrders(runtime, 5);
      expect(await migrate(runtime.config.databaseUrl, { lockTimeoutMs: 200, tries: 500 })).toEqual(
        {
          applied: Object.keys(MIGRATIONS),
        },
      );
      for (const table of [
        'webhook_attempts',
        'webhook_deliveries',
        'events',
        'outbox',
        'order_timeline',
        'audit_log',
      ])
        expect(await rows(`${table}_before`)).toBeGreaterThan(0);
      await untilMoreOrders(runtime, 5);
    } finally {
      selling = false;
      await traffic;
    }
    expect(failures).toEqual([]);
    expect(longestMs).toBeLessThan(2_000);
    // Every order has its timeline, and what was done is in the chain in its order.
    expect(await rows('order_timeline_default')).toBe(ahead);
    const { rows: untold } = await runtime.db.knex.raw(
      `select id from orders o where not exists (select from order_timeline t where t.order_id = o.id)`,
    );
    expect(untold).toEqual([]);
    expect(await audited()).toEqual(Array.from({ length: ahead }, (_, n) => `ahead ${n + 1}`));
    expect(await checkAudit(runtime)).toMatchObject({ ok: true });
    await runtime.db.knex('order_timeline').where({ order_id: orderAhead }).delete();
    await runtime.db.knex('orders').where({ id: orderAhead }).delete();
    await untilEverythingHappenedOnce(service);
    // Every attempt that a delivery counts is in the log.
    const counted = await runtime.db.knex('webhook_deliveries').sum('attempts').first();
    expect(await rows('webhook_attempts')).toBe(Number(counted?.sum));
    expect(await rows('webhook_attempts_default')).toBe(0);
    expect(await rows('webhook_deliveries_default')).toBe(0);
    expect(await rows('events_default')).toBe(ahead);
    // Every job is there, and no key twice.
    const wanted = ['early', ...Array.from({ length: Math.max(...begun) }, (_, n) => `asked ${n}`)];
    expect((await asked()).map((job) => job.dedupe_key).sort()).toEqual(wanted.sort());
    const { rows: strays } = await runtime.db.knex.raw(
      `select o.id, o.dedupe_key, k.job_id from (select * from outbox where dedupe_key is not null) o
       full join job_keys k using (dedupe_key) where o.id is distinct from k.job_id`,
    );
    expect(strays).toEqual([]);
    expect(await rows('outbox_default')).toBe(0);
  });

  it('has its rows in one table again after the way back, and in partitions after the next', async () => {
    const { runtime } = service;
    const before = await asked();
    const orderAhead = await givenOrderAhead();
    const addToTimeline = (event: string) =>
      runtime.db
        .knex('order_timeline')
        .insert({ order_id: orderAhead, at: new Date(), status: 'CANCELLED', event });
    await addToTimeline('first');
    const told = await timelines();
    const noted = await audited();

    await goBackBefore('20261126010000_copy_job_keys');
    expect(await asked()).toEqual(before);
    expect(await timelines()).toEqual(told);
    expect(await audited()).toEqual(noted);
    await ask('early');
    await ask('between');
    expect((await asked()).map((job) => job.dedupe_key)).toEqual([
      ...before.map((job) => job.dedupe_key),
      'between',
    ]);
    await addToTimeline('second');
    await audit('second');

    expect((await migrate(runtime.config.databaseUrl)).applied.length).toBe(12);
    await ask('between');
    await ask('late');
    const all = await asked();
    expect(all.slice(0, before.length)).toEqual(before);
    expect(all.slice(before.length).map((job) => job.dedupe_key)).toEqual(['between', 'late']);
    await addToTimeline('third');
    await audit('third');
    expect((await timelines()).slice(0, told.length)).toEqual(told);
    expect((await timelines()).slice(told.length).map(({ event }) => event)).toEqual([
      'second',
      'third',
    ]);
    expect(await rows('order_timeline_default')).toBe(3);
    expect(await audited()).toEqual([...noted, 'second', 'third']);
    expect(await checkAudit(runtime)).toMatchObject({ ok: true });
  });
});
