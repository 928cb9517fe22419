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

// What a recount of the recent reads: whatever was recorded since an instant, and what it is about. An order, a
// statement or a payout of any age that something happened to is there with all its lines, entries and
// commissions, so that each law holds for it or does not.

const TABLES = [
  'recent_entries',
  'recent_orders',
  'recent_payments',
  'recent_quotes',
  'recent_statements',
  'recent_payouts',
  'recent_renewals',
] as const;

/** Tables of ids, until the transaction ends. */
export const createRecentTable = variantsOf(TABLES, (table) =>
  defineStatement({
    text: `create temporary table ${table} (id text collate "C" primary key) on commit drop`,
  }),
);

/** Counts what is in them, so that the planner knows. */
export const analyzeRecentTable = variantsOf(TABLES, (table) =>
  defineStatement({ text: `analyze ${table}` }),
);

/** Entries from this id on. */
export const insertRecentEntries = defineStatement({
  params: { entry: text },
  text: 'insert into recent_entries select id from ledger_entries where id >= :entry',
});

/** Payments from this id on. */
export const insertRecentPayments = defineStatement({
  params: { payment: text },
  text: 'insert into recent_payments select id from payments where id >= :payment',
});

/** Used quotes from this id on. A quote is used within the hour or never. */
export const insertRecentQuotes = defineStatement({
  params: { quote: text },
  text: 'insert into recent_quotes select id from quotes where id >= :quote and order_id is not null',
});

/** Statements that were closed or paid since then, and those of the recent entries. */
export const insertRecentStatements = defineStatement({
  params: { since: timestamptz },
  text: `insert into recent_statements
    select id from settlements where closed_at >= :since or paid_at >= :since
    union
    select split_part(e.reference, '#', 1) from recent_entries n join ledger_entries e using (id)
    where e.kind like 'settlement%'`,
});

/**
 * Orders from this id on, and those of everything else that is recent. An order tells of each of its moves by an
 * event, besides what it posts.
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

/** Payouts from this id on, those that were paid or failed since then, and those of everything else that is recent. */
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

/** Renewals from this id on, and those of recent entries and payments. */
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

/** How many entries are recent. */
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

/** By the index of kind and reference. */
const entriesNaming = (subjects: string) =>
  `select e.* from ${subjects} n
   cross join unnest(array['${ENTRY_KINDS.join(`', '`)}']) as k (kind)
   join ledger_entries e on e.kind = k.kind and e.reference = n.id`;

/**
 * The same of a statement, whose later payments have their number behind its id; and new ones that name none that
 * is there.
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
 * For each law the parts of its tables that it is held over. The balances of partners are counted from all
 * their orders, so only a whole recount can; they follow from the other laws, which hold for every entry: an
 * entry posts to the accounts of its kind alone, and what it posts there is what its order, statement, payout
 * or referral says.
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
  // What is unsettled is little beside what was, and all of it is looked at.
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
  // A series goes back to the first of January.
  document_numbers_have_no_gaps: null,
};

/** The laws that are held over what is recent. */
export const RECENT_INVARIANTS = INVARIANT_NAMES.filter((check) => RECENT_SUBSETS[check] !== null);

/** Up to `limit` violations of each of these laws over what is recent. */
export const selectRecentViolations = variantsOf(RECENT_INVARIANTS, (check) =>
  defineStatement(violationsOf(check, RECENT_SUBSETS[check] ?? {})),
);

/** Lists in temporary tables what something happened to since then, for {@link RECENT_SUBSETS}; returns the new entries. */
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
