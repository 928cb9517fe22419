import { enforceLegalHoldJob } from '../../shared/domains/legal-holds/legal-hold.jobs.ts';
import { recordFacts } from '../../shared/domains/owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT } from '../../shared/domains/owned-domains/owned-domain.ts';
import { RegistrarBusy } from '../../shared/domains/registrar/registrar.ts';
import { isOnLegalHold, readLegalHold } from '../../shared/market/legal-holds/read-legal-holds.ts';
import { recordAudit } from '../../shared/people/audit/audit-log.ts';
import { orAbort } from '../../shared/platform/concurrency/deadline.ts';
import { done, handle, snooze } from '../runtime/job-handler.ts';

/**
 * Has the registry lock a domain or release it. Only the current state of the legal hold counts, so jobs of placed and
 * lifted holds may run in any order. A domain outside our account is left to its registrar.
 */
export const enforceLegalHoldHandler = handle(
  enforceLegalHoldJob,
  async ({ runtime, job, signal }, { holdId }) => {
    const { db, clock } = runtime;
    const { domain } = await readLegalHold(db.knex, holdId);
    const enabled = await isOnLegalHold(db.knex, domain);
    const registrar = runtime.registrars(OWNERS_ENVIRONMENT);
    const asked = registrar.change({
      clientReference: `${holdId}-${enabled ? 'keep' : 'release'}`,
      domain,
      change: { kind: 'legal_hold', enabled },
      duringLegalHold: true,
    });
    const answer = await orAbort(asked, signal).catch((error: unknown) => {
      if (error instanceof RegistrarBusy) return error;
      throw error;
    });
    if (answer instanceof RegistrarBusy) return snooze(answer.until);
    const isCurrent = await db.transact(async (uow) => {
      if (answer.status === 'done') await recordFacts(uow, [answer.facts]);
      await recordAudit(uow, {
        actor: 'worker',
        action: 'legal-hold:enforce',
        subject: `LIVE:${domain}`,
        after: { hold: holdId, enabled, registrar: registrar.name, ...resultOf(answer) },
      });
      const still = (await isOnLegalHold(uow.sql, domain)) === enabled;
      if (still) uow.jobs.finish(job);
      return still;
    });
    return isCurrent ? done() : snooze(clock.now());
  },
);

type Answer = { status: 'done' } | { status: 'refused'; reason: string };

function resultOf(answer: Answer) {
  return answer.status === 'done'
    ? { result: 'done' }
    : { result: 'refused', reason: answer.reason };
}
