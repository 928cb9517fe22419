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
 * Tells the owners of up to `limit` domains that end soon, or have ended; says how many domains that were. The registry
 * is asked which are premium: those wait for their owner, although automatic renewal is on.
 */
export async function tellEnding(deps: Deps, limit: number): Promise<number> {
  const isPremium = await readPremium(deps, limit);
  return deps.db.transact(async (uow) => {
    const ending = await takeEndingDomains(uow, limit);
    for (const { domain, userId, email, expiresAt, days, autoRenew, isBought } of ending) {
      const isPaid = !isBought || isGood(await findKeptCard(uow.sql, userId), expiresAt);
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

/** Says of the next domains whether they are premium; undefined where nobody knows. */
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
    // Their owners are told in time all the same, in words that hold for both.
    log.warn({ err: error }, 'the registry does not say which ending domains are premium');
    return () => undefined;
  }
}
