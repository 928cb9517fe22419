import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../db/migrate.ts';
import { eventually } from '../support/eventually.ts';
import { givenListing } from '../support/factories.ts';
import { PROMPT } from '../support/quick-fleet.ts';
import {
  type RunningService,
  startService,
  untilEverythingHappenedOnce,
  untilMoreOrders,
} from '../support/running-service.ts';
import { createTestRuntime } from '../support/runtime.ts';
import { sell } from '../support/sales.ts';

const folder = fileURLToPath(new URL('./late-migrations/', import.meta.url));
const LATER = [
  '20991231000100_widen_every_table',
  '20991231000200_index_orders',
  '20991231000300_create_later_table',
];

/** Migrates to a later schema while processes of this version run, and restarts them on it. */
describe('migrating to a later schema', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await startService({ env: PROMPT });
  });

  afterAll(() => service.stop());

  const migratorWaits = async () => {
    const { rows } = await service.runtime.db.knex.raw(
      `select 1 from pg_stat_activity where application_name = 'migrate'
       and datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  };

  let selling = false;
  let traffic: Promise<void>[] = [];
  afterEach(async () => {
    selling = false;
    await Promise.allSettled(traffic);
  });

  it('fails no requests while orders are sold and a long transaction reads', async () => {
    const { runtime, client } = service;
    selling = true;
    const failures: unknown[] = [];
    const note = (status: number, of: string) => status < 300 || failures.push(`${of}: ${status}`);
    const failed = (error: unknown) => failures.push(String(error));
    const seller = async () => {
      while (selling) {
        const listing = await givenListing(runtime);
        await sell(client, listing).then(({ status }) => note(status, 'an order'), failed);
      }
    };
    const reader = async () => {
      while (selling) {
        for (const path of [
          '/v1/orders',
          '/v1/transactions',
          '/v1/events',
          '/v1/webhooks/deliveries',
        ]) {
          await client.get(path).then(({ status }) => note(status, path), failed);
        }
      }
    };
    traffic = [seller(), seller(), reader()];
    const longReader = new pg.Client(runtime.config.databaseUrl);
    await longReader.connect();
    await untilMoreOrders(runtime, 3);
    await longReader.query('begin');
    await longReader.query('select count(*) from orders');
    let arrived = false;
    const migrating = migrate(runtime.config.databaseUrl, { folder });
    const done = () => {
      arrived = true;
    };
    migrating.then(done, done);

    await eventually(migratorWaits);
    await untilMoreOrders(runtime, 5);
    expect(arrived).toBe(false);
    await longReader.query('commit');
    await longReader.end();
    expect(await migrating).toEqual({ applied: LATER });
    await untilMoreOrders(runtime, 5);
    selling = false;
    await Promise.all(traffic);
    expect(failures).toEqual([]);

    const effects = await untilEverythingHappenedOnce(service);
    expect(effects.length).toBeGreaterThanOrEqual(13);
  });

  it('the previous release leaves the later schema unchanged and its processes start on it', async () => {
    const { runtime, client, apis, workers } = service;
    expect(await migrate(runtime.config.databaseUrl)).toEqual({ applied: [] });
    for (const each of [...apis, ...workers]) {
      expect(await each.stop()).toBe(0);
      each.start();
    }
    await service.untilReady();
    await sell(client, await givenListing(runtime)).expect(201);
    await eventually(
      () =>
        runtime.db.knex('orders').whereNot('status', 'TRANSFER_COMPLETED').select('id', 'status'),
      (unfinished) => unfinished.length === 0,
      { everyMs: 100 },
    );
  });

  it('reports a lock timeout and continues where it stopped', async () => {
    const database = await createTestRuntime();
    const reader = new pg.Client(database.config.databaseUrl);
    await reader.connect();
    await reader.query('begin');
    await reader.query('select count(*) from orders');
    const url = database.config.databaseUrl;
    const hurried = migrate(url, { folder, lockTimeoutMs: 20, tries: 2 });
    await expect(hurried).rejects.toThrow('lock timeout');
    await reader.query('rollback');
    await reader.end();
    // As a migrator that was killed outside of a transaction leaves it.
    await database.db.knex('knex_migrations_lock').update({ is_locked: 1 });
    expect(await migrate(url, { folder })).toEqual({ applied: LATER });
    await database.stop();
  });

  it('retries after a deadlock with the service', async () => {
    const database = await createTestRuntime();
    const url = database.config.databaseUrl;
    const client = new pg.Client(url);
    await client.connect();
    // So that it is the migration that finds the deadlock.
    await client.query(`set deadlock_timeout = '10min'`);
    await client.query('begin');
    await client.query('lock table orders in share mode');
    const deadlocks = fileURLToPath(new URL('./deadlocked-migrations/', import.meta.url));
    const migrating = migrate(url, { folder: deadlocks, lockTimeoutMs: 5_000 });
    const isLocked = async () => {
      const { rows } = await database.db.knex.raw(
        `select 1 from pg_locks where relation = 'webhook_endpoints'::regclass and granted
         and mode = 'AccessExclusiveLock'`,
      );
      return rows.length > 0;
    };
    await eventually(isLocked);
    await client.query('lock table webhook_endpoints in share mode');
    await client.query('create table after_deadlock ()');
    await client.query('commit');
    await client.end();
    expect(await migrating).toEqual({ applied: ['20991231000400_lock_two_tables'] });
    await database.stop();
  });
});
