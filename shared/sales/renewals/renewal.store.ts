import { ID_PAGE, idPageSql } from '../../platform/database/id-page.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  nullable,
  present,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { Money, moneyOrNull } from '../../platform/money.ts';
import { LIST_SORTS } from '../../platform/page.ts';
import {
  RENEWAL_MOVES,
  type Renewal,
  type RenewalKind,
  type RenewalMoveName,
  type RenewalStatus,
} from './renewal.ts';

const COLUMNS = `r.id, r.user_id as "userId", r.domain, r.kind, r.years, r.renews_from as "renewsFrom",
  r.amount_cents as "amountCents", r.currency, r.renew_fee_cents as "renewFeeCents",
  r.restore_fee_cents as "restoreFeeCents", r.fee_currency as "feeCurrency", r.status,
  r.payer_name as "payerName", r.payer_country as "payerCountry", r.last_decline as "lastDecline", r.refusal,
  r.payment_id as "paymentId", r.keeps_card as "keepsCard", r.automatic_days as "automaticDays",
  r.created_at as "createdAt", r.updated_at as "updatedAt",
  r.expires_at as "expiresAt"`;

/** The owner's price, and the registry's fees for a premium name. */
const PRICE = {
  amountCents: bigint,
  currency: text,
  renewFeeCents: nullable(bigint),
  restoreFeeCents: nullable(bigint),
  feeCurrency: nullable(text),
};
const RENEWAL = {
  id: text,
  userId: text,
  domain: text,
  kind: textOf<RenewalKind>(),
  years: integer,
  renewsFrom: timestamptz,
  ...PRICE,
  status: textOf<RenewalStatus>(),
  payerName: nullable(text),
  payerCountry: nullable(text),
  lastDecline: nullable(text),
  refusal: nullable(text),
  paymentId: nullable(text),
  keepsCard: boolean,
  automaticDays: nullable(integer),
  createdAt: timestamptz,
  updatedAt: timestamptz,
  expiresAt: timestamptz,
};

/** Inserts a renewal. Returns no row if the domain has an open one or this automatic attempt was already made. */
export const insertRenewal = defineStatement({
  params: {
    id: text,
    userId: text,
    domain: text,
    kind: textOf<RenewalKind>(),
    years: integer,
    renewsFrom: timestamptz,
    ...PRICE,
    automaticDays: nullable(integer),
    payerName: nullable(text),
    payerCountry: nullable(text),
    now: timestamptz,
    expiresAt: timestamptz,
  },
  row: RENEWAL,
  text: `insert into renewals as r (id, user_id, domain, kind, years, renews_from, amount_cents, currency,
      renew_fee_cents, restore_fee_cents, fee_currency, automatic_days, payer_name, payer_country, status,
      created_at, updated_at, expires_at)
    values (:id, :userId, :domain, :kind, :years, :renewsFrom, :amountCents, :currency, :renewFeeCents,
      :restoreFeeCents, :feeCurrency, :automaticDays, :payerName, :payerCountry, 'awaiting_payment', :now,
      :now, :expiresAt)
    on conflict do nothing returning ${COLUMNS}`,
});

/** Selects a renewal by its id. */
export const selectRenewal = defineStatement({
  params: { id: text },
  row: RENEWAL,
  text: `select ${COLUMNS} from renewals r where r.id = :id`,
});

/** Like {@link selectRenewal}, and locks the row until the transaction ends. */
export const selectRenewalForUpdate = defineStatement({
  params: { id: text },
  row: RENEWAL,
  text: `select ${COLUMNS} from renewals r where r.id = :id for update`,
});

/** Locks the open renewal of a domain until the transaction ends. */
export const selectOpenForUpdate = defineStatement({
  params: { domain: text },
  row: RENEWAL,
  text: `select ${COLUMNS} from renewals r
    where r.domain = :domain and r.status in ('awaiting_payment', 'paid') for update`,
});

/** Records the payer, and whether the card is saved. */
export const updatePayer = defineStatement({
  params: { id: text, name: text, country: text, keepsCard: boolean, now: timestamptz },
  text: `update renewals set payer_name = :name, payer_country = :country, keeps_card = :keepsCard,
      last_decline = null, updated_at = :now where id = :id`,
});

