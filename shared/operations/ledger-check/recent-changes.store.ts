import { ENTRY_KINDS } from '../../money/ledger/ledger-entry.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import { bigint, text, timestamptz } from '../../platform/database/sql-types.ts';
import { idRangeAt } from '../../platform/ids.ts';
import {
  INVARIANT_NAMES,
  type InvariantName,
  type TableSubset,
  violationsOf,
} from './ledger-check.store.ts';

// The rows for an incremental check: everything recorded since an instant, with all related rows. An order, statement
// or payout of any age that has changed is included with all its lines, entries and commissions, so that each
// invariant can be checked for it.

const TABLES = [
  'recent_entries',
  'recent_orders',
  'recent_payments',
  'recent_quotes',
  'recent_statements',
  'recent_payouts',
  'recent_renewals',
] as const;

/** Creates temporary tables of ids, which last until the transaction ends. */
export const createRecentTable = variantsOf(TABLES, (table) =>
  defineStatement({
    text: `create temporary table ${table} (id text collate "C" primary key) on commit drop`,
  }),
);

/** Analyzes the temporary tables, for the planner. */
export const analyzeRecentTable = variantsOf(TABLES, (table) =>
  defineStatement({ text: `analyze ${table}` }),
);

/** Inserts entries from this id on. */
export const insertRecentEntries = defineStatement({
  params: { entry: text },
  text: 'insert into recent_entries select id from ledger_entries where id >= :entry',
});

/** Inserts payments from this id on. */
export const insertRecentPayments = defineStatement({
  params: { payment: text },
  text: 'insert into recent_payments select id from payments where id >= :payment',
});

/** Inserts used quotes from this id on. A quote is used within the hour or never. */
export const insertRecentQuotes = defineStatement({
  params: { quote: text },
  text: 'insert into recent_quotes select id from quotes where id >= :quote and order_id is not null',
});

/** Inserts statements closed or paid since an instant, and the statements of the recent entries. */
export const insertRecentStatements = defineStatement({
  params: { since: timestamptz },
  text: `insert into recent_statements
    select id from settlements where closed_at >= :since or paid_at >= :since
    union
    select split_part(e.reference, '#', 1) from recent_entries n join ledger_entries e using (id)
    where e.kind like 'settlement%'`,
});

/**
 * Inserts orders from this id on, and the orders of everything else that is recent. Besides its postings, each move of
 * an order records an event.
 */
export const insertRecentOrders = defineStatement({
  params: { order: text, event: text, refund: text },
  text: `insert into recent_orders
    select id from orders where id >= :order
    union
    select e.order_id from recent_entries n join ledger_entries e using (id)
    where e.order_id is not null
    union
    select e.reference from recent_entries n join ledger_entries e using (id)
    where e.kind like 'referral%'
    union
    select subject from events where id >= :event and subject like 'ord\\_%'
    union
    select order_id from refunds where id >= :refund
    union
    select p.order_id from recent_payments n join payments p using (id) where p.order_id is not null
    union
    select q.order_id from recent_quotes n join quotes q using (id)
    union
    select l.order_id from settlement_lines l join recent_statements s on s.id = l.settlement_id`,
});

/** Inserts payouts from this id on, or paid or failed since `since`, and those of everything else that is recent. */
export const insertRecentPayouts = defineStatement({
  params: { payout: text, since: timestamptz },
  text: `insert into recent_payouts
    select id from payouts where id >= :payout or paid_at >= :since or failed_at >= :since
    union
    select e.reference from recent_entries n join ledger_entries e using (id)
    where e.kind like 'payout%'
    union
    select y.payout_id from settlement_payables y join recent_statements s on s.id = y.settlement_id
    where y.payout_id is not null
    union
    select p.id from referral_sales r join recent_orders o on o.id = r.order_id,
      lateral (values (r.payout_id), (r.recovery_payout_id)) as p (id)
    where p.id is not null`,
});

/** Inserts renewals from this id on, and the renewals of recent entries and payments. */
export const insertRecentRenewals = defineStatement({
  params: { renewal: text },
  text: `insert into recent_renewals
    select id from renewals where id >= :renewal
    union
    select e.reference from recent_entries n join ledger_entries e using (id)
    where e.kind like 'renewal%'
    union
    select p.renewal_id from recent_payments n join payments p using (id)
    where p.renewal_id is not null`,
});

/** Counts the recent entries. */
export const countRecentEntries = defineStatement({
  row: { entries: bigint },
  text: 'select count(*) as entries from recent_entries',
});

