import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { PaymentProviders } from '../../money/payments/payment-provider.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { readPartner } from '../../people/partners/read-partners.ts';
import { invalid } from '../../platform/errors.ts';
import { selectConnectedAccount, upsertConnectedAccount } from './payout-account.store.ts';

/**
 * Sets the account at the payment provider to which a partner's LIVE payouts can be sent, once the provider says that
 * it can be paid.
 * @throws not_found, validation_error, service_unavailable
 */
export async function setConnectedAccount(
  { db, payments }: { db: Database; payments: PaymentProviders },
  actor: string,
  partnerId: string,
  account: string,
): Promise<void> {
  await readPartner({ db }, partnerId);
  if (!(await payments('LIVE').canBePaid(account))) {
    const message = 'must be a connected account that can receive transfers now';
    throw invalid([{ path: '/account', message }]);
  }
  await db.transact(async (uow) => {
    const before = await selectConnectedAccount.first(uow.sql, { partnerId });
    await upsertConnectedAccount.run(uow.sql, { partnerId, account, now: uow.now });
    await recordAudit(uow, {
      actor,
      action: 'partner:set-connected-account',
      subject: partnerId,
      ...(before && { before: { account: before.account } }),
      after: { account },
    });
  });
}
