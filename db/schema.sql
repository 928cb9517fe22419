-- What an empty database is made from. Written by `npm run schema`; do not edit.

create extension if not exists pg_trgm;

create sequence audit_log_id_seq;

create sequence order_timeline_id_seq;

create sequence outbox_id_seq;

create table account_links (
  id text collate "C" not null,
  kind text not null,
  email text not null,
  partner_id text collate "C",
  role text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  partner_name text,
  actor text collate "C",
  constraint account_links_pkey PRIMARY KEY (id),
  constraint account_links_email_check CHECK ((email = lower(email))),
  constraint account_links_kind_check CHECK ((kind = ANY (ARRAY['verify-email'::text, 'invitation'::text, 'password-reset'::text])))
);

create table api_requests (
  id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  key_id text collate "C" not null,
  request_id text collate "C" not null,
  method text not null,
  path text not null,
  status smallint not null,
  error_code text,
  elapsed_ms integer not null,
  canonical_string text,
  created_at timestamp with time zone not null,
  constraint api_requests_pkey PRIMARY KEY (partner_id, environment, id),
  constraint api_requests_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text])))
) partition by RANGE (id);

create table audit_chain (
  "position" bigint not null,
  entry_id bigint not null,
  hash bytea not null,
  constraint audit_chain_pkey PRIMARY KEY ("position"),
  constraint audit_chain_entry_id_key UNIQUE (entry_id),
  constraint audit_chain_hash_check CHECK ((length(hash) = 32))
);

create table audit_log (
  id bigint default ((((floor(EXTRACT(epoch FROM clock_timestamp())))::bigint - 1577836800) << 22) | (nextval('audit_log_id_seq'::regclass) & (4194303)::bigint)) not null,
  at timestamp with time zone not null,
  actor text not null,
  action text not null,
  subject text not null,
  before jsonb,
  after jsonb,
  constraint audit_log_pkey PRIMARY KEY (id)
) partition by RANGE (id);

create table brokerage_cases (
  id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  domain text collate "C" not null,
  tier text not null,
  status text not null,
  buyer_email text not null,
  budget_cents bigint not null,
  currency text not null,
  latest_offer_cents bigint,
  deal_price_cents bigint,
  commission_cents bigint,
  order_id text collate "C",
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  offer_by_buyer boolean default false not null,
  constraint brokerage_cases_pkey PRIMARY KEY (id),
  constraint brokerage_cases_order_id_key UNIQUE (order_id),
  constraint brokerage_cases_budget_cents_check CHECK ((budget_cents > 0)),
  constraint brokerage_cases_close_once CHECK (((closed_at IS NULL) = (status = ANY (ARRAY['OPEN'::text, 'CONTACTING_OWNER'::text, 'NEGOTIATING'::text, 'AGREED'::text])))),
  constraint brokerage_cases_commission_cents_check CHECK ((commission_cents >= 0)),
  constraint brokerage_cases_complete_with_a_deal CHECK ((((status = 'COMPLETED'::text) = (deal_price_cents IS NOT NULL)) AND ((deal_price_cents IS NULL) = (commission_cents IS NULL)) AND ((deal_price_cents IS NULL) = (order_id IS NULL)))),
  constraint brokerage_cases_deal_price_cents_check CHECK ((deal_price_cents > 0)),
  constraint brokerage_cases_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint brokerage_cases_latest_offer_cents_check CHECK ((latest_offer_cents > 0)),
  constraint brokerage_cases_status_check CHECK ((status = ANY (ARRAY['OPEN'::text, 'CONTACTING_OWNER'::text, 'NEGOTIATING'::text, 'AGREED'::text, 'COMPLETED'::text, 'CLOSED_NO_DEAL'::text, 'CANCELLED'::text]))),
  constraint brokerage_cases_tier_check CHECK ((tier = ANY (ARRAY['managed'::text, 'self_serve'::text])))
);

create table brokerage_timeline (
  id bigint generated always as identity not null,
  case_id text collate "C" not null,
  at timestamp with time zone not null,
  status text not null,
  event text not null,
  made_by text not null,
  amount_cents bigint,
  constraint brokerage_timeline_pkey PRIMARY KEY (id),
  constraint brokerage_timeline_made_by_check CHECK ((made_by = ANY (ARRAY['partner'::text, 'buyer'::text, 'ops'::text])))
);

create table bulk_items (
  job_id text collate "C" not null,
  "position" integer not null,
  domain text not null,
  state text default 'pending'::text not null,
  code text,
  message text,
  constraint bulk_items_pkey PRIMARY KEY (job_id, "position"),
  constraint bulk_items_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'started'::text, 'ok'::text, 'error'::text, 'cancelled'::text])))
) with (fillfactor=40);

create table bulk_jobs (
  id text collate "C" not null,
  user_id text collate "C" not null,
  op text not null,
  params jsonb not null,
  dry_run boolean not null,
  status text not null,
  total integer not null,
  succeeded integer default 0 not null,
  failed integer default 0 not null,
  cancelled integer default 0 not null,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint bulk_jobs_pkey PRIMARY KEY (id),
  constraint bulk_jobs_counts CHECK (((LEAST(succeeded, failed, cancelled) >= 0) AND (((succeeded + failed) + cancelled) <= total))),
  constraint bulk_jobs_end CHECK (((finished_at IS NOT NULL) = (((succeeded + failed) + cancelled) = total))),
  constraint bulk_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'completed_with_errors'::text, 'cancelled'::text]))),
  constraint bulk_jobs_total_check CHECK ((total > 0))
);

create table buyer_repayments (
  order_id text collate "C",
  partner_id text collate "C",
  environment text not null,
  amount_cents bigint not null,
  currency text not null,
  status text not null,
  reference text,
  created_at timestamp with time zone not null,
  paid_at timestamp with time zone,
  payment_id text collate "C",
  subject text collate "C" generated always as (COALESCE(order_id, payment_id)) stored not null,
  constraint buyer_repayments_pkey PRIMARY KEY (subject),
  constraint buyer_repayments_order_id_key UNIQUE (order_id),
  constraint buyer_repayments_payment_id_key UNIQUE (payment_id),
  constraint buyer_repayments_amount_cents_check CHECK ((amount_cents > 0)),
  constraint buyer_repayments_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint buyer_repayments_of_one_thing CHECK ((((order_id IS NULL) <> (payment_id IS NULL)) AND ((order_id IS NULL) OR (partner_id IS NOT NULL)))),
  constraint buyer_repayments_paid_check CHECK ((((status = 'paid'::text) = (paid_at IS NOT NULL)) AND ((status = 'paid'::text) = (reference IS NOT NULL)))),
  constraint buyer_repayments_status_check CHECK ((status = ANY (ARRAY['owed'::text, 'paid'::text])))
);

create table checkout_sessions (
  id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  listing_id bigint,
  domain text collate "C" not null,
  price_cents bigint not null,
  currency text not null,
  commission_bps integer not null,
  status text default 'open'::text not null,
  return_url text,
  cancel_url text,
  client_reference text,
  buyer_email text,
  buyer_name text,
  buyer_country text,
  referral_code text,
  last_decline text,
  order_id text collate "C",
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  price_locked_until timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  quote_id text,
  brokerage_case_id text collate "C",
  review_since timestamp with time zone,
  review_reasons text[] default '{}'::text[] not null,
  cleared_reasons text[] default '{}'::text[] not null,
  constraint checkout_sessions_pkey PRIMARY KEY (id),
  constraint checkout_sessions_order_id_key UNIQUE (order_id),
  constraint checkout_sessions_check CHECK (((status = 'paid'::text) = (order_id IS NOT NULL))),
  constraint checkout_sessions_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint checkout_sessions_price_cents_check CHECK ((price_cents > 0)),
  constraint checkout_sessions_sell_something CHECK (((listing_id IS NULL) = (brokerage_case_id IS NOT NULL))),
  constraint checkout_sessions_status_check CHECK ((status = ANY (ARRAY['open'::text, 'paid'::text, 'failed'::text, 'cancelled'::text, 'expired'::text])))
);

create table connected_accounts (
  partner_id text collate "C" not null,
  account text not null,
  updated_at timestamp with time zone not null,
  revision integer default 1 not null,
  set_by text,
  usable_from timestamp with time zone,
  approved_by text,
  approved_at timestamp with time zone,
  constraint connected_accounts_pkey PRIMARY KEY (partner_id)
);

create table credentials (
  key_id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  scopes text[] not null,
  secret_ciphertext bytea not null,
  status text default 'active'::text not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  expires_at timestamp with time zone,
  name text,
  allowed_ips text[],
  last_used_at timestamp with time zone,
  replaced_by text collate "C",
  constraint credentials_pkey PRIMARY KEY (key_id),
  constraint credentials_allowed_ips_check CHECK (((cardinality(allowed_ips) >= 1) AND (cardinality(allowed_ips) <= 20))),
  constraint credentials_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint credentials_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 60))),
  constraint credentials_status_check CHECK ((status = ANY (ARRAY['active'::text, 'revoked'::text])))
);

create table daily_counts (
  day date not null,
  counted_at timestamp with time zone not null,
  constraint daily_counts_pkey PRIMARY KEY (day)
);

create table daily_figures (
  environment text not null,
  day date not null,
  figure text not null,
  part text not null,
  value bigint not null,
  constraint daily_figures_pkey PRIMARY KEY (environment, day, figure, part),
  constraint daily_figures_environment_check CHECK ((environment = ANY (ARRAY['LIVE'::text, 'SANDBOX'::text, 'ALL'::text])))
);

create table deliveries (
  order_id text collate "C" not null,
  method text not null,
  status text not null,
  since timestamp with time zone not null,
  expires_at timestamp with time zone,
  issue integer not null,
  issued_at timestamp with time zone not null,
  code_hash bytea,
  requested_by text,
  created_at timestamp with time zone not null,
  constraint deliveries_pkey PRIMARY KEY (order_id),
  constraint deliveries_method_check CHECK ((method = ANY (ARRAY['account'::text, 'partner_registrar'::text]))),
  constraint deliveries_status_check CHECK ((status = ANY (ARRAY['awaiting_claim'::text, 'code_issued'::text, 'pending_transfer'::text, 'delivered'::text, 'expired'::text, 'failed'::text])))
);

create table delivery_checks (
  order_id text collate "C" not null,
  name text not null,
  ticked_by text not null,
  ticked_at timestamp with time zone not null,
  constraint delivery_checks_pkey PRIMARY KEY (order_id, name)
);

create table demo_seeds (
  part text not null,
  seeded_at timestamp with time zone not null,
  constraint demo_seeds_pkey PRIMARY KEY (part)
);

create table document_files (
  document_id text not null,
  pdf bytea not null,
  rendered_at timestamp with time zone not null,
  constraint document_files_pkey PRIMARY KEY (document_id)
);

create table document_series (
  environment text not null,
  issuer text not null,
  kind text not null,
  year integer not null,
  last_number integer not null,
  constraint document_series_pkey PRIMARY KEY (environment, issuer, kind, year),
  constraint document_series_last_number_check CHECK ((last_number > 0))
);

create table documents (
  id text not null,
  environment text not null,
  issuer text not null,
  kind text not null,
  year integer not null,
  number integer not null,
  partner_id text,
  subject text not null,
  currency text not null,
  total_cents bigint not null,
  tax_cents bigint not null,
  content text not null,
  sha256 text not null,
  issued_at timestamp with time zone not null,
  constraint documents_pkey PRIMARY KEY (id),
  constraint documents_subject_kind_key UNIQUE (subject, kind),
  constraint documents_check CHECK ((sha256 = encode(sha256(convert_to(content, 'UTF8'::name)), 'hex'::text))),
  constraint documents_kind_check CHECK ((kind = ANY (ARRAY['receipt'::text, 'invoice'::text, 'credit_note'::text, 'statement'::text, 'self_billing'::text, 'payout_advice'::text])))
);

create table domain_auth_codes (
  domain text collate "C" not null,
  sealed bytea not null,
  updated_at timestamp with time zone not null,
  constraint domain_auth_codes_pkey PRIMARY KEY (domain)
);

create table domain_registrants (
  id text collate "C" not null,
  environment text not null,
  domain text collate "C" not null,
  partner_id text collate "C",
  order_id text collate "C",
  sealed bytea not null,
  address_digest bytea not null,
  verification text not null,
  round integer default 1 not null,
  verify_by timestamp with time zone not null,
  mails integer default 0 not null,
  mailed_at timestamp with time zone,
  hold text default 'none'::text not null,
  changed_at timestamp with time zone,
  registered_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  hold_refused_at timestamp with time zone,
  hold_refusal text,
  constraint domain_registrants_pkey PRIMARY KEY (id),
  constraint domain_registrants_environment_domain_key UNIQUE (environment, domain),
  constraint domain_registrants_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint domain_registrants_hold_check CHECK ((hold = ANY (ARRAY['none'::text, 'asked'::text, 'set'::text]))),
  constraint domain_registrants_verification_check CHECK ((verification = ANY (ARRAY['pending'::text, 'verified'::text])))
);

create table embedding_cells (
  model text not null,
  id integer generated always as identity not null,
  drawn_of bigint not null,
  middles bytea not null,
  constraint embedding_cells_pkey PRIMARY KEY (model),
  constraint embedding_cells_id_key UNIQUE (id)
);

create table event_streams (
  partner_id text collate "C" not null,
  environment text not null,
  head bigint not null,
  constraint event_streams_pkey PRIMARY KEY (partner_id, environment),
  constraint event_streams_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text])))
);

create table events (
  id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  "position" bigint,
  type text not null,
  subject text collate "C",
  body text not null,
  created_at timestamp with time zone not null,
  constraint events_pkey PRIMARY KEY (id)
) partition by RANGE (id);

create table idempotency_keys (
  credential text collate "C" not null,
  method text not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  status smallint,
  body text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (credential, method, path, key)
);

create table job_keys (
  dedupe_key text collate "C" not null,
  job_id bigint not null,
  created_at timestamp with time zone not null,
  constraint job_keys_pkey PRIMARY KEY (dedupe_key)
);

create table kept_cards (
  user_id text collate "C" not null,
  provider text not null,
  token text not null,
  customer text,
  brand text not null,
  last4 text not null,
  exp_month integer not null,
  exp_year integer not null,
  kept_at timestamp with time zone not null,
  constraint kept_cards_pkey PRIMARY KEY (user_id),
  constraint kept_cards_exp_month_check CHECK (((exp_month >= 1) AND (exp_month <= 12))),
  constraint kept_cards_last4_check CHECK ((last4 ~ '^[0-9]{4}$'::text)),
  constraint kept_cards_provider_check CHECK ((provider = ANY (ARRAY['sandbox'::text, 'stripe'::text])))
);

create table ledger_checks (
  id bigint generated always as identity not null,
  at timestamp with time zone not null,
  ok boolean not null,
  entries bigint not null,
  imbalances jsonb not null,
  since timestamp with time zone,
  constraint ledger_checks_pkey PRIMARY KEY (id)
);

create table ledger_entries (
  id text collate "C" not null,
  kind text not null,
  reference text collate "C" not null,
  partner_id text collate "C",
  environment text not null,
  order_id text collate "C",
  created_at timestamp with time zone not null,
  constraint ledger_entries_pkey PRIMARY KEY (id),
  constraint ledger_entries_kind_reference_key UNIQUE (kind, reference)
);

create table ledger_postings (
  entry_id text collate "C" not null,
  line smallint not null,
  account text not null,
  partner_id text collate "C",
  environment text not null,
  currency text not null,
  amount_cents bigint not null,
  constraint ledger_postings_pkey PRIMARY KEY (entry_id, line),
  constraint ledger_postings_amount_cents_check CHECK ((amount_cents <> 0))
);

