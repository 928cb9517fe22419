import { Type } from 'typebox';
import {
  markPayoutFailed,
  markPayoutPaid,
  reversePayout,
} from '../../../shared/payouts/end-payout.ts';
import type { Payout } from '../../../shared/payouts/payout.ts';
import { listPayoutsByStatus, PAYOUT_LISTS } from '../../../shared/payouts/read-payouts.ts';
import { payoutView } from '../../partner/reports/report.view.ts';
import { type OpsAnswer, opsAction } from '../action.ts';

const PayoutId = Type.String({ description: 'Payout id (pay_...).' });

export const payoutList = opsAction({
  name: 'payout:list',
  summary: 'List the payouts that wait to be paid, oldest first',
  columns: ['id', 'amount', 'source', 'status'],
  input: Type.Object({
    status: Type.Optional(
      Type.Enum([...PAYOUT_LISTS], {
        description:
          'Others than those that may be paid now (pending); held are those of suspended partners.',
      }),
    ),
    partner: Type.Optional(Type.String({ description: 'Only this partner (ptr_...).' })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 500,
        description: 'At most so many; 100 when left out.',
      }),
    ),
  }),
  async run(context, { status = 'pending', partner = null, limit = 100 }) {
    const payouts = await listPayoutsByStatus(context, status, { partnerId: partner, limit });
    return {
      payouts: payouts.map((payout) => ({ ...opsPayoutView(payout), held: status === 'held' })),
    };
  },
});

export const payoutMarkPaid = opsAction({
  name: 'payout:mark-paid',
  summary: 'Record that a pending payout was paid',
  input: Type.Object({
    id: PayoutId,
    reference: Type.String({ description: "The payment's reference." }),
  }),
  run: async (context, { id, reference }) =>
    opsPayoutView(await markPayoutPaid(context, context.actor, { payoutId: id, reference })),
});

export const payoutMarkFailed = opsAction({
  name: 'payout:mark-failed',
  summary: 'Record that a pending payout did not arrive; a later settlement run pays it again',
  input: Type.Object({
    id: PayoutId,
    reference: Type.Optional(Type.String({ description: "The failed payment's reference." })),
    reason: Type.Optional(Type.String({ maxLength: 500, description: 'Why it failed.' })),
  }),
  run: async (context, { id, reference = null, reason = null }) =>
    opsPayoutView(
      await markPayoutFailed(context, context.actor, { payoutId: id, reference, reason }),
    ),
});

export const payoutReverse = opsAction({
  name: 'payout:reverse',
  summary:
    'Record that the payment of a paid payout came back; a later settlement run pays it again',
  input: Type.Object({
    id: PayoutId,
    reference: Type.String({ description: "The return's reference." }),
    reason: Type.Optional(Type.String({ maxLength: 500, description: 'Why it came back.' })),
  }),
  run: async (context, { id, reference, reason = null }) =>
    opsPayoutView(await reversePayout(context, context.actor, { payoutId: id, reference, reason })),
});

/** A payout as its partner sees it, whose it is, and why it failed. */
function opsPayoutView(payout: Payout): OpsAnswer {
  return {
    ...payoutView(payout),
    partner_id: payout.partnerId,
    environment: payout.environment,
    failed_at: payout.failedAt,
    failure_reason: payout.failureReason,
    reversal_reference: payout.reversalReference,
  };
}
