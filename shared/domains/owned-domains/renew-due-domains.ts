import { createHash } from 'node:crypto';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { addMs, type Clock, DAY } from '../../platform/clock.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Registrars } from '../registrar/registrar.ts';
import { noteRenewalFault, recordFacts } from './manage-owned-domains.ts';
import { selectRenewals } from './owned-domain.store.ts';
import { OWNERS_ENVIRONMENT } from './owned-domain.ts';

/** How long before expiry to renew, so that people can still act if the registrar refuses. */
const AHEAD_MS = 30 * DAY;
const BATCH = 50;

type Scope = { db: Database; clock: Clock; log: Logger; registrars: Registrars };

/**
 * Renews by a year the domains that expire within 30 days: those with automatic renewal that staff granted, and always
 * those whose purchase was refunded or that are on legal hold, which must not lapse. Renews once per expiry however
 * often it runs; buyers pay for their own renewals.
 * Refusals and missing responses are logged and retried in the next run.
 */
export async function renewDueDomains(
  { db, clock, log, registrars }: Scope,
  signal: AbortSignal,
): Promise<{ renewed: number; failed: number }> {
  const counts = { renewed: 0, failed: 0 };
  const now = clock.now();
  const until = addMs(now, AHEAD_MS);
  let after: { expiresAt: Date; domain: string } = { expiresAt: now, domain: '' };
  while (!signal.aborted) {
    const due = await selectRenewals.all(db.knex, { ...after, until, limit: BATCH });
    for (const { domain, expiresAt } of due) {
      if (signal.aborted) break;
      const clientReference = referenceOf(domain, expiresAt);
      try {
        const change = { kind: 'renew', years: 1 } as const;
        const answer = await registrars(OWNERS_ENVIRONMENT).change({
          clientReference,
          domain,
          change,
          duringLegalHold: true,
        });
        if (answer.status === 'refused') throw new Error(answer.reason);
        await db.transact((uow) => recordFacts(uow, [answer.facts]));
        counts.renewed += 1;
      } catch (error) {
        const reason = (error as Error).message;
        await noteRenewalFault(db.knex, { domain, expiresAt, reason });
        log.error({ domain, reason }, 'a domain was not renewed: renew it by hand before it ends');
        counts.failed += 1;
      }
    }
    const last = due.at(-1);
    if (!last || due.length < BATCH) break;
    after = last;
  }
  return counts;
}

/** Returns one reference per domain and expiry, short enough for a clTRID (RFC 5730). */
function referenceOf(domain: string, expiresAt: Date): string {
  const digest = createHash('sha256').update(`${domain} ${expiresAt.toISOString()}`).digest('hex');
  return `renew-${digest.slice(0, 32)}`;
}
