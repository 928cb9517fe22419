import { findOwnedDomains, recordFacts } from '../../domains/owned-domains/manage-owned-domains.ts';
import {
  OWNERS_ENVIRONMENT,
  type OwnedDomain,
  PURCHASE_FAULTS,
} from '../../domains/owned-domains/owned-domain.ts';
import type {
  ChangeAnswer,
  DomainFacts,
  Registrar,
  Registrars,
} from '../../domains/registrar/registrar.ts';
import type { JobReference } from '../../messaging/jobs/job.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { readUserEmail } from '../../people/users/user-account.ts';
import { orAbort } from '../../platform/concurrency/deadline.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';
import { takeRenewalBack, tellStaffOfUnpaid } from './apply-renewal-payment.ts';
import { domainRenewedMail } from './renewal.mails.ts';
import { lockRenewal, moveRenewal, readRenewal } from './renewal.store.ts';
import { madeOf, type Renewal } from './renewal.ts';
import { issueRenewalDocuments } from './renewal-documents.ts';

/**
 * Makes the registry renew or restore a paid domain, and mails the owner the receipt. If the registry refuses, or the
 * domain is no longer its payer's, refunds the money. Repeated runs renew once, since the registrar identifies
 * the change by the renewal. If the money was already returned, only tells staff what the registry has made.
 * @throws whatever the registrar throws when it gets no answer; the outcome is then unknown, and a retry asks again
 */
export async function carryOutRenewal(
  { db, config, registrars }: { db: Database; config: Config; registrars: Registrars },
  renewalId: string,
  task: JobReference,
  signal: AbortSignal,
): Promise<void> {
  const renewal = await readRenewal(db.knex, renewalId);
  if (renewal?.status !== 'paid' && renewal?.status !== 'refunded') return;
  const registrar = registrars(OWNERS_ENVIRONMENT);
  const { userId, domain } = renewal;
  const owned = (await findOwnedDomains(db.knex, userId, [domain])).get(domain);
  // Its payer lost the domain before the registry was asked, or while a response was lost.
  const lost = whyLost(owned);
  const ask = renewal.status === 'paid' && lost === null ? askFor : lookFor;
  const { refused: refusal, facts } = await orAbort(ask(renewal, registrar), signal);
  const refused = lost ?? refusal;
  await db.transact(async (uow) => {
    const { kind, price } = renewal;
    const now = await lockRenewal(uow.sql, renewalId);
    uow.jobs.finish(task);
    const made = facts && madeOf(renewal, facts);
    if (facts) await recordFacts(uow, [facts]);
    if (now?.status === 'paid' && refused !== null) {
      const why = lost === null ? (made ? 'restored' : 'refused') : 'lost';
      await takeRenewalBack(uow, now, why, refused);
    }
    if (now?.status === 'refunded' || refused !== null) {
      if (made) await tellStaffOfUnpaid(uow, renewal, made);
      return;
    }
    if (!facts || !(await moveRenewal(uow.sql, renewalId, 'complete', uow.now))) return;
    const email = await readUserEmail(uow.sql, userId);
    uow.mails.add(domainRenewedMail, {
      to: { email, country: renewal.payerCountry },
      of: null,
      data: {
        renewalId,
        domain,
        kind,
        amount: { amount: price.amount, currency: price.currency },
        expiresAt: facts.expiresAt.toISOString(),
      },
      documents: issueRenewalDocuments(uow, config, renewal, email),
    });
  });
}

/** Returns why a domain is no longer its payer's, in a sentence for them; null if it is. */
function whyLost(owned: OwnedDomain | undefined): string | null {
  if (!owned) return 'It left your account before it was renewed.';
  return owned.purchaseFault === 'refunded' ? PURCHASE_FAULTS.refunded : null;
}

/** Why the registrar refused, if it did, and the domain's facts afterwards, if it was changed or inspected. */
interface Asked {
  refused: string | null;
  facts: DomainFacts | undefined;
}

/** Makes the change. A restore takes two changes, a restore and a renewal, each with its own reference. */
async function askFor(renewal: Renewal, registrar: Registrar): Promise<Asked> {
  const { id, domain, kind, years, fees } = renewal;
  const acknowledge = (fee: Money | null) => (fee ? { acknowledgedFee: fee } : {});
  const renew = { kind: 'renew', years, ...acknowledge(fees.renew) } as const;
  if (kind === 'renewal') {
    return toAsked(await registrar.change({ clientReference: id, domain, change: renew }));
  }
  const restore = { kind: 'restore', ...acknowledge(fees.restore) } as const;
  const restored = await registrar.change({ clientReference: id, domain, change: restore });
  if (restored.status === 'refused') return toAsked(restored);
  const renewed = await registrar.change({
    clientReference: `${id}-years`,
    domain,
    change: renew,
  });
  return toAsked(renewed, restored.facts);
}

function toAsked(answer: ChangeAnswer, before?: DomainFacts): Asked {
  return answer.status === 'refused'
    ? { refused: answer.reason, facts: before }
    : { refused: null, facts: answer.facts };
}

/** Only inspects the domain: a refunded renewal may already have been made. */
async function lookFor({ domain }: Renewal, registrar: Registrar): Promise<Asked> {
  const [facts] = await registrar.inspect([domain]);
  return { refused: null, facts };
}