create table legal_holds (
  id text collate "C" not null,
  domain text collate "C" not null,
  kind text not null,
  case_reference text not null,
  placed_at timestamp with time zone not null,
  placed_by text not null,
  lifted_at timestamp with time zone,
  lifted_by text,
  constraint legal_holds_pkey PRIMARY KEY (id),
  constraint legal_holds_check CHECK (((lifted_at IS NULL) = (lifted_by IS NULL))),
  constraint legal_holds_kind_check CHECK ((kind = ANY (ARRAY['court_order'::text, 'udrp'::text, 'urs'::text, 'law_enforcement'::text, 'sanctions'::text, 'other'::text])))
);

create table listing_embeddings (
  listing_id bigint not null,
  model text not null,
  text_hash bytea not null,
  vector bytea not null,
  listing_updated_at timestamp with time zone not null,
  environment text,
  cell integer,
  signature bit varying(512),
  constraint listing_embeddings_pkey PRIMARY KEY (listing_id),
  constraint listing_embeddings_text_hash_check CHECK ((octet_length(text_hash) = 32)),
  constraint listing_embeddings_vector_check CHECK (((octet_length(vector) >= 1) AND (octet_length(vector) <= 8192)))
);

create table listing_imports (
  id bigint generated always as identity not null,
  environment text not null,
  actor text not null,
  file_name text not null,
  format text not null,
  content text,
  lines integer not null,
  line integer default 0 not null,
  inserted integer default 0 not null,
  updated integer default 0 not null,
  unchanged integer default 0 not null,
  rejected integer default 0 not null,
  rejections jsonb default '[]'::jsonb not null,
  state text default 'queued'::text not null,
  problem text,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint listing_imports_pkey PRIMARY KEY (id),
  constraint listing_imports_check CHECK (((finished_at IS NULL) = (content IS NOT NULL))),
  constraint listing_imports_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint listing_imports_format_check CHECK ((format = ANY (ARRAY['csv'::text, 'ndjson'::text]))),
  constraint listing_imports_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text])))
);

create table listings (
  id bigint generated always as identity not null,
  environment text not null,
  domain text collate "C" not null,
  domain_unicode text not null,
  sld text not null,
  tld text collate "C" not null,
  status text default 'listed'::text not null,
  price_cents bigint not null,
  floor_price_cents bigint,
  currency text default 'USD'::text not null,
  offers_accepted boolean default false not null,
  category text,
  description text,
  keywords text[] default '{}'::text[] not null,
  listed_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  delisted_at timestamp with time zone,
  registrar text,
  registry_statuses text[],
  transferable boolean,
  locked_until timestamp with time zone,
  registration_checked_at timestamp with time zone,
  legal_hold boolean default false not null,
  rules_change_at timestamp with time zone,
  then_locked_until timestamp with time zone,
  premium jsonb,
  sale_number integer default 1 not null,
  reopened_at timestamp with time zone,
  constraint listings_pkey PRIMARY KEY (id),
  constraint listings_environment_domain_key UNIQUE (environment, domain),
  constraint listings_check CHECK (((floor_price_cents > 0) AND (floor_price_cents <= price_cents))),
  constraint listings_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint listings_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint listings_legal_hold_check CHECK (((NOT legal_hold) OR (status <> 'listed'::text))),
  constraint listings_price_cents_check CHECK ((price_cents > 0)),
  constraint listings_status_check CHECK ((status = ANY (ARRAY['listed'::text, 'sold'::text, 'delisted'::text])))
);

create table mail_brands (
  partner_id text collate "C" not null,
  display_name text,
  support_email text,
  accent_color text,
  buyer_mail boolean default true not null,
  logo_url text,
  support_url text,
  terms_url text,
  constraint mail_brands_pkey PRIMARY KEY (partner_id),
  constraint mail_brands_accent_color_check CHECK ((accent_color ~ '^#[0-9a-f]{6}$'::text))
);

create table mail_contacts (
  partner_id text collate "C",
  email text not null,
  created_at timestamp with time zone not null,
  constraint mail_contacts_partner_id_email_key UNIQUE NULLS NOT DISTINCT (partner_id, email),
  constraint mail_contacts_email_check CHECK ((email = lower(email)))
);

create table mail_suppressions (
  email text not null,
  topic text not null,
  reason text not null,
  created_at timestamp with time zone not null,
  constraint mail_suppressions_pkey PRIMARY KEY (email, topic),
  constraint mail_suppressions_email_check CHECK ((email = lower(email))),
  constraint mail_suppressions_reason_check CHECK ((reason = ANY (ARRAY['unsubscribed'::text, 'bounced'::text, 'ops'::text])))
);

create table mailbox_messages (
  id bigint generated always as identity not null,
  mail_id text collate "C" not null,
  recipient text not null,
  subject text not null,
  html text not null,
  text text not null,
  raw bytea not null,
  received_at timestamp with time zone not null,
  constraint mailbox_messages_pkey PRIMARY KEY (id)
);

create table mails (
  id text collate "C" not null,
  kind text not null,
  cause text collate "C" not null,
  recipient text not null,
  partner_id text collate "C",
  environment text,
  data jsonb not null,
  documents text[] default '{}'::text[] not null,
  locale text not null,
  state text default 'queued'::text not null,
  attempts integer default 0 not null,
  message_id text,
  reason text,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_cause_recipient_key UNIQUE (cause, recipient),
  constraint mails_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint mails_finish_once CHECK (((state = 'queued'::text) = (finished_at IS NULL))),
  constraint mails_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'sent'::text, 'bounced'::text, 'suppressed'::text])))
);

create table market_deltas (
  id bigint generated always as identity not null,
  tld text collate "C" not null,
  category text not null,
  listings bigint not null,
  constraint market_deltas_pkey PRIMARY KEY (id)
);

create table market_tallies (
  tld text collate "C" not null,
  category text not null,
  listings bigint not null,
  constraint market_tallies_pkey PRIMARY KEY (tld, category)
);

create table oauth_browsers (
  id_hash bytea not null,
  kind text not null,
  uid text collate "C",
  payload_sealed bytea not null,
  expires_at timestamp with time zone not null,
  constraint oauth_browsers_pkey PRIMARY KEY (id_hash),
  constraint oauth_browsers_kind_check CHECK ((kind = ANY (ARRAY['Session'::text, 'Interaction'::text])))
);

create table oauth_clients (
  id text collate "C" not null,
  metadata jsonb not null,
  created_at timestamp with time zone not null,
  first_used_at timestamp with time zone,
  constraint oauth_clients_pkey PRIMARY KEY (id)
);

create table oauth_grants (
  id text collate "C" not null,
  user_id text collate "C" not null,
  client_id text collate "C" not null,
  payload jsonb not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  session_id uuid,
  constraint oauth_grants_pkey PRIMARY KEY (id)
);

create table oauth_tokens (
  token_hash bytea not null,
  kind text not null,
  grant_id text collate "C" not null,
  scopes text[] not null,
  audience text,
  payload jsonb not null,
  created_at timestamp with time zone not null,
  consumed_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  constraint oauth_tokens_pkey PRIMARY KEY (token_hash),
  constraint oauth_tokens_kind_check CHECK ((kind = ANY (ARRAY['AuthorizationCode'::text, 'AccessToken'::text, 'RefreshToken'::text])))
);

create table offer_floors (
  listing_id bigint not null,
  floor_cents bigint not null,
  currency text not null,
  updated_at timestamp with time zone not null,
  constraint offer_floors_pkey PRIMARY KEY (listing_id),
  constraint offer_floors_floor_cents_check CHECK ((floor_cents > 0))
);

create table offer_steps (
  id bigint generated always as identity not null,
  offer_id text collate "C" not null,
  at timestamp with time zone not null,
  event text not null,
  made_by text not null,
  amount_cents bigint,
  constraint offer_steps_pkey PRIMARY KEY (id),
  constraint offer_steps_made_by_check CHECK ((made_by = ANY (ARRAY['buyer'::text, 'owner'::text, 'floor'::text, 'clock'::text])))
);

create table offers (
  id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  listing_id bigint not null,
  domain text collate "C" not null,
  status text not null,
  amount_cents bigint not null,
  counter_cents bigint,
  price_cents bigint,
  currency text not null,
  buyer_email text,
  buyer_name text,
  buyer_country text,
  quote_id text collate "C",
  quote_expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint offers_pkey PRIMARY KEY (id),
  constraint offers_accepted_are_quoted CHECK ((((status = 'ACCEPTED'::text) = (price_cents IS NOT NULL)) AND ((price_cents IS NULL) = (quote_id IS NULL)) AND ((quote_id IS NULL) = (quote_expires_at IS NULL)))),
  constraint offers_amount_cents_check CHECK ((amount_cents > 0)),
  constraint offers_counter_cents_check CHECK ((counter_cents > 0)),
  constraint offers_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint offers_status_check CHECK ((status = ANY (ARRAY['OPEN'::text, 'COUNTERED'::text, 'ACCEPTED'::text, 'DECLINED'::text, 'EXPIRED'::text])))
);

create table order_registrants (
  order_id text not null,
  sealed bytea not null,
  updated_at timestamp with time zone not null,
  constraint order_registrants_pkey PRIMARY KEY (order_id)
);

create table order_search (
  order_id text collate "C" not null,
  domain text not null,
  buyer_email text not null,
  constraint order_search_pkey PRIMARY KEY (order_id)
);

create table order_timeline (
  id bigint default nextval('order_timeline_id_seq'::regclass) not null,
  order_id text collate "C" not null,
  at timestamp with time zone not null,
  status text not null,
  event text not null,
  note text,
  constraint order_timeline_pkey PRIMARY KEY (order_id, id)
) partition by RANGE (order_id);

create table orders (
  id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  listing_id bigint,
  domain text collate "C" not null,
  status text not null,
  payment_model text not null,
  sale_price_cents bigint not null,
  commission_bps integer not null,
  commission_cents bigint not null,
  amount_owed_cents bigint not null,
  currency text not null,
  buyer_email text not null,
  buyer_name text,
  buyer_country text,
  quote_id text,
  external_payment_ref text,
  return_url text,
  cancel_url text,
  review_reasons text[] default '{}'::text[] not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  transfer_completed_at timestamp with time zone,
  settled_at timestamp with time zone,
  settlement_id text collate "C",
  checkout_session_id text collate "C",
  brokerage_case_id text collate "C",
  referral_link_id text collate "C",
  action_required text,
  delivery_method text,
  gaining_registrar text,
  sale_number integer default 1 not null,
  constraint orders_pkey PRIMARY KEY (id),
  constraint orders_brokerage_case_id_key UNIQUE (brokerage_case_id),
  constraint orders_checkout_session_id_key UNIQUE (checkout_session_id),
  constraint orders_commission_cents_check CHECK ((commission_cents >= 0)),
  constraint orders_delivery_method_check CHECK ((delivery_method = ANY (ARRAY['account'::text, 'partner_registrar'::text]))),
  constraint orders_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint orders_have_a_source CHECK (((listing_id IS NOT NULL) OR (brokerage_case_id IS NOT NULL))),
  constraint orders_payment_model_check CHECK ((payment_model = ANY (ARRAY['merchant_of_record'::text, 'hosted_checkout'::text, 'brokerage'::text]))),
  constraint orders_sale_price_cents_check CHECK ((sale_price_cents > 0)),
  constraint orders_status_check CHECK ((status = ANY (ARRAY['EXTERNALLY_PAID'::text, 'MANUAL_REVIEW'::text, 'PAID'::text, 'TRANSFER_IN_PROGRESS'::text, 'TRANSFER_COMPLETED'::text, 'SETTLED'::text, 'REFUNDED'::text, 'CANCELLED'::text])))
);

create table outbox (
  id bigint default ((((floor(EXTRACT(epoch FROM clock_timestamp())))::bigint - 1577836800) << 22) | (nextval('outbox_id_seq'::regclass) & (4194303)::bigint)) not null,
  queue text not null,
  name text not null,
  payload jsonb not null,
  dedupe_key text,
  state text default 'pending'::text not null,
  epoch integer default 0 not null,
  attempts integer default 0 not null,
  run_at timestamp with time zone not null,
  lease_until timestamp with time zone,
  done_at timestamp with time zone,
  last_error text,
  created_at timestamp with time zone not null,
  trace_parent text,
  batch_id bigint,
  constraint outbox_pkey PRIMARY KEY (id),
  constraint outbox_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'dispatched'::text, 'done'::text, 'dead'::text])))
) partition by RANGE (id);

create table owned_domains (
  domain text collate "C" not null,
  domain_unicode text not null,
  tld text collate "C" not null,
  user_id text collate "C" not null,
  nameservers text[] not null,
  locked boolean not null,
  auto_renew boolean not null,
  privacy boolean not null,
  expires_at timestamp with time zone not null,
  registrar_version bigint not null,
  tags text[] default '{}'::text[] not null,
  granted_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  bought_with text collate "C",
  held boolean default false not null,
  signers jsonb default '[]'::jsonb not null,
  registered_at timestamp with time zone,
  transferred_at timestamp with time zone,
  told_of_end timestamp with time zone,
  told_days_before integer,
  renewal_fault text,
  taken_at timestamp with time zone,
  constraint owned_domains_pkey PRIMARY KEY (domain)
) with (fillfactor=70);

create table partner_daily_figures (
  partner_id text collate "C" not null,
  environment text not null,
  day date not null,
  figure text not null,
  part text not null,
  value bigint not null,
  constraint partner_daily_figures_pkey PRIMARY KEY (partner_id, environment, day, figure, part),
  constraint partner_daily_figures_environment_check CHECK ((environment = ANY (ARRAY['LIVE'::text, 'SANDBOX'::text])))
);

create table partner_members (
  partner_id text collate "C" not null,
  user_id text collate "C" not null,
  role text not null,
  created_at timestamp with time zone not null,
  constraint partner_members_pkey PRIMARY KEY (partner_id, user_id),
  constraint partner_members_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'developer'::text, 'finance'::text, 'viewer'::text])))
);

create table partner_tax_profiles (
  partner_id text not null,
  legal_name text not null,
  address text not null,
  country text not null,
  tax_id text,
  vat_bps integer,
  updated_at timestamp with time zone not null,
  constraint partner_tax_profiles_pkey PRIMARY KEY (partner_id),
  constraint partner_tax_profiles_vat_bps_check CHECK (((vat_bps >= 0) AND (vat_bps <= 10000)))
);

create table partners (
  id text collate "C" not null,
  name text not null,
  status text default 'active'::text not null,
  commission_bps integer default 1500 not null,
  settlement_period text default 'monthly'::text not null,
  affiliate_id text collate "C",
  created_at timestamp with time zone not null,
  demo boolean default false not null,
  live_approved_at timestamp with time zone default now(),
  second_factor_required boolean default false not null,
  delivery_method text default 'account'::text not null,
  constraint partners_pkey PRIMARY KEY (id),
  constraint partners_affiliate_id_key UNIQUE (affiliate_id),
  constraint partners_commission_bps_check CHECK (((commission_bps >= 0) AND (commission_bps <= 10000))),
  constraint partners_delivery_method_check CHECK ((delivery_method = ANY (ARRAY['account'::text, 'partner_registrar'::text]))),
  constraint partners_settlement_period_check CHECK ((settlement_period = ANY (ARRAY['monthly'::text, 'semi_monthly'::text, 'weekly'::text]))),
  constraint partners_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text])))
);

