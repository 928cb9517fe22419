import { Type } from 'typebox';
import { enqueue } from '../../shared/delivery/jobs/enqueue.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { defineHandler, done, type Registry } from '../../workers/runtime/job-handler.ts';

/** Jobs whose effect can be counted: each adds a row that no constraint keeps from being there twice. */
export async function createEffects({ db }: Runtime): Promise<void> {
  await db.knex.raw('create table if not exists effects (n integer not null)');
  await db.knex.raw('create table if not exists effect_holders (n integer not null, pid integer)');
}

/**
 * `effect` writes at once. On their first attempt `slow-effect` first takes as long as its payload says, and
 * `held-effect` tells which process holds it and waits until `releaseEffects`.
 */
export const EFFECT_ROWS: Registry = [
  defineHandler({
    queue: 'maintenance',
    name: 'effect',
    payload: Type.Object({ n: Type.Integer() }),
    deadlineMs: 10_000,
    retryMs: [50, 50, 50],
    async processor({ runtime, finish }, { n }) {
      await runtime.db.transact(async (tx) => {
        await tx('effects').insert({ n });
        await finish(tx);
      });
      return done();
    },
  }),
  defineHandler({
    queue: 'maintenance',
    name: 'slow-effect',
    payload: Type.Object({ n: Type.Integer(), ms: Type.Integer() }),
    deadlineMs: 60_000,
    retryMs: [50, 50, 50],
    async processor({ runtime, finish, attempt, signal }, { n, ms }) {
      if (attempt === 1) await untilAborted(signal, ms);
      await runtime.db.transact(async (tx) => {
        await tx('effects').insert({ n });
        await finish(tx);
      });
      return done();
    },
  }),
  defineHandler({
    queue: 'maintenance',
    name: 'held-effect',
    payload: Type.Object({ n: Type.Integer() }),
    deadlineMs: 60_000,
    retryMs: [50, 50, 50],
    async processor({ runtime, finish, attempt, signal }, { n }) {
      const { knex, transact } = runtime.db;
      if (attempt === 1) {
        await knex('effect_holders').insert({ n, pid: process.pid });
        const isHeld = () => knex('effect_holders').where({ n }).first();
        while (await isHeld()) await untilAborted(signal, 20);
      }
      await transact(async (tx) => {
        await tx('effects').insert({ n });
        await finish(tx);
      });
      return done();
    },
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

export async function enqueueEffects(
  runtime: Runtime,
  numbers: readonly number[],
  slowMs?: number,
): Promise<void> {
  const now = runtime.clock.now();
  const jobs = numbers.map((n) => ({
    queue: 'maintenance' as const,
    name: slowMs === undefined ? 'effect' : 'slow-effect',
    payload: slowMs === undefined ? { n } : { n, ms: slowMs },
    runAt: now,
  }));
  await runtime.db.transact((tx) => enqueue(tx, jobs, now));
}

/** Jobs that whoever takes them holds until `releaseEffects`. */
export async function enqueueHeldEffects(
  runtime: Runtime,
  numbers: readonly number[],
): Promise<void> {
  const now = runtime.clock.now();
  const jobs = numbers.map((n) => ({
    queue: 'maintenance' as const,
    name: 'held-effect',
    payload: { n },
    runAt: now,
  }));
  await runtime.db.transact((tx) => enqueue(tx, jobs, now));
}

/** The outbox rows of the jobs that are held, and the process that holds each. */
export async function heldEffects({ db }: Runtime): Promise<{ id: number; pid: number }[]> {
  return db
    .knex('effect_holders as h')
    .join('outbox as o', db.knex.raw("o.name = 'held-effect' and (o.payload ->> 'n')::int = h.n"))
    .select('o.id', 'h.pid');
}

/** Lets the holders go on. */
export async function releaseEffects({ db }: Runtime): Promise<void> {
  await db.knex('effect_holders').delete();
}

/** The numbers written so far, in order, as often as they were written. */
export async function effectsOf({ db }: Runtime): Promise<number[]> {
  return db.knex('effects').orderBy('n').pluck('n');
}

/** The outbox rows in order of their making. */
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
