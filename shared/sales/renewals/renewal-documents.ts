import { OWNERS_ENVIRONMENT } from '../../domains/owned-domains/owned-domain.ts';
import { expiryAfter, yearsOf } from '../../domains/owned-domains/renewal-terms.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { formatDay } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { issueCreditNoteFor, issuePurchaseDocuments } from '../orders/buyer-documents.ts';
import type { Renewal } from './renewal.ts';

/** The owner of the documents and ledger entries of renewals, which involve no partner. */
export const RENEWAL_OWNER = { partnerId: null, environment: OWNERS_ENVIRONMENT } as const;

/** Issues the owner's receipt and invoice for a renewal, and returns their ids. */
export function issueRenewalDocuments(
  uow: UnitOfWork,
  config: Config,
  renewal: Renewal,
  email: string,
): string[] {
  const { id: subject, domain, kind, years, price, payerName, payerCountry } = renewal;
  const until = formatDay(expiryAfter(renewal.renewsFrom, years));
  return issuePurchaseDocuments(uow, config, {
    ...RENEWAL_OWNER,
    subject,
    buyer: { name: payerName ?? email, email, country: payerCountry },
    price,
    line: {
      text: `${kind === 'restore' ? 'Restore and renewal' : 'Renewal'} of ${domain}`,
      detail: `For ${yearsOf(years)}, until ${until}`,
    },
    facts: [
      { name: 'Renewal', value: subject },
      { name: 'Paid on', value: formatDay(uow.now) },
    ],
  });
}

/** Issues a credit note for the invoice of a renewal, if it has one. */
export async function issueRenewalCreditNote(uow: UnitOfWork, { id }: Renewal): Promise<void> {
  await issueCreditNoteFor(uow, { ...RENEWAL_OWNER, subject: id, name: 'Renewal' });
}
