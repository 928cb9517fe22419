import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Stream } from '../../../shared/messaging/event-types/event.ts';
import { listEvents } from '../../../shared/messaging/events/read-events.ts';
import { recordEvents } from '../../../shared/messaging/events/record-events.ts';
import { recordedOrder } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { givenPartner } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { runIn } from '../../support/transaction.ts';

/** A transaction that records `events` events, dawdles, and commits or rolls back. */
interface Writer {
  startMs: number;
  beforeMs: number;
  afterMs: number;
  events: number;
  commits: boolean;
}

const writer = fc.record<Writer>({
  startMs: fc.integer({ min: 0, max: 6 }),
  beforeMs: fc.integer({ min: 0, max: 6 }),
  afterMs: fc.integer({ min: 0, max: 8 }),
  events: fc.integer({ min: 1, max: 3 }),
  commits: fc.boolean(),
});

/** A promise and the function that resolves it. */
function signal(): [Promise<void>, () => void] {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return [promise, () => resolve()];
}

describe('event history', () => {
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await createTestRuntime();
  });
  afterAll(() => runtime.stop());

  const ids = async (stream: Stream) => {
    const rows = await runtime.db
      .knex('events')
      .where({ partner_id: stream.partnerId, environment: stream.environment })
      .orderBy('position')
      .select('id');
    return rows.map((row: { id: string }) => row.id);
  };

  const waitingForLocks = async (): Promise<number> => {
    const { rows } = await runtime.db.knex.raw(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0].n;
  };

  async function write(stream: Stream, w: Writer): Promise<void> {
    await sleep(w.startMs);
    await runtime.db
      .transact(async (uow) => {
        await runIn(uow.sql, runtime.db.knex.raw('select pg_current_xact_id()'));
        await sleep(w.beforeMs);
        const events = Array.from({ length: w.events }, (_, i) => recordedOrder(`s${i}`));
        await recordEvents(uow.pipeline, stream, events, { now: runtime.clock.now() });
        await sleep(w.afterMs);
        if (!w.commits) throw new Error('rolled back on purpose');
      })
      .catch((error: Error) => {
        if (error.message !== 'rolled back on purpose') throw error;
      });
  }

  /** Pages while writers are active, and once more after they finish. */
  async function readAll(
    stream: Stream,
    writing: { done: boolean },
    limit: number,
  ): Promise<string[]> {
    const seen: string[] = [];
    for (let last = false; ; ) {
      const page = await listEvents(runtime, stream, { afterId: seen.at(-1) ?? null, limit });
      seen.push(...page.rows.map((event) => event.id));
      if (last && page.rows.length === 0) return seen;
      last = writing.done;
    }
  }

  it('can be paged completely and in order while transactions overlap and roll back', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(writer, { minLength: 2, maxLength: 8 }),
        fc.integer({ min: 1, max: 4 }),
        async (writers, limit) => {
          const stream: Stream = await givenPartner(runtime);
          const writing = { done: false };
          const reading = readAll(stream, writing, limit);
          await Promise.all(writers.map((each) => write(stream, each)));
          writing.done = true;
          expect(await reading).toEqual(await ids(stream));
          const committed = writers
            .filter((each) => each.commits)
            .reduce((sum, each) => sum + each.events, 0);
          expect(await ids(stream)).toHaveLength(committed);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('assigns positions without gaps in commit order', async () => {
    const stream: Stream = await givenPartner(runtime);
    const [held, release] = signal();
    const [locked, hasLocked] = signal();
    const event = (subject: string) => [recordedOrder(subject)];
    const first = runtime.db.transact(async (uow) => {
      await recordEvents(uow.pipeline, stream, event('first'), { now: runtime.clock.now() });
      await uow.pipeline.settle();
      hasLocked();
      await held;
    });
    await locked;
    const second = runtime.db.transact((uow) =>
      recordEvents(uow.pipeline, stream, event('second'), { now: runtime.clock.now() }),
    );
    // The second stands at the lock that the first holds until it has committed. Which of the two
    // answers reaches this process first says nothing: the lock falls before either is sent.
    await eventually(waitingForLocks, (waiting) => waiting === 1);
    expect((await listEvents(runtime, stream, { afterId: null, limit: 10 })).rows).toEqual([]);
    release();
    await Promise.all([first, second]);
    const rows = await runtime.db
      .knex('events')
      .where('partner_id', stream.partnerId)
      .orderBy('position');
    expect(rows.map((row) => row.position)).toEqual([1, 2]);
    expect(rows.map((row) => row.subject)).toEqual(['first', 'second']);
  });
});
