import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Stream } from '../../shared/messaging/event-types/event.ts';
import type { Database } from '../../shared/messaging/unit-of-work/database.ts';
import {
  createDatabase,
  type UnitOfWork,
} from '../../shared/messaging/unit-of-work/unit-of-work.ts';
import { addMs } from '../../shared/platform/clock.ts';
import { createPostgres, type Postgres } from '../../shared/platform/database/postgres.ts';
import { startTransferJob } from '../../shared/sales/orders/order.jobs.ts';
import { recordedOrder as event } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { givenPartner, unique } from '../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { runIn } from '../support/transaction.ts';
import { givenEndpoint } from '../support/webhooks.ts';

let runtime: TestRuntime;
let postgres: Postgres;
let db: Database;
let woken = 0;
let statements: string[] = [];

beforeAll(async () => {
  runtime = await createTestRuntime();
  const { config, log, clock } = runtime;
  postgres = createPostgres({
    url: config.databaseUrl,
    readUrl: '',
    poolSize: 8,
    lockMs: 3_000,
    share: { atOnce: 4, waiting: 4, waitMs: 1_000 },
    applicationName: 'test-unit-of-work',
    log,
  });
  postgres.knex.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  db = createDatabase({ ...postgres, wakeWorkers: () => (woken += 1) }, clock, {
    mail: false,
  });
});
afterAll(async () => {
  await postgres.close();
  await runtime.stop();
});

const streamOf = ({ partnerId }: { partnerId: string }): Stream => ({
  partnerId,
  environment: 'SANDBOX',
});
const subjects = (stream: Stream): Promise<string[]> =>
  runtime.db
    .knex('events')
    .where({ partner_id: stream.partnerId })
    .orderBy('position')
    .pluck('subject');
const scope = () => ({
  credential: String(unique()),
  method: 'POST',
  path: '/x',
  key: String(unique()),
});

/** What an operation may do with its unit of work, in any order. */
type Step = 'write' | 'event' | 'job' | 'answer';
const STEPS: readonly Step[] = ['write', 'event', 'job', 'answer'];

