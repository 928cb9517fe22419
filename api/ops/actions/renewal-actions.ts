import { Type } from 'typebox';
import { listAllOwnedDomains } from '../../../shared/domains/owned-domains/console-domains.ts';
import { firstPage } from '../../../shared/platform/page.ts';
import type { Renewal } from '../../../shared/sales/renewals/renewal.ts';
import {
  listUndoneRenewals,
  refundRenewal,
  retryRenewal,
} from '../../../shared/sales/renewals/undone-renewals.ts';
import { ANY_TEXT } from '../../http/validate.ts';
import {
  DANGEROUS,
  DEFAULT_LIMIT,
  EVERYONE,
  HARMLESS,
  limitField,
  OPERATIONS,
  opsAction,
  REFUNDS,
  route,
} from '../ops-action.ts';

const ByRenewal = Type.Object({ renewal: Type.String({ description: 'Renewal ID (rnw_...).' }) });

const renewalList = opsAction({
  name: 'renewal:list',
  summary: 'List the paid renewals that are not done, with the reason, oldest first',
  columns: ['id', 'domain', 'amount', 'state', 'reason', 'paid_at'],
  input: Type.Object({ limit: limitField() }),
  async run(context, { limit = DEFAULT_LIMIT }) {
    const { rows } = await listUndoneRenewals(context, firstPage('oldest' as const, limit));
    return {
      renewals: rows.map((each) => ({
        id: each.id,
        domain: each.domain,
        kind: each.kind,
        years: each.years,
        user_id: each.userId,
        amount_cents: each.price.amount,
        currency: each.price.currency,
        state: each.state,
        attempts: each.attempts,
        reason: each.reason,
        next_try_at: each.nextTryAt,
        paid_at: each.paidAt,
      })),
    };
  },
});

const renewalMissed = opsAction({
  name: 'renewal:missed',
  summary:
    'List the granted and returned domains that could not be renewed, with the reason, by name',
  columns: ['domain', 'email', 'reason', 'expires_at'],
  input: Type.Object({ limit: limitField() }),
  async run(context, { limit = DEFAULT_LIMIT }) {
    const filter = { userId: null, beginning: null, unrenewed: true };
    const { rows } = await listAllOwnedDomains(
      context,
      filter,
      firstPage('a_to_z' as const, limit),
    );
    return {
      domains: rows.map((each) => ({
        domain: each.domain,
        user_id: each.userId,
        email: each.email,
        reason: each.renewalFault,
        expires_at: each.expiresAt,
      })),
    };
  },
});

export const renewalRetry = opsAction({
  name: 'renewal:retry',
  summary: 'Retry a paid renewal at the registry',
  input: ByRenewal,
  run: async (context, { renewal: id }) =>
    renewalView(await retryRenewal(context, context.actor, id)),
});

export const renewalRefund = opsAction({
  name: 'renewal:refund',
  summary: 'Refund a renewal that the registry has not performed',
  input: Type.Object({
    ...ByRenewal.properties,
    reason: Type.String({
      minLength: 1,
      maxLength: 300,
      ...ANY_TEXT,
      description: 'Why, in a sentence that the owner reads.',
    }),
    unchecked: Type.Optional(
      Type.Boolean({
        description:
          'The registry does not respond, and you checked there that it did not renew the domain.',
      }),
    ),
  }),
  run: async (context, { renewal: renewalId, reason, unchecked = false }) =>
    renewalView(await refundRenewal(context, context.actor, { renewalId, reason, unchecked })),
});

function renewalView({ id, domain, status }: Renewal) {
  return { id, domain, status };
}

export const renewalRoutes = [
  route('GET', '/renewals', 200, renewalList, EVERYONE, HARMLESS),
  route('GET', '/missed-renewals', 200, renewalMissed, EVERYONE, HARMLESS),
  route('POST', '/renewals/:renewal/retry', 202, renewalRetry, OPERATIONS, DANGEROUS),
  route('POST', '/renewals/:renewal/refund', 200, renewalRefund, REFUNDS, DANGEROUS),
];
