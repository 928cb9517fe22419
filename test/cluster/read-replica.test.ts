import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { givenListing } from '../support/factories.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';

/** A primary and a streaming replica, on separate machines as far as the service can tell. */
describe('a read replica', () => {
  let primary: OwnPostgres;
  let replica: OwnPostgres;
  let onReplica: pg.Client;
  let app: TestApp;

  beforeAll(async () => {
    primary = await startOwnPostgres();
    const database = await createTestDatabase(primary.url);
    replica = await primary.replica();
    const readUrl = new URL(database.url);
    readUrl.port = new URL(replica.url).port;
    app = await startTestApp({ DATABASE_URL: database.url, DATABASE_READ_URL: readUrl.href });
    onReplica = new pg.Client(readUrl.href);
    onReplica.on('error', () => {});
    await onReplica.connect();
  });

  afterAll(async () => {
    await onReplica.end().catch(() => {});
    await app.stop();
    await replica.remove();
    await primary.remove();
  });

  const readsOn = () =>
    app.runtime.db.read(async (sql) => {
      const { rows } = await sql.raw('select pg_is_in_recovery() as replica');
      return rows[0].replica ? 'replica' : 'primary';
    });
  const untilReadsAreOn = (where: string) =>
    eventually(readsOn, (answer) => answer === where, { everyMs: 50 });

  it('serves searches, listings, TLDs and reports', async () => {
    const partner = await app.partner();
    const { domain } = await givenListing(app.runtime, { environment: 'SANDBOX' });
    await eventually(async () => {
      const { rows } = await onReplica.query('select 1 from listings where domain = $1', [domain]);
      return rows.length === 1;
    });
    // What would write, or ask for a lock, fails there.
    const ask = async () => {
      await untilReadsAreOn('replica');
      for (const path of ['/v1/availability', '/v1/pricing']) {
        await partner.client.get(path, { query: { domain } }).expect(200);
      }
      await partner.client.get(`/v1/domains/${domain}`).expect(200);
      await partner.client.get('/v1/domains/search', { query: { q: domain } }).expect(200);
      await partner.client.get('/v1/transactions').expect(200);
      await partner.client.get('/v1/payouts').expect(200);
      for (const path of ['/market/listings', '/tlds']) {
        expect((await fetch(`${app.url}/api${path}`)).status).toBe(200);
      }
      return readsOn();
    };
    // Again when the replica fell behind meanwhile, which a busy machine can make it.
    await eventually(ask, (where) => where === 'replica');
  });

  it('rejects writes', async () => {
    const write = app.runtime.db.read((sql) => sql.raw('create table written (n integer)'));
    await expect(write).rejects.toMatchObject({ code: '25006' });
  });

  it('is bypassed while it lags and used again when it catches up', async () => {
    await onReplica.query('select pg_wal_replay_pause()');
    const listing = await givenListing(app.runtime);
    await untilReadsAreOn('primary');
    const { client } = await app.partner();
    await client.get('/v1/availability', { query: { domain: listing.domain } }).expect(200);
    await onReplica.query('select pg_wal_replay_resume()');
    await untilReadsAreOn('replica');
  });

  it('fails no reads while it is down', async () => {
    await untilReadsAreOn('replica');
    const { domain } = await givenListing(app.runtime);
    const { client } = await app.partner();
    await replica.kill();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.get('/v1/availability', { query: { domain } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await readsOn()).toBe('primary');
    await replica.start();
    await untilReadsAreOn('replica');
  });
});