create table payment_disputes (
  id text collate "C" not null,
  payment_id text collate "C" not null,
  partner_id text collate "C",
  environment text not null,
  order_id text collate "C",
  provider_reference text collate "C" not null,
  status text not null,
  reason text not null,
  amount_cents bigint not null,
  currency text not null,
  evidence_due_at timestamp with time zone,
  opened_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  constraint payment_disputes_pkey PRIMARY KEY (id),
  constraint payment_disputes_provider_reference_key UNIQUE (provider_reference),
  constraint payment_disputes_amount_cents_check CHECK ((amount_cents > 0)),
  constraint payment_disputes_closed_at_their_end CHECK (((closed_at IS NULL) = (status = ANY (ARRAY['needs_response'::text, 'under_review'::text])))),
  constraint payment_disputes_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint payment_disputes_status_check CHECK ((status = ANY (ARRAY['needs_response'::text, 'under_review'::text, 'won'::text, 'lost'::text, 'withdrawn'::text])))
);

create table payments (
  id text collate "C" not null,
  partner_id text collate "C",
  environment text not null,
  checkout_session_id text collate "C",
  attempt integer not null,
  provider text not null,
  provider_reference text collate "C",
  status text not null,
  decline_code text,
  amount_cents bigint not null,
  currency text not null,
  order_id text collate "C",
  refund_reference text collate "C",
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  check_at timestamp with time zone not null,
  renewal_id text collate "C",
  customer text,
  returned_at timestamp with time zone,
  returned_cents bigint,
  constraint payments_pkey PRIMARY KEY (id),
  constraint payments_checkout_session_id_attempt_key UNIQUE (checkout_session_id, attempt),
  constraint payments_order_id_key UNIQUE (order_id),
  constraint payments_provider_provider_reference_key UNIQUE (provider, provider_reference),
  constraint payments_renewal_id_attempt_key UNIQUE (renewal_id, attempt),
  constraint payments_amount_cents_check CHECK ((amount_cents > 0)),
  constraint payments_attempt_check CHECK ((attempt > 0)),
  constraint payments_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint payments_failed_for_a_reason CHECK (((status = 'failed'::text) = (decline_code IS NOT NULL))),
  constraint payments_of_one_thing CHECK ((((checkout_session_id IS NULL) <> (renewal_id IS NULL)) AND ((partner_id IS NULL) = (checkout_session_id IS NULL)))),
  constraint payments_provider_check CHECK ((provider = ANY (ARRAY['sandbox'::text, 'stripe'::text]))),
  constraint payments_status_check CHECK ((status = ANY (ARRAY['created'::text, 'requires_confirmation'::text, 'pending'::text, 'succeeded'::text, 'failed'::text, 'refund_pending'::text, 'refunded'::text])))
);

create table payout_accounts (
  partner_id text collate "C" not null,
  holder text not null,
  iban bytea not null,
  iban_end text not null,
  bic text,
  updated_at timestamp with time zone not null,
  revision integer default 1 not null,
  set_by text,
  usable_from timestamp with time zone,
  approved_by text,
  approved_at timestamp with time zone,
  constraint payout_accounts_pkey PRIMARY KEY (partner_id)
);

create table payout_files (
  id text collate "C" not null,
  currency text not null,
  payouts integer not null,
  amount_cents bigint not null,
  content bytea not null,
  created_by text not null,
  created_at timestamp with time zone not null,
  constraint payout_files_pkey PRIMARY KEY (id),
  constraint payout_files_amount_cents_check CHECK ((amount_cents > 0)),
  constraint payout_files_payouts_check CHECK ((payouts > 0))
);

create table payouts (
  id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  source text not null,
  amount_cents bigint not null,
  currency text not null,
  status text not null,
  settlement_id text collate "C",
  reference text,
  failure_reason text,
  created_at timestamp with time zone not null,
  paid_at timestamp with time zone,
  failed_at timestamp with time zone,
  reversal_reference text,
  approved_by text,
  approved_at timestamp with time zone,
  file_id text collate "C",
  sent_to text,
  approved_bank integer,
  approved_provider integer,
  constraint payouts_pkey PRIMARY KEY (id),
  constraint payouts_amount_cents_check CHECK ((amount_cents > 0)),
  constraint payouts_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint payouts_source_check CHECK ((source = ANY (ARRAY['hosted_checkout'::text, 'brokerage'::text, 'referral'::text]))),
  constraint payouts_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'paid'::text, 'failed'::text])))
);

create table quotes (
  id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  listing_id bigint not null,
  price_cents bigint not null,
  currency text not null,
  state text default 'open'::text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  checkout_session_id text collate "C",
  order_id text collate "C",
  offer_id text collate "C",
  ahead_ms bigint default 0 not null,
  released_at timestamp with time zone,
  constraint quotes_pkey PRIMARY KEY (id),
  constraint quotes_ahead_ms_check CHECK ((ahead_ms >= 0)),
  constraint quotes_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint quotes_price_cents_check CHECK ((price_cents > 0)),
  constraint quotes_state_check CHECK ((state = ANY (ARRAY['open'::text, 'used'::text, 'released'::text, 'superseded'::text, 'expired'::text])))
);

create table referral_balances (
  partner_id text collate "C" not null,
  environment text not null,
  currency text not null,
  balance_cents bigint not null,
  constraint referral_balances_pkey PRIMARY KEY (partner_id, environment, currency)
);

create table referral_click_batches (
  id text collate "C" not null,
  applied_at timestamp with time zone not null,
  constraint referral_click_batches_pkey PRIMARY KEY (id)
);

create table referral_commissions (
  id text collate "C" not null,
  "position" bigint generated always as identity not null,
  partner_id text collate "C" not null,
  environment text not null,
  currency text not null,
  type text not null,
  amount_cents bigint not null,
  balance_cents bigint not null,
  order_id text collate "C",
  payout_id text collate "C",
  created_at timestamp with time zone not null,
  constraint referral_commissions_pkey PRIMARY KEY (id),
  constraint referral_commissions_position_key UNIQUE ("position"),
  constraint referral_commissions_amount_cents_check CHECK ((amount_cents <> 0)),
  constraint referral_commissions_type_check CHECK ((type = ANY (ARRAY['accrued'::text, 'pending'::text, 'paid_out'::text, 'reversed'::text])))
);

create table referral_daily (
  link_id text collate "C" not null,
  day date not null,
  partner_id text collate "C" not null,
  environment text not null,
  clicks bigint default 0 not null,
  unique_clicks bigint default 0 not null,
  checkouts bigint default 0 not null,
  constraint referral_daily_pkey PRIMARY KEY (link_id, day)
);

create table referral_links (
  id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  kind text not null,
  domain text,
  product text,
  label text,
  sub_id text,
  code text collate "C" not null,
  commission_bps integer not null,
  created_at timestamp with time zone not null,
  constraint referral_links_pkey PRIMARY KEY (id),
  constraint referral_links_code UNIQUE (code),
  constraint referral_links_check CHECK (((kind = 'domain'::text) = (domain IS NOT NULL))),
  constraint referral_links_check1 CHECK (((kind = 'product'::text) = (product IS NOT NULL))),
  constraint referral_links_commission_bps_check CHECK (((commission_bps >= 0) AND (commission_bps <= 10000))),
  constraint referral_links_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint referral_links_kind_check CHECK ((kind = ANY (ARRAY['generic'::text, 'domain'::text, 'product'::text])))
);

create table referral_sales (
  order_id text collate "C" not null,
  link_id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  amount_cents bigint not null,
  commission_cents bigint not null,
  currency text not null,
  state text default 'accrued'::text not null,
  clicked_at timestamp with time zone,
  sold_at timestamp with time zone not null,
  pending_at timestamp with time zone,
  paid_out_at timestamp with time zone,
  reversed_at timestamp with time zone,
  payout_id text collate "C",
  recovery_payout_id text collate "C",
  constraint referral_sales_pkey PRIMARY KEY (order_id),
  constraint referral_sales_commission_cents_check CHECK ((commission_cents >= 0)),
  constraint referral_sales_state_check CHECK ((state = ANY (ARRAY['accrued'::text, 'pending'::text, 'paid_out'::text, 'reversed'::text])))
);

create table refund_requests (
  id text collate "C" not null,
  order_id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  status text not null,
  reason text not null,
  note text,
  requested_by text not null,
  created_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  constraint refund_requests_pkey PRIMARY KEY (id),
  constraint refund_requests_closed_at_check CHECK (((status = 'pending'::text) = (closed_at IS NULL))),
  constraint refund_requests_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint refund_requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'declined'::text])))
);

create table refunds (
  id text collate "C" not null,
  order_id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  kind text not null,
  amount_cents bigint not null,
  currency text not null,
  reason text not null,
  note text,
  requested_by text not null,
  created_at timestamp with time zone not null,
  constraint refunds_pkey PRIMARY KEY (id),
  constraint refunds_order_id_key UNIQUE (order_id),
  constraint refunds_amount_cents_check CHECK ((amount_cents > 0)),
  constraint refunds_kind_check CHECK ((kind = ANY (ARRAY['refund'::text, 'cancellation'::text, 'clawback'::text])))
);

create table registrant_changes (
  id text collate "C" not null,
  domain text collate "C" not null,
  user_id text collate "C" not null,
  sealed bytea,
  material boolean not null,
  status text not null,
  reason text,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint registrant_changes_pkey PRIMARY KEY (id),
  constraint registrant_changes_check CHECK (((sealed IS NULL) = (ended_at IS NOT NULL))),
  constraint registrant_changes_status_check CHECK ((status = ANY (ARRAY['held'::text, 'pending'::text, 'done'::text, 'refused'::text, 'declined'::text])))
);

create table registrar_commands (
  cl_trid text collate "C" not null,
  client_reference text collate "C" not null,
  step text not null,
  domain text collate "C" not null,
  detail text,
  first_sent_at timestamp with time zone not null,
  sent_at timestamp with time zone not null,
  answered_at timestamp with time zone,
  outcome text,
  code integer,
  busy_until timestamp with time zone,
  constraint registrar_commands_pkey PRIMARY KEY (cl_trid),
  constraint registrar_commands_check CHECK (((outcome IS NULL) = (answered_at IS NULL))),
  constraint registrar_commands_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'refused'::text, 'not_made'::text])))
);

create table registrar_domains (
  domain text collate "C" not null,
  auto_renew boolean not null,
  privacy boolean not null,
  version bigint not null,
  hold_statuses text[] default '{}'::text[] not null,
  constraint registrar_domains_pkey PRIMARY KEY (domain)
);

create table registrar_messages (
  registry text collate "C" not null,
  id text collate "C" not null,
  queued_at timestamp with time zone,
  text text not null,
  domain text collate "C",
  transfer_status text,
  recorded_at timestamp with time zone not null,
  fault text,
  raw bytea,
  seen_at timestamp with time zone,
  to_check boolean default false not null,
  constraint registrar_messages_pkey PRIMARY KEY (registry, id)
);

create table registrar_pushes (
  client_reference text collate "C" not null,
  domain text collate "C" not null,
  method text,
  status text not null,
  reason text,
  registrant jsonb,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  hands_over boolean default true not null,
  constraint registrar_pushes_pkey PRIMARY KEY (client_reference),
  constraint registrar_pushes_status_check CHECK ((status = ANY (ARRAY['open'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
);

create table renewals (
  id text collate "C" not null,
  user_id text collate "C" not null,
  domain text collate "C" not null,
  kind text not null,
  years integer not null,
  renews_from timestamp with time zone not null,
  amount_cents bigint not null,
  currency text not null,
  renew_fee_cents bigint,
  restore_fee_cents bigint,
  fee_currency text,
  status text not null,
  payer_name text,
  payer_country text,
  last_decline text,
  refusal text,
  payment_id text collate "C",
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  keeps_card boolean default false not null,
  automatic_days integer,
  constraint renewals_pkey PRIMARY KEY (id),
  constraint renewals_payment_id_key UNIQUE (payment_id),
  constraint renewals_amount_cents_check CHECK ((amount_cents > 0)),
  constraint renewals_fees_have_a_currency CHECK (((fee_currency IS NULL) = (COALESCE(renew_fee_cents, restore_fee_cents) IS NULL))),
  constraint renewals_kind_check CHECK ((kind = ANY (ARRAY['renewal'::text, 'restore'::text]))),
  constraint renewals_paid_by_a_payment CHECK (((payment_id IS NOT NULL) = (status = ANY (ARRAY['paid'::text, 'completed'::text, 'refunded'::text])))),
  constraint renewals_status_check CHECK ((status = ANY (ARRAY['awaiting_payment'::text, 'paid'::text, 'completed'::text, 'refunded'::text, 'cancelled'::text, 'expired'::text]))),
  constraint renewals_years_check CHECK ((years > 0))
);

create table sandbox_clocks (
  partner_id text collate "C" not null,
  ahead_ms bigint default 0 not null,
  target timestamp with time zone,
  advancing boolean default false not null,
  moved_at timestamp with time zone not null,
  constraint sandbox_clocks_pkey PRIMARY KEY (partner_id),
  constraint sandbox_clocks_advance_somewhere CHECK (((NOT advancing) OR (target IS NOT NULL))),
  constraint sandbox_clocks_ahead_ms_check CHECK (((ahead_ms >= 0) AND (ahead_ms <= '63158400000'::bigint)))
);

create table sandbox_payments (
  reference text collate "C" not null,
  payment_id text collate "C" not null,
  status text not null,
  decline_code text,
  amount_cents bigint not null,
  currency text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  refunded_at timestamp with time zone,
  kept_card jsonb,
  constraint sandbox_payments_pkey PRIMARY KEY (reference),
  constraint sandbox_payments_payment_id_key UNIQUE (payment_id),
  constraint sandbox_payments_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'requires_confirmation'::text])))
);

create table sandbox_registrar_domains (
  domain text collate "C" not null,
  nameservers text[] not null,
  locked boolean not null,
  auto_renew boolean not null,
  privacy boolean not null,
  expires_at timestamp with time zone not null,
  version bigint not null,
  held boolean default false not null,
  signers jsonb default '[]'::jsonb not null,
  constraint sandbox_registrar_domains_pkey PRIMARY KEY (domain)
);

create table sandbox_registrar_effects (
  client_reference text collate "C" not null,
  domain text collate "C" not null,
  change jsonb not null,
  made_at timestamp with time zone not null,
  constraint sandbox_registrar_effects_pkey PRIMARY KEY (client_reference)
);

create table sandbox_registrar_pushes (
  client_reference text collate "C" not null,
  domain text not null,
  status text not null,
  reason text,
  accepted_at timestamp with time zone not null,
  ready_at timestamp with time zone not null,
  constraint sandbox_registrar_pushes_pkey PRIMARY KEY (client_reference),
  constraint sandbox_registrar_pushes_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
);

create table sandbox_registrar_transfers (
  client_reference text collate "C" not null,
  domain text collate "C" not null,
  status text not null,
  issued_at timestamp with time zone not null,
  asked_at timestamp with time zone,
  answered_at timestamp with time zone,
  constraint sandbox_registrar_transfers_pkey PRIMARY KEY (client_reference),
  constraint sandbox_registrar_transfers_check CHECK (((answered_at IS NOT NULL) = (status = ANY (ARRAY['approved'::text, 'rejected'::text])))),
  constraint sandbox_registrar_transfers_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'approved'::text, 'rejected'::text, 'cleared'::text])))
);

create table screening_entries (
  list text collate "C" not null,
  id text collate "C" not null,
  kind text not null,
  name text not null,
  birth_dates text[] not null,
  countries text[] not null,
  programme text,
  digest text collate "C" not null,
  constraint screening_entries_pkey PRIMARY KEY (list, id),
  constraint screening_entries_kind_check CHECK ((kind = ANY (ARRAY['person'::text, 'entity'::text])))
);

