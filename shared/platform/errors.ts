interface CatalogueEntry {
  status: number;
  message: string;
  /** The default `Retry-After`, for throw sites that set none. */
  retryAfterSeconds?: number;
}

/**
 * Every error that a caller can see: its HTTP status, and the message used when the throw site has nothing
 * more precise to say. `npm run docs` lists them in `docs/errors.md`, with what the caller should do.
 */
export const ERROR_CATALOGUE = {
  validation_error: { status: 400, message: 'The request is malformed.' },
  missing_idempotency_key: {
    status: 400,
    message: 'Send an Idempotency-Key header: a value unique to this operation, such as a UUID v4.',
  },
  invalid_cursor: {
    status: 400,
    message: 'The cursor is malformed or was issued for other filters. Start again without it.',
  },
  missing_credentials: { status: 401, message: 'Send the X-Service-Key-Id header.' },
  missing_signature_headers: {
    status: 401,
    message:
      'Send all of X-Service-Key-Id, X-Service-Timestamp, X-Service-Nonce and X-Service-Signature.',
  },
  invalid_timestamp: {
    status: 401,
    message: 'X-Service-Timestamp must be Unix time in seconds, within 300 s of the server clock.',
  },
  invalid_signature: {
    status: 401,
    message:
      'Invalid signature. Check the key ID, the secret, the canonical string and the v1= prefix.',
  },
  replay_detected: {
    status: 401,
    message: 'This nonce was used before. Sign every request, including retries, with a new nonce.',
  },
  invalid_token: {
    status: 401,
    message: 'Sign in first: the session or bearer token is missing, unknown, expired or revoked.',
  },
  forbidden: { status: 403, message: 'This credential does not have permission to do that.' },
  credential_not_active: { status: 403, message: 'This credential was revoked or has expired.' },
  partner_not_active: { status: 403, message: 'This partner account is suspended.' },
  not_found: { status: 404, message: 'There is nothing with this name or at this path.' },
  method_not_allowed: { status: 405, message: 'This path does not support that method.' },
  conflict: { status: 409, message: 'The request conflicts with the current state.' },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json.' },
  price_mismatch: {
    status: 422,
    message: 'The expected price differs from the current price. Get a new quote.',
  },
  quote_expired: { status: 422, message: 'This quote has expired. Get a new one.' },
  not_eligible: { status: 422, message: 'This domain cannot be brokered.' },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Wait for the number of seconds in Retry-After.',
  },
  internal_error: {
    status: 500,
    message:
      'Something went wrong on our side. Retry with exponential back-off. If you contact us, include the request ID.',
  },
  unreadable_answer: {
    status: 502,
    message:
      'We could not read the answer of the registry, so nothing is known about the domain. The answer is in details.raw. Retrying will not help.',
  },
  service_unavailable: {
    status: 503,
    message:
      'Part of the service is temporarily unavailable. Retry after the number of seconds in Retry-After.',
    retryAfterSeconds: 5,
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** Why a 409 happened, machine-readable, in `details.reason`. */
export type ConflictReason =
  | 'domain_sold'
  | 'domain_reserved'
  | 'transfer_locked'
  | 'legal_hold'
  | 'price_not_payable'
  | 'premium_price'
  | 'quote_used'
  | 'key_reused'
  | 'invalid_state'
  | 'registrant_required'
  | 'too_many_holds'
  | 'already_refunded'
  | 'not_partner_collected'
  | 'already_exists'
  | 'not_closed'
  | 'open_case'
  | 'endpoint_disabled'
  | 'too_many_endpoints'
  | 'partner_suspended'
  | 'payout_disputed'
  | 'open_offer'
  | 'offers_closed'
  | 'above_price';

/** One fault of a request; `path` is a JSON pointer (`/buyer/email`, `/limit`) or the name of a header. */
export interface FieldError {
  path: string;
  message: string;
}

export interface FailureOptions {
  /** Replaces the catalogue's message; must say what was wrong and what to do, and nothing internal. */
  message?: string;
  details?: unknown;
  retryAfterSeconds?: number;
  /** Kept for the log, never sent. */
  cause?: unknown;
}

/** An error that a caller may see. Throw it only through {@link fail}, {@link conflict} or {@link invalid}. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: unknown;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: FailureOptions = {}) {
    const entry: CatalogueEntry = ERROR_CATALOGUE[code];
    super(options.message ?? entry.message, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.status = entry.status;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds ?? entry.retryAfterSeconds;
  }
}

/** An error of the catalogue, to be thrown: `throw fail('not_found', { message })`. */
export function fail(code: ErrorCode, options?: FailureOptions): ServiceError {
  return new ServiceError(code, options);
}

/** Returns a 409 with its machine-readable reason. */
export function conflict(reason: ConflictReason, message: string): ServiceError {
  return new ServiceError('conflict', { message, details: { reason } });
}

/** Returns a 400 that lists every fault found. */
export function invalid(faults: readonly FieldError[]): ServiceError {
  const first = faults[0];
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  return new ServiceError('validation_error', {
    message: first ? `${first.path} ${first.message}${more}`.trim() : 'The request is malformed.',
    details: faults,
  });
}

/** Returns whether `error` is a Postgres violation of the named constraint or index. */
export function violatesConstraint(error: unknown, constraint: string): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'constraint' in error &&
    error.constraint === constraint
  );
}
