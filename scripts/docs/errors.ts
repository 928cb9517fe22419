import {
  type ConflictReason,
  ERROR_CATALOGUE,
  type ErrorCode,
} from '../../shared/platform/errors.ts';
import { code, table } from './markdown.ts';

interface Explanation {
  when: string;
  advice: string;
}

/** What docs/errors.md says about each error. */
const ERRORS: Record<ErrorCode, Explanation> = {
  validation_error: {
    when: 'A field is missing or malformed. `details` lists every problem as `{"path", "message"}`; `path` is a JSON pointer, for parameters too (`/q`).',
    advice: 'Correct the request.',
  },
  missing_idempotency_key: {
    when: '`POST /v1/orders` without `Idempotency-Key`.',
    advice: 'Send one: a value unique to the sale.',
  },
  invalid_cursor: {
    when: 'A `cursor` or `after_id` is malformed, not yours, or was made for other filters.',
    advice: 'Start again without it.',
  },
  missing_credentials: { when: '`X-Service-Key-Id` is missing.', advice: 'Sign the request.' },
  missing_signature_headers: {
    when: 'One of the other three headers is missing.',
    advice: 'Send all four.',
  },
  invalid_timestamp: {
    when: 'Not Unix seconds, or more than 300 s from the server clock.',
    advice: 'Send seconds, not milliseconds. Correct your clock.',
  },
  invalid_signature: {
    when: 'Unknown key ID, wrong secret, wrong canonical string, no `v1=`, a changed body or a malformed nonce. With a sandbox key ID, `details.canonical_string` is the string the server built.',
    advice: 'Compare the canonical strings: [signing.md](signing.md).',
  },
  replay_detected: {
    when: 'The nonce was used before with this key.',
    advice: 'Sign again with a new nonce.',
  },
  invalid_token: {
    when: 'The token is missing, unknown or expired, or a parameter is for signed-in callers; `WWW-Authenticate` says where to sign in.',
    advice: 'Sign in again.',
  },
  forbidden: {
    when: 'The scope that the message names is missing, the partner has no affiliate account (referrals), or the request came over plain HTTP.',
    advice: 'Ask for the scope or the account. Use HTTPS.',
  },
  credential_not_active: {
    when: 'The signature is valid, but the key pair was revoked or has expired.',
    advice: 'Use the newest key pair.',
  },
  partner_not_active: {
    when: 'The partner account is suspended.',
    advice: 'Contact the operator of the marketplace.',
  },
  not_found: {
    when: 'Unknown path, unlisted domain, or an object of another partner or environment.',
    advice: 'Check the path, the ID and the environment of the key.',
  },
  method_not_allowed: {
    when: '`Allow` names the methods of this path.',
    advice: 'Use one of those.',
  },
  conflict: {
    when: 'The request conflicts with the current state. `details.reason` says how.',
    advice: 'See [the reasons](#reasons-of-a-conflict).',
  },
  payload_too_large: { when: 'The body is over its limit, usually 100 kB.', advice: 'Send less.' },
  unsupported_media_type: {
    when: 'The body is not `application/json`, or is compressed.',
    advice: 'Send plain JSON with that `Content-Type`.',
  },
  price_mismatch: {
    when: '`expected_price` or `currency` differs from the current price. `details` has the current `sale_price_cents` and `currency`.',
    advice: 'Quote again, and ask the buyer if the price has changed.',
  },
  quote_expired: {
    when: 'Its time is over, or it was released or replaced by a newer one.',
    advice: 'Get a new quote.',
  },
  not_eligible: {
    when: 'The domain of a brokerage request cannot be brokered; `details[0].reason` says why.',
    advice: 'Ask `GET /brokerage/eligibility` first.',
  },
  rate_limited: {
    when: 'You are over a limit, or too many of your requests are in progress.',
    advice: 'Wait `Retry-After` seconds, then sign and send again.',
  },
  internal_error: {
    when: 'Something failed on our side.',
    advice: 'Retry with exponential backoff; a write with the same `Idempotency-Key`.',
  },
  unreadable_answer: {
    when: 'A registry answered a WHOIS lookup in a form that nobody can read: the domain may be registered or free.',
    advice: 'Read its text in `details.raw` (32 kB at most). Do not retry.',
  },
  service_unavailable: {
    when: 'Part of the service is down, or your earlier requests are still in progress. Nothing was done.',
    advice: 'Retry after `Retry-After` seconds; a write with the same `Idempotency-Key`.',
  },
};