create table screening_hits (
  id text collate "C" not null,
  partner_id text collate "C",
  order_id text collate "C",
  checkout_session_id text collate "C",
  role text not null,
  party_key text collate "C" not null,
  party_name text not null,
  party_country text,
  list text collate "C" not null,
  entry_id text collate "C" not null,
  entry_digest text collate "C" not null,
  entry_kind text not null,
  entry_name text not null,
  matched_name text not null,
  programme text,
  score integer not null,
  why text[] not null,
  status text not null,
  proposed_by text collate "C",
  proposed_at timestamp with time zone,
  reason text,
  decided_by text collate "C",
  decided_at timestamp with time zone,
  created_at timestamp with time zone not null,
  registrant_change_id text collate "C",
  domain_registrant_id text collate "C",
  constraint screening_hits_pkey PRIMARY KEY (id),
  constraint screening_hits_check CHECK (((order_id IS NULL) OR (checkout_session_id IS NULL))),
  constraint screening_hits_check1 CHECK (((status = 'open'::text) = (reason IS NULL))),
  constraint screening_hits_check2 CHECK (((status <> 'released'::text) OR (proposed_by <> decided_by))),
  constraint screening_hits_role_check CHECK ((role = ANY (ARRAY['buyer'::text, 'organization'::text, 'registrant'::text, 'payee'::text]))),
  constraint screening_hits_score_check CHECK (((score >= 0) AND (score <= 100))),
  constraint screening_hits_status_check CHECK ((status = ANY (ARRAY['open'::text, 'proposed'::text, 'released'::text, 'declined'::text]))),
  constraint screening_hits_subject_check CHECK (((num_nonnulls(order_id, checkout_session_id, registrant_change_id, domain_registrant_id) <= 1) AND (num_nonnulls(partner_id, registrant_change_id, domain_registrant_id) >= 1)))
);

create table screening_lists (
  list text collate "C" not null,
  version integer not null,
  format text not null,
  file text not null,
  entries integer not null,
  skipped integer not null,
  imported_by text collate "C" not null,
  imported_at timestamp with time zone not null,
  rescreened_at timestamp with time zone,
  rescreened_orders integer,
  rescreened_payees integer,
  new_hits integer,
  rescreened_registrants integer,
  rescreen_progress jsonb,
  constraint screening_lists_pkey PRIMARY KEY (list),
  constraint screening_lists_entries_check CHECK ((entries > 0)),
  constraint screening_lists_list_check CHECK ((list ~ '^[a-z0-9][a-z0-9-]{0,31}$'::text))
);

create table screening_names (
  list text collate "C" not null,
  entry_id text collate "C" not null,
  name text not null,
  keys tsvector not null
);

create table search_documents (
  environment text not null,
  listing_id bigint not null,
  version smallint not null,
  quality smallint not null,
  made_up boolean not null,
  label text collate "C" not null,
  label_words text not null,
  tags text not null,
  about text not null,
  terms text[] not null,
  tld text collate "C",
  length smallint,
  shape smallint,
  constraint search_documents_pkey PRIMARY KEY (environment, listing_id),
  constraint search_documents_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint search_documents_quality_check CHECK (((quality >= 0) AND (quality <= 100))),
  constraint search_documents_shape_check CHECK (((shape >= 1) AND (shape <= 4)))
) partition by LIST (environment);

create table search_miss_days (
  environment text not null,
  day date not null,
  searches integer not null,
  queries integer,
  constraint search_miss_days_pkey PRIMARY KEY (environment, day)
);

create table search_misses (
  environment text not null,
  day date not null,
  query text collate "C" not null,
  searches integer not null,
  reading jsonb,
  constraint search_misses_pkey PRIMARY KEY (environment, day, query)
);

create table settlement_lines (
  order_id text collate "C" not null,
  kind text not null,
  settlement_id text collate "C" not null,
  domain text not null,
  payment_model text not null,
  sale_price_cents bigint not null,
  commission_cents bigint not null,
  amount_owed_cents bigint not null,
  occurred_at timestamp with time zone not null,
  constraint settlement_lines_pkey PRIMARY KEY (order_id, kind),
  constraint settlement_lines_kind_check CHECK ((kind = ANY (ARRAY['sale'::text, 'clawback'::text])))
);

create table settlement_payables (
  settlement_id text collate "C" not null,
  source text not null,
  partner_id text collate "C" not null,
  environment text not null,
  currency text not null,
  amount_cents bigint not null,
  payout_id text collate "C",
  released_at timestamp with time zone,
  constraint settlement_payables_pkey PRIMARY KEY (settlement_id, source),
  constraint settlement_payables_amount_cents_check CHECK ((amount_cents <> 0)),
  constraint settlement_payables_source_check CHECK ((source = ANY (ARRAY['hosted_checkout'::text, 'brokerage'::text])))
);

create table settlement_run_partners (
  run_id text collate "C" not null,
  partner_id text collate "C" not null,
  state text not null,
  settlement_ids text[] default '{}'::text[] not null,
  constraint settlement_run_partners_pkey PRIMARY KEY (run_id, partner_id),
  constraint settlement_run_partners_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'done'::text])))
);

create table settlement_runs (
  id text collate "C" not null,
  environment text not null,
  period text,
  until timestamp with time zone,
  partner_id text collate "C",
  requested_by text not null,
  status text not null,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint settlement_runs_pkey PRIMARY KEY (id),
  constraint settlement_runs_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint settlement_runs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text])))
);

create table settlements (
  id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  currency text not null,
  period_start timestamp with time zone not null,
  period_end timestamp with time zone not null,
  status text not null,
  orders_count integer default 0 not null,
  gross_sold_cents bigint default 0 not null,
  commission_retained_cents bigint default 0 not null,
  adjustments_cents bigint default 0 not null,
  amount_owed_cents bigint default 0 not null,
  closed_at timestamp with time zone,
  due_at timestamp with time zone,
  paid_at timestamp with time zone,
  payment_reference text,
  created_at timestamp with time zone not null,
  reversal_reference text,
  payment_reversals integer default 0 not null,
  constraint settlements_pkey PRIMARY KEY (id),
  constraint settlements_partner_id_environment_currency_period_start_key UNIQUE (partner_id, environment, currency, period_start),
  constraint settlements_check CHECK ((period_end > period_start)),
  constraint settlements_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint settlements_status_check CHECK ((status = ANY (ARRAY['closing'::text, 'closed'::text, 'paid'::text])))
);

create table sign_in_attempts (
  subject_digest bytea not null,
  failures integer not null,
  last_at timestamp with time zone not null,
  blocked_until timestamp with time zone not null,
  constraint sign_in_attempts_pkey PRIMARY KEY (subject_digest)
);

create table sign_in_failures (
  id bigint generated always as identity not null,
  user_id text collate "C",
  reason text not null,
  address text,
  user_agent text,
  at timestamp with time zone not null,
  constraint sign_in_failures_pkey PRIMARY KEY (id),
  constraint sign_in_failures_reason_check CHECK ((reason = ANY (ARRAY['password'::text, 'passkey'::text, 'code'::text])))
);

create table status_days (
  component text collate "C" not null,
  day date not null,
  probes integer not null,
  failures integer not null,
  constraint status_days_pkey PRIMARY KEY (component, day),
  constraint status_days_check CHECK (((failures >= 0) AND (failures <= probes))),
  constraint status_days_probes_check CHECK ((probes > 0))
);

create table status_incidents (
  component text collate "C" not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint status_incidents_pkey PRIMARY KEY (component, started_at),
  constraint status_incidents_check CHECK ((ended_at > started_at))
);

create table status_probes (
  component text collate "C" not null,
  at timestamp with time zone not null,
  ok boolean not null,
  constraint status_probes_pkey PRIMARY KEY (component, at)
);

create table tlds (
  tld text collate "C" not null,
  unicode text not null,
  register_cents bigint,
  renew_cents bigint,
  transfer_cents bigint,
  restore_cents bigint,
  min_years integer not null,
  max_years integer not null,
  rules jsonb not null,
  sources text[] not null,
  updated_at timestamp with time zone not null,
  constraint tlds_pkey PRIMARY KEY (tld),
  constraint tlds_check CHECK ((max_years >= min_years)),
  constraint tlds_min_years_check CHECK ((min_years > 0)),
  constraint tlds_register_cents_check CHECK ((register_cents >= 0)),
  constraint tlds_renew_cents_check CHECK ((renew_cents >= 0)),
  constraint tlds_restore_cents_check CHECK ((restore_cents >= 0)),
  constraint tlds_transfer_cents_check CHECK ((transfer_cents >= 0))
);

create table transaction_deltas (
  id bigint generated always as identity not null,
  partner_id text collate "C" not null,
  environment text not null,
  day date not null,
  status text not null,
  payment_model text not null,
  currency text not null,
  transactions bigint not null,
  gmv_cents bigint not null,
  commission_cents bigint not null,
  constraint transaction_deltas_pkey PRIMARY KEY (id)
);

create table transaction_tallies (
  partner_id text collate "C" not null,
  environment text not null,
  day date not null,
  status text not null,
  payment_model text not null,
  currency text not null,
  transactions bigint not null,
  gmv_cents bigint not null,
  commission_cents bigint not null,
  constraint transaction_tallies_pkey PRIMARY KEY (partner_id, environment, day, status, payment_model, currency)
);

create table transfer_policies (
  tld text collate "C" not null,
  effective_from timestamp with time zone,
  creation_lock_days integer not null,
  transfer_lock_days integer not null,
  registrant_change_lock_days integer not null,
  auth_code_days integer not null,
  source text not null,
  constraint transfer_policies_tld_effective_from_key UNIQUE NULLS NOT DISTINCT (tld, effective_from),
  constraint transfer_policies_auth_code_days_check CHECK ((auth_code_days > 0)),
  constraint transfer_policies_creation_lock_days_check CHECK ((creation_lock_days >= 0)),
  constraint transfer_policies_registrant_change_lock_days_check CHECK ((registrant_change_lock_days >= 0)),
  constraint transfer_policies_transfer_lock_days_check CHECK ((transfer_lock_days >= 0))
);

create table transfers (
  id text collate "C" not null,
  order_id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  status text not null,
  method text not null,
  registrar text,
  attempts integer default 0 not null,
  reason text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  cancellation text,
  delivery_method text default 'account'::text not null,
  constraint transfers_pkey PRIMARY KEY (id),
  constraint transfers_order_id_key UNIQUE (order_id),
  constraint transfers_cancellation_check CHECK ((cancellation = ANY (ARRAY['requested'::text, 'too_late'::text, 'unanswered'::text]))),
  constraint transfers_delivery_method_check CHECK ((delivery_method = ANY (ARRAY['account'::text, 'partner_registrar'::text]))),
  constraint transfers_method_check CHECK ((method = ANY (ARRAY['push'::text, 'auth_code'::text]))),
  constraint transfers_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'pushing'::text, 'pending_registry'::text, 'action_required'::text, 'awaiting_confirmation'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
);

create table transfers_out (
  id text collate "C" not null,
  domain text collate "C" not null,
  user_id text collate "C" not null,
  status text not null,
  since timestamp with time zone not null,
  expires_at timestamp with time zone,
  issue integer not null,
  issued_at timestamp with time zone not null,
  requested_by text,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint transfers_out_pkey PRIMARY KEY (id),
  constraint transfers_out_end_check CHECK (((ended_at IS NOT NULL) = (status = ANY (ARRAY['left'::text, 'expired'::text, 'stopped'::text])))),
  constraint transfers_out_status_check CHECK ((status = ANY (ARRAY['code_requested'::text, 'code_issued'::text, 'pending_transfer'::text, 'stopping'::text, 'left'::text, 'expired'::text, 'stopped'::text])))
);

create table unsettled_deltas (
  id bigint generated always as identity not null,
  partner_id text collate "C" not null,
  environment text not null,
  day date not null,
  payment_model text not null,
  currency text not null,
  orders bigint not null,
  gross_cents bigint not null,
  commission_cents bigint not null,
  constraint unsettled_deltas_pkey PRIMARY KEY (id)
);

create table unsettled_tallies (
  partner_id text collate "C" not null,
  environment text not null,
  day date not null,
  payment_model text not null,
  currency text not null,
  orders bigint not null,
  gross_cents bigint not null,
  commission_cents bigint not null,
  constraint unsettled_tallies_pkey PRIMARY KEY (partner_id, environment, day, payment_model, currency)
);

create table used_passkey_challenges (
  challenge text collate "C" not null,
  expires_at timestamp with time zone not null,
  constraint used_passkey_challenges_pkey PRIMARY KEY (challenge)
);

create table user_authenticators (
  user_id text collate "C" not null,
  secret_sealed bytea not null,
  created_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  last_step bigint default 0 not null,
  begun_by bytea,
  constraint user_authenticators_pkey PRIMARY KEY (user_id)
);

create table user_devices (
  user_id text collate "C" not null,
  device text not null,
  first_seen_at timestamp with time zone not null,
  constraint user_devices_pkey PRIMARY KEY (user_id, device)
);

create table user_passkeys (
  id text collate "C" not null,
  user_id text collate "C" not null,
  name text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint user_passkeys_pkey PRIMARY KEY (id)
);

create table user_recovery_codes (
  user_id text collate "C" not null,
  code_hash bytea not null,
  used_at timestamp with time zone,
  constraint user_recovery_codes_pkey PRIMARY KEY (user_id, code_hash)
);

create table user_sessions (
  token_hash bytea not null,
  user_id text collate "C" not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  session_version integer default 0 not null,
  id uuid default gen_random_uuid() not null,
  address text,
  user_agent text,
  second_factor_at timestamp with time zone,
  constraint user_sessions_pkey PRIMARY KEY (token_hash)
);

create table users (
  id text collate "C" not null,
  email text not null,
  password_hash text not null,
  role text not null,
  created_at timestamp with time zone not null,
  disabled_at timestamp with time zone,
  session_version integer default 0 not null,
  demo boolean default false not null,
  staff_role text,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_key UNIQUE (email),
  constraint users_email_check CHECK ((email = lower(email))),
  constraint users_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'ops'::text]))),
  constraint users_staff_role_check CHECK ((staff_role = ANY (ARRAY['admin'::text, 'operator'::text, 'finance'::text, 'support'::text, 'read_only'::text]))),
  constraint users_staff_role_of_ops CHECK (((role = 'ops'::text) = (staff_role IS NOT NULL)))
);

create table webhook_attempts (
  delivery_id text collate "C" not null,
  attempt integer not null,
  started_at timestamp with time zone not null,
  elapsed_ms integer not null,
  status smallint,
  outcome text not null,
  next_attempt_at timestamp with time zone,
  detail text,
  request_headers jsonb,
  response_headers jsonb,
  response_body text,
  constraint webhook_attempts_pkey PRIMARY KEY (delivery_id, attempt)
) partition by RANGE (delivery_id);

create table webhook_deliveries (
  id text collate "C" not null,
  endpoint_id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  event_id text collate "C" not null,
  state text default 'pending'::text not null,
  attempts integer default 0 not null,
  next_attempt_at timestamp with time zone not null,
  resend_of text collate "C",
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  trace_parent text,
  subject text collate "C",
  "position" bigint,
  replay_id text collate "C",
  event_type text not null,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'exhausted'::text, 'cancelled'::text])))
) partition by RANGE (id);

create table webhook_endpoints (
  id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  url text not null,
  secret_ciphertext bytea not null,
  previous_secret_ciphertext bytea,
  previous_secret_until timestamp with time zone,
  active boolean default true not null,
  disabled_reason text,
  breaker jsonb,
  open_until timestamp with time zone,
  failing_since timestamp with time zone,
  last_success_at timestamp with time zone,
  last_failure_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  name text collate "C" default 'default'::text not null,
  event_types text[],
  payload text default 'full'::text not null,
  ordering text default 'none'::text not null,
  max_per_second integer,
  headers_ciphertext bytea,
  concurrency double precision default 4 not null,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_concurrency_check CHECK (((concurrency >= (1)::double precision) AND (concurrency <= (64)::double precision))),
  constraint webhook_endpoints_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint webhook_endpoints_max_per_second_check CHECK ((max_per_second > 0)),
  constraint webhook_endpoints_ordering_check CHECK ((ordering = ANY (ARRAY['none'::text, 'per_subject'::text]))),
  constraint webhook_endpoints_payload_check CHECK ((payload = ANY (ARRAY['full'::text, 'thin'::text])))
) with (fillfactor=50);

