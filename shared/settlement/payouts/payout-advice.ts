import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { marketplaceParty, partnerParty } from '../../money/tax/tax.ts';
import { readTaxProfile } from '../../people/partners/tax-profile.ts';
import { formatDay } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Payout, PayoutSource } from './payout.ts';

const PAID_FOR: Readonly<Record<PayoutSource, string>> = {
  hosted_checkout: 'Commission on hosted checkout sales',
  brokerage: 'Commission on brokered sales',
  referral: 'Referral commission',
};

/** Issues the payout advice for a payout that has left the bank, and returns its ID. */
export async function issuePayoutAdvice(
  uow: UnitOfWork,
  config: Config,
  payout: Payout,
): Promise<string> {
  const { id, partnerId, environment, amount, source } = payout;
  const profile = await readTaxProfile(uow.sql, partnerId);
  return uow.documents.add({
    kind: 'payout_advice',
    environment,
    partnerId,
    subject: id,
    content: {
      from: marketplaceParty(config),
      to: partnerParty(profile),
      currency: amount.currency,
      facts: [
        { name: 'Payout', value: id },
        ...(payout.settlementId ? [{ name: 'Statement', value: payout.settlementId }] : []),
        { name: 'Bank reference', value: payout.reference ?? '' },
        { name: 'Sent on', value: formatDay(payout.paidAt ?? uow.now) },
      ],
      lines: [{ text: PAID_FOR[source], detail: null, amountCents: amount.amount }],
      linesLeftOut: 0,
      subtotals: [],
      totalLabel: 'Sent to you',
      totalCents: amount.amount,
      tax: null,
      notes: [],
    },
  });
}