/** Changes the price of an unpaid renewal. */
export const updatePrice = defineStatement({
  params: { id: text, ...PRICE, now: timestamptz, expiresAt: timestamptz },
  text: `update renewals set amount_cents = :amountCents, currency = :currency,
      renew_fee_cents = :renewFeeCents, restore_fee_cents = :restoreFeeCents, fee_currency = :feeCurrency,
      updated_at = :now, expires_at = :expiresAt
    where id = :id and status = 'awaiting_payment'`,
});

/** Records why a payment did not go through. */
export const updateDecline = defineStatement({
  params: { id: text, code: text, now: timestamptz },
  text: 'update renewals set last_decline = :code, updated_at = :now where id = :id',
});

/** Moves a renewal from one of the `from` statuses to `to`. Erases the payer of one that ends unpaid. */
export const updateStatus = defineStatement({
  params: {
    id: text,
    from: arrayOf(textOf<RenewalStatus>()),
    to: textOf<RenewalStatus>(),
    paymentId: nullable(text),
    refusal: nullable(text),
    now: timestamptz,
  },
  text: `update renewals set status = :to, updated_at = :now, payment_id = coalesce(:paymentId, payment_id),
      refusal = coalesce(:refusal, refusal),
      payer_name = case when :to in ('cancelled', 'expired') then null else payer_name end,
      payer_country = case when :to in ('cancelled', 'expired') then null else payer_country end
    where id = :id and status = any(:from)`,
});

/** Marks expired renewals whose payment, if any, has failed. */
export const updateExpired = defineStatement({
  params: { now: timestamptz, limit: bigint },
  text: `update renewals set status = 'expired', updated_at = :now, payer_name = null, payer_country = null
    where id in (
      select r.id from renewals r
      where r.status = 'awaiting_payment' and r.expires_at <= :now
        and not exists (select from payments p where p.renewal_id = r.id and p.status <> 'failed')
      order by r.expires_at limit :limit for update skip locked)`,
});

/** Cancels the unpaid renewals of the domain that its owner bought with this order. */
export const updateCancelledOf = defineStatement({
  params: { domain: text, orderId: text, now: timestamptz },
  text: `update renewals r set status = 'cancelled', updated_at = :now, payer_name = null, payer_country = null
    from owned_domains o
    where o.domain = :domain and o.bought_with = :orderId and r.user_id = o.user_id and r.domain = o.domain
      and r.status = 'awaiting_payment'`,
});

/** Selects the renewals that a user bought or still has to pay. */
export const selectRenewalsOf = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: { userId: text, ...ID_PAGE },
    row: RENEWAL,
    text: `select ${COLUMNS} from renewals r
      where r.user_id = :userId and r.status not in ('cancelled', 'expired') and ${idPageSql('r.id', sort)}`,
  }),
);

const DUE = {
  domain: text,
  tld: text,
  userId: text,
  email: text,
  /** The order with which its owner bought it. */
  orderId: present(text, 'the statement asks for it'),
  expiresAt: timestamptz,
  days: integer,
};
/** A domain to renew with its owner's card; `days` identifies the attempt. */
export type DueRenewal = RowOf<typeof DUE>;

/**
 * Selects a page of auto-renewing domains that were bought here, by expiry date, without an attempt for that date since
 * the last due one of `days`. Leaves out domains that their owner has sold, that another registrar took, and those on
 * legal hold or whose purchase was taken back, which are renewed without payment.
 */
export const selectDue = defineStatement({
  params: {
    expiresAt: timestamptz,
    domain: text,
    now: timestamptz,
    until: timestamptz,
    days: arrayOf(integer),
    limit: bigint,
  },
  row: DUE,
  text: `select o.domain, o.tld, o.user_id as "userId", u.email, o.bought_with as "orderId",
      o.expires_at as "expiresAt", s.days
    from owned_domains o
    join users u on u.id = o.user_id
    join orders b on b.id = o.bought_with and b.status not in ('REFUNDED', 'CANCELLED')
    cross join lateral (
      select min(d) as days from unnest(:days::integer[]) d
      where o.expires_at <= :now::timestamptz + make_interval(days => d)) s
    where o.auto_renew and o.taken_at is null and o.expires_at > :now and o.expires_at <= :until
      and (o.expires_at, o.domain) > (:expiresAt, :domain)
      and not exists (select from legal_holds h where h.domain = o.domain and h.lifted_at is null)
      and not exists (
        select from listings l where l.environment = 'LIVE' and l.domain = o.domain and l.status = 'sold'
          and b.sale_number < l.sale_number)
      and not exists (
        select from renewals r where r.domain = o.domain and r.renews_from = o.expires_at
          and (r.automatic_days <= s.days or r.status = 'paid'))
    order by o.expires_at, o.domain limit :limit`,
});