create table webhook_replays (
  id text collate "C" not null,
  endpoint_id text collate "C" not null,
  partner_id text collate "C" not null,
  environment text not null,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone not null,
  event_types text[],
  state text default 'queued'::text not null,
  total integer,
  scheduled integer default 0 not null,
  after_position bigint,
  until_position bigint,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint webhook_replays_pkey PRIMARY KEY (id),
  constraint webhook_replays_environment_check CHECK ((environment = ANY (ARRAY['SANDBOX'::text, 'LIVE'::text]))),
  constraint webhook_replays_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'cancelled'::text])))
);

alter sequence audit_log_id_seq owned by audit_log.id;

alter sequence order_timeline_id_seq owned by order_timeline.id;

alter sequence outbox_id_seq owned by outbox.id;

create table api_requests_default partition of api_requests DEFAULT;

create table audit_log_default partition of audit_log DEFAULT;

create table events_default partition of events DEFAULT;

create table order_timeline_default partition of order_timeline DEFAULT;

create table outbox_default partition of outbox DEFAULT with (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=5000);

create table search_documents_live partition of search_documents FOR VALUES IN ('LIVE');

create table search_documents_sandbox partition of search_documents FOR VALUES IN ('SANDBOX');

create table webhook_attempts_default partition of webhook_attempts DEFAULT;

create table webhook_deliveries_default partition of webhook_deliveries DEFAULT with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=2000);

alter table document_files alter column pdf set storage external;

alter table embedding_cells alter column middles set storage external;

alter table listing_embeddings alter column vector set storage external;

alter table search_documents_live alter column terms set statistics 500;

alter table search_documents_sandbox alter column terms set statistics 500;

alter table account_links add constraint account_links_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table brokerage_cases add constraint brokerage_cases_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table brokerage_cases add constraint brokerage_cases_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table brokerage_timeline add constraint brokerage_timeline_case_id_fkey FOREIGN KEY (case_id) REFERENCES brokerage_cases(id);

alter table bulk_items add constraint bulk_items_job_id_fkey FOREIGN KEY (job_id) REFERENCES bulk_jobs(id) ON DELETE CASCADE;

alter table bulk_jobs add constraint bulk_jobs_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

alter table buyer_repayments add constraint buyer_repayments_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table buyer_repayments add constraint buyer_repayments_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table buyer_repayments add constraint buyer_repayments_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id);

alter table checkout_sessions add constraint checkout_sessions_brokerage_case_id_fkey FOREIGN KEY (brokerage_case_id) REFERENCES brokerage_cases(id);

alter table checkout_sessions add constraint checkout_sessions_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id);

alter table checkout_sessions add constraint checkout_sessions_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table checkout_sessions add constraint checkout_sessions_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table connected_accounts add constraint connected_accounts_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table credentials add constraint credentials_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table deliveries add constraint deliveries_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table delivery_checks add constraint delivery_checks_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table document_files add constraint document_files_document_id_fkey FOREIGN KEY (document_id) REFERENCES documents(id);

alter table documents add constraint documents_environment_issuer_kind_year_fkey FOREIGN KEY (environment, issuer, kind, year) REFERENCES document_series(environment, issuer, kind, year);

alter table documents add constraint documents_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table domain_registrants add constraint domain_registrants_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table domain_registrants add constraint domain_registrants_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table event_streams add constraint event_streams_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table events add constraint events_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table kept_cards add constraint kept_cards_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

alter table ledger_entries add constraint ledger_entries_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table ledger_postings add constraint ledger_postings_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES ledger_entries(id);

alter table listing_embeddings add constraint listing_embeddings_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE;

alter table mail_brands add constraint mail_brands_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table mail_contacts add constraint mail_contacts_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table mails add constraint mails_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table oauth_grants add constraint oauth_grants_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id);

alter table oauth_grants add constraint oauth_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

alter table oauth_tokens add constraint oauth_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grants(id) ON DELETE CASCADE;

alter table offer_floors add constraint offer_floors_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id);

alter table offer_steps add constraint offer_steps_offer_id_fkey FOREIGN KEY (offer_id) REFERENCES offers(id);

alter table offers add constraint offers_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id);

alter table offers add constraint offers_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table order_registrants add constraint order_registrants_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table order_search add constraint order_search_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id) ON DELETE CASCADE;

alter table order_timeline add constraint order_timeline_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table orders add constraint orders_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id);

alter table orders add constraint orders_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table owned_domains add constraint owned_domains_bought_with_fkey FOREIGN KEY (bought_with) REFERENCES orders(id);

alter table owned_domains add constraint owned_domains_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

alter table partner_daily_figures add constraint partner_daily_figures_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table partner_members add constraint partner_members_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table partner_members add constraint partner_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

alter table partner_tax_profiles add constraint partner_tax_profiles_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table payment_disputes add constraint payment_disputes_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table payment_disputes add constraint payment_disputes_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table payment_disputes add constraint payment_disputes_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id);

alter table payments add constraint payments_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table payments add constraint payments_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table payments add constraint payments_renewal_id_fkey FOREIGN KEY (renewal_id) REFERENCES renewals(id);

alter table payout_accounts add constraint payout_accounts_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table payouts add constraint payouts_file_id_fkey FOREIGN KEY (file_id) REFERENCES payout_files(id);

alter table payouts add constraint payouts_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table payouts add constraint payouts_settlement_id_fkey FOREIGN KEY (settlement_id) REFERENCES settlements(id);

alter table quotes add constraint quotes_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id);

alter table quotes add constraint quotes_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table referral_balances add constraint referral_balances_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table referral_commissions add constraint referral_commissions_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table referral_daily add constraint referral_daily_link_id_fkey FOREIGN KEY (link_id) REFERENCES referral_links(id);

alter table referral_links add constraint referral_links_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table referral_sales add constraint referral_sales_link_id_fkey FOREIGN KEY (link_id) REFERENCES referral_links(id);

alter table referral_sales add constraint referral_sales_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table referral_sales add constraint referral_sales_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table refund_requests add constraint refund_requests_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table refund_requests add constraint refund_requests_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table refunds add constraint refunds_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table refunds add constraint refunds_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table registrant_changes add constraint registrant_changes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

alter table renewals add constraint renewals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

alter table sandbox_clocks add constraint sandbox_clocks_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table screening_entries add constraint screening_entries_list_fkey FOREIGN KEY (list) REFERENCES screening_lists(list) ON DELETE CASCADE;

alter table screening_hits add constraint screening_hits_checkout_session_id_fkey FOREIGN KEY (checkout_session_id) REFERENCES checkout_sessions(id) ON DELETE CASCADE;

alter table screening_hits add constraint screening_hits_domain_registrant_id_fkey FOREIGN KEY (domain_registrant_id) REFERENCES domain_registrants(id) ON DELETE CASCADE;

alter table screening_hits add constraint screening_hits_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id) ON DELETE CASCADE;

alter table screening_hits add constraint screening_hits_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id) ON DELETE CASCADE;

alter table screening_hits add constraint screening_hits_registrant_change_id_fkey FOREIGN KEY (registrant_change_id) REFERENCES registrant_changes(id) ON DELETE CASCADE;

alter table screening_names add constraint screening_names_list_entry_id_fkey FOREIGN KEY (list, entry_id) REFERENCES screening_entries(list, id) ON DELETE CASCADE;

alter table search_documents add constraint search_documents_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE;

alter table settlement_lines add constraint settlement_lines_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table settlement_lines add constraint settlement_lines_settlement_id_fkey FOREIGN KEY (settlement_id) REFERENCES settlements(id);

alter table settlement_payables add constraint settlement_payables_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table settlement_payables add constraint settlement_payables_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id);

alter table settlement_payables add constraint settlement_payables_settlement_id_fkey FOREIGN KEY (settlement_id) REFERENCES settlements(id);

alter table settlement_run_partners add constraint settlement_run_partners_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table settlement_run_partners add constraint settlement_run_partners_run_id_fkey FOREIGN KEY (run_id) REFERENCES settlement_runs(id);

alter table settlement_runs add constraint settlement_runs_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table settlements add constraint settlements_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table transfers add constraint transfers_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id);

alter table transfers add constraint transfers_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table transfers_out add constraint transfers_out_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

alter table user_authenticators add constraint user_authenticators_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

alter table user_devices add constraint user_devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

alter table user_passkeys add constraint user_passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

alter table user_recovery_codes add constraint user_recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

alter table user_sessions add constraint user_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

alter table webhook_endpoints add constraint webhook_endpoints_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id);

alter table webhook_replays add constraint webhook_replays_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE;

CREATE INDEX account_links_by_actor ON public.account_links USING btree (actor, created_at) WHERE (actor IS NOT NULL);

CREATE INDEX account_links_by_email ON public.account_links USING btree (email, kind, created_at);

CREATE INDEX account_links_by_expiry ON public.account_links USING btree (expires_at);

CREATE INDEX account_links_by_partner ON public.account_links USING btree (partner_id, created_at) WHERE (partner_id IS NOT NULL);

CREATE INDEX api_requests_by_request ON public.api_requests USING btree (request_id);

CREATE INDEX api_requests_refused ON public.api_requests USING btree (partner_id, environment, id) WHERE (status >= 400);

CREATE INDEX audit_log_by_subject ON public.audit_log USING btree (subject, id);

CREATE INDEX audit_log_by_time ON public.audit_log USING btree (at);

CREATE INDEX brokerage_cases_by_status ON public.brokerage_cases USING btree (status, id);

CREATE INDEX brokerage_cases_newest ON public.brokerage_cases USING btree (partner_id, environment, created_at DESC, id DESC);

CREATE UNIQUE INDEX brokerage_cases_one_open_per_domain ON public.brokerage_cases USING btree (environment, domain) WHERE (closed_at IS NULL);

CREATE INDEX brokerage_cases_open_work ON public.brokerage_cases USING btree (created_at, id) WHERE (closed_at IS NULL);

CREATE INDEX brokerage_cases_to_erase ON public.brokerage_cases USING btree (closed_at) WHERE ((order_id IS NULL) AND (buyer_email <> ''::text));

CREATE INDEX brokerage_timeline_by_case ON public.brokerage_timeline USING btree (case_id, id);

CREATE INDEX bulk_jobs_by_end ON public.bulk_jobs USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX bulk_jobs_by_owner ON public.bulk_jobs USING btree (user_id, id);

CREATE INDEX buyer_repayments_owed ON public.buyer_repayments USING btree (created_at) WHERE (status = 'owed'::text);

CREATE INDEX checkout_sessions_abandoned ON public.checkout_sessions USING btree (updated_at) WHERE ((order_id IS NULL) AND (status <> 'open'::text));

CREATE INDEX checkout_sessions_by_case ON public.checkout_sessions USING btree (brokerage_case_id) WHERE (brokerage_case_id IS NOT NULL);

CREATE INDEX checkout_sessions_by_client_reference ON public.checkout_sessions USING btree (client_reference) WHERE (client_reference IS NOT NULL);

CREATE INDEX checkout_sessions_by_referral ON public.checkout_sessions USING btree (referral_code, created_at) WHERE (referral_code IS NOT NULL);

CREATE INDEX checkout_sessions_by_status ON public.checkout_sessions USING btree (partner_id, environment, status, created_at DESC, id DESC);

CREATE INDEX checkout_sessions_in_review ON public.checkout_sessions USING btree (id) WHERE ((status = 'open'::text) AND (review_since IS NOT NULL));

CREATE INDEX checkout_sessions_open_by_expiry ON public.checkout_sessions USING btree (expires_at) WHERE (status = 'open'::text);

CREATE INDEX credentials_by_partner ON public.credentials USING btree (partner_id, environment);

CREATE INDEX deliveries_code_out ON public.deliveries USING btree (order_id) WHERE (status = ANY (ARRAY['code_issued'::text, 'pending_transfer'::text]));

CREATE INDEX documents_by_partner ON public.documents USING btree (partner_id, environment, id DESC);

CREATE UNIQUE INDEX documents_numbers ON public.documents USING btree (environment, issuer, kind, year, number);

CREATE INDEX domain_registrants_digest ON public.domain_registrants USING btree (address_digest);

CREATE INDEX domain_registrants_hold_refused ON public.domain_registrants USING btree (id) WHERE (hold_refused_at IS NOT NULL);

CREATE INDEX domain_registrants_order ON public.domain_registrants USING btree (order_id) WHERE (order_id IS NOT NULL);

CREATE INDEX domain_registrants_pending ON public.domain_registrants USING btree (partner_id) WHERE ((environment = 'SANDBOX'::text) AND (verification = 'pending'::text));

CREATE INDEX domain_registrants_updated_at ON public.domain_registrants USING btree (updated_at);

CREATE INDEX events_pings ON public.events USING btree (id) WHERE ("position" IS NULL);

CREATE UNIQUE INDEX events_default_positions ON public.events_default USING btree (partner_id, environment, "position");

CREATE INDEX idempotency_keys_by_expiry ON public.idempotency_keys USING btree (expires_at);

CREATE INDEX job_keys_by_age ON public.job_keys USING btree (created_at);

CREATE INDEX ledger_entries_by_order ON public.ledger_entries USING btree (order_id);

CREATE INDEX ledger_postings_by_account ON public.ledger_postings USING btree (partner_id, environment, account, currency) INCLUDE (amount_cents);

CREATE UNIQUE INDEX legal_holds_standing ON public.legal_holds USING btree (domain, case_reference) WHERE (lifted_at IS NULL);

CREATE INDEX listing_embeddings_cell ON public.listing_embeddings USING btree (environment, cell) INCLUDE (signature, listing_id);

CREATE INDEX listing_imports_ended ON public.listing_imports USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX listings_by_time ON public.listings USING btree (environment, listed_at);

CREATE INDEX listings_delisted ON public.listings USING btree (environment, domain) WHERE (status = 'delisted'::text);

CREATE INDEX listings_market_domain ON public.listings USING btree (domain) WHERE ((environment = 'LIVE'::text) AND (status = 'listed'::text));

CREATE INDEX listings_market_domain_of_category ON public.listings USING btree (lower(category), domain) WHERE ((environment = 'LIVE'::text) AND (status = 'listed'::text));

CREATE INDEX listings_market_domain_of_tld ON public.listings USING btree (tld, domain) WHERE ((environment = 'LIVE'::text) AND (status = 'listed'::text));

CREATE INDEX listings_market_newest ON public.listings USING btree (listed_at, id) WHERE ((environment = 'LIVE'::text) AND (status = 'listed'::text));

CREATE INDEX listings_market_newest_of_category ON public.listings USING btree (lower(category), listed_at, id) WHERE ((environment = 'LIVE'::text) AND (status = 'listed'::text));

CREATE INDEX listings_market_newest_of_tld ON public.listings USING btree (tld, listed_at, id) WHERE ((environment = 'LIVE'::text) AND (status = 'listed'::text));

CREATE INDEX listings_market_price ON public.listings USING btree (price_cents, id) WHERE ((environment = 'LIVE'::text) AND (status = 'listed'::text));

CREATE INDEX listings_market_price_of_category ON public.listings USING btree (lower(category), price_cents, id) WHERE ((environment = 'LIVE'::text) AND (status = 'listed'::text));

