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
import { recordEvents } from '../../shared/delivery/events/record-events.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
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
        failures.push(...answers.map(({ status }) => status).filter((status) => status >= 300));
      }
    };
    // As of a sandbox whose clock is ahead: beyond any partition that there is.
    let ahead = 0;
    const recordAhead = async () => {
      const now = new Date();
      const event = recordedOrder('ord_00000000000000000000000000');
      await runtime.db.transact((uow) =>
        recordEvents(uow.sql, service.partner, [event], addMs(now, 400 * DAY), undefined, now),
      );
      ahead += 1;
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
      for (const table of ['webhook_attempts', 'webhook_deliveries', 'events', 'outbox'])
        expect(await rows(`${table}_before`)).toBeGreaterThan(0);
      await untilMoreOrders(runtime, 5);
    } finally {
      selling = false;
      await traffic;
    }
    expect(failures).toEqual([]);
    expect(longestMs).toBeLessThan(2_000);
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

  it('has its jobs in one table again after the way back, and in partitions after the next', async () => {
    const { runtime } = service;
    const before = await asked();
    await goBackBefore('20261126010000_copy_job_keys');
    expect(await asked()).toEqual(before);
    await ask('early');
    await ask('between');
    expect((await asked()).map((job) => job.dedupe_key)).toEqual([
      ...before.map((job) => job.dedupe_key),
      'between',
    ]);
    expect((await migrate(runtime.config.databaseUrl)).applied.length).toBe(5);
    await ask('between');
    await ask('late');
    const all = await asked();
    expect(all.slice(0, before.length)).toEqual(before);
    expect(all.slice(before.length).map((job) => job.dedupe_key)).toEqual(['between', 'late']);
  });
});
