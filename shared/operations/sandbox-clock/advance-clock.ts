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

/** What is left of a move: nothing, more of it, or more once transfers have made the step that is due. */
export type MoveProgress = 'arrived' | 'more' | 'waits';

/** Steps that one call makes at most. */
const STEPS = 50;
const OFFERS_AT_ONCE = 100;

/**
 * Moves a partner's sandbox clock on towards `target`: from one instant at which something is due to the next, with
 * all that is due done there. May be stopped anywhere and called again, and by two at once: the clock only goes
 * forward, and each step is done once.
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
 * Does all that is due in a partner's sandbox at the time that `own` is in, in the order in which LIVE would: expires
 * what ran out, closes the periods that ended, and pays what the bank has had for long enough.
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

/** The same for a partner whose clock stands ahead and is not being moved, at the time that it is there. */
export async function runSandbox(deps: Deps, partnerId: string): Promise<void> {
  await runDueSteps(await inTimeOf(deps, { partnerId, environment: 'SANDBOX' }), partnerId);
}

/** When, in the time of a sandbox, each kind of thing falls due there next; null for nothing of the kind. */
export interface DueInstants {
  transferStep: Date | null;
  offerExpiry: Date | null;
  periodClose: Date | null;
  payout: Date | null;
}

/** What a partner's sandbox has to do next, at the time that it is there. */
export async function readDueInstants(deps: Deps, partnerId: string): Promise<DueInstants> {
  const own = await inTimeOf(deps, { partnerId, environment: 'SANDBOX' });
  const now = own.clock.now();
  const { jobKeys } = await readSandboxTransfers(deps.db.knex, partnerId);
  const { nextRunAt } = await readNextJob(deps.db.knex, jobKeys);
  const nextTransfer = nextRunAt && addMs(now, nextRunAt.getTime() - realNow(deps.clock).getTime());
  return readDueAfter(own, partnerId, now, nextTransfer);
}

/** The same after `now`, in the time that `own` is in, where the next step of its transfers is known. */
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

/** Sets the clock, and takes as much off what holds and transfers wait for, which real time governs. */
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
    // Somebody else has moved it there.
    if (byMs <= 0) return;
    await setAhead(uow, partnerId, aheadMs);
    await moveSandboxHolds(uow, partnerId, aheadMs);
    await hastenSandboxTransfers(uow, transfers, byMs);
  });
}