CREATE INDEX listings_market_price_of_tld ON public.listings USING btree (tld, price_cents, id) WHERE ((environment = 'LIVE'::text) AND (status = 'listed'::text));

CREATE INDEX listings_registration_age ON public.listings USING btree (registration_checked_at NULLS FIRST, id) WHERE ((environment = 'LIVE'::text) AND (status = 'listed'::text));

CREATE INDEX listings_sandbox_price ON public.listings USING btree (price_cents, id) WHERE ((environment = 'SANDBOX'::text) AND (status = 'listed'::text));

CREATE INDEX mails_by_partner ON public.mails USING btree (partner_id, id);

CREATE INDEX mails_by_recipient ON public.mails USING btree (recipient);

CREATE INDEX mails_by_state ON public.mails USING btree (state, id);

CREATE INDEX mails_finished ON public.mails USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX oauth_browsers_by_expiry ON public.oauth_browsers USING btree (expires_at);

CREATE INDEX oauth_browsers_by_uid ON public.oauth_browsers USING btree (uid);

CREATE INDEX oauth_clients_by_age ON public.oauth_clients USING btree (created_at);

CREATE INDEX oauth_clients_never_used ON public.oauth_clients USING btree (created_at) WHERE (first_used_at IS NULL);

CREATE INDEX oauth_grants_by_age ON public.oauth_grants USING btree (created_at);

CREATE INDEX oauth_grants_by_client ON public.oauth_grants USING btree (client_id);

CREATE INDEX oauth_grants_by_user ON public.oauth_grants USING btree (user_id) WHERE (revoked_at IS NULL);

CREATE INDEX oauth_tokens_by_expiry ON public.oauth_tokens USING btree (expires_at);

CREATE INDEX oauth_tokens_by_grant ON public.oauth_tokens USING btree (grant_id);

CREATE INDEX offer_steps_of_offer ON public.offer_steps USING btree (offer_id);

CREATE INDEX offers_accepted_with_buyers ON public.offers USING btree (quote_expires_at) WHERE ((buyer_email IS NOT NULL) AND (status = 'ACCEPTED'::text));

CREATE INDEX offers_by_listing ON public.offers USING btree (listing_id, partner_id, created_at);

CREATE INDEX offers_by_status ON public.offers USING btree (status, id);

CREATE INDEX offers_newest ON public.offers USING btree (partner_id, environment, created_at DESC, id DESC);

CREATE UNIQUE INDEX offers_one_of_a_buyer ON public.offers USING btree (partner_id, listing_id, buyer_email) WHERE (status = ANY (ARRAY['OPEN'::text, 'COUNTERED'::text]));

CREATE INDEX offers_open_by_expiry ON public.offers USING btree (expires_at) WHERE (status = ANY (ARRAY['OPEN'::text, 'COUNTERED'::text]));

CREATE INDEX offers_waiting ON public.offers USING btree (id) WHERE (status = ANY (ARRAY['OPEN'::text, 'COUNTERED'::text]));

CREATE INDEX offers_with_buyers ON public.offers USING btree (updated_at) WHERE ((buyer_email IS NOT NULL) AND (status = ANY (ARRAY['DECLINED'::text, 'EXPIRED'::text])));

CREATE INDEX order_registrants_updated_at ON public.order_registrants USING btree (updated_at);

CREATE INDEX order_search_parts ON public.order_search USING gin (domain gin_trgm_ops, buyer_email gin_trgm_ops);

CREATE INDEX orders_by_payment_reference ON public.orders USING btree (external_payment_ref) WHERE (external_payment_ref IS NOT NULL);

CREATE INDEX orders_by_referral_link ON public.orders USING btree (referral_link_id) WHERE (referral_link_id IS NOT NULL);

CREATE INDEX orders_by_status ON public.orders USING btree (environment, status, id);

CREATE INDEX orders_delivered ON public.orders USING btree (partner_id, environment, transfer_completed_at) WHERE ((transfer_completed_at IS NOT NULL) AND (settlement_id IS NULL));

CREATE INDEX orders_newest ON public.orders USING btree (partner_id, environment, created_at DESC, id DESC);

CREATE INDEX orders_newest_by_kind ON public.orders USING btree (partner_id, environment, status, payment_model, created_at DESC, id DESC);

CREATE INDEX orders_of_domain ON public.orders USING btree (domain, partner_id, environment);

CREATE UNIQUE INDEX orders_one_per_sale ON public.orders USING btree (listing_id, sale_number) WHERE (status <> ALL (ARRAY['REFUNDED'::text, 'CANCELLED'::text]));

CREATE INDEX outbox_by_lease ON public.outbox USING btree (lease_until) WHERE (state = 'dispatched'::text);

CREATE INDEX outbox_by_time ON public.outbox USING btree (run_at, id) WHERE COALESCE((state = 'pending'::text), false);

CREATE INDEX outbox_done ON public.outbox USING btree (done_at) WHERE (state = 'done'::text);

CREATE INDEX outbox_open ON public.outbox USING btree (state, queue, run_at) WHERE (state <> 'done'::text);

CREATE INDEX owned_domains_by_end ON public.owned_domains USING btree (expires_at);

CREATE INDEX owned_domains_by_owner ON public.owned_domains USING btree (user_id, domain);

CREATE INDEX owned_domains_taken ON public.owned_domains USING btree (domain) WHERE (taken_at IS NOT NULL);

CREATE INDEX owned_domains_to_renew ON public.owned_domains USING btree (expires_at, domain) WHERE auto_renew;

CREATE INDEX partner_members_by_user ON public.partner_members USING btree (user_id);

CREATE INDEX payment_disputes_by_order ON public.payment_disputes USING btree (order_id);

CREATE INDEX payment_disputes_by_payment ON public.payment_disputes USING btree (payment_id);

CREATE INDEX payment_disputes_open ON public.payment_disputes USING btree (opened_at, id) WHERE (closed_at IS NULL);

CREATE INDEX payments_by_status ON public.payments USING btree (environment, status, id);

CREATE INDEX payments_failed ON public.payments USING btree (updated_at) WHERE ((status = 'failed'::text) AND (order_id IS NULL));

CREATE UNIQUE INDEX payments_one_live_per_renewal ON public.payments USING btree (renewal_id) WHERE (status = ANY (ARRAY['created'::text, 'requires_confirmation'::text, 'pending'::text, 'succeeded'::text]));

CREATE UNIQUE INDEX payments_one_live_per_session ON public.payments USING btree (checkout_session_id) WHERE (status = ANY (ARRAY['created'::text, 'requires_confirmation'::text, 'pending'::text, 'succeeded'::text]));

CREATE INDEX payments_to_check ON public.payments USING btree (check_at) WHERE (status = ANY (ARRAY['created'::text, 'requires_confirmation'::text, 'pending'::text]));

CREATE INDEX payouts_failed ON public.payouts USING btree (id) WHERE (status = 'failed'::text);

CREATE INDEX payouts_newest ON public.payouts USING btree (partner_id, environment, created_at DESC, id DESC);

CREATE INDEX payouts_of_file ON public.payouts USING btree (file_id) WHERE (file_id IS NOT NULL);

CREATE INDEX payouts_pending ON public.payouts USING btree (created_at, id) WHERE (status = 'pending'::text);

CREATE INDEX quotes_ended ON public.quotes USING btree (expires_at) WHERE (state <> 'open'::text);

CREATE UNIQUE INDEX quotes_one_hold_per_listing ON public.quotes USING btree (listing_id) WHERE (state = 'open'::text);

CREATE INDEX quotes_open_by_checkout ON public.quotes USING btree (checkout_session_id) WHERE (state = 'open'::text);

CREATE INDEX quotes_open_by_expiry ON public.quotes USING btree (expires_at) WHERE (state = 'open'::text);

CREATE INDEX quotes_open_by_partner ON public.quotes USING btree (partner_id, environment) WHERE (state = 'open'::text);

CREATE INDEX quotes_released_offers ON public.quotes USING btree (listing_id) WHERE ((offer_id IS NOT NULL) AND (state = 'released'::text));

CREATE INDEX referral_click_batches_by_age ON public.referral_click_batches USING btree (applied_at);

CREATE INDEX referral_commissions_by_order ON public.referral_commissions USING btree (order_id) WHERE (order_id IS NOT NULL);

CREATE INDEX referral_commissions_newest ON public.referral_commissions USING btree (partner_id, environment, "position" DESC);

CREATE UNIQUE INDEX referral_commissions_once_a_payout ON public.referral_commissions USING btree (payout_id, type) WHERE (payout_id IS NOT NULL);

CREATE INDEX referral_daily_by_partner ON public.referral_daily USING btree (partner_id, environment, day);

CREATE INDEX referral_links_newest ON public.referral_links USING btree (partner_id, environment, id DESC);

CREATE INDEX referral_sales_by_link ON public.referral_sales USING btree (link_id, sold_at);

CREATE INDEX referral_sales_by_payout ON public.referral_sales USING btree (payout_id) WHERE (payout_id IS NOT NULL);

CREATE INDEX referral_sales_by_recovery ON public.referral_sales USING btree (recovery_payout_id) WHERE (recovery_payout_id IS NOT NULL);

CREATE INDEX referral_sales_newest ON public.referral_sales USING btree (partner_id, environment, sold_at DESC, order_id DESC);

CREATE INDEX referral_sales_payable ON public.referral_sales USING btree (partner_id, environment, currency) WHERE ((payout_id IS NULL) AND (state = 'pending'::text));

CREATE INDEX referral_sales_recoverable ON public.referral_sales USING btree (partner_id, environment, currency) WHERE ((recovery_payout_id IS NULL) AND (state = 'reversed'::text) AND (paid_out_at IS NOT NULL));

CREATE INDEX referral_sales_to_give_back ON public.referral_sales USING btree (partner_id, environment, currency) WHERE ((payout_id IS NULL) AND (recovery_payout_id IS NOT NULL));

CREATE INDEX refund_requests_by_order ON public.refund_requests USING btree (order_id, created_at);

CREATE UNIQUE INDEX refund_requests_one_pending ON public.refund_requests USING btree (order_id) WHERE (status = 'pending'::text);

CREATE INDEX refunds_clawbacks ON public.refunds USING btree (partner_id, environment, created_at) WHERE (kind = 'clawback'::text);

CREATE INDEX refunds_newest ON public.refunds USING btree (partner_id, environment, created_at DESC, order_id DESC);

CREATE INDEX registrant_changes_domain ON public.registrant_changes USING btree (domain, id);

CREATE INDEX registrant_changes_ended_at ON public.registrant_changes USING btree (ended_at);

CREATE UNIQUE INDEX registrant_changes_open ON public.registrant_changes USING btree (domain) WHERE (ended_at IS NULL);

CREATE INDEX registrar_commands_age ON public.registrar_commands USING btree (sent_at);

CREATE INDEX registrar_commands_reference ON public.registrar_commands USING btree (client_reference, step);

CREATE INDEX registrar_commands_rejected ON public.registrar_commands USING btree (domain, answered_at) WHERE ((step = 'reject'::text) AND (outcome = 'done'::text));

CREATE INDEX registrar_messages_age ON public.registrar_messages USING btree (recorded_at);

CREATE INDEX registrar_messages_to_check ON public.registrar_messages USING btree (registry, recorded_at) WHERE to_check;

CREATE INDEX registrar_messages_unseen ON public.registrar_messages USING btree (recorded_at, id) WHERE ((fault IS NOT NULL) AND (seen_at IS NULL));

CREATE INDEX registrar_pushes_age ON public.registrar_pushes USING btree (updated_at) WHERE (status <> 'open'::text);

CREATE INDEX registrar_pushes_open ON public.registrar_pushes USING btree (domain) WHERE (status = 'open'::text);

CREATE INDEX renewals_by_owner ON public.renewals USING btree (user_id, id);

CREATE UNIQUE INDEX renewals_one_automatic ON public.renewals USING btree (domain, renews_from, automatic_days) WHERE (automatic_days IS NOT NULL);

CREATE UNIQUE INDEX renewals_one_open_per_domain ON public.renewals USING btree (domain) WHERE (status = ANY (ARRAY['awaiting_payment'::text, 'paid'::text]));

CREATE INDEX renewals_paid ON public.renewals USING btree (id) WHERE (status = 'paid'::text);

CREATE INDEX renewals_to_expire ON public.renewals USING btree (expires_at) WHERE (status = 'awaiting_payment'::text);

CREATE INDEX renewals_unpaid ON public.renewals USING btree (updated_at) WHERE (payment_id IS NULL);

CREATE INDEX sandbox_payments_ended ON public.sandbox_payments USING btree (expires_at) WHERE ((status <> 'succeeded'::text) OR (refunded_at IS NOT NULL));

CREATE INDEX sandbox_registrar_effects_by_age ON public.sandbox_registrar_effects USING btree (made_at);

CREATE INDEX sandbox_registrar_pushes_ended ON public.sandbox_registrar_pushes USING btree (ready_at) WHERE (status <> 'pending'::text);

CREATE INDEX sandbox_registrar_transfers_by_age ON public.sandbox_registrar_transfers USING btree (issued_at);

CREATE INDEX sandbox_registrar_transfers_by_domain ON public.sandbox_registrar_transfers USING btree (domain, issued_at);

CREATE INDEX screening_hits_change ON public.screening_hits USING btree (registrant_change_id) WHERE (registrant_change_id IS NOT NULL);

CREATE INDEX screening_hits_created ON public.screening_hits USING btree (created_at);

CREATE UNIQUE INDEX screening_hits_once ON public.screening_hits USING btree (COALESCE(order_id, checkout_session_id, registrant_change_id, domain_registrant_id, partner_id), party_key, list, entry_id, entry_digest);

CREATE INDEX screening_hits_order ON public.screening_hits USING btree (order_id) WHERE (order_id IS NOT NULL);

CREATE INDEX screening_hits_payee ON public.screening_hits USING btree (partner_id) WHERE ((order_id IS NULL) AND (checkout_session_id IS NULL) AND (registrant_change_id IS NULL) AND (status <> 'released'::text));

CREATE INDEX screening_hits_registrant ON public.screening_hits USING btree (domain_registrant_id) WHERE (domain_registrant_id IS NOT NULL);

CREATE INDEX screening_hits_released ON public.screening_hits USING btree (party_key) WHERE (status = 'released'::text);

CREATE INDEX screening_hits_session ON public.screening_hits USING btree (checkout_session_id) WHERE (checkout_session_id IS NOT NULL);

CREATE INDEX screening_hits_undecided ON public.screening_hits USING btree (id) WHERE (status = ANY (ARRAY['open'::text, 'proposed'::text]));

CREATE INDEX screening_names_entry ON public.screening_names USING btree (list, entry_id);

CREATE INDEX screening_names_keys ON public.screening_names USING gin (keys);

CREATE INDEX search_documents_label ON public.search_documents USING btree (label);

CREATE INDEX search_documents_spelling ON public.search_documents USING gin (label gin_trgm_ops) WITH (fastupdate=off) WHERE made_up;

CREATE INDEX search_documents_terms ON public.search_documents USING gin (terms) WITH (fastupdate=off);

CREATE INDEX search_documents_traits ON public.search_documents USING btree (shape, length, quality DESC);

CREATE INDEX search_documents_traits_of_tld ON public.search_documents USING btree (tld, shape, length, quality DESC);

CREATE INDEX search_misses_day ON public.search_misses USING btree (day);

CREATE INDEX settlement_lines_by_settlement ON public.settlement_lines USING btree (settlement_id, occurred_at, order_id);

CREATE INDEX settlement_payables_by_payout ON public.settlement_payables USING btree (payout_id) WHERE (payout_id IS NOT NULL);

