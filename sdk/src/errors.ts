import type { ErrorCode } from './generated/types.ts';

/** The base class of all errors of this package, except wrong arguments (TypeError) and your own abort. */
export class ServiceError extends Error {
  /** Identifies the request to the operator of the service; undefined if there was no response. */
  readonly requestId: string | undefined;

  constructor(message: string, options: { requestId?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.requestId = options.requestId;
  }
}

/** The content of an error response. */
export interface Refusal {
  status: number;
  code: ErrorCode | 'unexpected_answer';
  message: string;
  requestId: string | undefined;
  details: unknown;
  retryAfterMs: number | undefined;
}

/** The service returned an error. Act on `code`; docs/errors.md says how to handle each one. */
export class ApiError extends ServiceError {
  readonly status: number;
  /** `unexpected_answer` if the response is not from the service, for example from a proxy. */
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

/** 400 and other rejections of the request's content. `faults` lists the fields. */
export class InvalidRequestError extends ApiError {
  get faults(): ReadonlyArray<{ path: string; message: string }> {
    return Array.isArray(this.details) ? this.details : [];
  }
}

/** 401: wrong key, signature, timestamp or nonce. */
export class AuthenticationError extends ApiError {}

/** 403: a missing scope, or an inactive key or partner. */
export class PermissionError extends ApiError {}

/** 404: it does not exist, or is not yours. */
export class NotFoundError extends ApiError {}

/** 409: a conflict with the current state; `reason` says which. */
export class ConflictError extends ApiError {
  get reason(): string | undefined {
    return (this.details as { reason?: string } | undefined)?.reason;
  }
}

/** 422: well-formed but not possible: `price_mismatch`, `quote_expired`, `not_eligible`. */
export class UnprocessableError extends ApiError {}

/** 429: wait for `retryAfterMs`. */
export class RateLimitError extends ApiError {}

/** 5xx: an error in the service. */
export class ServerError extends ApiError {}

/** The network failed before a complete response arrived. A write may have succeeded anyway. */
export class ConnectionError extends ServiceError {}

/** No complete response arrived in time. A write may have succeeded anyway. */
export class TimeoutError extends ConnectionError {}

/** A webhook failed verification; do not trust it. */
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

/** Creates the error of the class for its status. */
export function apiError(refusal: Refusal): ApiError {
  if (refusal.status >= 500) return new ServerError(refusal);
  const named = BY_STATUS[refusal.status];
  if (named) return new named(refusal);
  return refusal.status >= 400 ? new InvalidRequestError(refusal) : new ApiError(refusal);
}
