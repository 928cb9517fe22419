import { takeEndingDomains } from '../../domains/owned-domains/ending-domains.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { domainEndingMail } from './renewal.mails.ts';

/** Tells the owners of up to `limit` domains that end soon, or have ended; says how many domains that were. */
export function tellEnding({ db }: { db: Database }, limit: number): Promise<number> {
  return db.transact(async (uow) => {
    const ending = await takeEndingDomains(uow, limit);
    for (const { domain, email, expiresAt, days, autoRenew } of ending) {
      uow.mails.add(domainEndingMail, {
        to: { email },
        of: null,
        data: { domain, expiresAt: expiresAt.toISOString(), days, renewsItself: autoRenew },
      });
    }
    return ending.length;
  });
}