CREATE INDEX settlement_payables_open ON public.settlement_payables USING btree (partner_id, environment) WHERE (payout_id IS NULL);

CREATE INDEX settlement_runs_finished ON public.settlement_runs USING btree (finished_at) WHERE (status = 'completed'::text);

CREATE INDEX settlement_runs_unfinished ON public.settlement_runs USING btree (environment, created_at) WHERE (status <> 'completed'::text);

CREATE INDEX settlements_newest ON public.settlements USING btree (partner_id, environment, id DESC);

CREATE UNIQUE INDEX settlements_one_closing ON public.settlements USING btree (partner_id, environment) WHERE (status = 'closing'::text);

CREATE INDEX settlements_unpaid ON public.settlements USING btree (due_at, amount_owed_cents) WHERE (status = 'closed'::text);

CREATE INDEX sign_in_attempts_by_age ON public.sign_in_attempts USING btree (last_at);

CREATE INDEX sign_in_failures_by_age ON public.sign_in_failures USING btree (at);

CREATE INDEX sign_in_failures_by_user ON public.sign_in_failures USING btree (user_id, id);

CREATE INDEX status_probes_at ON public.status_probes USING btree (at);

CREATE INDEX transaction_deltas_by_day ON public.transaction_deltas USING btree (partner_id, environment, day);

CREATE INDEX transfers_cancellation_open ON public.transfers USING btree (updated_at) WHERE (cancellation IS NOT NULL);

CREATE INDEX transfers_waiting ON public.transfers USING btree (status, updated_at) WHERE (status = ANY (ARRAY['action_required'::text, 'failed'::text, 'awaiting_confirmation'::text]));

CREATE INDEX transfers_out_by_user ON public.transfers_out USING btree (user_id);

CREATE INDEX transfers_out_ended ON public.transfers_out USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE UNIQUE INDEX transfers_out_under_way ON public.transfers_out USING btree (domain) WHERE (ended_at IS NULL);

CREATE INDEX unsettled_deltas_by_day ON public.unsettled_deltas USING btree (partner_id, environment, day);

CREATE INDEX user_passkeys_user_id_idx ON public.user_passkeys USING btree (user_id);

CREATE INDEX user_sessions_by_expiry ON public.user_sessions USING btree (expires_at);

CREATE UNIQUE INDEX user_sessions_by_id ON public.user_sessions USING btree (id);

CREATE INDEX user_sessions_by_user ON public.user_sessions USING btree (user_id);

CREATE INDEX users_search ON public.users USING gin (email gin_trgm_ops);

CREATE INDEX webhook_deliveries_by_endpoint ON public.webhook_deliveries USING btree (endpoint_id, id DESC);

CREATE INDEX webhook_deliveries_by_event ON public.webhook_deliveries USING btree (event_id);

CREATE INDEX webhook_deliveries_by_replay ON public.webhook_deliveries USING btree (replay_id, state) WHERE (replay_id IS NOT NULL);

CREATE INDEX webhook_deliveries_by_type ON public.webhook_deliveries USING btree (partner_id, environment, event_type, id DESC);

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (LEAST(attempts, 1), endpoint_id, next_attempt_at) WHERE (state = 'pending'::text);

CREATE INDEX webhook_deliveries_in_order ON public.webhook_deliveries USING btree (endpoint_id, subject, "position") WHERE ((subject IS NOT NULL) AND (state = 'pending'::text));

CREATE INDEX webhook_deliveries_newest ON public.webhook_deliveries USING btree (partner_id, environment, id DESC);

CREATE INDEX webhook_deliveries_not_delivered ON public.webhook_deliveries USING btree (partner_id, environment, id DESC) WHERE COALESCE((state <> 'delivered'::text), false);

CREATE INDEX webhook_endpoints_failing ON public.webhook_endpoints USING btree (id) WHERE (((failing_since IS NOT NULL) OR (NOT active)) AND (disabled_reason IS DISTINCT FROM 'removed'::text));

CREATE UNIQUE INDEX webhook_endpoints_name ON public.webhook_endpoints USING btree (partner_id, environment, name) WHERE (disabled_reason IS DISTINCT FROM 'removed'::text);

CREATE INDEX webhook_replays_by_endpoint ON public.webhook_replays USING btree (endpoint_id, id);

CREATE INDEX webhook_replays_ended ON public.webhook_replays USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE OR REPLACE FUNCTION public.add_range_partition(parent text, key text, name text, lower text, upper text)
 RETURNS boolean
 LANGUAGE plpgsql
 STRICT SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '500ms'
AS $function$
    declare
      model text := parent || '_default';
      settings text := (select array_to_string(reloptions, ', ') from pg_class where oid = to_regclass(model));
      -- Triggers of whole statements: a partition has those of rows from its table.
      triggers text[] := array(select pg_get_triggerdef(oid) from pg_trigger
        where tgrelid = to_regclass(model) and not tgisinternal and tgparentid = 0);
    begin
      if exists (select 1 from range_partitions(parent) p
          where range_order(p.upper) collate "C" > range_order(add_range_partition.lower)
            and range_order(p.lower) collate "C" < range_order(add_range_partition.upper)) then
        return false;
      end if;
      -- Writers choose a partition after this. The tables of foreign keys come first, as in their transactions.
      execute format('lock table only %s in share row exclusive mode',
        (select concat_ws(', only ', string_agg(distinct confrelid::regclass::text, ', only '), quote_ident(parent))
         from pg_constraint where conrelid = to_regclass(parent) and contype = 'f'));
      execute format('lock table %I in access exclusive mode', model);
      execute format('create table %I (like %I including all)', name, model);
      if settings is not null then
        execute format('alter table %I set (%s)', name, settings);
      end if;
      if cardinality(triggers) > 0 then
        -- Rows move, which is no change of them.
        execute format('alter table %I disable trigger user', model);
      end if;
      execute format('with moved as (delete from %I where %I >= %L and %I < %L returning *)
        insert into %I select * from moved', model, key, lower, key, upper, name);
      if cardinality(triggers) > 0 then
        execute format('alter table %I enable trigger user', model);
        execute (select string_agg(replace(each, format(' ON public.%I ', model), format(' ON public.%I ', name)), ';')
          from unnest(triggers) each);
      end if;
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, lower, upper);
      return true;
    exception when lock_not_available or duplicate_table then
      return false;
    end $function$;

