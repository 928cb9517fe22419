import type { Database } from '../../../shared/messaging/unit-of-work/database.ts';
import {
  inTimeOf,
  readAheads,
  type TimeOwner,
} from '../../../shared/messaging/unit-of-work/partner-time.ts';
import { addMs, type Clock, MINUTE, realNow, SECOND } from '../../../shared/platform/clock.ts';
import { formatInstant, longDuration } from './format.ts';

declare const ofOneClock: unique symbol;

/**
 * The instant that ages on a page are relative to. Only the functions in this file create one, so code that shows an
 * age has to say whose time it uses: a sandbox is ahead of real time by as much as its partner moved its clock.
 */
export type PageNow = Date & { readonly [ofOneClock]: true };

type Timed = { db: Database; clock: Clock };

/** Returns real time: that of LIVE, and of what machines wait for in both environments, such as deliveries and keys. */
export function realPageNow({ clock }: Pick<Timed, 'clock'>): PageNow {
  return realNow(clock) as PageNow;
}

/** Returns the time of the owner of what is shown. */
export async function pageNowOf(runtime: Timed, owner: TimeOwner): Promise<PageNow> {
  return (await pageInTimeOf(runtime, owner)).now;
}

/** Returns `context` in an owner's time: its clock, what it writes, and the ages that it shows. */
export async function pageInTimeOf<C extends Timed>(
  context: C,
  owner: TimeOwner,
): Promise<C & { now: PageNow }> {
  const timed = await inTimeOf(context, owner);
  return { ...timed, now: timed.clock.now() as PageNow };
}

/** Like {@link pageNowOf}, for many owners, with one read. */
export async function pageNowOfEach(
  runtime: Timed,
  owners: readonly TimeOwner[],
): Promise<(owner: TimeOwner) => PageNow> {
  const now = realPageNow(runtime);
  const sandboxes = owners.filter(({ environment }) => environment === 'SANDBOX');
  const partnerIds = [...new Set(sandboxes.map(({ partnerId }) => partnerId))];
  const aheads = await readAheads(runtime.db.knex, partnerIds);
  return ({ partnerId, environment }) =>
    environment === 'SANDBOX' ? (addMs(now, aheads.get(partnerId) ?? 0) as PageNow) : now;
}

/** Describes the clock of a sandbox page, for the test-mode bar. */
export function clockWords(now: Date, real: Date): string {
  const ahead = now.getTime() - real.getTime();
  if (ahead < MINUTE) return `It is ${formatInstant(real)}.`;
  return `The sandbox clock shows ${formatInstant(now)}, ${longDuration(ahead + SECOND)} ahead of real time.`;
}
