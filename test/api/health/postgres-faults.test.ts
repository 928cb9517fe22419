import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createApp } from '../../../api/app.ts';
import { createApiServer } from '../../../api/http/server.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { givenListing, givenPartner } from '../../support/factories.ts';
import { type OwnPostgres, startOwnPostgres } from '../../support/own-postgres.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { sell } from '../../support/sales.ts';
import { type SignedClient, signedClient } from '../../support/signed-client.ts';

/** The parts of a response that say that nothing was done, and when to retry. */
function refusal(answer: Awaited<ReturnType<typeof sell>>) {
  return [answer.status, answer.body.error?.code, answer.headers.get('Retry-After')];
}

describe('Postgres failures', () => {
  let app: TestApp;
  let client: SignedClient;
  beforeAll(async () => {
    app = await startTestApp();
    ({ client } = await app.partner());
    await app.runtime.db.knex.raw(`
      create table fault (code text not null);
      create function fail_as_told() returns trigger language plpgsql as $$
        declare told text;
        begin
          select code into told from fault;
          if found then raise exception 'told to fail' using errcode = told; end if;
          return new;
        end $$;
      create trigger fail_as_told before insert on orders for each row execute function fail_as_told()`);
  });
  afterEach(() => app.runtime.db.knex('fault').delete());
  afterAll(() => app.stop());

  it.each([
    ['is out of disk space', '53100', '10'],
    ['is out of memory', '53200', '1'],
    ['reached a limit of its configuration', '53400', '1'],
    ['has too many connections', '53300', '1'],
    ['is read-only', '25006', '1'],
    ['ran into statement_timeout', '57014', '1'],
    ['ran into lock_timeout', '55P03', '1'],
    ['ran into a deadlock again and again', '40P01', '1'],
    ['could not serialize again and again', '40001', '1'],
    ['cannot read its disk', '58030', '10'],
    ['shuts down', '57P01', '1'],
  ])('return 503 with Retry-After to partners when Postgres %s', async (_what, code, seconds) => {
    const listing = await givenListing(app.runtime);
    await app.runtime.db.knex('fault').insert({ code });
    expect(refusal(await sell(client, listing))).toEqual([503, 'service_unavailable', seconds]);
    await app.runtime.db.knex('fault').delete();
    expect((await sell(client, listing)).status).toBe(201);
  });

  it('return 500 if our own bug caused them', async () => {
    const listing = await givenListing(app.runtime);
    await app.runtime.db.knex('fault').insert({ code: '22012' });
    expect(refusal(await sell(client, listing))).toEqual([500, 'internal_error', null]);
  });

  it('return 503 if a statement was canceled while it waited for a lock', async () => {
    const listing = await givenListing(app.runtime);
    const { knex } = app.runtime.db;
    await knex.transaction(async (tx) => {
      await tx.raw('select 1 from listings where domain = ? for update', [listing.domain]);
      const order = sell(client, listing);
      await eventually(
        () =>
          knex.raw(`select pg_cancel_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`),
        ({ rowCount }) => rowCount > 0,
      );
      expect(refusal(await order)).toEqual([503, 'service_unavailable', '1']);
    });
  });

  it('make the pool replace read-only connections after a failover', async () => {
    const { db } = app.runtime;
    const listing = await givenListing(app.runtime);
    const size = app.runtime.config.databasePoolSize;
    // Buffered writes would otherwise meet a stale connection first.
    await app.runtime.requestLog.flush();
    await app.runtime.credentialUse.flush();
    // As after a failover: our connections go to the old primary, new ones to the new one.
    const { client: pool } = db.knex;
    const all = await Promise.all(Array.from({ length: size }, () => pool.acquireConnection()));
    for (const connection of all) {
      await connection.query('set default_transaction_read_only = on');
    }
    // Only connections of some age are suspected of going to an old primary.
    await all[0].query('select pg_sleep(1.1)');
    for (const connection of all) pool.releaseConnection(connection);
    expect(refusal(await sell(client, listing))).toEqual([503, 'service_unavailable', '1']);
    expect((await sell(client, listing)).status).toBe(201);
  });
});

describe('a Postgres server in read-only mode', () => {
  let postgres: OwnPostgres;
  let runtime: TestRuntime;
  let url: string;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    runtime = await createTestRuntime({}, postgres.url);
    const api = createApiServer(createApp(runtime));
    await new Promise<void>((resolve) => api.server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`;
    stop = () => api.stop(0);
  });
  afterAll(async () => {
    await stop();
    await runtime.stop();
    await postgres.remove();
  });

  const readiness = async () => {
    const answer = await fetch(`${url}/readyz`);
    const { checks } = (await answer.json()) as { checks: Record<string, string> };
    return { status: answer.status, checks };
  };

  it('takes the process out of service until writes work again', async () => {
    const client = signedClient(url, await givenPartner(runtime));
    const listing = await givenListing(runtime);
    expect(await readiness()).toMatchObject({ status: 200, checks: { postgres: 'ok' } });
    await postgres.readOnly(true);
    const unready = await eventually(readiness, ({ status }) => status === 503);
    expect(unready).toMatchObject({ checks: { postgres: 'read_only', redis: 'ok' } });
    expect(refusal(await sell(client, listing))).toEqual([503, 'service_unavailable', '1']);
    await postgres.readOnly(false);
    await eventually(readiness, ({ status }) => status === 200);
    expect((await sell(client, listing)).status).toBe(201);
  });
});
