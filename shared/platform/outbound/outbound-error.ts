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
 * Carries the reason from the place that knows it to the edge of the client. It has no `code` on
 * purpose: undici retries connects whose error has one of its own codes.
 */
export class OutboundError extends Error {
  readonly reason: OutboundFailure;

  /** `message` is shown to partners in their delivery log: no internal address, no stack. */
  constructor(reason: OutboundFailure, message: string) {
    super(message);
    this.name = 'OutboundError';
    this.reason = reason;
  }
}

/** The system or library code of an error, such as ECONNRESET, or `unknown`. */
export function errorCode(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error) {
    if (typeof error.code === 'string') return error.code;
  }
  return 'unknown';
}
