import { setTimeout as sleep } from 'node:timers/promises';
import { jobIdOf } from '../../shared/messaging/jobs/job.ts';
import { checkLedger } from '../../shared/operations/ledger-check/ledger-check.ts';
import { eventually } from '../../test/support/eventually.ts';
import { notOnce, orderEffects } from '../../test/support/order-effects.ts';
import { historyOf, missingOf } from '../../test/support/running-service.ts';
import type { Runtime } from '../../test/support/runtime.ts';
import type { WebhookReceiver } from '../../test/support/webhook-receiver.ts';
import { SCHEDULED_TASKS } from '../../workers/job-registry.ts';
import type { Market } from './market.ts';
import type { Trial } from './trial.ts';

/** How long there may be no progress at all. */
const PATIENCE_MS = 120_000;

/** A request that a receiver got. */
export interface Arrival {
  eventId: string;
  /** Whether the receiver accepted it; rejected events must be sent again. */
  accepted: boolean;
}

/** Returns the requests that a receiver got, in order. */
export function arrivalsOf({ received }: WebhookReceiver): Arrival[] {
  return received.map(({ event, status }) => ({ eventId: event.id, accepted: status === 200 }));
}

/**
 * Waits until the market has nothing left to do, then checks ledger, registrar and receiver. `since` is when the
 * last fault ended, by `performance.now()`.
 */
export async function verifyMarket(market: Market, since: number): Promise<void> {
  const { trial, runtime, receiver } = market;
  await untilOrdersAreThrough(trial, runtime);
  await untilReceived(trial, runtime, receiver);
  trial.recovered(performance.now() - since);
  await countOrders(trial, runtime);
  await countDeliveries(trial, runtime, arrivalsOf(receiver));
  await checkMoney(trial, runtime);
  await checkUpkeep(trial, runtime);
  const answers = [...market.answers]
    .sort()
    .map(([status, count]) => `${status || 'broken'} x${count}`);
  if (answers.length > 0) trial.note(`answers: ${answers.join(', ')}`);
}

/** @param patienceMs how long no order may complete; longer than the longest wait between attempts of a job */
export async function untilOrdersAreThrough(
  trial: Trial,
  runtime: Runtime,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const waiting = () =>
    runtime.db
      .knex('orders')
      .whereNotIn('status', ['TRANSFER_COMPLETED', 'SETTLED', 'REFUNDED'])
      .pluck('id');
  const failures = trial.failures.length;
  await untilNoneIsLeft(trial, 'orders are stuck', waiting, { patienceMs });
  if (trial.failures.length > failures) await tellOpenJobs(trial, runtime);
}

/** Notes the state of unfinished jobs, in the outbox and in Redis. */
async function tellOpenJobs(trial: Trial, { db, queues }: Runtime): Promise<void> {
  const rows = await db
    .knex('outbox')
    .whereNot('state', 'done')
    .orderBy('id')
    .select('id', 'queue', 'name', 'state', 'epoch', 'attempts', 'run_at', 'lease_until')
    .select('batch_id', 'last_error')
    .limit(20);
  const [clock] = await db.knex.select(db.knex.raw('clock_timestamp() as now'));
  trial.note(`open jobs at ${JSON.stringify(clock?.now)}`);
  for (const { queue, ...row } of rows) {
    const id = jobIdOf({ ...row, batchId: row.epoch === 1 ? (row.batch_id ?? row.id) : row.id });
    const job = await queues.get(queue).getJob(id);
    const place = job ? await job.getState() : 'gone';
    trial.note(`${queue} ${JSON.stringify(row)} is ${place} in Redis as ${id}`);
  }
  for (const queue of queues.all()) {
    const counts = Object.entries(await queue.getJobCounts()).filter(([, count]) => count > 0);
    if (counts.length > 0) trial.note(`${queue.name}: ${JSON.stringify(counts)}`);
  }
}

/**
 * Waits until `left` returns nothing. It fails only without progress for `patienceMs`, so a slow machine is fine.
 * Where `left` returns only part of the rest, `toGo` returns its full count.
 */
export async function untilNoneIsLeft(
  trial: Trial,
  what: string,
  left: () => Promise<readonly unknown[]>,
  { toGo, patienceMs = PATIENCE_MS }: { toGo?: () => number; patienceMs?: number } = {},
): Promise<void> {
  let fewest = Number.POSITIVE_INFINITY;
  let since = performance.now();
  for (;;) {
    const rest = await left();
    if (rest.length === 0) return;
    const now = performance.now();
    const count = toGo?.() ?? rest.length;
    if (count < fewest) {
      fewest = count;
      since = now;
    }
    if (now - since > patienceMs) {
      trial.expect(false, `${what}: ${rest.length}, ${JSON.stringify(rest.slice(0, 5))}`);
      return;
    }
    await sleep(50);
  }
}