describe('a unit of work', () => {
  it('writes jobs, then the answer, then events, in whatever order they were added', async () => {
    const stream = streamOf(await givenPartner(runtime));
    const anyOrder = fc.shuffledSubarray([...STEPS, ...STEPS], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(anyOrder, async (steps) => {
        statements = [];
        await db.transact(async (uow) => {
          for (const step of steps) await take(step, uow, stream);
        });
        const written = statements.map(kindOf).filter((kind) => kind !== undefined);
        const rank = ['write', 'job', 'answer', 'event'];
        expect(written.map((kind) => rank.indexOf(kind))).toEqual(
          written.map((kind) => rank.indexOf(kind)).toSorted((one, other) => one - other),
        );
        expect(new Set(written)).toEqual(new Set(steps));
      }),
      { numRuns: 40 },
    );
  });

  it("keeps a partner's events in order, with one timestamp", async () => {
    const stream = streamOf(await givenPartner(runtime));
    const now = await db.transact(async (uow) => {
      uow.events.add(stream, event('first'));
      uow.events.add(stream, event('second'), event('third'));
      return uow.now;
    });
    expect(await subjects(stream)).toEqual(['first', 'second', 'third']);
    const { created_at } = await runtime.db.knex('events').where({ subject: 'third' }).first();
    expect(created_at).toEqual(now);
  });

  it('locks the histories of several partners in a fixed order, avoiding deadlocks', async () => {
    const streams = await Promise.all(
      Array.from({ length: 3 }, async () => streamOf(await givenPartner(runtime))),
    );
    const rounds = Array.from({ length: 24 }, (_, round) =>
      round % 2 ? streams : streams.toReversed(),
    );
    let runs = 0;
    await Promise.all(
      rounds.map((order) =>
        db.transact(async (uow) => {
          runs += 1;
          for (const stream of order) uow.events.add(stream, event('crossed'));
        }),
      ),
    );
    // A deadlock would have caused a retry.
    expect(runs).toBe(rounds.length);
  });

  it('reports when it locked a history, and only if it did', async () => {
    const stream = streamOf(await givenPartner(runtime));
    const quiet = await db.transact(async (uow) => uow.events);
    expect(quiet.lockedAt).toBeUndefined();
    const begin = performance.now();
    const loud = await db.transact(async (uow) => {
      uow.events.add(stream, event('timed'));
      return uow.events;
    });
    expect(loud.lockedAt).toBeGreaterThan(begin);
  });

  it('leaves nothing behind and wakes nobody when its work throws', async () => {
    const stream = streamOf(await givenPartner(runtime));
    woken = 0;
    const failing = db.transact(async (uow) => {
      for (const step of STEPS) await take(step, uow, stream);
      throw new Error('changed its mind');
    });
    await expect(failing).rejects.toThrow('changed its mind');
    expect(await subjects(stream)).toEqual([]);
    expect(woken).toBe(0);
  });

  it('wakes the relay for a job that is due, for an event with a receiver, and on request', async () => {
    const deaf = streamOf(await givenPartner(runtime));
    const hearing = streamOf(await givenEndpoint(runtime, 'http://127.0.0.1:19999/'));
    const wakes = async (work: (uow: UnitOfWork) => void) => {
      woken = 0;
      await db.transact(async (uow) => work(uow));
      return woken;
    };
    expect(await wakes(() => {})).toBe(0);
    expect(await wakes((uow) => uow.events.add(deaf, event('unheard')))).toBe(0);
    expect(await wakes((uow) => uow.events.add(hearing, event('heard')))).toBe(1);
    const add = (uow: UnitOfWork, runAt: Date) =>
      uow.jobs.add(startTransferJob, { orderId: String(unique()) }, { runAt });
    expect(await wakes((uow) => add(uow, uow.now))).toBe(1);
    expect(await wakes((uow) => add(uow, addMs(uow.now, 1)))).toBe(0);
    expect(await wakes((uow) => uow.wakeRelay())).toBe(1);
  });

  it('holds a history until commit, so that other events come after', async () => {
    const stream = streamOf(await givenPartner(runtime));
    const done: string[] = [];
    let other: Promise<unknown> | undefined;
    await db.transact(async (uow) => {
      expect(uow.events.lockedAt).toBeUndefined();
      await uow.events.hold(stream);
      expect(uow.events.lockedAt).toBeLessThanOrEqual(performance.now());
      other = db
        .transact(async (next) => next.events.add(stream, event('other')))
        .then(() => done.push('other'));
      await eventually(
        async () => {
          const { rows } = await runtime.db.knex.raw(
            `select count(*)::int as waiting from pg_stat_activity
             where wait_event_type = 'Lock' and application_name like 'test-unit-of-work%'`,
          );
          return rows[0].waiting;
        },
        (waiting) => waiting === 1,
      );
      done.push('holder');
      uow.events.add(stream, event('own'));
    });
    await other;
    expect(done).toEqual(['holder', 'other']);
    expect(await subjects(stream)).toEqual(['own', 'other']);
  });

  it('accepts nothing more after it was written', async () => {
    const stream = streamOf(await givenPartner(runtime));
    const kept = await db.transact(async (uow) => uow);
    expect(() => kept.events.add(stream, event('late'))).toThrow('has been written');
    expect(() => kept.jobs.add(startTransferJob, { orderId: 'late' })).toThrow('has been written');
  });

  it('does not commit if its job was finished elsewhere', async () => {
    const stream = streamOf(await givenPartner(runtime));
    const orderId = String(unique());
    await db.transact(async (uow) => uow.jobs.add(startTransferJob, { orderId }));
    const row = await runtime.db
      .knex('outbox')
      .whereRaw(`payload ->> 'orderId' = ?`, [orderId])
      .first();
    const finish = () =>
      db.transact(async (uow) => {
        uow.jobs.finish({ outboxId: row.id, epoch: row.epoch });
        uow.events.add(stream, event('done'));
      });
    await finish();
    await expect(finish()).rejects.toThrow('done elsewhere');
    expect(await subjects(stream)).toEqual(['done']);
  });
});

async function take(step: Step, uow: UnitOfWork, stream: Stream): Promise<void> {
  if (step === 'write') await runIn(uow.sql, postgres.knex.raw('select 1 as work'));
  if (step === 'event') uow.events.add(stream, event(String(unique())));
  if (step === 'job') uow.jobs.add(startTransferJob, { orderId: String(unique()) });
  if (step === 'answer') uow.answer(scope(), { status: 201, text: '{}' });
}

function kindOf(sql: string): Step | undefined {
  if (sql.includes('as work')) return 'write';
  if (sql.includes('into events')) return 'event';
  if (sql.includes('into outbox')) return 'job';
  if (sql.includes('update idempotency_keys')) return 'answer';
  return undefined;
}
