import { describe, expect, it } from '@jest/globals';
import { outcomeOf } from '../../../shared/messaging/webhooks/attempt.ts';
import type { OutboundFailure, Truncation } from '../../../shared/platform/outbound/http-client.ts';

const answered = (status: number, truncated: Truncation | false = false) =>
  outcomeOf({
    kind: 'response',
    status,
    headers: {},
    body: Buffer.alloc(0),
    truncated,
    elapsedMs: 12,
  });

describe('the outcome of a webhook attempt', () => {
  it.each([200, 201, 202, 204, 299])('is delivered for %i', (status) => {
    expect(answered(status)).toBe('delivered');
  });

  it.each(['too_long', 'unfinished'] as const)(
    'is delivered for a 2xx whose body was %s',
    (truncated) => {
      expect(answered(200, truncated)).toBe('delivered');
    },
  );

  it.each([300, 301, 302, 303, 304, 307, 308, 399])('is redirect for %i', (status) => {
    expect(answered(status)).toBe('redirect');
  });

  it.each([400, 401, 404, 409, 429, 500, 502, 503, 504, 599, 999])(
    'is http_status for %i',
    (status) => {
      expect(answered(status)).toBe('http_status');
    },
  );

  it('is gone for 410', () => {
    expect(answered(410)).toBe('gone');
  });

  it.each<OutboundFailure>([
    'timeout',
    'dns_failure',
    'refused_address',
    'tls_failure',
    'connection_failed',
    'invalid_url',
    'aborted',
  ])('is the reason of a failure: %s', (reason) => {
    const result = outcomeOf({ kind: 'failure', reason, detail: '', elapsedMs: 1 });
    expect(result).toBe(reason);
  });
});
