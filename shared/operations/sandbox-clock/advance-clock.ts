import { readNextJob } from '../../messaging/jobs/hasten-jobs.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { inTimeOf } from '../../messaging/unit-of-work/partner-time.ts';
import {
  endMove,
  lockSandboxClock,
  readSandboxClock,
  setAhead,
} from '../../messaging/unit-of-work/sandbox-clock.ts';
import { addMs, type Clock, realNow } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { expireSandboxSessions } from '../../sales/checkout/checkout-lifecycle.ts';
import { expireSandboxOffers, nextOfferExpiry } from '../../sales/offers/offer-lifecycle.ts';
import { expireSandboxQuotes, moveSandboxHolds } from '../../sales/quotes/quote-lifecycle.ts';
import {
  hastenSandboxTransfers,
  readSandboxTransfers,
  type SandboxTransfers,
} from '../../sales/transfers/sandbox-transfers.ts';
import { nextSandboxPayout, paySandboxPayouts } from '../../settlement/payouts/sandbox-payouts.ts';
import { closeEndedPeriods, nextPeriodClose } from '../../settlement/statements/run-settlements.ts';

type Deps = { db: Database; clock: Clock; config: Config };

/** What is left of a move: nothing, more steps, or more steps once transfers have made their due step. */
export type MoveProgress = 'arrived' | 'more' | 'waits';

/** The maximum number of steps per call. */
const STEPS = 50;
const OFFERS_AT_ONCE = 100;

/**
 * Advances a partner's sandbox clock towards `target`, from one due time to the next, and does all due work at each.
 * It may be interrupted and called again, and run twice concurrently: the clock only moves forward, and each step is
 * done once.
 */
export async function advanceClock(
  deps: Deps,
  partnerId: string,
  target: Date,
  betweenSteps: () => void,
): Promise<MoveProgress> {
  for (let step = 0; step < STEPS; step += 1) {
    betweenSteps();
    const { advancing, target: latest } = await readSandboxClock(deps.db.knex, partnerId);
    if (!advancing || latest?.getTime() !== target.getTime()) return 'arrived';
    const transfers = await readSandboxTransfers(deps.db.knex, partnerId);
    const { dispatched, nextRunAt } = await readNextJob(deps.db.knex, transfers.jobKeys);
    const real = realNow(deps.clock);
    if (dispatched > 0 || (nextRunAt !== null && nextRunAt <= real)) return 'waits';

    const own = await inTimeOf(deps, { partnerId, environment: 'SANDBOX' });
    const now = own.clock.now();
    await runDueSteps(own, partnerId);
    if (now >= target) {
      await deps.db.transact(async (uow) => {
        await lockSandboxClock(uow, partnerId);
        await endMove(uow, partnerId);
      });
      return 'arrived';
    }
    const nextTransfer = nextRunAt && addMs(now, nextRunAt.getTime() - real.getTime());
    const due = await readDueAfter(own, partnerId, now, nextTransfer);
    const ahead = [target, ...Object.values(due)].flatMap((at) =>
      at && at > now ? [at.getTime()] : [],
    );
    await moveTo(deps, partnerId, new Date(Math.min(...ahead)), transfers);
  }
  return 'more';
}

/**
 * Does all due work in a partner's sandbox at the time of `own`, in the same order as LIVE: expires what has run out,
 * closes the periods that ended, and marks payouts as paid that the bank has had long enough.
 */
async function runDueSteps(own: Deps, partnerId: string): Promise<void> {
  await own.db.transact(async (uow) => {
    await expireSandboxQuotes(uow, partnerId);
    await expireSandboxSessions(uow, partnerId);
  });
  while ((await expireSandboxOffers(own, partnerId, OFFERS_AT_ONCE)) === OFFERS_AT_ONCE);
  await closeEndedPeriods(own, { partnerId, environment: 'SANDBOX' });
  await paySandboxPayouts(own, partnerId);
}

/** Does all due work for a partner whose clock is ahead and not being moved, at the partner's time. */
export async function runSandbox(deps: Deps, partnerId: string): Promise<void> {
  await runDueSteps(await inTimeOf(deps, { partnerId, environment: 'SANDBOX' }), partnerId);
}

/** When each kind of work is next due, in the sandbox's time; null if there is none. */
export interface DueInstants {
  transferStep: Date | null;
  offerExpiry: Date | null;
  periodClose: Date | null;
  payout: Date | null;
}

/** Returns what is next due in a partner's sandbox, at the partner's time. */
export async function readDueInstants(deps: Deps, partnerId: string): Promise<DueInstants> {
  const own = await inTimeOf(deps, { partnerId, environment: 'SANDBOX' });
  const now = own.clock.now();
  const { jobKeys } = await readSandboxTransfers(deps.db.knex, partnerId);
  const { nextRunAt } = await readNextJob(deps.db.knex, jobKeys);
  const nextTransfer = nextRunAt && addMs(now, nextRunAt.getTime() - realNow(deps.clock).getTime());
  return readDueAfter(own, partnerId, now, nextTransfer);
}

/** Returns what is due after `now`, in the time of `own`, given the next step of its transfers. */
async function readDueAfter(
  own: Deps,
  partnerId: string,
  now: Date,
  transferStep: Date | null,
): Promise<DueInstants> {
  const { knex } = own.db;
  return {
    transferStep,
    offerExpiry: await nextOfferExpiry(knex, partnerId, now),
    periodClose: await nextPeriodClose(own, { partnerId, environment: 'SANDBOX' }, now),
    payout: await nextSandboxPayout(knex, partnerId, now),
  };
}

/** Sets the clock, and shortens the waits of holds and transfers, which run in real time, by the same amount. */
async function moveTo(
  { db }: Deps,
  partnerId: string,
  to: Date,
  transfers: SandboxTransfers,
): Promise<void> {
  await db.transact(async (uow) => {
    const before = await lockSandboxClock(uow, partnerId);
    const aheadMs = to.getTime() - uow.realNow.getTime();
    const byMs = aheadMs - before.aheadMs;
    // Another call has already moved the clock there.
    if (byMs <= 0) return;
    await setAhead(uow, partnerId, aheadMs);
    await moveSandboxHolds(uow, partnerId, aheadMs);
    await hastenSandboxTransfers(uow, transfers, byMs);
  });
}