const NEW_ENTRIES: TableSubset = {
  ledger_entries: 'select e.* from recent_entries n join ledger_entries e using (id)',
  ledger_postings: `select p.* from recent_entries n join ledger_postings p on p.entry_id = n.id`,
};

const POSTINGS = 'select p.* from ledger_entries e join ledger_postings p on p.entry_id = e.id';

const ORDERS = 'select o.* from recent_orders n join orders o using (id)';
const LINES_OF_ORDERS =
  'select l.* from recent_orders n join settlement_lines l on l.order_id = n.id';
const ENTRIES_OF_ORDERS = `select e.* from recent_orders n join ledger_entries e on e.order_id = n.id
  union
  select e.* from recent_entries n join ledger_entries e using (id)`;
const SALES_OF_ORDERS =
  'select r.* from recent_orders n join referral_sales r on r.order_id = n.id';

const STATEMENTS = 'select s.* from recent_statements n join settlements s using (id)';
const LINES_OF_STATEMENTS =
  'select l.* from recent_statements n join settlement_lines l on l.settlement_id = n.id';
const PAYABLES_OF_STATEMENTS =
  'select y.* from recent_statements n join settlement_payables y on y.settlement_id = n.id';

const RENEWALS = 'select r.* from recent_renewals n join renewals r using (id)';

const PAYOUTS = 'select p.* from recent_payouts n join payouts p using (id)';
const SALES_OF_PAYOUTS = `select r.* from recent_payouts n join referral_sales r on r.payout_id = n.id
  union
  select r.* from recent_payouts n join referral_sales r on r.recovery_payout_id = n.id`;

/** Returns SQL for the entries that refer to subjects, by the index of kind and reference. */
const entriesNaming = (subjects: string) =>
  `select e.* from ${subjects} n
   cross join unnest(array['${ENTRY_KINDS.join(`', '`)}']) as k (kind)
   join ledger_entries e on e.kind = k.kind and e.reference = n.id`;

/**
 * The entries of recent statements, whose later payments append their number to the statement's id; and new entries
 * that name a statement that does not exist.
 */
const ENTRIES_OF_STATEMENTS = `select e.* from recent_statements n join settlements s using (id)
   cross join generate_series(0, s.payment_reversals) as former (payments)
   cross join unnest(array['${ENTRY_KINDS.join(`', '`)}']) as k (kind)
   join ledger_entries e on e.kind = k.kind and e.reference =
     case former.payments when 0 then n.id else n.id || '#' || (former.payments + 1) end
  union
  select e.* from recent_entries n join ledger_entries e using (id)`;

const documentsAbout = (subjects: string) =>
  `select d.* from ${subjects} n join documents d on d.subject = n.id collate "default"`;

const AFFILIATES = `select partner_id, environment from referral_sales r join recent_orders n on n.id = r.order_id
  union select partner_id, environment from payouts p join recent_payouts n using (id)`;

/**
 * The parts of its tables that each invariant is checked over. Partner balances depend on all of a partner's orders, so
 * only a full check can verify them. They follow from the other invariants, which hold for every entry: an entry posts
 * only to the accounts of its kind, and posts what its order, statement, payout or referral says.
 */
