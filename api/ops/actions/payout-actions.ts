import { Type } from 'typebox';
import { evidenceUrl } from '../../../shared/money/payments/dispute.ts';
import { listDisputes } from '../../../shared/money/payments/record-dispute.ts';
import { listRepayments, markRepaid } from '../../../shared/money/payments/repay-buyer.ts';
import type { Repayment } from '../../../shared/money/payments/repayment.ts';
import { readPartner } from '../../../shared/people/partners/read-partners.ts';
import { firstPage } from '../../../shared/platform/page.ts';
import { approvePayout } from '../../../shared/settlement/payouts/approve-payout.ts';
import type { Payout } from '../../../shared/settlement/payouts/payout.ts';
import {
  downloadPayoutFile,
  listPayoutFiles,
  makePayoutFile,
  markPayoutFilePaid,
  type PayoutFile,
} from '../../../shared/settlement/payouts/payout-files.ts';
import {
  markPayoutFailed,
  markPayoutPaid,
  reversePayout,
} from '../../../shared/settlement/payouts/payout-outcome.ts';
import {
  listPayoutsByStatus,
  PAYOUT_LISTS,
} from '../../../shared/settlement/payouts/read-payouts.ts';
import { requestPayoutTransfer } from '../../../shared/settlement/payouts/send-payout.ts';
import { ANY_TEXT } from '../../http/validate.ts';
import { payoutView } from '../../partner/report-routes.ts';
import {
  DANGEROUS,
  DEFAULT_LIMIT,
  EVERYONE,
  FINANCE,
  HARMLESS,
  limitField,
  type OpsAnswer,
  opsAction,
  route,
} from '../ops-action.ts';

const FileId = Type.String({ description: 'Bank file ID (pof_...).' });
const PayoutId = Type.String({ description: 'Payout ID (pay_...).' });

const payoutList = opsAction({
  name: 'payout:list',
  summary: 'List the pending payouts, oldest first',
  columns: ['id', 'amount', 'source', 'status'],
  input: Type.Object({
    status: Type.Optional(
      Type.Enum([...PAYOUT_LISTS], {
        description:
          'Defaults to pending: payable now. Held payouts belong to suspended partners or disputed orders.',
      }),
    ),
    partner: Type.Optional(Type.String({ description: 'Only this partner (ptr_...).' })),
    limit: limitField(),
  }),
  async run(context, { status = 'pending', partner = null, limit = DEFAULT_LIMIT }) {
    if (partner !== null) await readPartner(context, partner);
    const filter = { partnerId: partner, environment: null };
    const page = firstPage('oldest' as const, limit);
    const { rows: payouts } = await listPayoutsByStatus(context, status, filter, page);
    return {
      payouts: payouts.map((payout) => ({ ...opsPayoutView(payout), held: status === 'held' })),
    };
  },
});

export const payoutApprove = opsAction({
  name: 'payout:approve',
  summary: 'Approve a large payout, which a different person can then pay',
  input: Type.Object({ id: PayoutId }),
  run: async (context, { id }) => opsPayoutView(await approvePayout(context, context.actor, id)),
});

export const payoutSend = opsAction({
  name: 'payout:send',
  summary: "Have Stripe send a pending payout to the partner's connected account",
  input: Type.Object({ id: PayoutId }),
  run: async (context, { id }) =>
    opsPayoutView(await requestPayoutTransfer(context, context.actor, id)),
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
  summary: 'Record that a pending payout failed; a later settlement run pays it again',
  input: Type.Object({
    id: PayoutId,
    reference: Type.Optional(Type.String({ description: "The failed payment's reference." })),
    reason: Type.Optional(
      Type.String({ maxLength: 500, ...ANY_TEXT, description: 'Why it failed.' }),
    ),
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
    reason: Type.Optional(
      Type.String({ maxLength: 500, ...ANY_TEXT, description: 'Why it came back.' }),
    ),
  }),
  run: async (context, { id, reference, reason = null }) =>
    opsPayoutView(await reversePayout(context, context.actor, { payoutId: id, reference, reason })),
});

export const payoutMakeFile = opsAction({
  name: 'payout:make-file',
  summary: 'Create a bank file (pain.001) of the payable LIVE payouts in a currency',
  input: Type.Object({
    currency: Type.String({ description: 'Currency code of ISO 4217, such as EUR.' }),
  }),
  run: async (context, { currency }) =>
    fileView(await makePayoutFile(context, context.actor, currency)),
});

const payoutFiles = opsAction({
  name: 'payout:files',
  summary: 'List the bank files, newest first, with the number of payouts pending in each',
  columns: ['id', 'payouts', 'pending', 'amount'],
  input: Type.Object({ limit: limitField() }),
  async run(context, { limit = DEFAULT_LIMIT }) {
    const { rows } = await listPayoutFiles(context, firstPage('newest' as const, limit));
    return { files: rows.map((file) => ({ ...fileView(file), pending: file.pending })) };
  },
});

export const payoutDownloadFile = opsAction({
  name: 'payout:download-file',
  summary: 'Show a bank file, always the same bytes, for upload to the bank',
  input: Type.Object({ id: FileId }),
  run: (context, { id }) => downloadPayoutFile(context, context.actor, id),
});

