import {
  listEndingAutoRenewed,
  takeEndingDomains,
} from '../../domains/owned-domains/ending-domains.ts';
import { OWNERS_ENVIRONMENT } from '../../domains/owned-domains/owned-domain.ts';
import type { Registrars } from '../../domains/registrar/registrar.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { findKeptCard, isGood } from '../../money/payments/kept-cards.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { domainEndingMail } from './renewal.mails.ts';

type Deps = { db: Database; clock: Clock; log: Logger; registrars: Registrars };

/**
 * Mails the owners of up to `limit` domains that expire soon or have expired, and returns how many domains. Asks the
 * registry which ones are premium, because those need their owner even if auto-renew is on.
 */
export async function tellEnding(deps: Deps, limit: number): Promise<number> {
  const isPremium = await readPremium(deps, limit);
  return deps.db.transact(async (uow) => {
    const ending = await takeEndingDomains(uow, limit);
    for (const {
      domain,
      userId,
      email,
      expiresAt,
      days,
      autoRenew,
      isBought,
      isDisputed,
    } of ending) {
      const isPaid =
        !isBought || (!isDisputed && isGood(await findKeptCard(uow.sql, userId), expiresAt));
      const premium = autoRenew ? isPremium(domain) : false;
      uow.mails.add(domainEndingMail, {
        to: { email },
        of: null,
        data: {
          domain,
          expiresAt: expiresAt.toISOString(),
          days,
          renewsItself: autoRenew && isPaid && premium !== true,
          ...(premium !== undefined && { isPremium: premium }),
        },
      });
    }
    return ending.length;
  });
}

/** Returns a lookup of whether the next domains are premium; undefined if unknown. */
async function readPremium(
  { db, clock, log, registrars }: Deps,
  limit: number,
): Promise<(domain: string) => boolean | undefined> {
  const asked = new Set(await listEndingAutoRenewed(db.knex, clock.now(), limit));
  if (asked.size === 0) return () => undefined;
  try {
    const prices = await registrars(OWNERS_ENVIRONMENT).prices([...asked], 1);
    const premium = new Set(prices.filter((each) => each.isPremium).map(({ domain }) => domain));
    return (domain) => (asked.has(domain) ? premium.has(domain) : undefined);
  } catch (error) {
    // Owners are still told in time, in words that fit both cases.
    log.warn({ err: error }, 'the registry does not say which ending domains are premium');
    return () => undefined;
  }
}