export const RECENT_SUBSETS: Record<InvariantName, TableSubset | null> = {
  ledger_sums_to_zero: NEW_ENTRIES,
  entries_balance: NEW_ENTRIES,
  postings_follow_their_entry: NEW_ENTRIES,
  entries_use_their_accounts: NEW_ENTRIES,
  orders_match_their_entries: {
    orders: ORDERS,
    ledger_entries: ENTRIES_OF_ORDERS,
    ledger_postings: POSTINGS,
  },
  lines_match_their_orders: { orders: ORDERS, settlement_lines: LINES_OF_ORDERS },
  statements_match_their_lines: {
    settlements: STATEMENTS,
    settlement_lines: LINES_OF_STATEMENTS,
    orders: ORDERS,
  },
  statements_match_the_ledger: {
    settlements: STATEMENTS,
    ledger_entries: ENTRIES_OF_STATEMENTS,
    ledger_postings: POSTINGS,
  },
  clearing_matches_the_orders: null,
  orders_add_up: { orders: ORDERS },
  quotes_match_their_orders: {
    orders: ORDERS,
    quotes: 'select q.* from recent_quotes n join quotes q using (id)',
  },
  deals_match_their_orders: {
    orders: ORDERS,
    brokerage_cases: 'select c.* from recent_orders n join brokerage_cases c on c.order_id = n.id',
  },
  refunds_match_their_orders: {
    orders: ORDERS,
    refunds: 'select r.* from recent_orders n join refunds r on r.order_id = n.id',
  },
  payments_match_their_orders: {
    orders: ORDERS,
    payments: `select p.* from recent_orders n join payments p on p.order_id = n.id
      union
      select p.* from recent_payments n join payments p using (id)`,
  },
  payments_match_their_renewals: {
    renewals: RENEWALS,
    payments: `select p.* from recent_renewals n join payments p on p.renewal_id = n.id
      union
      select p.* from recent_payments n join payments p using (id)`,
  },
  renewals_match_their_entries: {
    renewals: RENEWALS,
    ledger_entries: entriesNaming('recent_renewals'),
    ledger_postings: POSTINGS,
  },
  documents_match_their_renewals: {
    renewals: RENEWALS,
    documents: documentsAbout('recent_renewals'),
  },
  payables_match_their_lines: {
    settlements: STATEMENTS,
    settlement_lines: LINES_OF_STATEMENTS,
    settlement_payables: PAYABLES_OF_STATEMENTS,
  },
  payouts_match_their_payables: {
    payouts: PAYOUTS,
    settlement_payables:
      'select y.* from recent_payouts n join settlement_payables y on y.payout_id = n.id',
    referral_sales: SALES_OF_PAYOUTS,
  },
  payouts_match_the_ledger: {
    payouts: PAYOUTS,
    ledger_entries: entriesNaming('recent_payouts'),
    ledger_postings: POSTINGS,
  },
  payables_match_the_orders: null,
  referrals_match_the_ledger: {
    referral_sales: SALES_OF_ORDERS,
    ledger_entries: entriesNaming('recent_orders'),
    ledger_postings: POSTINGS,
  },
  referrals_match_their_orders: { orders: ORDERS, referral_sales: SALES_OF_ORDERS },
  commission_lines_match_the_sales: {
    referral_sales: SALES_OF_ORDERS,
    referral_commissions:
      'select c.* from recent_orders n join referral_commissions c on c.order_id = n.id',
  },
  commission_payouts_match_their_sales: {
    payouts: PAYOUTS,
    referral_sales: SALES_OF_PAYOUTS,
    referral_commissions:
      'select c.* from recent_payouts n join referral_commissions c on c.payout_id = n.id',
  },
  commission_balances_run: {
    referral_commissions: `select c.* from (${AFFILIATES}) a join referral_commissions c
      using (partner_id, environment)`,
    referral_balances: `select b.* from (${AFFILIATES}) a join referral_balances b
      using (partner_id, environment)`,
  },
  // Unsettled orders are few, so all of them are checked.
  unsettled_tallies_match_the_orders: {},
  documents_match_their_orders: { orders: ORDERS, documents: documentsAbout('recent_orders') },
  documents_match_their_statements: {
    settlements: STATEMENTS,
    settlement_lines: LINES_OF_STATEMENTS,
    documents: documentsAbout('recent_statements'),
  },
  documents_match_their_payouts: {
    payouts: PAYOUTS,
    documents: documentsAbout('recent_payouts'),
  },
  // A series starts on January 1, so only a full check can verify it.
  document_numbers_have_no_gaps: null,
};

/** The invariants of an incremental check. */
export const RECENT_INVARIANTS = INVARIANT_NAMES.filter((check) => RECENT_SUBSETS[check] !== null);

/** Selects up to `limit` violations of each of these invariants over the recent rows. */
export const selectRecentViolations = variantsOf(RECENT_INVARIANTS, (check) =>
  defineStatement(violationsOf(check, RECENT_SUBSETS[check] ?? {})),
);

/** Fills the temporary tables for {@link RECENT_SUBSETS} with changes since `since`; returns how many entries. */
export async function collectRecentChanges(tx: Tx, since: Date): Promise<number> {
  const first = (kind: Parameters<typeof idRangeAt>[0]) => idRangeAt(kind, since).first;
  for (const table of TABLES) await createRecentTable[table].run(tx);
  await insertRecentEntries.run(tx, { entry: first('ledgerEntry') });
  await insertRecentPayments.run(tx, { payment: first('payment') });
  await insertRecentQuotes.run(tx, { quote: first('quote') });
  await insertRecentStatements.run(tx, { since });
  await insertRecentOrders.run(tx, {
    order: first('order'),
    event: first('event'),
    refund: first('refund'),
  });
  await insertRecentRenewals.run(tx, { renewal: first('renewal') });
  await insertRecentPayouts.run(tx, { payout: first('payout'), since });
  for (const table of TABLES) await analyzeRecentTable[table].run(tx);
  return (await countRecentEntries.one(tx)).entries;
}
