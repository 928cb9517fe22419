import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPostgres, type Postgres } from '../../shared/platform/database/postgres.ts';
import { givenListing, givenPartner } from '../support/factories.ts';
import { type OwnPgbouncer, startOwnPgbouncer } from '../support/own-pgbouncer.ts';
import { untilEverythingHappenedOnce, untilRegistered } from '../support/running-service.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { orderBody } from '../support/sales.ts';
import { freePort, serviceProcess } from '../support/service-process.ts';
import { signedClient } from '../support/signed-client.ts';
import { runIn } from '../support/transaction.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

/** CI has PgBouncer; elsewhere the tests run without it if it is missing. */
const hasPgbouncer =
  Boolean(process.env.CI) ||
  spawnSync('pgbouncer', ['--version'], { env: { PATH: `${process.env.PATH}:/usr/sbin` } })
    .status === 0;
const WAYS = hasPgbouncer ? (['PgBouncer', 'no pooler at all'] as const) : ['no pooler at all'];

describe.each(WAYS)('DATABASE_POOLER=transaction in front of %s', (way) => {
  let runtime: TestRuntime;
  let pooler: OwnPgbouncer | undefined;
  let url: string;
  let db: Postgres;

  beforeAll(async () => {
    runtime = await createTestRuntime();
    url = runtime.config.databaseUrl;
    if (way === 'PgBouncer') {
      // All clients share a single server session.
      pooler = await startOwnPgbouncer(url, 1);
      url = pooler.through(url);
    }
    db = createPostgres({
      url,
      readUrl: '',
      pooler: 'transaction',
      poolSize: 3,
      lockMs: 1_234,
      share: { atOnce: 1, waiting: 0, waitMs: 1_000 },
      applicationName: 'test-pooler',
      log: runtime.log,
      silenceMs: 300,
    });
    await db.knex.raw(`create table parents (id int primary key);
      create table children (parent int references parents deferrable initially deferred)`);
  });
  afterAll(async () => {
    await db.close();
    await pooler?.remove();
    await runtime.stop();
  });

  const settings = `select current_setting('statement_timeout') as statement,
    current_setting('lock_timeout') as lock, current_setting('enable_seqscan') as seqscan`;

  it('gives each statement and transaction its own settings and leaves none behind', async () => {
    const bounds = { statement: '30s', lock: '1234ms', seqscan: 'on' };
    const sides = [
      [() => db.knex.raw(settings), bounds],
      [() => db.transaction((tx) => runIn(tx, db.knex.raw(settings))), bounds],
      [() => db.indexed.raw(settings), { ...bounds, seqscan: 'off' }],
      [() => db.readForMonitoring((sql) => sql.raw(settings)), { ...bounds, statement: '2s' }],
    ] as const;
    for (const [ask, expected] of [...sides, ...sides]) {
      expect((await ask()).rows).toEqual([expected]);
    }
  });

  it('reports a statement that fails at once or only on commit, and keeps working', async () => {
    await expect(db.knex.raw('select 1 / ?', [0])).rejects.toMatchObject({ code: '22012' });
    const orphan = db.knex.raw('insert into children values (?)', [1]);
    await expect(orphan).rejects.toMatchObject({ code: '23503' });
    expect((await db.knex.raw('select count(*)::int as n from children')).rows).toEqual([{ n: 0 }]);
  });

  it('keeps the work before a savepoint that was rolled back', async () => {
    await db.knex.transaction(async (tx) => {
      await tx.raw('insert into parents values (?)', [1]);
      await tx
        .transaction((inner) => inner.raw('insert into parents values (?)', [1]))
        .catch(() => {});
      await tx.raw('insert into children values (?)', [1]);
    });
    expect((await db.knex.raw('select parent from children')).rows).toEqual([{ parent: 1 }]);
  });

  it('lets a long statement finish', async () => {
    const { rows } = await db.knex.raw('select 3 as three from pg_sleep(1.5)');
    expect(rows).toEqual([{ three: 3 }]);
  });

  it('takes an order all the way to its webhooks', async () => {
    const env = {
      ...runtime.env,
      DATABASE_URL: url,
      DATABASE_DIRECT_URL: runtime.config.databaseUrl,
      DATABASE_POOLER: 'transaction',
      PORT: String(await freePort()),
      TRANSFER_START_DELAY_MS: '0',
      transferPollMs: 50,
      sandboxRegistrarDelayMs: 0,
    };
    const processes = ['api/main.ts', 'workers/main.ts'].map((main) => serviceProcess(main, env));
    const receiver = await startWebhookReceiver();
    try {
      for (const each of processes) each.start();
      const partner = await givenPartner(runtime);
      const client = signedClient(`http://127.0.0.1:${env.PORT}`, partner);
      await untilRegistered(client, receiver.url);
      const body = orderBody(await givenListing(runtime));
      const answer = await client.post('/v1/orders', { body, idempotencyKey: 'by-pooler' });
      expect(answer.status).toBe(201);
      await untilEverythingHappenedOnce({ runtime, receiver });
      expect(receiver.received.length).toBeGreaterThan(0);
    } finally {
      await Promise.all(processes.map((each) => each.kill()));
      await receiver.close();
    }
  });
});