const REASONS: Record<ConflictReason, Explanation> = {
  domain_sold: {
    when: 'The domain has been sold.',
    advice:
      'Offer another one. After a retry with another API key or `Idempotency-Key`, look for your own order first: `GET /v1/orders?domain=`.',
  },
  domain_reserved: {
    when: 'Another buyer holds the domain, by a quote or a payment in progress.',
    advice: 'Try again in ten minutes.',
  },
  transfer_locked: {
    when: 'The domain cannot be transferred now.',
    advice: 'Try again after its `locked_until`.',
  },
  legal_hold: {
    when: 'A court or another authority keeps the domain where it is.',
    advice: 'Offer another one. Owners: contact support.',
  },
  price_not_payable: {
    when: 'The payment provider cannot take this price exactly, such as a fraction of an ariary.',
    advice: 'Ask for another price.',
  },
  premium_price: {
    when: 'The domain is premium, and the order does not say what its registry asks for a year, or says another fee.',
    advice:
      'Tell your buyer, and send `renewal_fee_cents` of the details as `premium_renewal_fee_cents`.',
  },
  registrant_required: {
    when: 'The order has no registrant.',
    advice: 'Set it with `PUT /v1/orders/{public_id}/registrant`.',
  },
  quote_used: {
    when: 'The quote was already used for an order.',
    advice: 'Read the order; quote again for another sale.',
  },
  key_reused: {
    when: 'The `Idempotency-Key` was used with another body.',
    advice: 'Use a new key for a new sale.',
  },
  invalid_state: {
    when: 'The current status does not allow this move; the message names both.',
    advice: 'Read the object, then decide: [states.md](states.md).',
  },
  too_many_holds: {
    when: 'You hold 50 domains, by open quotes and payments on your checkout pages.',
    advice: 'Release a quote or wait for one to expire.',
  },
  too_many_endpoints: {
    when: 'You have 10 webhook endpoints in this environment beside the default one.',
    advice: 'Remove one, or change one.',
  },
  already_refunded: {
    when: 'The order was refunded or canceled, or a refund is pending.',
    advice: 'Nothing; `order.refunded` arrives when a pending refund is done.',
  },
  not_partner_collected: {
    when: 'We collected the money for the order (`hosted_checkout`, `brokerage`).',
    advice: 'Ask the operator to refund it; we pay the buyer back.',
  },
  already_exists: {
    when: 'Operators: the name is taken.',
    advice: 'Use the existing one, or another name.',
  },
  not_closed: {
    when: 'Operators: the statement is still open.',
    advice: 'Wait until its period is closed.',
  },
  open_case: {
    when: 'A brokerage case for the domain is already open.',
    advice: 'Offer another domain, or ask again later.',
  },
  endpoint_disabled: {
    when: 'There is no active webhook endpoint to send to.',
    advice: 'Register it again with `PUT /webhooks`.',
  },
  open_offer: {
    when: 'This buyer already has an open offer on the domain.',
    advice: 'Wait, or answer the counteroffer.',
  },
  offers_closed: {
    when: 'The owner takes no offers, or you released an accepted one within 7 days.',
    advice: 'Buy the domain at its price.',
  },
  above_price: {
    when: 'The price of the offer is above the buy-now price.',
    advice:
      'Buyers buy the domain at its price; owners raise the price first. Or name less, or decline.',
  },
  payout_disputed: {
    when: 'Operators: the buyer of an order in the payout disputes the payment.',
    advice: 'Wait until the dispute is closed.',
  },
  partner_suspended: {
    when: 'Operators: the partner is suspended and cannot be paid.',
    advice: 'Resume the partner first.',
  },
};

/** The tables in docs/errors.md. */
export const errorBlocks = {
  errors: () =>
    table(
      ['Status', 'Code', 'When', 'What to do'],
      (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).map((name) => {
        const { when, advice } = ERRORS[name];
        return [String(ERROR_CATALOGUE[name].status), code(name), when, advice];
      }),
    ),
  'conflict reasons': () =>
    table(
      ['Reason', 'When', 'What to do'],
      Object.entries(REASONS).map(([reason, { when, advice }]) => [code(reason), when, advice]),
    ),
};
