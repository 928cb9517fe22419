// Written by `npm run sdk:generate` out of the OpenAPI document of the partner API.

export interface AdvanceInput {
  /** One allowed step from the current status. */
  to: 'EXTERNALLY_PAID' | 'MANUAL_REVIEW' | 'PAID' | 'TRANSFER_IN_PROGRESS' | 'TRANSFER_COMPLETED' | 'SETTLED' | 'REFUNDED' | 'CANCELLED';
}
/** The funnel, in total and over time. */
export interface Analytics {
  from: string;
  to: string;
  funnel: {
    clicks: number;
    unique_clicks: number;
    checkouts: number;
    sales: number;
  };
  /** Sales per click. */
  conversion_rate: number;
  gmv_cents: number;
  commission_cents: number;
  currency: string;
  series: Array<{
    start: string;
    clicks: number;
    unique_clicks: number;
    checkouts: number;
    sales: number;
    gmv_cents: number;
    commission_cents: number;
  }>;
}
/** The authorization code your registrar needs to request the domain (RFC 9154). */
export interface AuthCode {
  domain: string;
  /** Shown only once. Give it to your registrar and keep it secret. */
  auth_code: string;
  expires_at: string;
}
/** Whether the domain can be bought now. */
export interface Availability {
  /** In A-labels (Punycode), lower case. */
  domain: string;
  available: boolean;
  /** Minor units of `currency`. */
  price_cents: number | null;
  currency: string | null;
}
/** A brokerage case closed with a deal. */
export interface BrokerageCaseCompletedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'brokerage.case_completed';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: CompletedCaseEventData;
}
/** A brokerage case changed its status, or its buyer raised the budget. */
export interface BrokerageCaseUpdatedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'brokerage.case_updated';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: CaseEventData;
}
/** A brokerage case with its timeline. */
export interface CaseDetail {
  case_id: string;
  domain: string;
  tier: 'managed' | 'self_serve';
  status: 'OPEN' | 'CONTACTING_OWNER' | 'NEGOTIATING' | 'AGREED' | 'COMPLETED' | 'CLOSED_NO_DEAL' | 'CANCELLED';
  budget_cents: number;
  latest_offer_cents: number | null;
  deal_price_cents: number | null;
  commission_cents: number | null;
  currency: string;
  order_id: string | null;
  environment: 'SANDBOX' | 'LIVE';
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  buyer_email: string;
  progress_url: string;
  timeline: Array<{
    at: string;
    status: 'OPEN' | 'CONTACTING_OWNER' | 'NEGOTIATING' | 'AGREED' | 'COMPLETED' | 'CLOSED_NO_DEAL' | 'CANCELLED';
    /** `open`, a move, or what the buyer did: `raise_budget`, `accept`, `counter`, `decline`. */
    event: string;
    by: 'partner' | 'buyer' | 'ops';
    /** The budget, offer or price of this step. */
    amount_cents: number | null;
  }>;
}
export interface CaseEventData {
  case: CaseInEvent;
}
/** The case; the deal's fields are null before the deal. */
export interface CaseInEvent {
  /** The case ID. */
  case_id: string;
  /** The domain that the buyer wants. */
  domain: string;
  /** Who runs the case: our staff or the buyer. */
  tier: 'managed' | 'self_serve';
  /** The status after this step. */
  status: 'OPEN' | 'CONTACTING_OWNER' | 'NEGOTIATING' | 'AGREED' | 'COMPLETED' | 'CLOSED_NO_DEAL' | 'CANCELLED';
  /** ISO 4217. */
  currency: string;
  /** What the buyer pays, in minor units of `currency`. */
  deal_price_cents: number | null;
  /** What you earn, in minor units of `currency`. */
  commission_cents: number | null;
  /** The order created from the deal. */
  order_id: string | null;
}
export interface CaseInput {
  domain: string;
  /** `managed`: we talk to the buyer. `self_serve`: the buyer runs the case on the progress page. */
  tier: 'managed' | 'self_serve';
  buyer_email: string;
  /** The buyer's budget, in minor units. */
  budget: number;
  /** ISO 4217. Defaults to USD. */
  currency?: string | undefined;
}
/** Brokerage cases, newest first. */
export interface CaseList {
  cases: Array<{
    case_id: string;
    domain: string;
    tier: 'managed' | 'self_serve';
    status: 'OPEN' | 'CONTACTING_OWNER' | 'NEGOTIATING' | 'AGREED' | 'COMPLETED' | 'CLOSED_NO_DEAL' | 'CANCELLED';
    budget_cents: number;
    latest_offer_cents: number | null;
    deal_price_cents: number | null;
    commission_cents: number | null;
    currency: string;
    order_id: string | null;
    environment: 'SANDBOX' | 'LIVE';
    created_at: string;
    updated_at: string;
    closed_at: string | null;
  }>;
  next_cursor: string | null;
}
/** A hosted payment page and its result. */
export interface CheckoutSession {
  id: string;
  domain: string;
  /** The price shown to a buyer who opens the page now. */
  price_cents: number;
  currency: string;
  status: 'open' | 'paid' | 'failed' | 'cancelled' | 'expired';
  expires_at: string;
  buyer_email: string | null;
  client_reference: string | null;
  /** The quote used by the session. */
  quote_id: string | null;
  return_url: string | null;
  cancel_url: string | null;
  /** The order, once the session is paid. */
  order_id: string | null;
  environment: 'SANDBOX' | 'LIVE';
  created_at: string;
  updated_at: string;
}
export interface CheckoutSessionInput {
  /** Optional with `quote_id`; if you send both, they must match. */
  domain?: string | undefined;
  /** Your open quote. The session takes over its hold, price and expiry. */
  quote_id?: string | undefined;
  return_url?: string | undefined;
  cancel_url?: string | undefined;
  buyer_email?: string | undefined;
  client_reference?: string | undefined;
}
/** Clicks, in total and over time. */
export interface ClickReport {
  from: string | null;
  to: string | null;
  interval: 'day' | 'week' | 'month';
  totals: {
    clicks: number;
    unique_clicks: number;
  };
  series: Array<{
    start: string;
    clicks: number;
    unique_clicks: number;
  }>;
}
export interface ClockMoveInput {
  /** A point in your sandbox's time. */
  to?: string | undefined;
  /** A duration from the clock's current time: `90s`, `30m`, `1h`, `7d`. */
  by?: string | undefined;
}
/** Every change to your commissions, newest first. */
export interface CommissionList {
  commissions: Array<{
    id: string;
    type: 'accrued' | 'pending' | 'paid_out' | 'reversed';
    amount_cents: number;
    /** The balance owed afterwards, in this currency. */
    balance_cents: number;
    currency: string;
    order_id: string | null;
    created_at: string;
  }>;
  next_cursor: string | null;
}
export interface CompletedCaseEventData {
  case: CompletedCaseInEvent;
}
/** The case with its deal. */
export interface CompletedCaseInEvent {
  /** The case ID. */
  case_id: string;
  /** The domain that the buyer wants. */
  domain: string;
  /** Who runs the case: our staff or the buyer. */
  tier: 'managed' | 'self_serve';
  /** The status after this step. */
  status: 'OPEN' | 'CONTACTING_OWNER' | 'NEGOTIATING' | 'AGREED' | 'COMPLETED' | 'CLOSED_NO_DEAL' | 'CANCELLED';
  /** ISO 4217. */
  currency: string;
  /** What the buyer pays, in minor units of `currency`. */
  deal_price_cents: number;
  /** What you earn, in minor units of `currency`. */
  commission_cents: number;
  /** The order created from the deal. */
  order_id: string;
}
/** A hosted payment page. */
export interface CreatedCheckoutSession {
  id: string;
  domain: string;
  /** The price shown to a buyer who opens the page now. */
  price_cents: number;
  currency: string;
  status: 'open' | 'paid' | 'failed' | 'cancelled' | 'expired';
  expires_at: string;
  /** Redirect the buyer there. */
  checkout_url: string;
}
/** The delivery of an event to an endpoint, with every attempt. */
export interface Delivery {
  id: string;
  endpoint_id: string;
  event_id: string;
  event_type: 'order.recorded' | 'order.held' | 'order.manual_review_cleared' | 'order.action_required' | 'order.transfer_started' | 'order.delivery_ready' | 'order.transfer_completed' | 'order.settled' | 'order.refunded' | 'order.disputed' | 'order.dispute_closed' | 'transfer.initiated' | 'transfer.auth_code_ready' | 'transfer.pending_registry' | 'transfer.action_required' | 'transfer.released' | 'transfer.requested' | 'transfer.expired' | 'transfer.completed' | 'transfer.failed' | 'transfer.cancelled' | 'offer.created' | 'offer.countered' | 'offer.accepted' | 'offer.declined' | 'offer.expired' | 'brokerage.case_updated' | 'brokerage.case_completed' | 'webhook.endpoint_disabled' | 'webhook.ping';
  status: 'pending' | 'delivered' | 'exhausted' | 'cancelled';
  attempts: Array<{
    /** The number of the attempt; 1 is the first. */
    attempt: number;
    started_at: string;
    elapsed_ms: number;
    status_code: number | null;
    /** `delivered`, or the reason it failed. */
    outcome: string;
    /** The reason for the failure if there was no response. */
    detail: string | null;
    /** The values of your custom headers are omitted. */
    request_headers: Record<string, string> | null;
    /** The values of your custom headers are omitted. */
    response_headers: Record<string, string> | null;
    /** The first 4 kB of the response. */
    response_body: string | null;
  }>;
  next_attempt_at: string | null;
  created_at: string;
  finished_at: string | null;
  /** The delivery that this one repeats. */
  resend_of: string | null;
  /** The replay that created this delivery. */
  replay_id: string | null;
}
/** Deliveries, newest first. */
export interface DeliveryList {
  deliveries: Array<Delivery>;
  next_cursor: string | null;
}
/** The endpoint that was disabled. */
export interface DisabledEndpoint {
  /** The endpoint ID. */
  id: string;
  /** The name of the endpoint. */
  name: string;
  /** The URL of the endpoint. */
  url: string;
  /** `gone`: the endpoint answered 410. `failing`: it has failed for days. */
  disabled_reason: 'gone' | 'failing';
  /** When the endpoint was disabled. */
  disabled_at: string;
}
export interface DisputeEventData {
  order: OrderInEvent;
  dispute: DisputeInEvent;
}
/** The dispute after this step. */
export interface DisputeInEvent {
  /** The dispute ID. */
  id: string;
  /** The status after this step. */
  status: 'needs_response' | 'under_review' | 'won' | 'lost' | 'withdrawn';
  /** The bank's reason, such as `fraudulent`. */
  reason: string;
  /** The disputed amount, in minor units. */
  amount_cents: number;
  /** ISO 4217. */
  currency: string;
  /** When this step happened. */
  occurred_at: string;
}
/** An issued document. It never changes. */
export interface Document {
  id: string;
  kind: 'receipt' | 'invoice' | 'credit_note' | 'statement' | 'self_billing' | 'payout_advice';
  /** As printed on the document, such as `INV-2026-000017`. */
  number: string;
  /** The order, settlement or payout it belongs to. */
  subject: string;
  currency: string;
  /** Negative for the credit note of a sale. */
  total_cents: number;
  issued_at: string;
  /** Where to read the document; send `Accept: application/pdf` for the PDF. */
  url: string;
}
/** A domain in the inventory. */
export interface DomainDetail {
  /** In A-labels (Punycode), lower case. */
  domain: string;
  domain_unicode: string;
  /** The label before the public suffix, as an A-label. */
  sld: string;
  tld: string;
  /** Whether this partner can buy it now. */
  available: boolean;
  status: 'listed' | 'held' | 'sold' | 'delisted';
  /** Minor units of `currency`. */
  price_cents: number;
  /** Minor units of `currency`. */
  floor_price_cents: number | null;
  currency: string;
  offers_accepted: boolean;
  category: string | null;
  description: string | null;
  keywords: Array<string>;
  /** The length of the label in visible characters. */
  length: number;
  listed_at: string;
  updated_at: string;
  /** Who holds the domain at its registry; null if no registry was asked. */
  registrar: string | null;
  /** Its statuses at the registry (RFC 5731). */
  registry_statuses: Array<string>;
  /** Whether the domain can be transferred now. If not, it cannot be sold (`transfer_locked`). */
  transferable: boolean;
  /** When the lock after registration or the last transfer ends. */
  locked_until: string | null;
  premium: PremiumTerms | null;
}
/** Whether the domain can be brokered. */
export interface Eligibility {
  domain: string;
  eligible: boolean;
  reasons: Array<'active_site' | 'open_case' | 'listed' | 'sold' | 'legal_hold' | 'unregistered' | 'unsupported_tld'>;
}
/** The endpoint and its health. */
export interface Endpoint {
  url: string;
  active: boolean;
  created_at: string;
  updated_at: string;
  /** `gone`: the endpoint answered 410. `failing`: it has only failed for days. `paused`: you paused it. */
  disabled_reason: 'gone' | 'failing' | 'paused' | null;
  failing_since: string | null;
  last_success_at: string | null;
  last_failure_at: string | null;
  previous_secret_until: string | null;
}
export interface EndpointEventData {
  endpoint: DisabledEndpoint;
}
export interface EndpointInput {
  /** http or https (LIVE: https only), public, without credentials. */
  url: string;
  /** Signs every delivery. Any text; for libraries of Standard Webhooks, `whsec_` and the base64 of at least 24 bytes. Never shown again. */
  secret: string;
}
/** The format of all errors. */
export interface ErrorAnswer {
  error: {
    code: 'validation_error' | 'missing_idempotency_key' | 'invalid_cursor' | 'missing_credentials' | 'missing_signature_headers' | 'invalid_timestamp' | 'invalid_signature' | 'replay_detected' | 'invalid_token' | 'forbidden' | 'credential_not_active' | 'partner_not_active' | 'not_found' | 'method_not_allowed' | 'conflict' | 'payload_too_large' | 'unsupported_media_type' | 'price_mismatch' | 'quote_expired' | 'not_eligible' | 'rate_limited' | 'internal_error' | 'unreadable_answer' | 'service_unavailable';
    /** What went wrong and what to do. For people; it may change. */
    message: string;
    /** The same as `X-Request-Id`. */
    request_id: string;
    /** Machine-readable details: the faults (`path`, `message`) of a `validation_error`, the `reason` of a `conflict`, the `source` and `raw` text of an `unreadable_answer`. */
    details?: Record<string, unknown> | Array<unknown> | undefined;
  };
}
/** A page of the event history, oldest first. */
export interface EventList {
  events: Array<{
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'order.recorded';
    /** When the event happened. */
    created_at: string;
    data: OrderEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'order.held';
    /** When the event happened. */
    created_at: string;
    data: OrderEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'order.manual_review_cleared';
    /** When the event happened. */
    created_at: string;
    data: OrderEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'order.action_required';
    /** When the event happened. */
    created_at: string;
    data: OrderActionEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'order.transfer_started';
    /** When the event happened. */
    created_at: string;
    data: OrderEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'order.delivery_ready';
    /** When the event happened. */
    created_at: string;
    data: OrderDeliveryEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'order.transfer_completed';
    /** When the event happened. */
    created_at: string;
    data: OrderEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'order.settled';
    /** When the event happened. */
    created_at: string;
    data: OrderEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'order.refunded';
    /** When the event happened. */
    created_at: string;
    data: OrderEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'order.disputed';
    /** When the event happened. */
    created_at: string;
    data: DisputeEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'order.dispute_closed';
    /** When the event happened. */
    created_at: string;
    data: DisputeEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'transfer.initiated';
    /** When the event happened. */
    created_at: string;
    data: TransferEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'transfer.auth_code_ready';
    /** When the event happened. */
    created_at: string;
    data: TransferEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'transfer.pending_registry';
    /** When the event happened. */
    created_at: string;
    data: TransferEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'transfer.action_required';
    /** When the event happened. */
    created_at: string;
    data: TransferEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'transfer.released';
    /** When the event happened. */
    created_at: string;
    data: OrderDeliveryEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'transfer.requested';
    /** When the event happened. */
    created_at: string;
    data: OrderDeliveryEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'transfer.expired';
    /** When the event happened. */
    created_at: string;
    data: OrderDeliveryEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'transfer.completed';
    /** When the event happened. */
    created_at: string;
    data: TransferEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'transfer.failed';
    /** When the event happened. */
    created_at: string;
    data: TransferEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'transfer.cancelled';
    /** When the event happened. */
    created_at: string;
    data: TransferEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'offer.created';
    /** When the event happened. */
    created_at: string;
    data: OfferEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'offer.countered';
    /** When the event happened. */
    created_at: string;
    data: OfferEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'offer.accepted';
    /** When the event happened. */
    created_at: string;
    data: OfferEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'offer.declined';
    /** When the event happened. */
    created_at: string;
    data: OfferEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'offer.expired';
    /** When the event happened. */
    created_at: string;
    data: OfferEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'brokerage.case_updated';
    /** When the event happened. */
    created_at: string;
    data: CaseEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'brokerage.case_completed';
    /** When the event happened. */
    created_at: string;
    data: CompletedCaseEventData;
  } | {
    /** Unique to the event, and the same in each of its deliveries. */
    id: string;
    /** What happened. */
    type: 'webhook.endpoint_disabled';
    /** When the event happened. */
    created_at: string;
    data: EndpointEventData;
  }>;
  /** Pass this as the next `after_id`; null if there is nothing newer. */
  next_cursor: string | null;
}
/** The limits understood from `q`, which are enforced. Limits overridden by a filter parameter are omitted. */
export interface InterpretedQuery {
  /** The part of `q` that is searched by words and meaning. */
  topic: string;
  /** Only these suffixes. */
  tlds: Array<string>;
  /** None of these suffixes. */
  excluded_tlds: Array<string>;
  min_price_cents: number | null;
  max_price_cents: number | null;
  /** The currency in the query. Amounts are compared as numbers, without conversion. */
  currency: string | null;
  min_length: number | null;
  max_length: number | null;
  starts_with: string | null;
  ends_with: string | null;
  contains: Array<string>;
  no_hyphens: boolean;
  no_digits: boolean;
  with_hyphens: boolean;
  /** At least one digit. */
  with_digits: boolean;
  /** Only digits. */
  only_digits: boolean;
  /** The pattern of letters and digits: `CVCV` (consonants, vowels), `LLNN` (letters, digits), `ABBA`, `b??`, `palindrome`. Separate several patterns with commas. */
  pattern: string | null;
  /** Compared without hyphens and accents, as `starts_with` is. */
  not_starts_with: Array<string>;
  not_ends_with: Array<string>;
  /** The number of words in the name. */
  words: number | null;
  /** Excludes names about any of these. */
  excluded: Array<string>;
  /** The wished style of the names. Wishes change the order, and made-up names with that style may follow the matching names. */
  wishes: Array<'short' | 'brandable' | 'made_up' | 'premium' | 'cheap' | 'descriptive' | 'one_word'>;
  /** The topic with corrected spelling. */
  corrected: string | null;
}
/** A tracked link. */
export interface Link {
  id: string;
  kind: 'generic' | 'domain' | 'product';
  domain: string | null;
  product: string | null;
  label: string | null;
  sub_id: string | null;
  code: string;
  url: string;
  created_at: string;
}
export interface LinkInput {
  kind: 'generic' | 'domain' | 'product';
  /** For the kind `domain`. */
  domain?: string | undefined;
  /** For the kind `product`. */
  product?: string | undefined;
  /** Your own name for the link. */
  label?: string | undefined;
  /** Your own name for where you put it. */
  sub_id?: string | undefined;
}
/** Tracked links with their results, newest first. */
export interface LinkList {
  links: Array<{
    id: string;
    kind: 'generic' | 'domain' | 'product';
    domain: string | null;
    product: string | null;
    label: string | null;
    sub_id: string | null;
    code: string;
    url: string;
    created_at: string;
    clicks: number;
    unique_clicks: number;
    conversions: number;
    gmv_cents: number;
    commission_cents: number;
    currency: string;
  }>;
  next_cursor: string | null;
}
export interface NewWebhookEndpoint {
  /** http or https (LIVE: https only), public, without credentials. */
  url: string;
  /** Unique among your endpoints in the environment. Defaults to the ID. */
  name?: string | undefined;
  /** Event types and patterns such as `order.*`; null means all. */
  event_types?: Array<string> | null | undefined;
  /** `thin` sends `{id, type, created_at, partner_id, subject}`, without `data`. */
  payload?: 'full' | 'thin' | undefined;
  /** `per_subject` sends the events of each order or case strictly in order; other orders and cases do not wait. */
  ordering?: 'none' | 'per_subject' | undefined;
  /** Requests per second. */
  max_per_second?: number | null | undefined;
  /** Up to 5 custom headers. Values are encrypted and never shown: they read as null, and sending null keeps a value. */
  headers?: Record<string, string | null> | undefined;
  /** Generated unless you provide one. Format: `whsec_` and the base64 of at least 24 bytes. */
  secret?: string | undefined;
}
/** A buyer's offer for a listed domain. */
export interface Offer {
  id: string;
  domain: string;
  status: 'OPEN' | 'COUNTERED' | 'ACCEPTED' | 'DECLINED' | 'EXPIRED';
  /** The buyer's latest offer. */
  amount_cents: number;
  /** The owner's latest price. */
  counter_cents: number | null;
  /** The agreed price. */
  price_cents: number | null;
  currency: string;
  /** Set once the offer is accepted, and null again once it is released. Use it in `POST /orders` or `POST /checkout-session`. */
  quote_id: string | null;
  /** Null without a `quote_id`. */
  quote_expires_at: string | null;
  environment: 'SANDBOX' | 'LIVE';
  created_at: string;
  updated_at: string;
  /** The deadline for a response. */
  expires_at: string;
}
/** A price was agreed; a quote keeps it for 48 hours. */
export interface OfferAcceptedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'offer.accepted';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OfferEventData;
}
export interface OfferCounterInput {
  amount_cents: number;
}
/** The owner or the buyer offered another price. */
export interface OfferCounteredEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'offer.countered';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OfferEventData;
}
/** A buyer made an offer. */
export interface OfferCreatedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'offer.created';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OfferEventData;
}
/** The owner or the buyer declined. */
export interface OfferDeclinedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'offer.declined';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OfferEventData;
}
export interface OfferEventData {
  offer: OfferInEvent;
}
/** Nobody answered in time, or the domain is no longer for sale or takes no more offers. */
export interface OfferExpiredEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'offer.expired';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OfferEventData;
}
/** The offer after this step. */
export interface OfferInEvent {
  /** The offer ID. */
  id: string;
  /** The domain that the buyer wants. */
  domain: string;
  /** The status after this step. */
  status: 'OPEN' | 'COUNTERED' | 'ACCEPTED' | 'DECLINED' | 'EXPIRED';
  /** The buyer's latest offer, in minor units. */
  amount_cents: number;
  /** The owner's latest price. */
  counter_cents: number | null;
  /** The agreed price. */
  price_cents: number | null;
  /** ISO 4217. */
  currency: string;
  /** The deadline for a response. */
  expires_at: string;
}
export interface OfferInput {
  domain: string;
  /** Below the buy-now price, at least the listing's `floor_price_cents` if set, in its currency. */
  amount_cents: number;
  /** ISO 4217. If you send it, it must be the listing's: an offer in another one is refused. */
  currency?: string | null | undefined;
  buyer: {
    email: string;
    name?: string | undefined;
    /** ISO 3166-1 alpha-2. `UK` is read as `GB`, `EL` as `GR`; codes without a country, such as `EU`, are rejected. */
    country?: string | undefined;
  };
}
/** Offers, newest first. */
export interface OfferList {
  offers: Array<{
    id: string;
    domain: string;
    status: 'OPEN' | 'COUNTERED' | 'ACCEPTED' | 'DECLINED' | 'EXPIRED';
    /** The buyer's latest offer. */
    amount_cents: number;
    /** The owner's latest price. */
    counter_cents: number | null;
    /** The agreed price. */
    price_cents: number | null;
    currency: string;
    /** Set once the offer is accepted, and null again once it is released. Use it in `POST /orders` or `POST /checkout-session`. */
    quote_id: string | null;
    /** Null without a `quote_id`. */
    quote_expires_at: string | null;
    environment: 'SANDBOX' | 'LIVE';
    created_at: string;
    updated_at: string;
    /** The deadline for a response. */
    expires_at: string;
  }>;
  next_cursor: string | null;
}
/** The case and its buyer's page. */
export interface OpenedCase {
  case_id: string;
  domain: string;
  tier: 'managed' | 'self_serve';
  status: 'OPEN' | 'CONTACTING_OWNER' | 'NEGOTIATING' | 'AGREED' | 'COMPLETED' | 'CLOSED_NO_DEAL' | 'CANCELLED';
  /** The buyer's page. Anyone with this address can act for the buyer. */
  progress_url: string;
  created_at: string;
}
/** A sale. */
export interface Order {
  public_id: string;
  domain: string;
  status: OrderStatus;
  payment_model: 'merchant_of_record' | 'hosted_checkout' | 'brokerage';
  sale_price_cents: number;
  commission_cents: number;
  /** The amount you owe for it now; 0 once it is refunded or canceled. */
  amount_owed_cents: number;
  currency: string;
  buyer: {
    email: string;
    name: string | null;
    country: string | null;
  };
  quote_id: string | null;
  external_payment_ref: string | null;
  return_url: string | null;
  cancel_url: string | null;
  environment: 'SANDBOX' | 'LIVE';
  created_at: string;
  updated_at: string;
  transfer_completed_at: string | null;
  settled_at: string | null;
  settlement_id: string | null;
  refunded_at: string | null;
  checkout_session_id: string | null;
  /** `registrant_required`: the transfer starts once the registrant is set. Null if no action is needed. */
  action_required: 'registrant_required' | null;
}
export interface OrderActionEventData {
  order: OrderInEvent;
  /** `registrant_required`: provide the registrant of the domain. */
  action_required: 'registrant_required';
}
/** The order needs something before its transfer can start. */
export interface OrderActionRequiredEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'order.action_required';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OrderActionEventData;
}
/** How the domain is transferred to its buyer, and the status of the transfer. */
export interface OrderDelivery {
  method: 'account' | 'partner_registrar';
  /** Null while the domain is being transferred to us, and where our staff or the sandbox confirms the delivery. */
  status: 'awaiting_registrant' | 'awaiting_claim' | 'code_issued' | 'pending_transfer' | 'delivered' | 'expired' | 'failed' | null;
  since: string | null;
  /** When the claim link or authorization code expires. */
  expires_at: string | null;
  /** The registrar that requested the domain. */
  requested_by: string | null;
  /** Who needs to do what, in plain words. */
  next_step: string | null;
}
export interface OrderDeliveryEventData {
  order: OrderInEvent;
  delivery: OrderDeliveryInEvent;
}
/** The delivery after this step. */
export interface OrderDeliveryInEvent {
  /** How the domain is transferred to its buyer. */
  method: 'account' | 'partner_registrar';
  /** The status after this step. */
  status: 'awaiting_claim' | 'code_issued' | 'pending_transfer' | 'delivered' | 'expired' | 'failed';
  /** When the claim link or authorization code expires. */
  expires_at?: string | undefined;
  /** The registrar that requested the domain, as named by the registry. */
  requested_by?: string | undefined;
  /** When this step happened. */
  occurred_at: string;
}
/** How the domain is transferred to its buyer. */
export interface OrderDeliveryInput {
  /** `account`: the buyer claims the domain into an account with us. `partner_registrar`: you transfer it to your registrar with an authorization code. */
  method: 'account' | 'partner_registrar';
  /** The registry's name for your registrar. Transfers requested by any other registrar are rejected. */
  registrar_id?: string | undefined;
}
/** The domain can be fetched: the buyer has a claim link, or you have the authorization code. */
export interface OrderDeliveryReadyEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'order.delivery_ready';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OrderDeliveryEventData;
}
/** A sale with its timeline, its transfer, its newest refund and its documents. */
export interface OrderDetail {
  public_id: string;
  domain: string;
  status: OrderStatus;
  payment_model: 'merchant_of_record' | 'hosted_checkout' | 'brokerage';
  sale_price_cents: number;
  commission_cents: number;
  /** The amount you owe for it now; 0 once it is refunded or canceled. */
  amount_owed_cents: number;
  currency: string;
  buyer: {
    email: string;
    name: string | null;
    country: string | null;
  };
  quote_id: string | null;
  external_payment_ref: string | null;
  return_url: string | null;
  cancel_url: string | null;
  environment: 'SANDBOX' | 'LIVE';
  created_at: string;
  updated_at: string;
  transfer_completed_at: string | null;
  settled_at: string | null;
  settlement_id: string | null;
  refunded_at: string | null;
  checkout_session_id: string | null;
  /** `registrant_required`: the transfer starts once the registrant is set. Null if no action is needed. */
  action_required: 'registrant_required' | null;
  timeline: Array<TimelineEntry>;
  transfer: {
    id: string;
    status: 'queued' | 'pushing' | 'pending_registry' | 'action_required' | 'awaiting_confirmation' | 'completed' | 'failed' | 'cancelled';
    method: 'push' | 'auth_code';
    registrar: string | null;
    attempts: number;
    reason: string | null;
    updated_at: string;
  } | null;
  delivery: OrderDelivery;
  refund: {
    id: string;
    /** `pending` while the push of the domain is being stopped; `declined` if it could not be stopped and the domain was delivered. */
    status: 'pending' | 'completed' | 'declined';
    reason: 'requested_by_customer' | 'duplicate' | 'fraudulent' | 'other';
    created_at: string;
    completed_at: string | null;
  } | null;
  /** The buyer's documents; none when you collected the price yourself. */
  documents: Array<Document>;
}
/** A dispute ended. If it was lost over the whole price, `order.refunded` follows, unless the order was refunded before. */
export interface OrderDisputeClosedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'order.dispute_closed';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: DisputeEventData;
}
/** The buyer disputes the payment at the bank; your payout of it is held. */
export interface OrderDisputedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'order.disputed';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: DisputeEventData;
}
export interface OrderEventData {
  order: OrderInEvent;
}
/** A recorded order was put on hold for manual review. */
export interface OrderHeldEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'order.held';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OrderEventData;
}
/** The order after this step. */
export interface OrderInEvent {
  /** The order ID. */
  public_id: string;
  /** The domain that was sold. */
  domain: string;
  /** The status after this step. */
  status: 'EXTERNALLY_PAID' | 'MANUAL_REVIEW' | 'PAID' | 'TRANSFER_IN_PROGRESS' | 'TRANSFER_COMPLETED' | 'SETTLED' | 'REFUNDED' | 'CANCELLED';
  /** The price in minor units of `currency`. */
  sale_price_cents: number;
  /** ISO 4217. */
  currency: string;
}
export interface OrderInput {
  /** Optional with `quote_id`; if you send both, they must match. */
  domain?: string | undefined;
  /** Minor units. Must be the current price. Optional with `quote_id`. */
  expected_price?: number | undefined;
  /** Another name for `expected_price`. */
  sale_price_cents?: number | undefined;
  /** ISO 4217. Defaults to the quote's, or to USD without `quote_id`. */
  currency?: string | undefined;
  /** Required for a premium domain: the `renewal_fee_cents` of its `premium`, which you showed to the buyer. */
  premium_renewal_fee_cents?: number | undefined;
  buyer: {
    email: string;
    name?: string | undefined;
    /** ISO 3166-1 alpha-2. `UK` is read as `GB`, `EL` as `GR`; codes without a country, such as `EU`, are rejected. */
    country?: string | undefined;
  };
  registrant?: Registrant | undefined;
  return_url?: string | undefined;
  cancel_url?: string | undefined;
  delivery?: OrderDeliveryInput | undefined;
  quote_id?: string | undefined;
  external_payment_ref?: string | undefined;
}
/** Orders, newest first. */
export interface OrderList {
  orders: Array<Order>;
  next_cursor: string | null;
}
/** A held order was cleared. */
export interface OrderManualReviewClearedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'order.manual_review_cleared';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OrderEventData;
}
/** A sale was recorded. */
export interface OrderRecordedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'order.recorded';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OrderEventData;
}
/** The order was refunded, canceled or clawed back. */
export interface OrderRefundedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'order.refunded';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OrderEventData;
}
/** The order is in a closed statement. */
export interface OrderSettledEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'order.settled';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OrderEventData;
}
/** The status of an order. */
export type OrderStatus = 'EXTERNALLY_PAID' | 'MANUAL_REVIEW' | 'PAID' | 'TRANSFER_IN_PROGRESS' | 'TRANSFER_COMPLETED' | 'SETTLED' | 'REFUNDED' | 'CANCELLED';
/** The domain was delivered; the settlement clock starts. */
export interface OrderTransferCompletedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'order.transfer_completed';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OrderEventData;
}
/** The push of the domain began. */
export interface OrderTransferStartedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'order.transfer_started';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OrderEventData;
}
/** A payout with its documents. */
export interface PayoutDetail {
  id: string;
  source: 'hosted_checkout' | 'brokerage' | 'referral';
  amount_cents: number;
  currency: string;
  status: 'pending' | 'paid' | 'failed';
  settlement_id: string | null;
  reference: string | null;
  created_at: string;
  paid_at: string | null;
  /** The remittance advice, once the payout is paid. */
  documents: Array<Document>;
}
/** Payouts, newest first. CSV with `Accept: text/csv`. */
export interface PayoutList {
  payouts: Array<{
    id: string;
    source: 'hosted_checkout' | 'brokerage' | 'referral';
    amount_cents: number;
    currency: string;
    status: 'pending' | 'paid' | 'failed';
    settlement_id: string | null;
    reference: string | null;
    created_at: string;
    paid_at: string | null;
  }>;
  next_cursor: string | null;
}
/** Always empty. */
export type PingEventData = Record<string, unknown>;
/** The registry charges a premium price to renew this domain: the fee for one year. Tell your buyer before the sale, and send the fee with the order (`premium_renewal_fee_cents`). Null for other domains, and while the registry has not been asked. */
export interface PremiumTerms {
  /** The registry's name for the price class, such as `premium`. */
  class: string | null;
  /** Minor units of `currency`. */
  renewal_fee_cents: number | null;
  currency: string | null;
}
/** The price of a listed domain. */
export interface Pricing {
  /** In A-labels (Punycode), lower case. */
  domain: string;
  /** Minor units of `currency`. */
  price_cents: number;
  /** Minor units of `currency`. */
  floor_price_cents: number | null;
  currency: string;
}
/** A locked price. The domain is held until `expires_at`. */
export interface Quote {
  /** Signed token; pass it to `POST /orders`. */
  quote_id: string;
  domain: string;
  price_cents: number;
  currency: string;
  expires_at: string;
  premium: PremiumTerms | null;
}
export interface QuoteInput {
  domain: string;
}
/** Payouts of commissions, newest first. */
export interface ReferralPayoutList {
  payouts: Array<{
    id: string;
    source: 'referral';
    amount_cents: number;
    currency: string;
    status: 'pending' | 'paid' | 'failed';
    reference: string | null;
    created_at: string;
    paid_at: string | null;
  }>;
  total_paid_cents: number;
  /** The currency of the total. */
  currency: string;
  next_cursor: string | null;
}
/** Sales from links, newest first. */
export interface ReferredSaleList {
  sales: Array<{
    order_id: string;
    /** Masked unless the caller may see it. */
    buyer: string;
    domain: string;
    amount_cents: number;
    commission_cents: number;
    currency: string;
    link_id: string;
    /** The link's. */
    sub_id: string | null;
    /** The commission's. */
    status: 'accrued' | 'pending' | 'paid_out' | 'reversed';
    sold_at: string;
  }>;
  next_cursor: string | null;
}
/** A refund of an order, completed or pending. */
export interface Refund {
  id: string;
  order_id: string;
  status: 'accepted';
  amount_cents: number;
  currency: string;
  reason: 'requested_by_customer' | 'duplicate' | 'fraudulent' | 'other';
  created_at: string;
  /** Null while the push of the domain is being stopped; `order.refunded` announces that it was. */
  completed_at: string | null;
}
export interface RefundInput {
  /** `public_id` of the order. */
  order_id: string;
  reason: 'requested_by_customer' | 'duplicate' | 'fraudulent' | 'other';
  note?: string | undefined;
}
/** The endpoint as registered. */
export interface RegisteredEndpoint {
  url: string;
  active: boolean;
  created_at: string;
}
/** The registrant of a domain. */
export interface Registrant {
  name: string;
  organization?: string | undefined;
  street: Array<string>;
  city: string;
  /** State, province or prefecture, where addresses have one. */
  state?: string | undefined;
  /** Required in countries with postal codes. */
  postal_code?: string | undefined;
  /** ISO 3166-1 alpha-2. `UK` is read as `GB`, `EL` as `GR`; codes without a country, such as `EU`, are rejected. */
  country: string;
  /** E.164, such as +4930123456. */
  phone: string;
  email: string;
  /** Extra fields the TLD requires: see `registrant_schema` in its metadata. */
  extra?: Record<string, string> | undefined;
}
/** A resend of past events to an endpoint. */
export interface Replay {
  id: string;
  endpoint_id: string;
  status: 'queued' | 'running' | 'completed' | 'cancelled';
  from: string;
  to: string;
  event_types: Array<string> | null;
  /** The number of events found; null until the replay runs. */
  total: number | null;
  scheduled: number;
  delivered: number;
  failed: number;
  /** From 0 to 1: the share of deliveries that succeeded or were given up. */
  progress: number;
  created_at: string;
  finished_at: string | null;
  status_url: string;
}
export interface ReplayRequest {
  /** Inclusive. A date or a date-time, of the years 1970 to 9999. */
  from: string;
  /** Exclusive. A date or a date-time, of the years 1970 to 9999. */
  to: string;
  /** Event types and patterns such as `order.*`; null means all. */
  event_types?: Array<string> | null | undefined;
}
/** The clock of your sandbox. It only goes forward. */
export interface SandboxClock {
  /** Get the current time of your sandbox. */
  now: string;
  /** How far the sandbox clock is ahead of real time. */
  ahead_seconds: number;
  /** `advancing` while work that is due before the target time runs, step by step. */
  status: 'ready' | 'advancing';
  advancing_to: string | null;
  settlement_period_ends_at: string;
}
/** Queued. Follow them with `GET /v1/webhooks/deliveries`. */
export interface ScheduledDeliveries {
  /** The first of `delivery_ids`. */
  delivery_id: string;
  /** One for each endpoint. */
  delivery_ids: Array<string>;
}
/** Queued. Follow it with `GET /v1/webhooks/deliveries`. */
export interface ScheduledDelivery {
  delivery_id: string;
}
/** A matching domain and its price. */
export interface SearchResult {
  /** In A-labels (Punycode), lower case. */
  domain: string;
  domain_unicode: string;
  tld: string;
  /** Minor units of `currency`. */
  price_cents: number;
  /** Minor units of `currency`. */
  floor_price_cents: number | null;
  currency: string;
  offers_accepted: boolean;
  category: string | null;
  score: number;
  /** How the score was calculated. Only with `explain=true`. */
  explanation?: {
    exact: 'domain' | 'label' | 'slip' | null;
    coverage: number;
    precision: number;
    order: number;
    agreement: number;
    meaning: number;
    quality: number;
    words: Array<{
      asked: string;
      met_by: string | null;
      where: 'label' | 'tld' | 'tags' | 'about' | null;
      worth: number;
    }>;
  } | undefined;
}
/** The relevant domains, best first. */
export interface SearchResults {
  query: string;
  interpreted: InterpretedQuery;
  count: number;
  results: Array<SearchResult>;
  /** If nothing was found, other searches that return results. */
  suggestions: Array<SearchSuggestion>;
}
export interface SearchSuggestion {
  /** The topic with corrected spelling, the query without one limit (or without two, if dropping one is not enough), or a related kind of business. */
  kind: 'spelling' | 'without_limit' | 'without_limits' | 'near_topic';
  /** Send this as `q`, with the same filters. */
  query: string;
  /** The limit dropped from `query`. */
  limit?: 'price' | 'suffix' | 'length' | 'letters' | 'words' | 'exclusion' | undefined;
  /** The two limits dropped from `query`. */
  limits?: Array<'price' | 'suffix' | 'length' | 'letters' | 'words' | 'exclusion'> | undefined;
  /** The number of results. */
  count: number;
}
export interface SecretRotation {
  /** Generated unless you provide one. Format: `whsec_` and the base64 of at least 24 bytes. */
  secret?: string | undefined;
  /** How many hours the old secret also signs `webhook-signature`. Defaults to 24. */
  overlap_hours?: number | undefined;
}
/** A statement with its lines, oldest first. CSV with `Accept: text/csv`, PDF with `Accept: application/pdf`. */
export interface SettlementDetail {
  id: string;
  period_start: string;
  period_end: string;
  status: 'open' | 'closed' | 'paid';
  currency: string;
  orders_count: number;
  gross_sold_cents: number;
  commission_retained_cents: number;
  /** The sum of clawbacks. */
  adjustments_cents: number;
  /** The sum of the lines; negative if we owe you. */
  amount_owed_cents: number;
  closed_at: string | null;
  due_at: string | null;
  lines: Array<{
    order_id: string;
    type: 'sale' | 'clawback';
    domain: string;
    payment_model: 'merchant_of_record' | 'hosted_checkout' | 'brokerage';
    sale_price_cents: number;
    commission_cents: number;
    amount_owed_cents: number;
    currency: string;
    occurred_at: string;
  }>;
  next_cursor: string | null;
  /** Empty while the period is open. */
  documents: Array<Document>;
}
/** Statements: the current period first, then newest first. */
export interface SettlementList {
  settlements: Array<{
    id: string;
    period_start: string;
    period_end: string;
    status: 'open' | 'closed' | 'paid';
    currency: string;
    orders_count: number;
    gross_sold_cents: number;
    commission_retained_cents: number;
    /** The sum of clawbacks. */
    adjustments_cents: number;
    /** The sum of the lines; negative if we owe you. */
    amount_owed_cents: number;
    closed_at: string | null;
    due_at: string | null;
  }>;
  next_cursor: string | null;
}
/** An event without its data, for endpoints with `payload: thin`. */
export interface ThinEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'order.recorded' | 'order.held' | 'order.manual_review_cleared' | 'order.action_required' | 'order.transfer_started' | 'order.delivery_ready' | 'order.transfer_completed' | 'order.settled' | 'order.refunded' | 'order.disputed' | 'order.dispute_closed' | 'transfer.initiated' | 'transfer.auth_code_ready' | 'transfer.pending_registry' | 'transfer.action_required' | 'transfer.released' | 'transfer.requested' | 'transfer.expired' | 'transfer.completed' | 'transfer.failed' | 'transfer.cancelled' | 'offer.created' | 'offer.countered' | 'offer.accepted' | 'offer.declined' | 'offer.expired' | 'brokerage.case_updated' | 'brokerage.case_completed' | 'webhook.endpoint_disabled' | 'webhook.ping';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  /** The ID of the order, case, endpoint or partner the event is about. */
  subject: string;
}
/** A step of an order, with its status afterwards. */
export interface TimelineEntry {
  at: string;
  status: OrderStatus;
  /** The type of the event that announced it. */
  event: string;
  note: string | null;
}
/** Transactions, newest first. CSV with `Accept: text/csv`. */
export interface TransactionList {
  transactions: Array<{
    id: string;
    order_id: string;
    domain: string;
    type: 'sale' | 'refund' | 'clawback';
    /** The order's, now. */
    status: 'EXTERNALLY_PAID' | 'MANUAL_REVIEW' | 'PAID' | 'TRANSFER_IN_PROGRESS' | 'TRANSFER_COMPLETED' | 'SETTLED' | 'REFUNDED' | 'CANCELLED';
    payment_model: 'merchant_of_record' | 'hosted_checkout' | 'brokerage';
    /** Negative for a refund or clawback. */
    sale_price_cents: number;
    /** Negative for a refund or clawback. */
    commission_cents: number;
    currency: string;
    created_at: string;
  }>;
  /** One per currency, over all matching rows. */
  totals: Array<{
    currency: string;
    /** The number of transactions of all types. */
    count: number;
    /** The sum of `sale_price_cents`. */
    gmv_cents: number;
    commission_cents: number;
  }>;
  next_cursor: string | null;
}
/** Someone has to act before the transfer can continue. */
export interface TransferActionRequiredEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'transfer.action_required';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: TransferEventData;
}
/** The domain is at another registrar, and its transfer was requested with the authorization code. */
export interface TransferAuthCodeReadyEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'transfer.auth_code_ready';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: TransferEventData;
}
/** The transfer was stopped, for a refund. */
export interface TransferCancelledEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'transfer.cancelled';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: TransferEventData;
}
/** The registrar reports the domain as moved. */
export interface TransferCompletedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'transfer.completed';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: TransferEventData;
}
export interface TransferEventData {
  order: OrderInEvent;
  transfer: TransferInEvent;
}
/** The claim link or the authorization code expired before the domain was claimed or transferred. */
export interface TransferExpiredEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'transfer.expired';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OrderDeliveryEventData;
}
/** The transfer failed. The order stays `TRANSFER_IN_PROGRESS` until an operator retries or refunds it. */
export interface TransferFailedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'transfer.failed';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: TransferEventData;
}
/** The transfer after this step. */
export interface TransferInEvent {
  /** The transfer ID. */
  id: string;
  /** The status after this step. */
  status: 'queued' | 'pushing' | 'pending_registry' | 'action_required' | 'awaiting_confirmation' | 'completed' | 'failed' | 'cancelled';
  /** The method of the transfer. */
  method: 'push' | 'auth_code';
  /** What needs to be done, or why the transfer failed. */
  reason?: string | undefined;
  /** When this step happened. */
  occurred_at: string;
}
/** The registrar was asked to push the domain. */
export interface TransferInitiatedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'transfer.initiated';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: TransferEventData;
}
/** The registry is working on the transfer. */
export interface TransferPendingRegistryEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'transfer.pending_registry';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: TransferEventData;
}
/** The domain can move to your registrar: request its authorization code. */
export interface TransferReleasedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'transfer.released';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OrderDeliveryEventData;
}
/** A registrar requested the domain with the code, and we approved it. */
export interface TransferRequestedEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'transfer.requested';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: OrderDeliveryEventData;
}
/** An endpoint with its settings and health. */
export interface WebhookEndpoint {
  id: string;
  name: string;
  url: string;
  event_types: Array<string> | null;
  payload: 'full' | 'thin';
  ordering: 'none' | 'per_subject';
  max_per_second: number | null;
  /** The names of your custom headers; values are never shown. */
  headers: Record<string, null>;
  active: boolean;
  /** `gone`: the endpoint answered 410. `failing`: it has only failed for days. `paused`: you paused it. */
  disabled_reason: 'gone' | 'failing' | 'paused' | null;
  created_at: string;
  updated_at: string;
  previous_secret_until: string | null;
  health: {
    status: 'healthy' | 'failing' | 'disabled';
    failing_since: string | null;
    last_success_at: string | null;
    last_failure_at: string | null;
    /** The circuit breaker is open until then; nothing is sent. */
    paused_until: string | null;
  };
}
export interface WebhookEndpointChange {
  /** http or https (LIVE: https only), public, without credentials. */
  url?: string | undefined;
  /** Unique among your endpoints in the environment. Defaults to the ID. */
  name?: string | undefined;
  /** Event types and patterns such as `order.*`; null means all. */
  event_types?: Array<string> | null | undefined;
  /** `thin` sends `{id, type, created_at, partner_id, subject}`, without `data`. */
  payload?: 'full' | 'thin' | undefined;
  /** `per_subject` sends the events of each order or case strictly in order; other orders and cases do not wait. */
  ordering?: 'none' | 'per_subject' | undefined;
  /** Requests per second. */
  max_per_second?: number | null | undefined;
  /** Up to 5 custom headers. Values are encrypted and never shown: they read as null, and sending null keeps a value. */
  headers?: Record<string, string | null> | undefined;
  /** `false` pauses the endpoint and cancels its pending deliveries; `true` re-enables it. Use a replay to send what it missed. */
  active?: boolean | undefined;
}
/** An endpoint was disabled: it failed for days, or answered 410. */
export interface WebhookEndpointDisabledEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'webhook.endpoint_disabled';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: EndpointEventData;
}
/** Endpoints, newest first. */
export interface WebhookEndpointList {
  endpoints: Array<WebhookEndpoint>;
  next_cursor: string | null;
}
/** An endpoint and its generated secret. */
export interface WebhookEndpointWithSecret {
  id: string;
  name: string;
  url: string;
  event_types: Array<string> | null;
  payload: 'full' | 'thin';
  ordering: 'none' | 'per_subject';
  max_per_second: number | null;
  /** The names of your custom headers; values are never shown. */
  headers: Record<string, null>;
  active: boolean;
  /** `gone`: the endpoint answered 410. `failing`: it has only failed for days. `paused`: you paused it. */
  disabled_reason: 'gone' | 'failing' | 'paused' | null;
  created_at: string;
  updated_at: string;
  previous_secret_until: string | null;
  health: {
    status: 'healthy' | 'failing' | 'disabled';
    failing_since: string | null;
    last_success_at: string | null;
    last_failure_at: string | null;
    /** The circuit breaker is open until then; nothing is sent. */
    paused_until: string | null;
  };
  /** Shown only once; null if you provided the secret yourself. */
  secret: string | null;
}
/** You requested a test event. It is not in the history. */
export interface WebhookPingEvent {
  /** Unique to the event, and the same in each of its deliveries. */
  id: string;
  /** What happened. */
  type: 'webhook.ping';
  /** When the event happened. */
  created_at: string;
  /** Your partner account. */
  partner_id: string;
  data: PingEventData;
}
/** What `domains.search` takes. */
export interface SearchDomainsInput {
  /** What the name is for, or a name, with any wishes and limits in plain words. 1 to 500 characters after trimming. */
  q: string;
  /** Only these suffixes, comma-separated. */
  tld?: string | undefined;
  min_price_cents?: number | undefined;
  max_price_cents?: number | undefined;
  /** Explain the score of each result. SANDBOX only. */
  explain?: boolean | undefined;
}
/** What `domains.get` takes. */
export interface GetDomainInput {
  /** A registrable domain in any spelling: Unicode or A-labels, any case. */
  name: string;
}
/** What `availability.get` takes. */
export interface GetAvailabilityInput {
  /** A registrable domain in any spelling: Unicode or A-labels, any case. */
  domain: string;
}
/** What `pricing.get` takes. */
export interface GetPricingInput {
  /** A registrable domain in any spelling: Unicode or A-labels, any case. */
  domain: string;
}
/** What `quotes.release` takes. */
export interface ReleaseQuoteInput {
  quote_id: string;
}
/** What `orders.list` takes. */
export interface ListOrdersInput {
  /** Rows per page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** Inclusive. A date or a date-time, of the years 1970 to 9999. */
  from?: string | undefined;
  /** Exclusive. A date or a date-time, of the years 1970 to 9999. */
  to?: string | undefined;
  /** Comma-separated, of EXTERNALLY_PAID, MANUAL_REVIEW, PAID, TRANSFER_IN_PROGRESS, TRANSFER_COMPLETED, SETTLED, REFUNDED, CANCELLED. */
  status?: string | undefined;
  domain?: string | undefined;
}
/** What `orders.get` takes. */
export interface GetOrderInput {
  public_id: string;
}
/** What `registrants.set` takes. */
export interface SetRegistrantPath {
  public_id: string;
}
/** What `authCodes.issue` takes. */
export interface IssueAuthCodeInput {
  public_id: string;
}
/** What `offers.list` takes. */
export interface ListOffersInput {
  /** Rows per page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
  status?: 'OPEN' | 'COUNTERED' | 'ACCEPTED' | 'DECLINED' | 'EXPIRED' | undefined;
}
/** What `offers.get` takes. */
export interface GetOfferInput {
  id: string;
}
/** What `offers.accept` takes. */
export interface AcceptOfferInput {
  id: string;
}
/** What `offers.counter` takes. */
export interface CounterOfferPath {
  id: string;
}
/** What `offers.decline` takes. */
export interface DeclineOfferInput {
  id: string;
}
/** What `checkoutSessions.get` takes. */
export interface GetSessionInput {
  id: string;
}
/** What `orders.advance` takes. */
export interface AdvanceOrderPath {
  public_id: string;
}
/** What `settlements.list` takes. */
export interface ListSettlementsInput {
  /** Rows per page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** Inclusive. A date or a date-time, of the years 1970 to 9999. */
  from?: string | undefined;
  /** Exclusive. A date or a date-time, of the years 1970 to 9999. */
  to?: string | undefined;
  /** Comma-separated, of open, closed, paid. */
  status?: string | undefined;
}
/** What `settlements.get` takes. */
export interface GetSettlementInput {
  id: string;
  /** Lines per page. A CSV has all of them. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}
/** What `transactions.list` takes. */
export interface ListTransactionsInput {
  /** Rows per page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** Inclusive. A date or a date-time, of the years 1970 to 9999. */
  from?: string | undefined;
  /** Exclusive. A date or a date-time, of the years 1970 to 9999. */
  to?: string | undefined;
  /** Comma-separated, of EXTERNALLY_PAID, MANUAL_REVIEW, PAID, TRANSFER_IN_PROGRESS, TRANSFER_COMPLETED, SETTLED, REFUNDED, CANCELLED. */
  status?: string | undefined;
  /** Comma-separated, of merchant_of_record, hosted_checkout, brokerage. */
  payment_model?: string | undefined;
}
/** What `payouts.list` takes. */
export interface ListPayoutsInput {
  /** Rows per page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** Inclusive. A date or a date-time, of the years 1970 to 9999. */
  from?: string | undefined;
  /** Exclusive. A date or a date-time, of the years 1970 to 9999. */
  to?: string | undefined;
  /** Comma-separated, of pending, paid, failed. */
  status?: string | undefined;
}
/** What `payouts.get` takes. */
export interface GetPayoutInput {
  id: string;
}
/** What `documents.get` takes. */
export interface GetDocumentInput {
  id: string;
}
/** What `eligibility.get` takes. */
export interface GetEligibilityInput {
  domain: string;
}
/** What `cases.list` takes. */
export interface ListCasesInput {
  /** Rows per page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** Inclusive. A date or a date-time, of the years 1970 to 9999. */
  from?: string | undefined;
  /** Exclusive. A date or a date-time, of the years 1970 to 9999. */
  to?: string | undefined;
  /** Comma-separated, of OPEN, CONTACTING_OWNER, NEGOTIATING, AGREED, COMPLETED, CLOSED_NO_DEAL, CANCELLED. */
  status?: string | undefined;
}
/** What `cases.get` takes. */
export interface GetCaseInput {
  case_id: string;
}
/** What `links.list` takes. */
export interface ListLinksInput {
  /** Rows per page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
  kind?: 'generic' | 'domain' | 'product' | undefined;
  /** Links with this `sub_id` only. */
  sub_id?: string | undefined;
  /** ISO 4217: the currency of the amounts. */
  currency?: string | undefined;
}
/** What `clicks.get` takes. */
export interface GetClicksInput {
  /** Inclusive. A date or a date-time, of the years 1970 to 9999. */
  from?: string | undefined;
  /** Exclusive. A date or a date-time, of the years 1970 to 9999. */
  to?: string | undefined;
  /** Weeks begin on Monday; days are UTC. */
  interval?: 'day' | 'week' | 'month' | undefined;
}
/** What `sales.list` takes. */
export interface ListSalesInput {
  /** Rows per page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** Inclusive. A date or a date-time, of the years 1970 to 9999. */
  from?: string | undefined;
  /** Exclusive. A date or a date-time, of the years 1970 to 9999. */
  to?: string | undefined;
  /** Comma-separated, of accrued, pending, paid_out, reversed. */
  status?: string | undefined;
  link_id?: string | undefined;
}
/** What `commissions.list` takes. */
export interface ListCommissionsInput {
  /** Rows per page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** Inclusive. A date or a date-time, of the years 1970 to 9999. */
  from?: string | undefined;
  /** Exclusive. A date or a date-time, of the years 1970 to 9999. */
  to?: string | undefined;
  /** Comma-separated, of accrued, pending, paid_out, reversed. */
  type?: string | undefined;
}
/** What `referralPayouts.list` takes. */
export interface ListReferralPayoutsInput {
  /** Rows per page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** Inclusive. A date or a date-time, of the years 1970 to 9999. */
  from?: string | undefined;
  /** Exclusive. A date or a date-time, of the years 1970 to 9999. */
  to?: string | undefined;
  /** ISO 4217: the currency of the amounts. */
  currency?: string | undefined;
}
/** What `analytics.get` takes. */
export interface GetAnalyticsInput {
  /** Inclusive. A date or a date-time, of the years 1970 to 9999. */
  from?: string | undefined;
  /** Exclusive. A date or a date-time, of the years 1970 to 9999. */
  to?: string | undefined;
  /** Weeks begin on Monday; days are UTC. */
  interval?: 'day' | 'week' | 'month' | undefined;
  /** ISO 4217: the currency of the amounts. */
  currency?: string | undefined;
}
/** What `events.list` takes. */
export interface ListEventsInput {
  /** The last event you have seen. */
  after_id?: string | undefined;
  /** Events per page. */
  limit?: number | undefined;
}
/** What `webhookEndpoints.list` takes. */
export interface ListWebhookEndpointsInput {
  /** Rows per page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}
/** What `webhookEndpoints.retrieve` takes. */
export interface GetWebhookEndpointInput {
  id: string;
}
/** What `webhookEndpoints.update` takes. */
export interface UpdateWebhookEndpointPath {
  id: string;
}
/** What `webhookEndpoints.delete` takes. */
export interface RemoveWebhookEndpointInput {
  id: string;
}
/** What `webhookEndpoints.rotateSecret` takes. */
export interface RotateSecretPath {
  id: string;
}
/** What `webhookEndpoints.sendTest` takes. */
export interface TestWebhookEndpointInput {
  id: string;
}
/** What `webhookEndpoints.replay` takes. */
export interface ReplayEventsPath {
  id: string;
}
/** What `replays.get` takes. */
export interface GetReplayInput {
  id: string;
}
/** What `replays.cancel` takes. */
export interface CancelReplayInput {
  id: string;
}
/** What `deliveries.list` takes. */
export interface ListDeliveriesInput {
  /** Rows per page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** Inclusive. A date or a date-time, of the years 1970 to 9999. */
  from?: string | undefined;
  /** Exclusive. A date or a date-time, of the years 1970 to 9999. */
  to?: string | undefined;
  endpoint_id?: string | undefined;
  /** A type, or a pattern such as `order.*`. */
  event_type?: string | undefined;
  event_id?: string | undefined;
  status?: 'pending' | 'delivered' | 'exhausted' | 'cancelled' | undefined;
}
/** What `deliveries.resend` takes. */
export interface ResendDeliveryInput {
  id: string;
}
/** What `events.resend` takes. */
export interface ResendEventInput {
  id: string;
}
/** An event as an endpoint with full payloads receives it; `type` tells which. */
export type WebhookEvent =
  | OrderRecordedEvent
  | OrderHeldEvent
  | OrderManualReviewClearedEvent
  | OrderActionRequiredEvent
  | OrderTransferStartedEvent
  | OrderDeliveryReadyEvent
  | OrderTransferCompletedEvent
  | OrderSettledEvent
  | OrderRefundedEvent
  | OrderDisputedEvent
  | OrderDisputeClosedEvent
  | TransferInitiatedEvent
  | TransferAuthCodeReadyEvent
  | TransferPendingRegistryEvent
  | TransferActionRequiredEvent
  | TransferReleasedEvent
  | TransferRequestedEvent
  | TransferExpiredEvent
  | TransferCompletedEvent
  | TransferFailedEvent
  | TransferCancelledEvent
  | OfferCreatedEvent
  | OfferCounteredEvent
  | OfferAcceptedEvent
  | OfferDeclinedEvent
  | OfferExpiredEvent
  | BrokerageCaseUpdatedEvent
  | BrokerageCaseCompletedEvent
  | WebhookEndpointDisabledEvent
  | WebhookPingEvent;
/** An event as the history has it. */
export type HistoryEvent = EventList['events'][number];
export type EventType = WebhookEvent['type'];
/** The event of one type: `EventOf<'order.settled'>`. */
export type EventOf<T extends EventType> = Extract<WebhookEvent, { type: T }>;
/** The codes of all refusals; docs/errors.md says what to do about each. */
export type ErrorCode = ErrorAnswer['error']['code'];
