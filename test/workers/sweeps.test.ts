import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { addMs, DAY, SECOND } from '../../shared/platform/clock.ts';
import { newId } from '../../shared/platform/ids.ts';
import type { ScheduledTask } from '../../workers/runtime/job-handler.ts';
import {
  deleteExpiredTask,
  expireCheckoutSessionsTask,
  expireQuotesTask,
  keepPartitionsTask,
} from '../../workers/scheduled/sweeps.ts';
import { checkRecentLedgerTask } from '../../workers/scheduled/verify-ledger.ts';
import { givenListing, givenPartner } from '../support/factories.ts';
import { givenSession } from '../support/payments.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

let runtime: TestRuntime;
let now: Date;

beforeEach(async () => {
  runtime = await createTestRuntime();
  now = runtime.clock.now();
});

afterEach(() => runtime.stop());

function sweep(row: ScheduledTask): Promise<unknown> {
  return row.run({ runtime, signal: new AbortController().signal });
}

describe('the scheduled sweeps', () => {
  it('expire quotes that have run out, and no others', async () => {
    const { partnerId } = await givenPartner(runtime);
    for (const expiresAt of [addMs(now, -SECOND), addMs(now, 60 * SECOND)]) {
      const { id } = await givenListing(runtime);
      await runtime.db.knex('quotes').insert({
        id: newId('quote', now),
        partner_id: partnerId,
        environment: 'SANDBOX',
        listing_id: id,
        price_cents: 100,
        currency: 'USD',
        created_at: now,
        expires_at: expiresAt,
      });
    }
    expect(await sweep(expireQuotesTask)).toBe(1);
    expect(await runtime.db.knex('quotes').orderBy('expires_at').pluck('state')).toEqual([
      'expired',
      'open',
    ]);
  });

  it('expire checkout sessions that have run out, and no others', async () => {
    const old = await givenSession(runtime);
    await givenSession(runtime);
    await runtime.db
      .knex('checkout_sessions')
      .where({ id: old.id })
      .update({ expires_at: addMs(now, -SECOND) });
    expect(await sweep(expireCheckoutSessionsTask)).toBe(1);
    const statuses = await runtime.db
      .knex('checkout_sessions')
      .orderBy('expires_at')
      .pluck('status');
    expect(statuses).toEqual(['expired', 'open']);
  });

  it('delete expired idempotency keys', async () => {
    const key = { credential: 'pk', method: 'POST', path: '/x', fingerprint: Buffer.from('f') };
    await runtime.db.knex('idempotency_keys').insert([
      { ...key, key: 'old', created_at: now, expires_at: addMs(now, -SECOND) },
      { ...key, key: 'new', created_at: now, expires_at: addMs(now, DAY) },
    ]);
    expect(await sweep(deleteExpiredTask)).toEqual({ idempotency_keys: 1 });
    expect(await runtime.db.knex('idempotency_keys').pluck('key')).toEqual(['new']);
  });

  it('drop old weekly partitions of finished jobs and their deduplication keys', async () => {
    const longAgo = addMs(now, -100 * DAY);
    const job = {
      queue: 'maintenance',
      name: 'x',
      payload: {},
      run_at: longAgo,
      created_at: longAgo,
    };
    await runtime.db.knex('outbox').insert(
      Array.from({ length: 2_500 }, (_, n) => ({
        ...job,
        dedupe_key: `key ${n}`,
        state: n === 0 ? 'dead' : 'done',
        done_at: n === 0 ? null : longAgo,
      })),
    );
    expect(await sweep(keepPartitionsTask)).toMatchObject({ dropped: { outbox: 0 } });
    expect(await sweep(deleteExpiredTask)).toEqual({ job_keys: 2_499 });
    await runtime.db.knex('outbox').update({ state: 'done', done_at: longAgo });
    // When that week, and the next one that was made ahead, have ended long ago by the clock of the database, too.
    const { rows } = await runtime.db.knex.raw(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'outbox'::regclass`,
    );
    const weeks = rows.filter(({ name }: { name: string }) => /_\d{8}$/.test(name));
    expect(weeks.length).toBeGreaterThanOrEqual(2);
    runtime.clock.advance(1_000 * 365 * DAY);
    expect(await sweep(keepPartitionsTask)).toMatchObject({ dropped: { outbox: weeks.length } });
    expect(await sweep(deleteExpiredTask)).toEqual({ job_keys: 1 });
    expect(await runtime.db.knex('outbox')).toEqual([]);
  });

  it('delete expired sessions', async () => {
    const userId = newId('user', now);
    await runtime.db.knex('users').insert({
      id: userId,
      email: 'ops@example.com',
      password_hash: 'x',
      role: 'ops',
      staff_role: 'admin',
      created_at: now,
    });
    const session = { user_id: userId, created_at: now };
    await runtime.db.knex('user_sessions').insert([
      { ...session, token_hash: Buffer.from('a'), expires_at: addMs(now, -SECOND) },
      { ...session, token_hash: Buffer.from('b'), expires_at: addMs(now, DAY) },
    ]);
    expect(await sweep(deleteExpiredTask)).toEqual({ user_sessions: 1 });
    expect(await runtime.db.knex('user_sessions')).toHaveLength(1);
  });

  it('check the ledger', async () => {
    expect(await sweep(checkRecentLedgerTask)).toEqual({ entries: 0 });
  });

  it('stop between batches when aborted', async () => {
    const key = { dedupe_key: 'old', job_id: 1, created_at: addMs(now, -100 * DAY) };
    await runtime.db.knex('job_keys').insert(key);
    const signal = AbortSignal.abort();
    expect(await deleteExpiredTask.run({ runtime, signal })).toEqual({});
    expect(await sweep(deleteExpiredTask)).toEqual({ job_keys: 1 });
  });
});