export const payoutFilePaid = opsAction({
  name: 'payout:file-paid',
  summary:
    'Record that the payouts of a bank file were paid; lists those already recorded otherwise',
  input: Type.Object({
    id: FileId,
    reference: Type.String({ description: "The bank's reference for the order." }),
  }),
  async run(context, { id, reference }) {
    const given = { fileId: id, reference };
    const { paid, others } = await markPayoutFilePaid(context, context.actor, given);
    return { paid, ...(others.length > 0 && { others }) };
  },
});

function fileView(file: PayoutFile) {
  return {
    id: file.id,
    payouts: file.payouts,
    amount_cents: file.total.amount,
    currency: file.total.currency,
    created_by: file.createdBy,
    created_at: file.createdAt.toISOString(),
  };
}

/** Returns a payout as its partner sees it, with the partner and the reason of a failure. */
function opsPayoutView(payout: Payout): OpsAnswer {
  return {
    ...payoutView(payout),
    partner_id: payout.partnerId,
    environment: payout.environment,
    file_id: payout.fileId,
    sent_to: payout.sentTo,
    approved_by: payout.approvedBy,
    approved_at: payout.approvedAt,
    failed_at: payout.failedAt,
    failure_reason: payout.failureReason,
    reversal_reference: payout.reversalReference,
  };
}

const disputeList = opsAction({
  name: 'dispute:list',
  summary: 'List the open payment disputes, oldest first',
  columns: ['id', 'domain', 'amount', 'status', 'evidence_due_at', 'evidence_url'],
  input: Type.Object({ limit: limitField() }),
  async run(context, { limit = DEFAULT_LIMIT }) {
    const open = { status: null, environment: null };
    const { rows } = await listDisputes(context, open, firstPage('oldest' as const, limit));
    return {
      disputes: rows.map((dispute) => ({
        id: dispute.id,
        order_id: dispute.orderId,
        domain: dispute.domain,
        environment: dispute.environment,
        partner_id: dispute.partnerId,
        status: dispute.status,
        reason: dispute.reason,
        amount_cents: dispute.amount.amount,
        currency: dispute.amount.currency,
        evidence_due_at: dispute.evidenceDueAt?.toISOString() ?? null,
        evidence_url: evidenceUrl(dispute),
        opened_at: dispute.openedAt.toISOString(),
      })),
    };
  },
});

const repaymentList = opsAction({
  name: 'repayment:list',
  summary: 'List the buyers to refund by hand, oldest first',
  columns: ['id', 'amount', 'domain', 'buyer_email', 'status'],
  input: Type.Object({
    limit: limitField(),
  }),
  async run(context, { limit = DEFAULT_LIMIT }) {
    const page = firstPage('oldest' as const, limit);
    const { rows } = await listRepayments(context, null, page);
    return { repayments: rows.map(repaymentView) };
  },
});

export const repaymentMarkPaid = opsAction({
  name: 'repayment:mark-paid',
  summary: 'Record that a buyer was refunded by hand',
  input: Type.Object({
    order: Type.String({
      description: 'Order ID (ord_...), or payment ID (pmt_...) of a repayment without an order.',
    }),
    reference: Type.String({
      minLength: 1,
      maxLength: 255,
      description: "The payment's reference.",
    }),
  }),
  run: async (context, { order, reference }) =>
    repaymentView(await markRepaid(context, context.actor, { id: order, reference })),
});

function repaymentView(repayment: Repayment) {
  return {
    id: repayment.id,
    order_id: repayment.orderId,
    payment_id: repayment.paymentId,
    renewal_id: repayment.renewalId,
    provider_reference: repayment.providerReference,
    partner_id: repayment.partnerId,
    environment: repayment.environment,
    domain: repayment.domain,
    buyer_email: repayment.buyerEmail,
    amount_cents: repayment.amount.amount,
    currency: repayment.amount.currency,
    status: repayment.status,
    reference: repayment.reference,
    created_at: repayment.createdAt,
    paid_at: repayment.paidAt,
  };
}

export const payoutRoutes = [
  route('GET', '/payouts', 200, payoutList, EVERYONE, HARMLESS),
  route('GET', '/payout-files', 200, payoutFiles, EVERYONE, HARMLESS),
  route('POST', '/payout-files', 201, payoutMakeFile, FINANCE, DANGEROUS),
  route('GET', '/payout-files/:id', 200, payoutDownloadFile, FINANCE, HARMLESS),
  route('POST', '/payout-files/:id/paid', 200, payoutFilePaid, FINANCE, DANGEROUS),
  route('POST', '/payouts/:id/approve', 200, payoutApprove, FINANCE, DANGEROUS),
  route('POST', '/payouts/:id/send', 200, payoutSend, FINANCE, DANGEROUS),
  route('POST', '/payouts/:id/mark-paid', 200, payoutMarkPaid, FINANCE, DANGEROUS),
  route('POST', '/payouts/:id/mark-failed', 200, payoutMarkFailed, FINANCE, DANGEROUS),
  route('POST', '/payouts/:id/reverse', 200, payoutReverse, FINANCE, DANGEROUS),
  route('GET', '/disputes', 200, disputeList, EVERYONE, HARMLESS),
  route('GET', '/repayments', 200, repaymentList, EVERYONE, HARMLESS),
  route('POST', '/repayments/:order/mark-paid', 200, repaymentMarkPaid, FINANCE, DANGEROUS),
];