/** Selects the payer of a user's last renewal. */
export const selectLastPayer = defineStatement({
  params: { userId: text },
  row: { name: nullable(text), country: nullable(text) },
  text: `select payer_name as name, payer_country as country from renewals
    where user_id = :userId and payment_id is not null order by id desc limit 1`,
});

/** The terms of a new renewal. */
export type NewRenewal = Pick<
  Renewal,
  'userId' | 'domain' | 'kind' | 'years' | 'renewsFrom' | 'price' | 'fees'
>;

/** Inserts a renewal. Returns undefined if the domain has an open one or this automatic attempt was already made. */
export async function writeRenewal(
  tx: Tx,
  renewal: NewRenewal &
    Partial<Pick<Renewal, 'automaticDays' | 'payerName' | 'payerCountry'>> & {
      id: string;
      expiresAt: Date;
    },
  now: Date,
): Promise<Renewal | undefined> {
  const { automaticDays = null, payerName = null, payerCountry = null } = renewal;
  const row = { ...renewal, automaticDays, payerName, payerCountry, ...toPriceRow(renewal), now };
  return toRenewalOrNone(await insertRenewal.first(tx, row));
}

/** Reads a renewal by its id. */
export async function readRenewal(sql: Sql, id: string): Promise<Renewal | undefined> {
  return toRenewalOrNone(await selectRenewal.first(sql, { id }));
}

/** Locks a renewal until the transaction ends. */
export async function lockRenewal(tx: Tx, id: string): Promise<Renewal | undefined> {
  return toRenewalOrNone(await selectRenewalForUpdate.first(tx, { id }));
}

/** Locks the open renewal of a domain until the transaction ends. */
export async function lockOpenRenewal(tx: Tx, domain: string): Promise<Renewal | undefined> {
  return toRenewalOrNone(await selectOpenForUpdate.first(tx, { domain }));
}

/** Changes the price of an unpaid renewal, which is then valid until `expiresAt`. */
export async function writePrice(
  tx: Tx,
  id: string,
  offered: Pick<Renewal, 'price' | 'fees'>,
  at: { now: Date; expiresAt: Date },
): Promise<void> {
  await updatePrice.run(tx, { id, ...toPriceRow(offered), ...at });
}

/** Moves a renewal to another status. Returns false if the move is not allowed from its status. */
export async function moveRenewal(
  tx: Tx,
  id: string,
  move: RenewalMoveName,
  now: Date,
  { paymentId = null, refusal = null }: { paymentId?: string | null; refusal?: string | null } = {},
): Promise<boolean> {
  return (await updateStatus.run(tx, { ...RENEWAL_MOVES[move], id, now, paymentId, refusal })) > 0;
}

/** Reads a page of the renewals that a user bought or still has to pay. */
export async function readRenewalsOf(
  sql: Sql,
  sort: (typeof LIST_SORTS)[number],
  page: Parameters<(typeof selectRenewalsOf)['newest']['all']>[1],
): Promise<Renewal[]> {
  return (await selectRenewalsOf[sort].all(sql, page)).map(toRenewal);
}

function toPriceRow({ price, fees: { renew, restore } }: Pick<Renewal, 'price' | 'fees'>) {
  return {
    amountCents: price.amount,
    currency: price.currency,
    renewFeeCents: renew?.amount ?? null,
    restoreFeeCents: restore?.amount ?? null,
    feeCurrency: (renew ?? restore)?.currency ?? null,
  };
}

function toRenewal(row: RowOf<typeof RENEWAL>): Renewal {
  const { amountCents, currency, renewFeeCents, restoreFeeCents, feeCurrency, ...rest } = row;
  return {
    ...rest,
    price: new Money(amountCents, currency),
    fees: {
      renew: moneyOrNull(renewFeeCents, feeCurrency ?? ''),
      restore: moneyOrNull(restoreFeeCents, feeCurrency ?? ''),
    },
  };
}

function toRenewalOrNone(row: RowOf<typeof RENEWAL> | undefined): Renewal | undefined {
  return row && toRenewal(row);
}
