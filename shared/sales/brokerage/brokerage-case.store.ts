import type { ListingStatus } from '../../market/inventory/listing.ts';
import type { Environment } from '../../platform/config/config.ts';
import { ID_PAGE, idPage, idPageSql } from '../../platform/database/id-page.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { TIME_PAGE, timePage, timePageSql } from '../../platform/database/time-page.ts';
import { Money, moneyOrNull } from '../../platform/money.ts';
import { LIST_SORTS, type ListPage } from '../../platform/page.ts';
import type {
  BrokerageCase,
  CaseActor,
  CaseEntry,
  CaseEventName,
  CaseMove,
  CaseOwner,
  CaseStatus,
  CaseTier,
} from './brokerage-case.ts';

const COLUMNS = `id, partner_id as "partnerId", environment, domain, tier, status,
  buyer_email as "buyerEmail", budget_cents as "budgetCents", currency,
  latest_offer_cents as "latestOfferCents", offer_by_buyer as "offerByBuyer", deal_price_cents as "dealPriceCents",
  commission_cents as "commissionCents", order_id as "orderId", created_at as "createdAt",
  updated_at as "updatedAt", closed_at as "closedAt"`;
const OPENING = {
  id: text,
  partnerId: text,
  environment: textOf<Environment>(),
  domain: text,
  tier: textOf<CaseTier>(),
  status: textOf<CaseStatus>(),
  buyerEmail: text,
  budgetCents: bigint,
  currency: text,
  createdAt: timestamptz,
};
const CASE = {
  ...OPENING,
  latestOfferCents: nullable(bigint),
  offerByBuyer: boolean,
  dealPriceCents: nullable(bigint),
  commissionCents: nullable(bigint),
  orderId: nullable(text),
  updatedAt: timestamptz,
  closedAt: nullable(timestamptz),
};

/** Inserts a new case. Inserts nothing if the domain already has an open one. */
export const insertOpened = defineStatement({
  params: OPENING,
  text: `insert into brokerage_cases (id, partner_id, environment, domain, tier, status, buyer_email,
      budget_cents, currency, created_at, updated_at)
    values (:id, :partnerId, :environment, :domain, :tier, :status, :buyerEmail, :budgetCents,
      :currency, :createdAt, :createdAt)
    on conflict (environment, domain) where closed_at is null do nothing`,
});

/** Adds an entry to a case's timeline. */
export const insertEntry = defineStatement({
  params: {
    caseId: text,
    at: timestamptz,
    status: textOf<CaseStatus>(),
    event: text,
    by: textOf<CaseActor>(),
    amountCents: nullable(bigint),
  },
  text: `insert into brokerage_timeline (case_id, at, status, event, made_by, amount_cents)
    values (:caseId, :at, :status, :event, :by, :amountCents)`,
});

/**
 * Moves a case from one of the `from` statuses to `to`. Returns no row if its status is not in `from`. Always sets the
 * deal's fields; sets the offer only if it is given.
 */
export const updateStatus = defineStatement({
  params: {
    id: text,
    from: arrayOf(textOf<CaseStatus>()),
    to: textOf<CaseStatus>(),
    now: timestamptz,
    closes: boolean,
    offerCents: nullable(bigint),
    byBuyer: boolean,
    priceCents: nullable(bigint),
    commissionCents: nullable(bigint),
    orderId: nullable(text),
  },
  row: CASE,
  text: `update brokerage_cases set status = :to, updated_at = :now,
      closed_at = case when :closes::boolean then :now::timestamptz end,
      latest_offer_cents = coalesce(:offerCents, latest_offer_cents),
      offer_by_buyer = case when :offerCents::bigint is null then offer_by_buyer else :byBuyer end,
      deal_price_cents = :priceCents, commission_cents = :commissionCents, order_id = :orderId
    where id = :id and status = any(:from)
    returning ${COLUMNS}`,
});

/** Sets the budget of a case. */
export const updateBudget = defineStatement({
  params: { id: text, budgetCents: bigint, now: timestamptz },
  row: CASE,
  text: `update brokerage_cases set budget_cents = :budgetCents, updated_at = :now where id = :id
    returning ${COLUMNS}`,
});

/** Sets the buyer's offer, or clears the offer that the buyer declined. */
export const updateOffer = defineStatement({
  params: { id: text, offerCents: nullable(bigint), now: timestamptz },
  row: CASE,
  text: `update brokerage_cases set latest_offer_cents = :offerCents, updated_at = :now,
      offer_by_buyer = :offerCents::bigint is not null
    where id = :id returning ${COLUMNS}`,
});

