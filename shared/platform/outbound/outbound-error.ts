/** Why an outbound request got no usable answer. */
export type OutboundFailure =
  | 'timeout'
  | 'dns_failure'
  | 'refused_address'
  | 'tls_failure'
  | 'connection_failed'
  | 'invalid_url'
  | 'aborted';

/**
 * Carries the reason from where it is known to the edge of the client. It deliberately has no `code`: undici retries
 * connects that fail with one of its own codes.
 */
export class OutboundError extends Error {
  readonly reason: OutboundFailure;

  /** Partners see `message` in their delivery log, so it must not contain an internal address or a stack. */
  constructor(reason: OutboundFailure, message: string) {
    super(message);
    this.name = 'OutboundError';
    this.reason = reason;
  }
}

/** Returns the system or library code of an error, such as ECONNRESET, or `unknown`. */
export function errorCode(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error) {
    if (typeof error.code === 'string') return error.code;
  }
  return 'unknown';
}
