import { describe, expect, it } from '@jest/globals';
import { classifyAttempt } from '../../../shared/delivery/webhooks/attempt-result.ts';
import type { OutboundFailure } from '../../../shared/platform/outbound/http-client.ts';

const answered = (status: number, truncated = false) =>
  classifyAttempt({
    kind: 'response',
    status,
    headers: {},
    body: Buffer.alloc(0),
    truncated,
    elapsedMs: 12,
  });

describe('the outcome of an attempt', () => {
  it.each([200, 201, 202, 204, 299])('%i is success', (status) => {
    expect(answered(status)).toEqual({ ok: true });
  });

  it('is success for a 2xx whose body was cut off', () => {
    expect(answered(200, true)).toEqual({ ok: true });
  });

  it.each([300, 301, 302, 303, 304, 307, 308, 399])('%i is a redirect, and fails', (status) => {
    expect(answered(status)).toEqual({ ok: false, reason: 'redirect', disable: false });
  });

  it.each([400, 401, 404, 409, 429, 500, 502, 503, 504, 599, 999])('%i fails', (status) => {
    expect(answered(status)).toEqual({ ok: false, reason: 'http_status', disable: false });
  });

  it('410 fails and disables the endpoint', () => {
    expect(answered(410)).toEqual({ ok: false, reason: 'gone', disable: true });
  });

  it.each<OutboundFailure>([
    'timeout',
    'dns_failure',
    'refused_address',
    'tls_failure',
    'connection_failed',
    'invalid_url',
    'aborted',
  ])('%s fails under its own name', (reason) => {
    const result = classifyAttempt({ kind: 'failure', reason, detail: '', elapsedMs: 1 });
    expect(result).toEqual({ ok: false, reason, disable: false });
  });
});
