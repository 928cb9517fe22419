import { outboxBacklog } from '../../messaging/jobs/queue-status.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { addMs, type Clock, DAY, dayOf, HOUR, MINUTE } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import { type IdKind, idRangeAt } from '../../platform/ids.ts';
import { CHECKOUT_KEEP_MS } from '../../sales/checkout/checkout-session.ts';
import { MAX_AHEAD_MS } from '../sandbox-clock/move-clock.ts';
import * as store from './daily-figures.store.ts';

export type { Figure, FigureRow, PartnerFigure } from './daily-figures.store.ts';

/** The number of past days to count if there are no figures yet. */
const DAYS_BACK = 400;
/** How often to recount the current day, and a day whose webhooks may be retried or checkouts paid. */
const RECENT_MS = 4 * MINUTE;
const LATER_MS = 6 * HOUR;
/** A statement is made some time before it is closed. */
const CLOSING_DAYS = 7;

/**
 * Counts up to `limit` days that are due, newest first, and returns how many. Each day is read separately, each table
 * by an index; counts stay when their rows are deleted. Counting a day is idempotent.
 */
export async function countDailyFigures(
  { db, clock }: { db: Database; clock: Clock },
  limit: number,
): Promise<number> {
  const now = clock.now();
  const days = await store.selectDaysToCount.all(db.knex, {
    first: dayOf(addMs(now, -DAYS_BACK * DAY)),
    today: dayOf(now),
    recent: addMs(now, -RECENT_MS),
    later: addMs(now, -LATER_MS),
    limit,
  });
  // Older days only have the sessions with an order left.
  const keepsCheckouts = dayOf(addMs(now, -CHECKOUT_KEEP_MS));
  for (const { day } of days) {
    await countDay(db, day, { now, checkouts: day > keepsCheckouts });
  }
  return days.length;
}

async function countDay(
  db: Database,
  day: string,
  { now, checkouts }: { now: Date; checkouts: boolean },
): Promise<void> {
  const since = new Date(day);
  const until = addMs(since, DAY);
  const period = { day, since, until };
  const ids = (kind: IdKind, from = since) => ({
    first: idRangeAt(kind, from).first,
    last: idRangeAt(kind, addMs(until, -1)).last,
  });
  await store.countOrders.run(db.knex, { day, ...ids('order') });
  await store.countOrderDeliveries.run(db.knex, { day, ...ids('event') });
  const { first: firstEvent, last: lastEvent } = ids('event');
  const deliveries = { ...ids('webhookDelivery'), firstEvent, lastEvent };
  await store.countWebhooks.run(db.knex, { day, ...deliveries });
  await store.countPartnerOrders.run(db.knex, { day, ...ids('order') });
  if (checkouts) await store.countPartnerCheckouts.run(db.knex, { day, ...ids('checkoutSession') });
  await store.countPartnerWebhooks.run(db.knex, { day, ...deliveries });
  await store.countJobs.run(db.knex, period);
  const made = ids('settlement', addMs(since, -CLOSING_DAYS * DAY));
  await store.countStatements.run(db.knex, { ...period, ...made });
  await store.upsertCount.run(db.knex, { day, countedAt: now });
}

/** The figures counted ahead that are also summed over all sandboxes. */
const AHEAD_OF_ALL: readonly store.Figure[] = [
  'orders',
  'gmv',
  'webhooks_delivered',
  'webhooks_failed',
];

/**
 * Counts the activity in sandboxes that are ahead of real time, by the sandbox's days. Ids sort by their owner's time,
 * so ids after today belong only to such sandboxes. When such a day comes, it is counted like any other.
 */
export async function countDaysAhead({ db, clock }: { db: Database; clock: Clock }): Promise<void> {
  const tomorrow = addMs(new Date(dayOf(clock.now())), DAY);
  const last = addMs(tomorrow, MAX_AHEAD_MS);
  const wanted = (kind: IdKind) => ({
    first: idRangeAt(kind, tomorrow).first,
    last: idRangeAt(kind, last).last,
    figures: AHEAD_OF_ALL,
  });
  await store.countOrdersAhead.run(db.knex, wanted('order'));
  await store.countCheckoutsAhead.run(db.knex, wanted('checkoutSession'));
  await store.countWebhooksAhead.run(db.knex, wanted('event'));
}

/** Records how long the oldest order in review and the oldest due jobs have waited; a day keeps its maximum. */
export async function sampleWaits(deps: { db: Database; clock: Clock }): Promise<void> {
  const { db, clock } = deps;
  const now = clock.now();
  const day = dayOf(now);
  await store.sampleReview.run(db.knex, { day, now });
  const due = (await outboxBacklog(deps)).filter(({ state }) => state === 'pending');
  await store.sampleJobAges.run(db.knex, {
    day,
    queues: due.map(({ queue }) => queue),
    ages: due.map(({ oldestMs }) => Math.round(oldestMs)),
  });
}

export type FigureUnit = 'day' | 'week' | 'month';

/** Returns an environment's figures, with those of the queues, from one day to another (exclusive), and their age. */
export async function readDailyFigures(
  { db }: { db: Database },
  wanted: { environment: Environment; from: string; to: string; unit: FigureUnit },
): Promise<{ figures: store.FigureRow[]; countedAt: Date | null }> {
  const { figures, countedAt } = await store.selectFigures.one(db.knex, wanted);
  return { figures: figures ?? [], countedAt };
}

/** Returns a partner's figures in an environment, from one day to another (exclusive), and their age. */
export async function readPartnerFigures(
  { db }: { db: Database },
  wanted: {
    partnerId: string;
    environment: Environment;
    from: string;
    to: string;
    unit: FigureUnit;
  },
): Promise<{ figures: store.FigureRow<store.PartnerFigure>[]; countedAt: Date | null }> {
  const { figures, countedAt } = await store.selectPartnerFigures.one(db.knex, wanted);
  return { figures: figures ?? [], countedAt };
}
