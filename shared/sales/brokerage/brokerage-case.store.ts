import type { Environment } from '../../platform/config/config.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { Money, moneyOrNull } from '../../platform/money.ts';
import type {
  BrokerageCase,
  CaseActor,
  CaseEntry,
  CaseEventName,
  CaseMove,
  CaseOwner,
  CaseStatus,
} from './brokerage-case.ts';

const COLUMNS = `id, partner_id as "partnerId", environment, domain, tier, status,
  buyer_email as "buyerEmail", budget_cents as "budgetCents", currency,
  latest_offer_cents as "latestOfferCents", deal_price_cents as "dealPriceCents",
  commission_cents as "commissionCents", order_id as "orderId", created_at as "createdAt",
  updated_at as "updatedAt", closed_at as "closedAt"`;

const TIMELINE = `(select coalesce(json_agg(json_build_object('at', t.at, 'status', t.status,
    'event', t.event, 'by', t.made_by, 'amountCents', t.amount_cents) order by t.id), '[]')
  from brokerage_timeline t where t.case_id = c.id) as timeline`;

/** A case with its story, oldest first. */
export interface CaseDetail {
  found: BrokerageCase;
  timeline: CaseEntry[];
}

type CaseRow = Omit<BrokerageCase, 'budget' | 'latestOffer' | 'dealPrice' | 'commission'> & {
  budgetCents: number;
  currency: string;
  latestOfferCents: number | null;
  dealPriceCents: number | null;
  commissionCents: number | null;
};

function toCase(row: CaseRow): BrokerageCase {
  const { budgetCents, currency, latestOfferCents, dealPriceCents, commissionCents, ...rest } = row;
  return {
    ...rest,
    budget: new Money(budgetCents, currency),
    latestOffer: moneyOrNull(latestOfferCents, currency),
    dealPrice: moneyOrNull(dealPriceCents, currency),
    commission: moneyOrNull(commissionCents, currency),
  };
}

/** Inserts a case with the first entry of its timeline; false when the domain has an open one already. */
export async function insertCase(tx: Tx, opened: BrokerageCase): Promise<boolean> {
  const { rows } = await tx.raw(
    `insert into brokerage_cases (id, partner_id, environment, domain, tier, status, buyer_email,
       budget_cents, currency, created_at, updated_at)
     values (:id, :partnerId, :environment, :domain, :tier, :status, :buyerEmail, :budgetCents,
       :currency, :createdAt, :createdAt)
     on conflict (environment, domain) where closed_at is null do nothing
     returning id`,
    { ...opened, budgetCents: opened.budget.amount, currency: opened.budget.currency },
  );
  if (rows.length === 0) return false;
  await insertEntry(tx, opened.id, {
    at: opened.createdAt,
    status: opened.status,
    event: 'open',
    by: 'partner',
    amount: opened.budget,
  });
  return true;
}

async function insertEntry(tx: Tx, caseId: string, entry: CaseEntry): Promise<void> {
  await tx.raw(
    `insert into brokerage_timeline (case_id, at, status, event, made_by, amount_cents)
     values (:caseId, :at, :status, :event, :by, :amountCents)`,
    { caseId, ...entry, amountCents: entry.amount?.amount ?? null },
  );
}

/** What a deal leaves on its case. */
export interface Deal {
  price: Money;
  commission: Money;
  orderId: string;
}

/** What a move sets beside the status, and what its timeline entry says. */
export interface MoveFields {
  now: Date;
  /** The name of the move. */
  event: CaseEventName;
  by: CaseActor;
  closes: boolean;
  offer: Money | null;
  deal: Deal | null;
}

/** The conditional update of a move, with its timeline entry; undefined when the case is in no from-state. */
export async function updateStatus(
  tx: Tx,
  id: string,
  move: CaseMove,
  fields: MoveFields,
): Promise<BrokerageCase | undefined> {
  const { rows } = await tx.raw(
    `update brokerage_cases set status = :to, updated_at = :now,
       closed_at = case when :closes::boolean then :now::timestamptz end,
       latest_offer_cents = coalesce(:offer, latest_offer_cents),
       deal_price_cents = :price, commission_cents = :commission, order_id = :orderId
     where id = :id and status = any(:from)
     returning ${COLUMNS}`,
    {
      id,
      from: [...move.from],
      to: move.to,
      now: fields.now,
      closes: fields.closes,
      offer: fields.offer?.amount ?? null,
      price: fields.deal?.price.amount ?? null,
      commission: fields.deal?.commission.amount ?? null,
      orderId: fields.deal?.orderId ?? null,
    },
  );
  if (!rows[0]) return undefined;
  await insertEntry(tx, id, {
    at: fields.now,
    status: move.to,
    event: fields.event,
    by: fields.by,
    amount: fields.deal?.price ?? fields.offer,
  });
  return toCase(rows[0]);
}

