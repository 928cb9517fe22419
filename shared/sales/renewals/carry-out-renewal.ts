import { recordFacts } from '../../domains/owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT } from '../../domains/owned-domains/owned-domain.ts';
import type { ChangeAnswer, Registrars } from '../../domains/registrar/registrar.ts';
import type { JobReference } from '../../messaging/jobs/job.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { readUserEmail } from '../../people/users/user-account.ts';
import { orAbort } from '../../platform/concurrency/deadline.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';
import { takeRenewalBack } from './apply-renewal-payment.ts';
import { domainRenewedMail } from './renewal.mails.ts';
import { lockRenewal, moveRenewal, readRenewal } from './renewal.store.ts';
import type { Renewal } from './renewal.ts';
import { issueRenewalDocuments } from './renewal-documents.ts';

/**
 * Has the registry do what an owner paid for, and tells the owner with the receipt; or, where the registry will never do
 * it, gives the money back. Any number of runs renew once: the registrar knows the change by the renewal.
 * @throws what the registrar throws when it gets no answer: then nobody knows, and the same is asked again
 */
export async function carryOutRenewal(
  { db, config, registrars }: { db: Database; config: Config; registrars: Registrars },
  renewalId: string,
  task: JobReference,
  signal: AbortSignal,
): Promise<void> {
  const renewal = await readRenewal(db.knex, renewalId);
  if (renewal?.status !== 'paid') return;
  const answer = await orAbort(askFor(renewal, registrars), signal);
  await db.transact(async (uow) => {
    const { domain, userId, kind, price } = renewal;
    const paid = await lockRenewal(uow.sql, renewalId);
    uow.jobs.finish(task);
    if (answer.status === 'refused') {
      if (paid) await takeRenewalBack(uow, paid, 'refused', answer.reason);
      return;
    }
    await recordFacts(uow, [answer.facts]);
    if (!(await moveRenewal(uow.sql, renewalId, 'complete', uow.now))) return;
    const email = await readUserEmail(uow.sql, userId);
    uow.mails.add(domainRenewedMail, {
      to: { email, country: renewal.payerCountry },
      of: null,
      data: {
        renewalId,
        domain,
        kind,
        amount: { amount: price.amount, currency: price.currency },
        expiresAt: answer.facts.expiresAt.toISOString(),
      },
      documents: issueRenewalDocuments(uow, config, renewal, email),
    });
  });
}

/** A restore is a restore and then a renewal: two changes at the registrar, each with its own reference. */
async function askFor(renewal: Renewal, registrars: Registrars): Promise<ChangeAnswer> {
  const { id, domain, kind, years, fees } = renewal;
  const registrar = registrars(OWNERS_ENVIRONMENT);
  const acknowledge = (fee: Money | null) => (fee ? { acknowledgedFee: fee } : {});
  const renew = { kind: 'renew', years, ...acknowledge(fees.renew) } as const;
  if (kind === 'renewal') return registrar.change({ clientReference: id, domain, change: renew });
  const restore = { kind: 'restore', ...acknowledge(fees.restore) } as const;
  const restored = await registrar.change({ clientReference: id, domain, change: restore });
  if (restored.status === 'refused') return restored;
  return registrar.change({ clientReference: `${id}-years`, domain, change: renew });
}