/** Waits until a receiver has accepted every event of the history. */
export async function untilReceived(
  trial: Trial,
  runtime: Runtime,
  receiver: WebhookReceiver,
): Promise<void> {
  await untilNoneIsLeft(trial, 'events were lost', async () =>
    missingOf(await historyOf(runtime), acceptedOf(arrivalsOf(receiver))),
  );
}

function acceptedOf(arrivals: readonly Arrival[]): string[] {
  return arrivals.filter(({ accepted }) => accepted).map(({ eventId }) => eventId);
}

/** Compares what arrived, and in which order, with the history of one partner or of all. */
export async function countDeliveries(
  trial: Trial,
  runtime: Runtime,
  arrivals: readonly Arrival[],
  partnerId?: string,
): Promise<void> {
  const history = await historyOf(runtime, partnerId);
  const accepted = acceptedOf(arrivals);
  const lost = missingOf(history, accepted).length;
  const received = history.length - lost;
  const duplicates = accepted.length - missingOf(accepted, history).length - received;
  const { ordered, confused } = await compareOrder(runtime, arrivals, history);
  trial.count({ events: history.length, received, duplicates, ordered, lost });
  const ids = arrivals.map(({ eventId }) => eventId);
  const strangers = missingOf(ids, history).length;
  trial.expect(lost === 0, `${lost} events were lost`);
  trial.expect(strangers === 0, `${strangers} requests told of events that never were`);
  trial.expect(confused.length === 0, `out of order: ${confused.slice(0, 5).join(', ')}`);
}

/**
 * Compares what arrived with the history, for each subject. `confused` lists subjects of which an event arrived before
 * the previous one was accepted; accepted events may repeat. `ordered` counts events that have a previous one.
 */
async function compareOrder(
  { db }: Runtime,
  arrivals: readonly Arrival[],
  history: readonly string[],
): Promise<{ ordered: number; confused: string[] }> {
  const events: { id: string; subject: string }[] = await db.knex('events').select('id', 'subject');
  const subjects = new Map(events.map(({ id, subject }) => [id, subject]));
  const lengths = new Map<string, number>();
  const places = new Map<string, { subject: string; place: number }>();
  for (const id of history) {
    const subject = subjects.get(id) ?? '';
    const place = lengths.get(subject) ?? 0;
    places.set(id, { subject, place });
    lengths.set(subject, place + 1);
  }
  const accepted = new Map<string, number>();
  const confused = new Set<string>();
  for (const arrival of arrivals) {
    const event = places.get(arrival.eventId);
    if (!event) continue;
    const next = accepted.get(event.subject) ?? 0;
    if (event.place > next) confused.add(event.subject);
    if (event.place === next && arrival.accepted) accepted.set(event.subject, next + 1);
  }
  return { ordered: history.length - lengths.size, confused: [...confused] };
}

async function countOrders(trial: Trial, runtime: Runtime): Promise<void> {
  const effects = await orderEffects(runtime);
  const wrong = notOnce(effects);
  const total = (of: 'entries' | 'pushes') => effects.reduce((sum, each) => sum + each[of], 0);
  trial.count({ orders: effects.length, entries: total('entries'), pushes: total('pushes') });
  trial.expect(wrong.length === 0, `not once each: ${JSON.stringify(wrong.slice(0, 5))}`);
}

/** Runs the ledger check, and expects all postings to add up to zero. */
export async function checkMoney(trial: Trial, runtime: Runtime): Promise<void> {
  const { ok, imbalances } = await checkLedger(runtime);
  trial.expect(ok, `the ledger is off: ${JSON.stringify(imbalances.slice(0, 5))}`);
  const [row] = await runtime.db.knex('ledger_postings').sum({ sum: 'amount_cents' });
  trial.count({ sum: Number(row?.sum ?? 0) });
  trial.expect(Number(row?.sum ?? 0) === 0, `the ledger sums to ${row?.sum}`);
}

/** Expects that no job has died, and that every schedule exists again. */
async function checkUpkeep(trial: Trial, runtime: Runtime): Promise<void> {
  const dead = await runtime.db
    .knex('outbox')
    .where({ state: 'dead' })
    .select('name', 'last_error');
  trial.expect(dead.length === 0, `jobs died: ${JSON.stringify(dead.slice(0, 5))}`);
  const wanted = SCHEDULED_TASKS.map(({ name }) => name).sort();
  await eventually(
    () => schedulesOf(runtime),
    (names) => names.join() === wanted.join(),
    { withinMs: 60_000, everyMs: 100 },
  ).catch((error: Error) => trial.expect(false, `schedules are missing: ${error.message}`));
}

async function schedulesOf({ queues }: Runtime): Promise<string[]> {
  const found = await Promise.all(queues.all().map((queue) => queue.getJobSchedulers()));
  return found.flatMap((each) => each.map(({ key }) => key)).sort();
}
