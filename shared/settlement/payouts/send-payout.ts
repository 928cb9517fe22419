import type { Database } from '../../messaging/unit-of-work/database.ts';
import { assertCarries } from '../../money/payments/payment.ts';
import type { PaymentProviders } from '../../money/payments/payment-provider.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict, fail, ServiceError } from '../../platform/errors.ts';
import { providerDestination } from './destination.ts';
import { sendPayoutJob } from './payout.jobs.ts';
import { lockPayout, readPayout, updateSent } from './payout.store.ts';
import { type Payout, PROVIDER } from './payout.ts';
import { selectConnectedAccount } from './payout-account.store.ts';
import {
  assertMayBePaid,
  markPayoutFailed,
  markPayoutPaid,
  reversePayout,
} from './payout-outcome.ts';

type Scope = { db: Database; clock: Clock; config: Config; payments: PaymentProviders };

/**
 * Requests that the payment provider send a pending payout to the partner's account there; a job sends it and records
 * the outcome. A repeated request changes nothing.
 * @throws not_found, conflict (`invalid_state`: it is not pending, is in a bank file, needs somebody else's approval,
 *   or its partner has no connected account; `partner_suspended`, `payout_disputed`, `price_not_payable`),
 *   service_unavailable
 */
export async function requestPayoutTransfer(
  { db, config, payments }: Scope,
  actor: string,
  payoutId: string,
): Promise<Payout> {
  return db.transact(async (uow) => {
    const payout = await lockPayout(uow.sql, payoutId);
    if (!payout) throw fail('not_found', { message: 'No payout has this ID.' });
    if (payout.sentTo !== null) return payout;
    if (payout.status !== 'pending') {
      throw conflict('invalid_state', `The payout is ${payout.status}.`);
    }
    if (payout.fileId !== null) {
      throw conflict('invalid_state', `The payout is in the bank file ${payout.fileId}.`);
    }
    const { partnerId } = payout;
    const connected = await selectConnectedAccount.first(uow.sql, { partnerId });
    if (!connected) {
      throw conflict(
        'invalid_state',
        'The partner has no connected account (partner:set-connected-account).',
      );
    }
    await assertMayBePaid(uow, config, actor, payout, [providerDestination(connected)]);
    // Checked here, so that the operator sees an error instead of a failed job.
    assertCarries(payments(payout.environment), payout.amount);
    const sentTo = connected.account;
    await updateSent.send(uow.pipeline, { id: payoutId, sentTo });
    uow.jobs.add(sendPayoutJob, { payoutId });
    const after = { sentTo, amountCents: payout.amount.amount, currency: payout.amount.currency };
    await recordAudit(uow, { actor, action: 'payout:send', subject: payoutId, after });
    return { ...payout, sentTo };
  });
}

/**
 * Sends a requested payout through the provider, and records the outcome. Repeated runs send it once,
 * because the provider recognizes its ID. Returns false while the provider cannot send it yet.
 * @throws service_unavailable
 */
export async function sendPayout(scope: Scope, payoutId: string): Promise<boolean> {
  const payout = await readPayout(scope.db.knex, payoutId);
  if (payout?.status !== 'pending' || payout.sentTo === null) return true;
  const { amount, environment, sentTo: account } = payout;
  const answer = await scope.payments(environment).payOut({ payoutId, amount, account });
  if (answer.status === 'later') return false;
  if (answer.status === 'sent') {
    await markPayoutPaid(scope, PROVIDER, { payoutId, reference: answer.reference });
  } else {
    const { reason } = answer;
    await markPayoutFailed(scope, PROVIDER, { payoutId, reference: null, reason });
  }
  return true;
}

/** Records that the provider's transfer of a payout was reversed; safe to repeat. */
export async function applyPayoutReturn(
  scope: { db: Database; clock: Clock },
  payoutId: string,
  { reference, returnReference }: { reference: string; returnReference: string },
): Promise<void> {
  const payout = await readPayout(scope.db.knex, payoutId);
  if (payout?.reference !== reference) return;
  try {
    const reason = 'The transfer was reversed at the provider';
    await reversePayout(scope, PROVIDER, { payoutId, reference: returnReference, reason });
  } catch (error) {
    // The return was already recorded under another reference.
    if (!(error instanceof ServiceError && error.code === 'conflict')) throw error;
  }
}
