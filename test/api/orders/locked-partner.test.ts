import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { startTestApp, type TestApp } from '../../support/app.ts';
import {
  buyerWith,
  CARDS,
  fetchPage,
  givenSession,
  type PageAnswer,
  sendForm,
} from '../../support/checkout.ts';
import { eventually } from '../../support/eventually.ts';
import { givenListing } from '../../support/factories.ts';
import { sell } from '../../support/sales.ts';

/** How long a transaction waits for a lock, and a request for its turn, which times out much earlier. */
const LOCK_MS = 60_000;
const WAIT_MS = 2_000;
/** Concurrent orders per partner. The other partner never has to wait for a turn. */
const TURNS = 4;

let app: TestApp;
let holder: pg.Client;
/** Runs outside a transaction, in which Postgres would keep showing the sessions it saw first. */
let watcher: pg.Client;
beforeAll(async () => {
  app = await startTestApp({
    DATABASE_POOL_SIZE: '16',
    databaseLockMs: LOCK_MS,
    callerTransactions: TURNS,
    callerTransactionsWaiting: 10,
    callerWaitMs: WAIT_MS,
  });
  holder = new pg.Client({ connectionString: app.runtime.config.databaseUrl });
  await holder.connect();
  watcher = new pg.Client({ connectionString: app.runtime.config.databaseUrl });
  await watcher.connect();
});
afterAll(async () => {
  await holder.end();
  await watcher.end();
  await app.stop();
});

const waitingForLocks = async (): Promise<number> => {
  const { rows } = await watcher.query(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].n;
};

it('a partner whose rows are locked gets 503 or 429, and other partners are not slowed down', async () => {
  const locked = await app.partner();
  const other = await app.partner();
  const listings = await Promise.all(
    Array.from({ length: 24 + TURNS }, () => givenListing(app.runtime)),
  );
  const ofLocked = listings.slice(0, 24);
  const ofOther = listings.slice(24);
  const first = await givenListing(app.runtime);
  await sell(locked.client, first).expect(201);

  await holder.query('begin');
  await holder.query('select 1 from event_streams where partner_id = $1 for update', [
    locked.partnerId,
  ]);
  const answers: { status: number; headers: Headers }[] = [];
  const stuck = ofLocked.map(async (listing) => {
    answers.push(await sell(locked.client, listing));
  });
  await eventually(waitingForLocks, (n) => n === TURNS);

  const sold = await Promise.all(ofOther.map((listing) => sell(other.client, listing).expect(201)));
  expect(sold).toHaveLength(TURNS);
  // The same four are still waiting, so the others did not have to wait for them.
  expect(await waitingForLocks()).toBe(TURNS);

  // Ten timed out waiting for a turn. Ten more were rejected at once.
  await eventually(() => answers.length === ofLocked.length - TURNS);
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  expect(statuses.filter((status) => status === 503)).toHaveLength(10);
  for (const { headers } of answers) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(await waitingForLocks()).toBe(TURNS);

  await holder.query('rollback');
  await Promise.all(stuck);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(TURNS);
});

it('an order returns 503 if a lock is not released in time, and succeeds afterwards', async () => {
  const hasty = await startTestApp({ databaseLockMs: 200 });
  const blocker = new pg.Client({ connectionString: hasty.runtime.config.databaseUrl });
  await blocker.connect();
  try {
    const { client, partnerId } = await hasty.partner();
    const listing = await givenListing(hasty.runtime);
    await blocker.query('begin');
    await blocker.query('select 1 from partners where id = $1 for update', [partnerId]);
    const refused = await sell(client, listing).expect(503);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    await blocker.query('rollback');
    await sell(client, listing).expect(201);
  } finally {
    await blocker.end();
    await hasty.stop();
  }
});

it('buyers on the checkout pages of a locked partner do not slow down other partners', async () => {
  const locked = await app.partner();
  const other = await app.partner();
  const tills: { url: string; page: PageAnswer }[] = [];
  // One after another, because only so many of a partner may wait.
  while (tills.length < 24) {
    const { url } = await givenSession(app, locked.client);
    tills.push({ url, page: await fetchPage(url) });
  }
  const listings = await Promise.all(
    Array.from({ length: TURNS }, () => givenListing(app.runtime)),
  );

  await holder.query('begin');
  await holder.query('select 1 from partners where id = $1 for no key update', [locked.partnerId]);
  const paying = tills.map(({ url, page }) => sendForm(url, 'pay', buyerWith(CARDS.good), page));
  await eventually(waitingForLocks, (n) => n >= TURNS);
  await Promise.all(listings.map((listing) => sell(other.client, listing).expect(201)));
  expect(await waitingForLocks()).toBe(TURNS);
  await holder.query('rollback');

  const answers = await Promise.all(paying);
  expect(answers.filter(({ status }) => status === 303).length).toBeGreaterThanOrEqual(TURNS);
  for (const { status, headers } of answers.filter(({ status }) => status !== 303)) {
    expect([429, 503]).toContain(status);
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  }
});