/** Locks a case of any partner until the transaction ends. */
export const selectForUpdate = defineStatement({
  params: { id: text },
  row: CASE,
  text: `select ${COLUMNS} from brokerage_cases where id = :id for update`,
});

/** Selects the open case about a domain, of any partner. */
export const selectOpen = defineStatement({
  params: { environment: textOf<Environment>(), domain: text },
  row: { id: text },
  text: `select id from brokerage_cases
    where environment = :environment and domain = :domain and closed_at is null`,
});

/** Selects a case of this partner, or of any with `everybody`, with its timeline and its domain's listing status. */
export const selectDetail = defineStatement({
  params: {
    id: text,
    everybody: boolean,
    partnerId: nullable(text),
    environment: nullable(textOf<Environment>()),
  },
  row: {
    ...CASE,
    // Dates are strings in JSON.
    timeline:
      json<(Omit<CaseEntry, 'at' | 'amount'> & { at: string; amountCents: number | null })[]>(),
    listingStatus: nullable(textOf<ListingStatus>()),
  },
  text: `select ${COLUMNS},
      (select coalesce(json_agg(json_build_object('at', t.at, 'status', t.status,
          'event', t.event, 'by', t.made_by, 'amountCents', t.amount_cents) order by t.id), '[]')
        from brokerage_timeline t where t.case_id = c.id) as timeline,
      (select l.status from listings l
        where l.environment = c.environment and l.domain = c.domain) as "listingStatus"
    from brokerage_cases c
    where id = :id and (:everybody or (partner_id = :partnerId and environment = :environment))`,
});

/** Selects a page of a partner's cases, newest first. */
export const selectCases = defineStatement({
  params: {
    partnerId: text,
    environment: textOf<Environment>(),
    statuses: nullable(arrayOf(textOf<CaseStatus>())),
    ...TIME_PAGE,
  },
  row: CASE,
  text: `select ${COLUMNS} from brokerage_cases
    where partner_id = :partnerId and environment = :environment
      and (:statuses::text[] is null or status = any(:statuses)) and ${timePageSql()}`,
  plan: 'once',
});

/** Selects a page of the cases of all partners: all open cases, or those with one status. */
export const selectCasesForOps = variantsOf(['open', 'inStatus'], (which) =>
  variantsOf(LIST_SORTS, (sort) =>
    defineStatement({
      params: {
        status: nullable(textOf<CaseStatus>()),
        environment: nullable(textOf<Environment>()),
        ...ID_PAGE,
      },
      row: CASE,
      text: `select ${COLUMNS} from brokerage_cases
        where ${which === 'open' ? 'closed_at is null' : 'status = :status'}
          and (:environment::text is null or environment = :environment) and ${idPageSql('id', sort)}`,
    }),
  ),
);

/** Erases the buyers of cases closed without a deal. The column is not nullable, so the address becomes empty. */
export const updateBuyersErased = defineStatement({
  params: { before: timestamptz, limit: bigint },
  text: `update brokerage_cases set buyer_email = '' where id in (
      select id from brokerage_cases
      where order_id is null and buyer_email <> '' and closed_at < :before
      order by closed_at limit :limit for update skip locked)`,
});

/** A case with its timeline, oldest first. */
export interface CaseDetail {
  found: BrokerageCase;
  timeline: CaseEntry[];
  /** Null if the domain was never listed here. */
  listingStatus: ListingStatus | null;
}

/** Inserts a case and the first entry of its timeline. Returns false if the domain already has an open case. */
export async function writeCase(tx: Tx, opened: BrokerageCase): Promise<boolean> {
  const { budget } = opened;
  const inserted = await insertOpened.run(tx, {
    ...opened,
    budgetCents: budget.amount,
    currency: budget.currency,
  });
  if (inserted === 0) return false;
  await insertEntry.run(tx, {
    caseId: opened.id,
    at: opened.createdAt,
    status: opened.status,
    event: 'open',
    by: 'partner',
    amountCents: budget.amount,
  });
  return true;
}

/** The fields that a deal sets on its case. */
export interface Deal {
  price: Money;
  commission: Money;
  orderId: string;
}

/** The fields that a move sets besides the status, and those of its timeline entry. */
export interface MoveFields {
  now: Date;
  /** The name of the move. */
  event: CaseEventName;
  by: CaseActor;
  closes: boolean;
  offer: Money | null;
  deal: Deal | null;
}

