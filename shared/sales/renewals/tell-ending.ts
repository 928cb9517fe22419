import { takeEndingDomains } from '../../domains/owned-domains/ending-domains.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { findKeptCard, isGood } from '../../money/payments/kept-cards.ts';
import { domainEndingMail } from './renewal.mails.ts';

/** Tells the owners of up to `limit` domains that end soon, or have ended; says how many domains that were. */
export function tellEnding({ db }: { db: Database }, limit: number): Promise<number> {
  return db.transact(async (uow) => {
    const ending = await takeEndingDomains(uow, limit);
    for (const { domain, userId, email, expiresAt, days, autoRenew, isBought } of ending) {
      const isPaid = !isBought || isGood(await findKeptCard(uow.sql, userId), expiresAt);
      uow.mails.add(domainEndingMail, {
        to: { email },
        of: null,
        data: {
          domain,
          expiresAt: expiresAt.toISOString(),
          days,
          renewsItself: autoRenew && isPaid,
        },
      });
    }
    return ending.length;
  });
}
