import { HISTORY_DAYS } from '../shared/operations/status-history/status-history.ts';
import { FORGOTTEN_MS } from '../shared/people/users/sign-in-attempt.ts';
import { DAY, HOUR } from '../shared/platform/clock.ts';
import type { Config } from '../shared/platform/config/config.ts';
import { CHECKOUT_KEEP_MS } from '../shared/sales/checkout/checkout-session.ts';
import { UNPAID_KEEP_MS } from '../shared/sales/renewals/renewal.ts';

/** A configured number of days, such as `mailKeepDays`. */
type KeepDays = Extract<keyof Config, `${string}KeepDays`>;

/** A rule that deletes rows of a table some time after the value of a column. */
export interface Expiry {
  /** Configured days, or milliseconds. */
  time: KeepDays | number;
  /** The column to count from. Unless the table is small, an index must start with it. */
  since: string;
  /** An SQL condition that rows must also meet to be deleted; `:before` is the cutoff for `since`. */
  only?: string;
  /** Whether `since` is a date: then all rows of a day expire when it ends. */
  dates?: boolean;
  /** Rows to delete per statement; defaults to a thousand. */
  batch?: number;
}

/** How long we keep the rows of a table. */
export type Retention =
  /** `delete-expired` deletes rows that match one of these rules. */
  | { kept: 'for'; rules: readonly Expiry[] }
  /** Never deleted; `because` says why. */
  | { kept: 'forever'; because: string }
  /** In partitions, which `keep-partitions` drops this long after their end. */
  | { kept: 'partitions'; time: KeepDays | number }
  /** Deleted together with the row of another table that they belong to. */
  | { kept: 'with'; table: string }
  /** Deleted by a separate task, this many days after they ended. */
  | { kept: 'days'; days: KeepDays; task: string }
  /** Deleted by a separate task once they are no longer needed. */
  | { kept: 'until'; end: string; task: string }
  /** Not deleted: there is one row per `by`, which is updated in place, so the table can't grow faster than that. */
  | { kept: 'bounded'; by: string };

const expiry = (
  time: Expiry['time'],
  since: string,
  rest: Pick<Expiry, 'only' | 'dates' | 'batch'> = {},
): Retention => ({ kept: 'for', rules: [{ time, since, ...rest }] });
const forever = (because: string): Retention => ({ kept: 'forever', because });
const partitions = (time: Expiry['time']): Retention => ({ kept: 'partitions', time });
const withRowOf = (table: string): Retention => ({ kept: 'with', table });
const days = (setting: KeepDays, task: string): Retention => ({
  kept: 'days',
  days: setting,
  task,
});
const until = (end: string, task: string): Retention => ({ kept: 'until', end, task });
const bounded = (by: string): Retention => ({ kept: 'bounded', by });

const MONEY = 'books are kept';
const SALE = 'what was sold, to whom and how is part of the books';
const HISTORY = 'partners read it back to its beginning';

/** How long we keep jobs (by whole weeks) and job keys once they are done: long enough to see what happened to one. */
const JOBS_MS = 7 * DAY;
const NO_GRANT = 'not exists (select from oauth_grants g where g.client_id = oauth_clients.id)';
/** A small batch, since each row takes up to a thousand rows of another table or lines of text with it. */
const FEW = 20;

/**
 * How long each table keeps its rows. Tables whose rows depend on rows of another come before it, so that one run
 * deletes both. `test/architecture/retention.test.ts` checks that no table is missing.
 */
