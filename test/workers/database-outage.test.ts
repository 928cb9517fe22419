import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFleetMetrics } from '../../shared/operations/monitoring/fleet-metrics.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import {
  createEffects,
  EFFECT_ROWS,
  effectsOf,
  enqueueEffects,
  outboxOf,
} from '../support/effects.ts';
import { eventually } from '../support/eventually.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../support/runtime.ts';

const NUMBERS = Array.from({ length: 300 }, (_, index) => index + 1);

let runtime: TestRuntime;
let worker: Awaited<ReturnType<typeof joinRuntime>>;
let fleet: WorkerProcess;

beforeEach(async () => {
  runtime = await createTestRuntime({ outboxPollMs: 20, reconcileMs: 100 });
  await createEffects(runtime);
  worker = await joinRuntime(runtime);
  fleet = startWorkers(worker, { queues: ['maintenance'], registry: EFFECT_ROWS });
});

afterEach(async () => {
  await fleet.stop();
  await worker.stop();
  await runtime.stop();
});

/** Ends every connection to the database but the one that asks, as a restart of Postgres does. */
async function cutConnections() {
  await runtime.db.knex.raw(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
}

describe('a worker fleet', () => {
  it('runs every job exactly once when Postgres drops its connections', async () => {
    await enqueueEffects(runtime, NUMBERS);
    for (const part of [30, 100, 200]) {
      await eventually(
        () => effectsOf(runtime),
        (all) => all.length >= part,
        { everyMs: 2 },
      );
      await cutConnections();
    }
    await eventually(
      () => outboxOf(runtime),
      (rows) => rows.every((row) => row.state === 'done'),
    );
    expect(await effectsOf(runtime)).toEqual(NUMBERS);
  });
});

describe('the backlog metric', () => {
  it('counts pending and dead jobs by queue', async () => {
    await fleet.stop();
    await enqueueEffects(runtime, [1, 2]);
    await runtime.db
      .knex('outbox')
      .whereRaw('id = (select min(id) from outbox)')
      .update({ state: 'dead' });
    const text = await createFleetMetrics(runtime).read();
    expect(text).toContain('marketplace_outbox_backlog{queue="maintenance",state="dead"} 1');
    expect(text).toContain('marketplace_outbox_backlog{queue="maintenance",state="pending"} 1');
    expect(text).toContain('marketplace_outbox_backlog{queue="transfers",state="dead"} 0');
  });
});
