import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { PaymentProviders } from '../../money/payments/payment-provider.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { readPartner } from '../../people/partners/read-partners.ts';
import { invalid } from '../../platform/errors.ts';
import { announceChange, usableFrom } from './destination.ts';
import {
  lockAccounts,
  selectConnectedAccountForUpdate,
  upsertConnectedAccount,
} from './payout-account.store.ts';
import { screenPayee } from './screen-payee.ts';

/**
 * Sets the account at the payment provider for a partner's LIVE payouts, if the provider says that the account
 * can be paid. For the effects of replacing an account see `setPayoutAccount`.
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
    await lockAccounts.send(uow.pipeline, { partnerId });
    const before = await selectConnectedAccountForUpdate.first(uow.sql, { partnerId });
    if (before?.account === account) return;
    const { realNow: now } = uow;
    const from = await usableFrom(uow, partnerId);
    const set = { partnerId, account, setBy: actor, usableFrom: from, now };
    await upsertConnectedAccount.send(uow.pipeline, set);
    const approvalsEnded = await announceChange(uow, partnerId, 'provider');
    await screenPayee(uow, partnerId);
    await recordAudit(uow, {
      actor,
      action: 'partner:set-connected-account',
      subject: partnerId,
      ...(before && { before: { account: before.account } }),
      after: { account, approvalsEnded },
    });
  });
}