export async function updateBudget(
  tx: Tx,
  found: BrokerageCase,
  budget: Money,
  now: Date,
): Promise<BrokerageCase> {
  const { rows } = await tx.raw(
    `update brokerage_cases set budget_cents = :budgetCents, updated_at = :now where id = :id
     returning ${COLUMNS}`,
    { id: found.id, budgetCents: budget.amount, now },
  );
  await insertEntry(tx, found.id, {
    at: now,
    status: found.status,
    event: 'raise_budget',
    by: 'buyer',
    amount: budget,
  });
  return toCase(rows[0]);
}

/** A case of any partner, locked until the transaction ends. */
export async function lockCase(tx: Tx, id: string): Promise<BrokerageCase | undefined> {
  const { rows } = await tx.raw(
    `select ${COLUMNS} from brokerage_cases where id = :id for update`,
    { id },
  );
  return rows[0] && toCase(rows[0]);
}

/** Whether anybody's case about this domain is open. */
export async function hasOpenCase(
  sql: Sql,
  environment: Environment,
  domain: string,
): Promise<boolean> {
  const { rows } = await sql.raw(
    `select 1 from brokerage_cases
     where environment = :environment and domain = :domain and closed_at is null`,
    { environment, domain },
  );
  return rows.length > 0;
}

type EntryRow = Omit<CaseEntry, 'amount'> & { amountCents: number | null };

/** A case with its timeline, in one statement. `owner` null: for ops, and for the holder of its link. */
export async function findCase(
  sql: Sql,
  owner: CaseOwner | null,
  id: string,
): Promise<CaseDetail | undefined> {
  const { rows } = await sql.raw(
    `select ${COLUMNS}, ${TIMELINE} from brokerage_cases c
     where id = :id and (:everybody or (partner_id = :partnerId and environment = :environment))`,
    {
      id,
      everybody: owner === null,
      partnerId: owner?.partnerId ?? '',
      environment: owner?.environment ?? '',
    },
  );
  if (!rows[0]) return undefined;
  const { timeline, ...row } = rows[0];
  const found = toCase(row);
  return {
    found,
    timeline: timeline.map(({ amountCents, at, ...entry }: EntryRow) => ({
      ...entry,
      at: new Date(at),
      amount: moneyOrNull(amountCents, found.budget.currency),
    })),
  };
}

export interface CaseFilter {
  statuses: readonly CaseStatus[] | null;
  from: Date | null;
  to: Date | null;
  /** The last row of the page before. */
  before: { createdAt: Date; id: string } | null;
  limit: number;
}

/** A partner's cases, newest first. */
export async function listCases(
  sql: Sql,
  owner: CaseOwner,
  filter: CaseFilter,
): Promise<BrokerageCase[]> {
  const { rows } = await sql.raw(
    `select ${COLUMNS} from brokerage_cases
     where partner_id = :partnerId and environment = :environment
       and (:statuses::text[] is null or status = any(:statuses))
       and (:from::timestamptz is null or created_at >= :from)
       and (:to::timestamptz is null or created_at < :to)
       and (:beforeAt::timestamptz is null or (created_at, id) < (:beforeAt, :beforeId::text))
     order by created_at desc, id desc limit :limit`,
    {
      partnerId: owner.partnerId,
      environment: owner.environment,
      from: filter.from,
      to: filter.to,
      limit: filter.limit,
      statuses: filter.statuses && [...filter.statuses],
      beforeAt: filter.before?.createdAt ?? null,
      beforeId: filter.before?.id ?? null,
    },
  );
  return rows.map(toCase);
}

/** The cases of all partners in one status, or all open ones; oldest first. */
export async function listCasesForOps(
  sql: Sql,
  status: CaseStatus | null,
  limit: number,
): Promise<BrokerageCase[]> {
  const { rows } = await sql.raw(
    `select ${COLUMNS} from brokerage_cases
     where ${status === null ? 'closed_at is null' : 'status = :status'}
     order by created_at, id limit :limit`,
    { ...(status !== null && { status }), limit },
  );
  return rows.map(toCase);
}

/** The column may not be null; an empty address is one that was erased. */
export async function eraseBuyersWithoutDeal(
  sql: Sql,
  before: Date,
  limit: number,
): Promise<number> {
  const result = await sql.raw(
    `update brokerage_cases set buyer_email = '' where id in (
       select id from brokerage_cases
       where order_id is null and buyer_email <> '' and closed_at < :before
       order by closed_at limit :limit for update skip locked)`,
    { before, limit },
  );
  return result.rowCount ?? 0;
}