/** Makes a move and adds its timeline entry. Returns undefined if the case's status is not in `from`. */
export async function changeStatus(
  tx: Tx,
  id: string,
  { from, to }: CaseMove,
  { now, event, by, closes, offer, deal }: MoveFields,
): Promise<BrokerageCase | undefined> {
  const row = await updateStatus.first(tx, {
    id,
    from,
    to,
    now,
    closes,
    offerCents: offer?.amount ?? null,
    byBuyer: by === 'buyer',
    priceCents: deal?.price.amount ?? null,
    commissionCents: deal?.commission.amount ?? null,
    orderId: deal?.orderId ?? null,
  });
  if (!row) return undefined;
  const amountCents = (deal?.price ?? offer)?.amount ?? null;
  await insertEntry.run(tx, { caseId: id, at: now, status: to, event, by, amountCents });
  return toCase(row);
}

/** Sets the budget and adds its timeline entry. */
export async function changeBudget(
  tx: Tx,
  { id, status }: BrokerageCase,
  budget: Money,
  now: Date,
): Promise<BrokerageCase> {
  const row = await updateBudget.one(tx, { id, budgetCents: budget.amount, now });
  await insertEntry.run(tx, {
    caseId: id,
    at: now,
    status,
    event: 'raise_budget',
    by: 'buyer',
    amountCents: budget.amount,
  });
  return toCase(row);
}

/** Sets the buyer's counter-offer, or clears the declined offer, and adds the timeline entry. */
export async function changeOffer(
  tx: Tx,
  { id, status }: BrokerageCase,
  { event, offer, now }: { event: 'counter' | 'decline'; offer: Money; now: Date },
): Promise<BrokerageCase> {
  const offerCents = event === 'counter' ? offer.amount : null;
  const row = await updateOffer.one(tx, { id, offerCents, now });
  const entry = { caseId: id, at: now, status, event, by: 'buyer' as const };
  await insertEntry.run(tx, { ...entry, amountCents: offer.amount });
  return toCase(row);
}

/** Locks a case of any partner until the transaction ends. */
export async function lockCase(tx: Tx, id: string): Promise<BrokerageCase | undefined> {
  const row = await selectForUpdate.first(tx, { id });
  return row && toCase(row);
}

/** Reads a case with its timeline, in one statement. `owner` is null for operators and for the holder of its link. */
export async function readCase(
  sql: Sql,
  owner: CaseOwner | null,
  id: string,
): Promise<CaseDetail | undefined> {
  const row = await selectDetail.first(sql, {
    id,
    everybody: owner === null,
    partnerId: owner?.partnerId ?? null,
    environment: owner?.environment ?? null,
  });
  if (!row) return undefined;
  const { timeline, listingStatus, ...rest } = row;
  const found = toCase(rest);
  return {
    found,
    listingStatus,
    timeline: timeline.map(({ amountCents, at, ...entry }) => ({
      ...entry,
      at: new Date(at),
      amount: moneyOrNull(amountCents, found.budget.currency),
    })),
  };
}

/** A filter for a partner's cases; null matches all. */
export interface CaseFilter {
  statuses: readonly CaseStatus[] | null;
  from: Date | null;
  to: Date | null;
  /** The last row of the previous page. */
  before: { createdAt: Date; id: string } | null;
  limit: number;
}

/** Reads a page of a partner's cases, newest first. */
export async function readCases(
  sql: Sql,
  { partnerId, environment }: CaseOwner,
  { statuses, limit, ...period }: CaseFilter,
): Promise<BrokerageCase[]> {
  const wanted = { partnerId, environment, statuses, ...timePage(period, limit) };
  const rows = await selectCases.all(sql, wanted);
  return rows.map(toCase);
}

/** A filter for the cases of all partners: those with one status, or all open cases if it is null. */
export interface OpsCaseFilter {
  status: CaseStatus | null;
  environment: Environment | null;
}

/** Reads a page of the cases of all partners. */
export async function readCasesForOps(
  sql: Sql,
  filter: OpsCaseFilter,
  page: ListPage,
): Promise<BrokerageCase[]> {
  const statement = selectCasesForOps[filter.status === null ? 'open' : 'inStatus'][page.sort];
  const given = { ...filter, ...idPage('brokerageCase', page, page.limit) };
  return (await statement.all(sql, given)).map(toCase);
}

function toCase(row: RowOf<typeof CASE>): BrokerageCase {
  const { budgetCents, currency, latestOfferCents, dealPriceCents, commissionCents, ...rest } = row;
  return {
    ...rest,
    budget: new Money(budgetCents, currency),
    latestOffer: moneyOrNull(latestOfferCents, currency),
    dealPrice: moneyOrNull(dealPriceCents, currency),
    commission: moneyOrNull(commissionCents, currency),
  };
}
