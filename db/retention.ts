import type { Config } from '../shared/platform/config/config.ts';

/** A configured number of days, such as `quoteKeepDays`. */
export type KeepDays = Extract<keyof Config, `${string}KeepDays`>;

/** How long rows of a table stay. */
export type Retention =
  /** Never deleted; `because` says why they must stay. */
  | { kept: 'forever'; because: string }
  /** Deleted by a scheduled task so many days after they ended. */
  | { kept: 'days'; days: KeepDays; task: string }
  /** Deleted by a scheduled task when they are no longer of use, at a time of their own. */
  | { kept: 'until'; end: string; task: string }
  /** A row for each of something, which is updated: the table grows no faster than that. */
  | { kept: 'bounded'; by: string };

const forever = (because: string): Retention => ({ kept: 'forever', because });
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

/** What becomes of the rows of every table. `test/walls/retention.test.ts` checks that none is missing. */
export const RETENTION: Readonly<Record<string, Retention>> = {
  document_files: forever('an issued document is always the same file'),
  document_series: bounded('issuer, kind of document and year'),
  documents: forever(MONEY),
  event_streams: bounded('partner and environment'),
  events: forever(HISTORY),
  idempotency_keys: until('they expire, after 30 days', 'prune-idempotency-keys'),
  job_keys: days('outboxKeepDays', 'prune-outbox'),
  mail_brands: bounded('partner'),
  mail_contacts: bounded('what people set'),
  mail_suppressions: forever('an address that wants no mail must get none'),
  mailbox_messages: until('so many newer ones are there', 'prune-mails'),
  mails: days('mailKeepDays', 'prune-mails'),
  outbox: days('outboxKeepDays', 'prune-outbox'),
  sandbox_clocks: bounded('one of a partner'),
  webhook_attempts: days('deliveryKeepDays', 'prune-deliveries'),
  webhook_deliveries: days('deliveryKeepDays', 'prune-deliveries'),
  webhook_endpoints: bounded('what partners register, ten at a time'),
  webhook_replays: days('deliveryKeepDays', 'prune-replays'),

  account_links: until('they expire', 'prune-account-links'),
  api_requests: days('requestLogKeepDays', 'prune-request-log'),
  audit_chain: forever('a chain proves itself from its first link'),
  audit_log: forever('who did what must not be forgotten'),
  credentials: bounded('what partners issue'),
  oauth_browsers: until('they expire', 'prune-oauth'),
  oauth_clients: days('oauthClientKeepDays', 'prune-oauth'),
  oauth_grants: until('no token of theirs is left', 'prune-oauth'),
  oauth_tokens: until('they expire', 'prune-oauth'),
  partner_members: bounded('people of partners'),
  partner_tax_profiles: bounded('partner'),
  partners: bounded('partner'),
  sign_in_attempts: until('a day after the last failure', 'prune-account-links'),
  sign_in_failures: days('signInFailureKeepDays', 'prune-account-links'),
  used_passkey_challenges: until('they expire', 'prune-account-links'),
  user_authenticators: bounded('user'),
  user_devices: bounded('user and kind of browser'),
  user_passkeys: bounded('what users register'),
  user_recovery_codes: bounded('user, ten at most'),
  user_sessions: until('they expire', 'prune-sessions'),
  users: bounded('user'),

  embedding_cells: bounded('model'),
  listing_embeddings: bounded('listing'),
  listing_imports: days('importKeepDays', 'prune-imports'),
  listings: bounded('domain that was ever listed'),
  market_deltas: until('they are folded into the tallies', 'fold-tallies'),
  market_tallies: bounded('TLD and category'),
  search_documents: bounded('listing'),
  search_miss_days: days('searchMissKeepDays', 'prune-search-misses'),
  search_misses: days('searchMissKeepDays', 'prune-search-misses'),
  tlds: bounded('TLD'),

  bulk_items: days('bulkKeepDays', 'prune-bulk-jobs'),
  bulk_jobs: days('bulkKeepDays', 'prune-bulk-jobs'),
  domain_auth_codes: bounded('domain to be pushed from elsewhere'),
  owned_domains: bounded('owned domain'),
  registrar_commands: days('registrarKeepDays', 'prune-registrar'),
  registrar_domains: bounded('owned domain'),
  registrar_messages: days('registrarKeepDays', 'prune-registrar'),
  registrar_pushes: days('registrarKeepDays', 'prune-registrar'),
  sandbox_registrar_domains: bounded('owned domain'),
  sandbox_registrar_effects: days('sandboxKeepDays', 'prune-sandbox'),
  sandbox_registrar_pushes: days('sandboxKeepDays', 'prune-sandbox'),

  buyer_repayments: forever(MONEY),
  ledger_entries: forever(MONEY),
  ledger_postings: forever(MONEY),
  payment_disputes: forever(MONEY),
  // Those that moved money are books; the rest goes.
  payments: days('checkoutKeepDays', 'prune-checkout-sessions'),
  sandbox_payments: days('sandboxKeepDays', 'prune-sandbox'),

  brokerage_cases: forever(SALE),
  brokerage_timeline: forever(SALE),
  // Those with an order stay with it.
  checkout_sessions: days('checkoutKeepDays', 'prune-checkout-sessions'),
  offer_floors: bounded('listing'),
  offer_steps: forever(SALE),
  offers: forever(SALE),
  order_timeline: forever(SALE),
  orders: forever(SALE),
  quotes: days('quoteKeepDays', 'prune-quotes'),
  referral_balances: bounded('affiliate and currency'),
  referral_click_batches: until('two days after they were counted', 'prune-click-batches'),
  referral_commissions: forever(MONEY),
  referral_daily: bounded('link and day'),
  referral_links: bounded('what affiliates make'),
  referral_sales: forever(MONEY),
  refund_requests: forever(SALE),
  refunds: forever(MONEY),
  transfers: forever(SALE),

  connected_accounts: bounded('partner'),
  payout_accounts: bounded('partner'),
  payout_files: forever(MONEY),
  payouts: forever(MONEY),
  settlement_lines: forever(MONEY),
  settlement_payables: forever(MONEY),
  settlement_run_partners: days('settlementRunKeepDays', 'prune-settlement-runs'),
  settlement_runs: days('settlementRunKeepDays', 'prune-settlement-runs'),
  settlements: forever(MONEY),
  transaction_deltas: until('they are folded into the tallies', 'fold-tallies'),
  transaction_tallies: bounded('partner, day and kind of order'),
  unsettled_deltas: until('they are folded into the tallies', 'fold-tallies'),
  unsettled_tallies: bounded('partner, day and kind of order'),

  daily_counts: bounded('day'),
  daily_figures: bounded('figure and day'),
  demo_seeds: bounded('part of the demo marketplace'),
  partner_daily_figures: bounded('partner, figure and day'),
  ledger_checks: days('ledgerCheckKeepDays', 'prune-ledger-checks'),
  status_days: until('they are 90 days old', 'prune-status-history'),
  status_incidents: until('they ended 90 days ago', 'prune-status-history'),
  status_probes: until('they are three days old', 'prune-status-history'),
};