export const RETENTION: Readonly<Record<string, Retention>> = {
  document_files: forever('an issued document is always the same file'),
  document_series: bounded('issuer, kind of document and year'),
  documents: forever(MONEY),
  event_streams: bounded('partner and environment'),
  events: forever(HISTORY),
  idempotency_keys: expiry(0, 'expires_at'),
  job_keys: expiry(JOBS_MS, 'created_at', {
    only: `coalesce((select o.state = 'done' and o.done_at < :before from outbox o
      where o.id = job_keys.job_id), true)`,
  }),
  mail_brands: bounded('partner'),
  mail_contacts: bounded('what people set'),
  mail_suppressions: forever('an address that wants no mail must get none'),
  mailbox_messages: bounded('the newest thousand'),
  mails: expiry('mailKeepDays', 'finished_at'),
  outbox: partitions(JOBS_MS),
  sandbox_clocks: bounded('one of a partner'),
  webhook_attempts: days('deliveryKeepDays', 'prune-deliveries'),
  webhook_deliveries: days('deliveryKeepDays', 'prune-deliveries'),
  webhook_endpoints: bounded('what partners register, ten at a time'),
  webhook_replays: expiry('deliveryKeepDays', 'finished_at'),

  account_links: expiry(HOUR, 'expires_at'),
  api_requests: partitions('requestLogKeepDays'),
  audit_chain: forever('a chain proves itself from its first link'),
  audit_log: forever('who did what must not be forgotten'),
  credentials: bounded('what partners issue'),
  oauth_browsers: expiry(0, 'expires_at'),
  oauth_tokens: expiry(0, 'expires_at'),
  // A grant is created before its code, so a new one without tokens must stay for a while.
  oauth_grants: expiry(DAY, 'created_at', {
    only: `(oauth_grants.revoked_at < :before
      or not exists (select from oauth_tokens t where t.grant_id = oauth_grants.id))`,
  }),
  // Anyone can register a client, so clients that no user ever authorized are deleted sooner.
  oauth_clients: {
    kept: 'for',
    rules: [
      { time: 90 * DAY, since: 'created_at', only: NO_GRANT },
      { time: 2 * DAY, since: 'created_at', only: `first_used_at is null and ${NO_GRANT}` },
    ],
  },
  partner_members: bounded('people of partners'),
  partner_tax_profiles: bounded('partner'),
  partners: bounded('partner'),
  screening_entries: withRowOf('screening_lists'),
  // Hits of orders and payees are kept as long as those.
  screening_hits: expiry(0, 'created_at', {
    only: `exists (select from checkout_sessions s
      where s.id = screening_hits.checkout_session_id and s.buyer_email is null)`,
  }),
  screening_lists: bounded('list'),
  screening_names: withRowOf('screening_entries'),
  sign_in_attempts: expiry(FORGOTTEN_MS, 'last_at'),
  sign_in_failures: expiry('signInFailureKeepDays', 'at'),
  used_passkey_challenges: expiry(0, 'expires_at'),
  user_authenticators: bounded('user'),
  user_devices: bounded('user and kind of browser'),
  user_passkeys: bounded('what users register'),
  user_recovery_codes: bounded('user, ten at most'),
  user_sessions: expiry(0, 'expires_at'),
  users: bounded('user'),

  embedding_cells: bounded('model'),
  listing_embeddings: bounded('listing'),
  listing_imports: expiry(90 * DAY, 'finished_at', { batch: FEW }),
  listings: bounded('domain that was ever listed'),
  market_deltas: until('they are folded into the tallies', 'fold-tallies'),
  market_tallies: bounded('TLD and category'),
  search_documents: bounded('listing'),
  search_miss_days: expiry(90 * DAY, 'day', { dates: true }),
  search_misses: expiry(90 * DAY, 'day', { dates: true }),
  legal_holds: forever('they answer to courts'),
  tlds: bounded('TLD'),
  transfer_policies: bounded('TLD and version of its rules'),

  bulk_items: withRowOf('bulk_jobs'),
  bulk_jobs: expiry(90 * DAY, 'finished_at', { batch: FEW }),
  // Kept while the domain is on hold, or somebody owns it here, or its order is open. In the sandbox, never longer.
  domain_registrants: expiry(90 * DAY, 'updated_at', {
    only: `(environment = 'SANDBOX' or hold = 'none'
        and not exists (select from owned_domains d where d.domain = domain_registrants.domain)
        and coalesce((select o.updated_at < :before
            and o.status in ('TRANSFER_COMPLETED', 'SETTLED', 'REFUNDED', 'CANCELLED')
          from orders o where o.id = domain_registrants.order_id), true))`,
  }),
  // A change's sealed personal data is erased when it ends; the matches that held it are deleted with the change.
  registrant_changes: expiry(2 * 365 * DAY, 'ended_at'),
  domain_auth_codes: bounded('domain to be pushed from elsewhere'),
  owned_domains: bounded('owned domain'),
  transfers_out: expiry(2 * 365 * DAY, 'ended_at'),
  registrar_commands: expiry(2 * 365 * DAY, 'sent_at'),
  registrar_domains: bounded('owned domain'),
  registrar_messages: expiry(2 * 365 * DAY, 'recorded_at'),
  registrar_pushes: expiry(2 * 365 * DAY, 'updated_at', { only: `status <> 'open'` }),
  sandbox_registrar_domains: bounded('owned domain'),
  sandbox_registrar_effects: expiry(90 * DAY, 'made_at'),
  sandbox_registrar_pushes: expiry(90 * DAY, 'ready_at', { only: `status <> 'pending'` }),
  sandbox_registrar_transfers: expiry(90 * DAY, 'issued_at'),

  buyer_repayments: forever(MONEY),
  kept_cards: bounded('user'),
  ledger_entries: forever(MONEY),
  ledger_postings: forever(MONEY),
  payment_disputes: forever(MONEY),
  // Payments that moved money are part of the books, including refunded ones.
  payments: expiry(CHECKOUT_KEEP_MS, 'updated_at', {
    only: `status = 'failed' and order_id is null`,
  }),
  // A successful payment stays until it is refunded: its order may still be refunded.
  sandbox_payments: expiry(90 * DAY, 'expires_at', {
    only: `(status <> 'succeeded' or refunded_at is not null)`,
  }),

  brokerage_cases: forever(SALE),
  brokerage_timeline: forever(SALE),
  // A session with an order, or with a payment that moved money, is kept as long as those.
  checkout_sessions: expiry(CHECKOUT_KEEP_MS, 'updated_at', {
    only: `order_id is null and status <> 'open'
      and not exists (select from payments p where p.checkout_session_id = checkout_sessions.id)`,
  }),
  deliveries: forever(SALE),
  delivery_checks: forever(SALE),
  offer_floors: bounded('listing'),
  offer_steps: forever(SALE),
  offers: forever(SALE),
  // The registry needs the registrant until the transfer is completed, or the order canceled or refunded.
  order_registrants: expiry(90 * DAY, 'updated_at', {
    only: `coalesce((select o.updated_at < :before
        and o.status in ('TRANSFER_COMPLETED', 'SETTLED', 'REFUNDED', 'CANCELLED')
      from orders o where o.id = order_registrants.order_id), false)`,
  }),
  order_search: forever(SALE),
  order_timeline: forever(SALE),
  orders: forever(SALE),
  // Their tokens have expired too, and orders store their own price.
  quotes: expiry(30 * DAY, 'expires_at', { only: `state <> 'open'` }),
  referral_balances: bounded('affiliate and currency'),
  referral_click_batches: expiry(30 * DAY, 'applied_at'),
  referral_commissions: forever(MONEY),
  referral_daily: bounded('link and day'),
  referral_links: bounded('what affiliates make'),
  referral_sales: forever(MONEY),
  refund_requests: forever(SALE),
  refunds: forever(MONEY),
  // A renewal with a payment that moved money is kept as long as the payment.
  renewals: expiry(UNPAID_KEEP_MS, 'updated_at', {
    only: `payment_id is null and status <> 'awaiting_payment'
      and not exists (select from payments p where p.renewal_id = renewals.id)`,
  }),
  transfers: forever(SALE),

  connected_accounts: bounded('partner'),
  payout_accounts: bounded('partner'),
  payout_files: forever(MONEY),
  payouts: forever(MONEY),
  settlement_lines: forever(MONEY),
  settlement_payables: forever(MONEY),
  settlement_run_partners: until('a year after the run ended', 'prune-settlement-runs'),
  settlement_runs: until('a year after the run ended', 'prune-settlement-runs'),
  settlements: forever(MONEY),
  transaction_deltas: until('they are folded into the tallies', 'fold-tallies'),
  transaction_tallies: bounded('partner, day and kind of order'),
  unsettled_deltas: until('they are folded into the tallies', 'fold-tallies'),
  unsettled_tallies: bounded('partner, day and kind of order'),

  daily_counts: bounded('day'),
  daily_figures: bounded('figure and day'),
  demo_seeds: bounded('part of the demo marketplace'),
  partner_daily_figures: bounded('partner, figure and day'),
  // The newest check of the whole ledger stays, and so do all checks after it.
  ledger_checks: expiry(90 * DAY, 'at', {
    only: 'id < (select max(id) from ledger_checks where since is null)',
  }),
  status_days: expiry(HISTORY_DAYS * DAY, 'day', { dates: true }),
  status_incidents: expiry(HISTORY_DAYS * DAY, 'ended_at'),
  status_probes: expiry(3 * DAY, 'at'),
};

/** Returns a retention time in milliseconds. */
export function keptMs(time: Expiry['time'], config: Pick<Config, KeepDays>): number {
  return typeof time === 'number' ? time : config[time] * DAY;
}
