import { ERROR_CATALOGUE, type ErrorCode } from './error-catalogue.ts';

/** Why a 409 happened, machine-readable, in `details.reason`. */
export type ConflictReason =
  | 'domain_sold'
  | 'domain_reserved'
  | 'quote_used'
  | 'key_reused'
  | 'invalid_state'
  | 'too_many_holds'
  | 'already_refunded'
  | 'not_partner_collected'
  | 'already_exists'
  | 'not_closed'
  | 'open_case'
  | 'endpoint_disabled'
  | 'partner_suspended';

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

/** An error that a caller may see. Thrown only through {@link fail} and its two sisters. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: unknown;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: FailureOptions = {}) {
    super(options.message ?? ERROR_CATALOGUE[code].message, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.status = ERROR_CATALOGUE[code].status;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** An error of the catalogue, to be thrown: `throw fail('not_found', { message })`. */
export function fail(code: ErrorCode, options?: FailureOptions): ServiceError {
  return new ServiceError(code, options);
}

/** A 409 with its machine-readable reason. */
export function conflict(reason: ConflictReason, message: string): ServiceError {
  return new ServiceError('conflict', { message, details: { reason } });
}

/** A 400 that lists every fault found. */
export function invalid(faults: readonly FieldError[]): ServiceError {
  const first = faults[0];
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  return new ServiceError('validation_error', {
    message: first ? `${first.path} ${first.message}${more}`.trim() : 'The request is malformed.',
    details: faults,
  });
}

/** Whether `error` is a Postgres violation of the named constraint or index. */
export function violatesConstraint(error: unknown, constraint: string): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'constraint' in error &&
    error.constraint === constraint
  );
}
