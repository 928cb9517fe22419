import type { ErrorCode } from './generated/types.ts';

/** Whatever this package throws, but for wrong arguments (TypeError) and your own abort. */
export class ServiceError extends Error {
  /** Names the request to the operator of the service; undefined when no answer came. */
  readonly requestId: string | undefined;

  constructor(message: string, options: { requestId?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.requestId = options.requestId;
  }
}

/** What a refusal carries. */
export interface Refusal {
  status: number;
  code: ErrorCode | 'unexpected_answer';
  message: string;
  requestId: string | undefined;
  details: unknown;
  retryAfterMs: number | undefined;
}

/** The service answered, and refused. Act on `code`; docs/errors.md tells what each one asks for. */
export class ApiError extends ServiceError {
  readonly status: number;
  /** `unexpected_answer` when something in between answered in another form. */
  readonly code: ErrorCode | 'unexpected_answer';
  readonly details: unknown;
  readonly retryAfterMs: number | undefined;

  constructor(refusal: Refusal) {
    const where = refusal.requestId === undefined ? '' : `, request ${refusal.requestId}`;
    super(`${refusal.message} (${refusal.code}${where})`, { requestId: refusal.requestId });
    this.status = refusal.status;
    this.code = refusal.code;
    this.details = refusal.details;
    this.retryAfterMs = refusal.retryAfterMs;
  }
}

/** 400 and the other refusals of what was sent. `faults` names the fields. */
export class InvalidRequestError extends ApiError {
  get faults(): ReadonlyArray<{ path: string; message: string }> {
    return Array.isArray(this.details) ? this.details : [];
  }
}

/** 401: key, signature, timestamp or nonce. */
export class AuthenticationError extends ApiError {}

/** 403: a scope that is missing, or a key or partner that is not active. */
export class PermissionError extends ApiError {}

/** 404: not there, or not yours. */
export class NotFoundError extends ApiError {}

/** 409: at odds with the present state; `reason` says how. */
export class ConflictError extends ApiError {
  get reason(): string | undefined {
    return (this.details as { reason?: string } | undefined)?.reason;
  }
}

/** 422: well-formed, and not possible: `price_mismatch`, `quote_expired`, `not_eligible`. */
export class UnprocessableError extends ApiError {}

/** 429: wait for `retryAfterMs`. */
export class RateLimitError extends ApiError {}

/** 5xx: a fault on the service's side. */
export class ServerError extends ApiError {}

/** No whole answer came: the network failed. A write may have been done all the same. */
export class ConnectionError extends ServiceError {}

/** No whole answer came in time. A write may have been done all the same. */
export class TimeoutError extends ConnectionError {}

/** A webhook that must not be believed. */
export class WebhookVerificationError extends ServiceError {
  readonly reason: WebhookFault;

  constructor(reason: WebhookFault, message: string) {
    super(message);
    this.reason = reason;
  }
}

export type WebhookFault =
  | 'missing_header'
  | 'timestamp_out_of_range'
  | 'signature_mismatch'
  | 'malformed_body';

const BY_STATUS: Readonly<Record<number, new (refusal: Refusal) => ApiError>> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
};

/** The error of the class that its status calls for. */
export function apiError(refusal: Refusal): ApiError {
  if (refusal.status >= 500) return new ServerError(refusal);
  const named = BY_STATUS[refusal.status];
  if (named) return new named(refusal);
  return refusal.status >= 400 ? new InvalidRequestError(refusal) : new ApiError(refusal);
}
