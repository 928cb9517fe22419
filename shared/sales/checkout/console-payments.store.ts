import type { PaymentStatus } from '../../money/payments/payment.ts';
import type { Environment } from '../../platform/config/config.ts';
import { ID_PAGE, idOrderSql, idPageSql } from '../../platform/database/id-page.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';

// Lists for the console only. Each page is read by a unique index, whatever the size of the table.

const PAYMENT = {
  id: text,
  partnerId: nullable(text),
  partnerName: nullable(text),
  userId: nullable(text),
  environment: textOf<Environment>(),
  domain: text,
  provider: text,
  providerReference: nullable(text),
  status: textOf<PaymentStatus>(),
  declineCode: nullable(text),
  attempt: integer,
  amountCents: bigint,
  currency: text,
  orderId: nullable(text),
  createdAt: timestamptz,
};
export type ConsolePayment = RowOf<typeof PAYMENT>;

const PAYMENTS = `select e.id, e.partner_id as "partnerId", p.name as "partnerName", e.environment,
        coalesce(s.domain, r.domain) as domain, r.user_id as "userId",
        e.provider, e.provider_reference as "providerReference", e.status, e.decline_code as "declineCode",
        e.attempt, e.amount_cents as "amountCents", e.currency, e.order_id as "orderId",
        e.created_at as "createdAt"
      from payments e left join partners p on p.id = e.partner_id
        left join checkout_sessions s on s.id = e.checkout_session_id
        left join renewals r on r.id = e.renewal_id`;

/** Selects payments of hosted checkout and renewals: all by id, or some by the index `payments_by_status`. */
export const selectPayments = variantsOf(['all', 'some'], (which) =>
  variantsOf(LIST_SORTS, (sort) =>
    defineStatement({
      params: {
        statuses: arrayOf(textOf<PaymentStatus>()),
        environments: arrayOf(textOf<Environment>()),
        ...ID_PAGE,
      },
      row: PAYMENT,
      text:
        which === 'all'
          ? `${PAYMENTS} where ${idPageSql('e.id', sort)}`
          : `${PAYMENTS} where e.id in (
          select found.id from unnest(:environments::text[]) as w (environment), unnest(:statuses::text[]) as v (status),
            lateral (select e.id from payments e
              where e.environment = w.environment and e.status = v.status and ${idPageSql('e.id', sort)}) found
          ${idOrderSql('found.id', sort)} limit :limit)
        ${idOrderSql('e.id', sort)}`,
    }),
  ),
);
