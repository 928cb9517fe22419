import { Type } from 'typebox';
import type { Job } from '../../shared/messaging/jobs/job.ts';
import {
  done,
  handle,
  type JobContext,
  type Outcome,
  type Registry,
} from '../../workers/runtime/job-handler.ts';
import type { Runtime } from './runtime.ts';
import { runIn } from './transaction.ts';

/** Creates tables for jobs with countable effects: each job adds a row, and no constraint prevents duplicates. */
export async function createEffects({ db }: Runtime): Promise<void> {
  await db.knex.raw('create table if not exists effects (n integer not null)');
  await db.knex.raw('create table if not exists effect_holders (n integer not null, pid integer)');
}

const QUICK = { queue: 'maintenance', retryMs: [50, 50, 50] } as const;
const effect: Job<{ n: number }> = {
  ...QUICK,
  name: 'effect',
  payload: Type.Object({ n: Type.Integer() }),
  deadlineMs: 10_000,
};
const slowEffect: Job<{ n: number; ms: number; isFatal?: boolean }> = {
  ...QUICK,
  name: 'slow-effect',
  payload: Type.Object({
    n: Type.Integer(),
    ms: Type.Integer(),
    isFatal: Type.Optional(Type.Boolean()),
  }),
  deadlineMs: 60_000,
};
const heldEffect: Job<{ n: number }> = { ...effect, name: 'held-effect', deadlineMs: 60_000 };

async function writeEffect({ runtime, job }: JobContext, n: number): Promise<Outcome> {
  await runtime.db.transact(async (uow) => {
    await runIn(uow.sql, runtime.db.knex('effects').insert({ n }));
    uow.jobs.finish(job);
  });
  return done();
}

/**
 * `effect` writes at once. On their first attempt, `slow-effect` first waits as long as its payload says, or kills its
 * process, and `held-effect` records its process and waits until `releaseEffects`.
 */
export const EFFECT_ROWS: Registry = [
  handle(effect, (context, { n }) => writeEffect(context, n)),
  handle(slowEffect, async (context, { n, ms, isFatal }) => {
    if (context.attempt === 1 && isFatal) process.kill(process.pid, 'SIGKILL');
    if (context.attempt === 1) await untilAborted(context.signal, ms);
    return writeEffect(context, n);
  }),
  handle(heldEffect, async (context, { n }) => {
    const { knex } = context.runtime.db;
    if (context.attempt === 1) {
      await knex('effect_holders').where({ n }).update({ pid: process.pid });
      const isHeld = () => knex('effect_holders').where({ n }).first();
      while (await isHeld()) await untilAborted(context.signal, 20);
    }
    return writeEffect(context, n);
  }),
];

/** Waits `ms`, or throws as soon as the signal fires. */
function untilAborted(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** @param fatal the slow job whose first attempt kills its process */
export async function enqueueEffects(
  runtime: Runtime,
  numbers: readonly number[],
  slowMs?: number,
  fatal?: number,
): Promise<void> {
  await runtime.db.transact(async (uow) => {
    for (const n of numbers) {
      if (slowMs === undefined) uow.jobs.add(effect, { n });
      else uow.jobs.add(slowEffect, { n, ms: slowMs, ...(n === fatal && { isFatal: true }) });
    }
  });
}

/** Enqueues jobs that wait in their worker until `releaseEffects`; jobs that start later do not wait. */
export async function enqueueHeldEffects(
  runtime: Runtime,
  numbers: readonly number[],
): Promise<void> {
  await runtime.db.transact(async (uow) => {
    for (const n of numbers) {
      await runIn(uow.sql, runtime.db.knex('effect_holders').insert({ n, pid: null }));
      uow.jobs.add(heldEffect, { n });
    }
  });
}

/** Returns the outbox rows of the waiting jobs, and the process of each. */
export async function heldEffects({ db }: Runtime): Promise<{ id: number; pid: number }[]> {
  return db
    .knex('effect_holders as h')
    .join('outbox as o', db.knex.raw("o.name = 'held-effect' and (o.payload ->> 'n')::int = h.n"))
    .whereNotNull('h.pid')
    .select('o.id', 'h.pid');
}

/** Lets waiting jobs continue, and keeps later ones from waiting. */
export async function releaseEffects({ db }: Runtime): Promise<void> {
  await db.knex('effect_holders').delete();
}

/** Returns the numbers written so far, in order, including duplicates. */
export async function effectsOf({ db }: Runtime): Promise<number[]> {
  return db.knex('effects').orderBy('n').pluck('n');
}

/** Returns the outbox rows, oldest first. */
export async function outboxOf({ db }: Runtime): Promise<OutboxView[]> {
  return db
    .knex('outbox')
    .orderBy('id')
    .select('id', 'name', 'state', 'attempts', 'epoch', 'run_at', 'last_error');
}

export interface OutboxView {
  id: number;
  name: string;
  state: string;
  attempts: number;
  epoch: number;
  run_at: Date;
  last_error: string | null;
}