CREATE OR REPLACE FUNCTION public.ask_for_job(queue text, name text, payload jsonb, key text, due timestamp with time zone, trace text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
    begin
      insert into public.outbox (queue, name, payload, run_at, dedupe_key, created_at, trace_parent)
        values (queue, name, payload, due, key, due, trace);
      return true;
    end $function$;

CREATE OR REPLACE FUNCTION public.audit_entry_text(entry audit_log)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
      select jsonb_build_array(entry.id, extract(epoch from entry.at), entry.actor, entry.action, entry.subject,
        entry.before, entry.after)::text
    $function$;

CREATE OR REPLACE FUNCTION public.audit_log_is_append_only()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      raise exception 'the audit trail is append-only'
        using errcode = 'restrict_violation', constraint = 'audit_log_is_append_only';
    end $function$;

CREATE OR REPLACE FUNCTION public.chain_audit_entry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      head audit_chain;
    begin
      perform pg_advisory_xact_lock(hashtext('audit_chain'));
      select * into head from audit_chain order by position desc limit 1;
      insert into audit_chain (position, entry_id, hash) values (
        coalesce(head.position, 0) + 1, new.id,
        sha256(coalesce(head.hash, '') || convert_to(audit_entry_text(new), 'UTF8')));
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.document_series_count_up()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if (new.environment, new.issuer, new.kind, new.year) <> (old.environment, old.issuer, old.kind, old.year)
          or new.last_number <= old.last_number then
        raise exception 'a series of documents only counts up'
          using errcode = 'restrict_violation', constraint = 'document_series_count_up';
      end if;
      return new;
    end $function$;

CREATE OR REPLACE FUNCTION public.documents_are_final()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      raise exception 'a document that was issued is final: issue another one that corrects it'
        using errcode = 'restrict_violation', constraint = 'documents_are_final';
    end $function$;

CREATE OR REPLACE FUNCTION public.drop_finished_partition(parent text, key text, before text, unfinished text[])
 RETURNS text
 LANGUAGE plpgsql
 STRICT SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '500ms'
 SET enable_seqscan TO 'off'
AS $function$
    declare
      old text;
      is_kept boolean;
    begin
      if to_regclass(parent) in ('audit_log'::regclass, 'events'::regclass, 'order_timeline'::regclass) then
        raise exception '% is kept forever', parent using errcode = 'insufficient_privilege';
      end if;
      for old in select name from range_partitions(parent)
        where range_order(upper) collate "C" <= range_order(before) order by range_order(upper) collate "C"
      loop
        execute (select 'select ' || string_agg(format('exists (select from %I where state = %L)', old, each), ' or ')
          from unnest(unfinished) each) into is_kept;
        continue when is_kept;
        execute format('drop table %I', old);
        return old;
      end loop;
      execute format('delete from %I where %I < %L and state <> all(%L)', parent || '_default', key, before, unfinished);
      return null;
    exception when lock_not_available then
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.drop_range_partition(parent text, key text, before text)
 RETURNS text
 LANGUAGE plpgsql
 STRICT SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '500ms'
AS $function$
    declare
      dropped text := (select name from range_partitions(parent)
        where range_order(upper) collate "C" <= range_order(before) order by range_order(upper) collate "C" limit 1);
    begin
      if to_regclass(parent) in ('audit_log'::regclass, 'events'::regclass, 'order_timeline'::regclass) then
        raise exception '% is kept forever', parent using errcode = 'insufficient_privilege';
      end if;
      if dropped is null then
        execute format('delete from %I where %I < %L', parent || '_default', key, before);
        return null;
      end if;
      execute format('drop table %I', dropped);
      return dropped;
    exception when lock_not_available then
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.finish_job(job bigint, ended timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
    begin
      update public.outbox set state = 'done', done_at = ended, lease_until = null, last_error = null
        where id = job and coalesce(state <> 'done', false);
      if not found then
        raise exception 'job % was done already', job using errcode = 'JOB01';
      end if;
      return true;
    end $function$;

CREATE OR REPLACE FUNCTION public.hasten_job(job bigint, due timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
    begin
      update public.outbox set state = 'pending', run_at = due, lease_until = null
        where id = job and run_at > due and coalesce(state in ('pending', 'dispatched'), false);
      return found;
    end $function$;

CREATE OR REPLACE FUNCTION public.keep_order_search()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into order_search (order_id, domain, buyer_email) values (new.id, new.domain, new.buyer_email)
      on conflict (order_id) do update set domain = excluded.domain, buyer_email = excluded.buyer_email;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.know_job_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin
      insert into public.job_keys (dedupe_key, job_id, created_at) values (new.dedupe_key, new.id, new.created_at)
      on conflict do nothing;
      if found then return new; end if;
      -- The insert leaves this job out.
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.ledger_entry_must_balance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      entry text := case tg_table_name when 'ledger_entries' then to_jsonb(new) ->> 'id'
                                       else to_jsonb(new) ->> 'entry_id' end;
      lines integer;
      unbalanced integer;
    begin
      select count(*), count(distinct currency) filter (where total <> 0) into lines, unbalanced
      from (select currency, sum(amount_cents) over (partition by currency) as total
            from ledger_postings where entry_id = entry) p;
      if lines < 2 or unbalanced > 0 then
        raise exception 'ledger entry % does not balance', entry
          using errcode = 'check_violation', constraint = 'ledger_entry_balances';
      end if;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.ledger_is_append_only()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      raise exception 'the ledger is append-only: post a reversal instead'
        using errcode = 'restrict_violation', constraint = 'ledger_is_append_only';
    end $function$;

CREATE OR REPLACE FUNCTION public.range_order(bound text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE STRICT
AS $function$
      select case when bound ~ '^[0-9]+$' then lpad(bound, 20, '0') else bound end
    $function$;

CREATE OR REPLACE FUNCTION public.range_partitions(parent text)
 RETURNS TABLE(name text, lower text, upper text)
 LANGUAGE sql
 STABLE STRICT
AS $function$
      select c.relname::text, coalesce(substring(bound from 'FROM \(''([^'']*)''\)'), ''),
        substring(bound from 'TO \(''([^'']*)''\)')
      from pg_inherits i join pg_class c on c.oid = i.inhrelid,
        lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) b
      where i.inhparent = to_regclass(parent) and bound like 'FOR VALUES FROM%'
    $function$;

CREATE OR REPLACE FUNCTION public.sandbox_clock_goes_forward()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'DELETE' or new.partner_id <> old.partner_id or new.ahead_ms < old.ahead_ms then
        raise exception 'the clock of a sandbox only goes forward'
          using errcode = 'restrict_violation', constraint = 'sandbox_clock_goes_forward';
      end if;
      return new;
    end $function$;

do $do$ declare definition text := $sql$CREATE OR REPLACE FUNCTION public.search_best_names_live(in_tlds text[], in_excluded_tlds text[], in_shapes smallint[], in_lengths smallint[], in_min_length integer, in_max_length integer, in_patterns text[], in_min_price bigint, in_max_price bigint, in_scanned integer, in_taken integer, in_priced integer, in_dearest boolean, in_prefix text, in_terms text[], in_inside text[])
 RETURNS TABLE(listing_id bigint, label text, label_words text, tags text, about text, quality smallint, shape smallint)
 LANGUAGE plpgsql
 STABLE ROWS 500
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET "pg_trgm.similarity_threshold" TO '0.45'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
AS $function$
        #variable_conflict use_column
        begin
          if in_tlds is null then
            
    return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape
      from unnest(in_shapes) as s(shape)
      cross join unnest(in_lengths) as n(length)
      
      cross join lateral (
        select c.* from (
          select * from search_documents_live best
          where  best.shape = s.shape and best.length = n.length
          order by best.quality desc limit in_scanned
        ) c
        join listings l on l.id = c.listing_id and l.environment = 'LIVE' and l.status = 'listed'
    and l.price_cents between in_min_price and in_max_price
        where c.tld <> all (in_excluded_tlds) and c.label like all (in_patterns)
        limit in_taken
      ) d;
          else
            
    return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape
      from unnest(in_shapes) as s(shape)
      cross join unnest(in_lengths) as n(length)
      cross join unnest(in_tlds) as t(tld)
      cross join lateral (
        select c.* from (
          select * from search_documents_live best
          where best.tld = t.tld and best.shape = s.shape and best.length = n.length
          order by best.quality desc limit in_scanned
        ) c
        join listings l on l.id = c.listing_id and l.environment = 'LIVE' and l.status = 'listed'
    and l.price_cents between in_min_price and in_max_price
        where c.tld <> all (in_excluded_tlds) and c.label like all (in_patterns)
        limit in_taken
      ) d;
          end if;
          if in_priced > 0 then
            if in_tlds is null then
              if in_dearest then 
    return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape
      from (
        select l.id from  (
          select l.id from listings l where l.environment = 'LIVE' and l.status = 'listed'
    and l.price_cents between in_min_price and in_max_price 
          order by l.price_cents desc, l.id desc limit in_priced
        ) l
      ) p
      join search_documents_live d on d.environment = 'LIVE' and d.listing_id = p.id
      where coalesce(d.length, in_min_length) between in_min_length and in_max_length
  and coalesce(d.tld, '') <> all (in_excluded_tlds)
  and d.label like all (in_patterns); else 
    return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape
      from (
        select l.id from  (
          select l.id from listings l where l.environment = 'LIVE' and l.status = 'listed'
    and l.price_cents between in_min_price and in_max_price 
          order by l.price_cents asc, l.id asc limit in_priced
        ) l
      ) p
      join search_documents_live d on d.environment = 'LIVE' and d.listing_id = p.id
      where coalesce(d.length, in_min_length) between in_min_length and in_max_length
  and coalesce(d.tld, '') <> all (in_excluded_tlds)
  and d.label like all (in_patterns); end if;
            else
              if in_dearest then 
    return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape
      from (
        select l.id from unnest(in_tlds) as t(tld) cross join lateral (
          select l.id from listings l where l.environment = 'LIVE' and l.status = 'listed'
    and l.price_cents between in_min_price and in_max_price and l.tld = t.tld
          order by l.price_cents desc, l.id desc limit in_priced
        ) l
      ) p
      join search_documents_live d on d.environment = 'LIVE' and d.listing_id = p.id
      where coalesce(d.length, in_min_length) between in_min_length and in_max_length
  and coalesce(d.tld, '') <> all (in_excluded_tlds)
  and d.label like all (in_patterns); else 
    return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape
      from (
        select l.id from unnest(in_tlds) as t(tld) cross join lateral (
          select l.id from listings l where l.environment = 'LIVE' and l.status = 'listed'
    and l.price_cents between in_min_price and in_max_price and l.tld = t.tld
          order by l.price_cents asc, l.id asc limit in_priced
        ) l
      ) p
      join search_documents_live d on d.environment = 'LIVE' and d.listing_id = p.id
      where coalesce(d.length, in_min_length) between in_min_length and in_max_length
  and coalesce(d.tld, '') <> all (in_excluded_tlds)
  and d.label like all (in_patterns); end if;
            end if;
          end if;
          if in_prefix is not null then
            return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape from (
    select * from search_documents_live
    where label >= in_prefix and label < in_prefix || U&'\+10FFFF'
    order by label limit 1000
  ) d
              where coalesce(d.length, in_min_length) between in_min_length and in_max_length
  and coalesce(d.tld, '') <> all (in_excluded_tlds)
  and d.label like all (in_patterns) limit 300;
          end if;
          if cardinality(in_terms) > 0 then
            return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape from search_documents_live d
              where d.terms && in_terms and coalesce(d.length, in_min_length) between in_min_length and in_max_length
  and coalesce(d.tld, '') <> all (in_excluded_tlds)
  and d.label like all (in_patterns) limit 200;
          end if;
          for pattern in 1 .. cardinality(in_inside) loop
            return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape from search_documents_live d
              where d.made_up and d.label like in_inside[pattern] and coalesce(d.length, in_min_length) between in_min_length and in_max_length
  and coalesce(d.tld, '') <> all (in_excluded_tlds)
  and d.label like all (in_patterns) limit 200;
          end loop;
        end
      $function$$sql$; begin
  execute definition;
  execute replace(replace(definition, '_live', '_sandbox'), '''LIVE''', '''SANDBOX''');
end $do$;

do $do$ declare definition text := $sql$CREATE OR REPLACE FUNCTION public.search_candidates_live(in_labels text[], in_prefix text, in_spellings text[], in_firsts text[], in_seconds text[], in_thirds text[], in_limits integer[], in_enough integer, in_excluded_tlds text[], in_min_length integer, in_max_length integer, in_patterns text[])
 RETURNS TABLE(listing_id bigint, label text, label_words text, tags text, about text, quality smallint, shape smallint)
 LANGUAGE plpgsql
 STABLE ROWS 200
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET "pg_trgm.similarity_threshold" TO '0.45'
AS $function$
        #variable_conflict use_column
        declare
          found_now integer;
          found_all integer := 0;
        begin
          return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape from search_documents_live d
            where d.label = any (in_labels) and coalesce(d.length, in_min_length) between in_min_length and in_max_length
  and coalesce(d.tld, '') <> all (in_excluded_tlds)
  and d.label like all (in_patterns) limit 60;
          get diagnostics found_now = row_count;
          found_all := found_all + found_now;
          if in_prefix is not null then
            return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape from (
    select * from search_documents_live
    where label >= in_prefix and label < in_prefix || U&'\+10FFFF'
    order by label limit 300
  ) d
              where coalesce(d.length, in_min_length) between in_min_length and in_max_length
  and coalesce(d.tld, '') <> all (in_excluded_tlds)
  and d.label like all (in_patterns) limit 30;
            get diagnostics found_now = row_count;
            found_all := found_all + found_now;
          end if;
          for step in 1 .. cardinality(in_firsts) loop
            if in_seconds[step] = '' then
              return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape from search_documents_live d
                where d.terms && string_to_array(in_firsts[step], ' ') and coalesce(d.length, in_min_length) between in_min_length and in_max_length
  and coalesce(d.tld, '') <> all (in_excluded_tlds)
  and d.label like all (in_patterns)
                limit in_limits[step];
            elsif in_thirds[step] = '' then
              return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape from search_documents_live d
                where d.terms && string_to_array(in_firsts[step], ' ')
                  and d.terms && string_to_array(in_seconds[step], ' ') and coalesce(d.length, in_min_length) between in_min_length and in_max_length
  and coalesce(d.tld, '') <> all (in_excluded_tlds)
  and d.label like all (in_patterns)
                limit in_limits[step];
            else
              return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape from search_documents_live d
                where d.terms && string_to_array(in_firsts[step], ' ')
                  and d.terms && string_to_array(in_seconds[step], ' ')
                  and d.terms && string_to_array(in_thirds[step], ' ') and coalesce(d.length, in_min_length) between in_min_length and in_max_length
  and coalesce(d.tld, '') <> all (in_excluded_tlds)
  and d.label like all (in_patterns)
                limit in_limits[step];
            end if;
            get diagnostics found_now = row_count;
            found_all := found_all + found_now;
            exit when found_all >= in_enough;
          end loop;
          for spelling in 1 .. cardinality(in_spellings) loop
            return query select d.listing_id, d.label, d.label_words, d.tags, d.about, d.quality, d.shape from search_documents_live d
              where d.made_up and d.label % in_spellings[spelling] and coalesce(d.length, in_min_length) between in_min_length and in_max_length
  and coalesce(d.tld, '') <> all (in_excluded_tlds)
  and d.label like all (in_patterns) limit 60;
          end loop;
        end
      $function$$sql$; begin
  execute definition;
  execute replace(replace(definition, '_live', '_sandbox'), '''LIVE''', '''SANDBOX''');
end $do$;

CREATE OR REPLACE FUNCTION public.tally_market()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'TRUNCATE' then
        truncate market_tallies, market_deltas;
      elsif tg_op = 'INSERT' then
        insert into market_deltas (tld, category, listings)
        select tld, coalesce(lower(category), ''), count(*) from added
        where environment = 'LIVE' and status = 'listed' group by 1, 2;
      elsif tg_op = 'DELETE' then
        insert into market_deltas (tld, category, listings)
        select tld, coalesce(lower(category), ''), -count(*) from removed
        where environment = 'LIVE' and status = 'listed' group by 1, 2;
      else
        insert into market_deltas (tld, category, listings)
        select tld, coalesce(lower(category), ''), sum(n)
        from (select 1 as n, environment, status, tld, category from added
              union all select -1, environment, status, tld, category from removed) l
        where environment = 'LIVE' and status = 'listed' group by 1, 2 having sum(n) <> 0;
      end if;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.tally_orders()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into transaction_deltas (partner_id, environment, day, status, payment_model, currency,
          transactions, gmv_cents, commission_cents)
        select partner_id, environment, (created_at at time zone 'UTC')::date, status, payment_model, currency,
          count(*), sum(sale_price_cents), sum(commission_cents)
        from added group by 1, 2, 3, 4, 5, 6;
      else
        insert into transaction_deltas (partner_id, environment, day, status, payment_model, currency,
          transactions, gmv_cents, commission_cents)
        select partner_id, environment, (created_at at time zone 'UTC')::date, status, payment_model, currency,
          sum(n), sum(n * sale_price_cents), sum(n * commission_cents)
        from (select 1 as n, a.* from added a union all select -1, r.* from removed r) o
        group by 1, 2, 3, 4, 5, 6
        having sum(n) <> 0 or sum(n * sale_price_cents) <> 0 or sum(n * commission_cents) <> 0;
      end if;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.tally_refunds()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into transaction_deltas (partner_id, environment, day, status, payment_model, currency,
        transactions, gmv_cents, commission_cents)
      select r.partner_id, r.environment, (r.created_at at time zone 'UTC')::date,
        case r.kind when 'cancellation' then 'CANCELLED' else 'REFUNDED' end, o.payment_model, o.currency,
        count(*), -sum(o.sale_price_cents), -sum(o.commission_cents)
      from added r join orders o on o.id = r.order_id group by 1, 2, 3, 4, 5, 6;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.tally_unsettled()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into unsettled_deltas (partner_id, environment, day, payment_model, currency, orders,
          gross_cents, commission_cents)
        select partner_id, environment, (transfer_completed_at at time zone 'UTC')::date, payment_model, currency,
          count(*), sum(sale_price_cents), sum(commission_cents)
        from added where transfer_completed_at is not null and settlement_id is null
        group by 1, 2, 3, 4, 5;
      else
        insert into unsettled_deltas (partner_id, environment, day, payment_model, currency, orders,
          gross_cents, commission_cents)
        select partner_id, environment, (transfer_completed_at at time zone 'UTC')::date, payment_model, currency,
          sum(n), sum(n * sale_price_cents), sum(n * commission_cents)
        from (select 1 as n, a.* from added a union all select -1, r.* from removed r) o
        where transfer_completed_at is not null and settlement_id is null
        group by 1, 2, 3, 4, 5
        having sum(n) <> 0 or sum(n * sale_price_cents) <> 0 or sum(n * commission_cents) <> 0;
      end if;
      return null;
    end $function$;

revoke execute on function add_range_partition(text,text,text,text,text) from public;

revoke execute on function drop_finished_partition(text,text,text,text[]) from public;

revoke execute on function drop_range_partition(text,text,text) from public;

CREATE TRIGGER audit_chain_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_chain FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();

CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();

CREATE CONSTRAINT TRIGGER audit_log_chained AFTER INSERT ON public.audit_log DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();

CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_log_default FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();

CREATE TRIGGER document_files_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.document_files FOR EACH STATEMENT EXECUTE FUNCTION documents_are_final();

CREATE TRIGGER document_series_count_up BEFORE UPDATE ON public.document_series FOR EACH ROW EXECUTE FUNCTION document_series_count_up();

CREATE TRIGGER document_series_stay BEFORE DELETE OR TRUNCATE ON public.document_series FOR EACH STATEMENT EXECUTE FUNCTION documents_are_final();

CREATE TRIGGER documents_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.documents FOR EACH STATEMENT EXECUTE FUNCTION documents_are_final();

CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();

CREATE CONSTRAINT TRIGGER ledger_entry_balances AFTER INSERT ON public.ledger_entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_entry_must_balance();

CREATE CONSTRAINT TRIGGER ledger_posting_balances AFTER INSERT ON public.ledger_postings DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_entry_must_balance();

CREATE TRIGGER ledger_postings_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_postings FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();

CREATE TRIGGER listings_tally_delete AFTER DELETE ON public.listings REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tally_market();

CREATE TRIGGER listings_tally_insert AFTER INSERT ON public.listings REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_market();

CREATE TRIGGER listings_tally_truncate AFTER TRUNCATE ON public.listings FOR EACH STATEMENT EXECUTE FUNCTION tally_market();

CREATE TRIGGER listings_tally_update AFTER UPDATE ON public.listings REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_market();

CREATE TRIGGER orders_keep_search AFTER INSERT OR UPDATE OF domain, buyer_email ON public.orders FOR EACH ROW EXECUTE FUNCTION keep_order_search();

CREATE TRIGGER orders_tally_insert AFTER INSERT ON public.orders REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_orders();

CREATE TRIGGER orders_tally_unsettled_insert AFTER INSERT ON public.orders REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_unsettled();

CREATE TRIGGER orders_tally_unsettled_update AFTER UPDATE ON public.orders REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_unsettled();

CREATE TRIGGER orders_tally_update AFTER UPDATE ON public.orders REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_orders();

CREATE TRIGGER know_job_key BEFORE INSERT ON public.outbox FOR EACH ROW WHEN ((new.dedupe_key IS NOT NULL)) EXECUTE FUNCTION know_job_key();

CREATE TRIGGER referral_commissions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.referral_commissions FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();

CREATE TRIGGER refunds_tally_insert AFTER INSERT ON public.refunds REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_refunds();

CREATE TRIGGER sandbox_clocks_go_forward BEFORE DELETE OR UPDATE ON public.sandbox_clocks FOR EACH ROW EXECUTE FUNCTION sandbox_clock_goes_forward();

-- migration 20261127062958_make_partitions_before_writers_choose_one

-- migration 20261127063628_drop_leftovers

-- migration 20261127094320_vectors_of_the_encoder

-- migration 20261127105738_keep_readings_of_misses

-- migration 20261127134056_create_transfer_policies

-- migration 20261127134136_sandbox_transfers_away

-- migration 20261127134900_screen_against_lists

-- migration 20261127135023_keep_registrants_of_orders

-- migration 20261127135432_create_legal_holds

-- migration 20261127135433_add_legal_hold_to_listings

-- migration 20261127135434_keep_statuses_of_legal_holds

-- migration 20261127141602_deliveries_have_a_recipient

-- migration 20261127145716_sandbox_holds_and_signers

-- migration 20261127164714_more_facts_of_owned_domains

-- migration 20261127164745_keep_registrants_of_domains

-- migration 20261127164756_create_renewals

-- migration 20261127170403_create_transfers_out

-- migration 20261127172046_keep_changes_of_registrants

-- migration 20261127173003_note_expiry_mails

-- migration 20261127173004_index_owned_domains_by_end

-- migration 20261127173908_create_kept_cards

-- migration 20261127174357_create_delivery_checks

-- migration 20261127200248_add_customer_to_payments

-- migration 20261127200301_hold_domains_of_listed_registrants

-- migration 20261127200302_hold_domains_for_sanctions

-- migration 20261127200303_resume_screening_again

-- migration 20261127201141_note_refused_holds

-- migration 20261127201449_index_codes_that_are_out

-- migration 20261127202425_index_paid_renewals

-- migration 20261127205740_add_later_lock_to_listings

-- migration 20261127211024_add_premium_to_listings

-- migration 20261128000401_index_orders_by_status

-- migration 20261128000402_index_orders_of_domain

-- migration 20261128000403_index_sessions_by_status

-- migration 20261128000404_index_mails_by_recipient

-- migration 20261128000405_index_payments_by_status

-- migration 20261128000406_index_delisted_listings

-- migration 20261128064500_ask_for_jobs_in_sql

-- migration 20261128073500_finish_jobs_in_sql

-- migration 20261128093900_index_listings_by_time

-- migration 20261128094000_index_cases_by_status

-- migration 20261128094100_index_failed_payouts

-- migration 20261128140000_search_orders_in_a_table

-- migration 20261128181500_index_buyers_of_accepted_offers

-- migration 20261128230000_add_renewal_fault_to_owned_domains

-- migration 20261129120000_payments_returned_by_hand

-- migration 20261129153100_count_sales_of_listings

-- migration 20261129153200_number_sales_of_orders

-- migration 20261129153300_allow_one_order_per_sale

-- migration 20261129153400_count_deals_as_next_sales

-- migration 20261129162500_index_rejected_transfers

-- migration 20261129164400_note_taken_domains

-- migration 20261129164500_reopen_listings_of_deals

-- migration 20261129171309_payments_partially_returned

-- migration 20261130134200_owe_repayments_of_payments

-- migration 20261130171500_find_repayments_of_payments

-- migration 20261130171600_owe_refunds_given_up_before

-- migration 20261130181000_owe_no_more_than_is_left
