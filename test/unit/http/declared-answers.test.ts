import { describe, expect, it } from '@jest/globals';
import { expectDeclared } from '../../support/declared-answers.ts';

const ANSWER = { domain: 'neonwallet.com', available: false, price_cents: null, currency: null };

function check(status: number, body: unknown, method = 'GET', path = '/partner/v1/availability') {
  const headers = new Headers({ 'X-Request-Id': 'req_1' });
  return () => expectDeclared(method, `/api${path}`, { status, headers, body, text: '' });
}

const error = (fields: object) => ({
  error: { code: 'not_found', message: 'No.', request_id: 'req_1', ...fields },
});

describe('the check of every API response in tests', () => {
  it('accepts declared responses and the error envelope', () => {
    check(200, ANSWER)();
    check(404, error({}), 'GET', '/partner/v1/pricing')();
    check(204, null, 'DELETE', '/partner/v1/quotes/abc')();
  });

  it.each([
    ['a field too few', check(200, { ...ANSWER, currency: undefined }), "'currency'"],
    ['a field too many', check(200, { ...ANSWER, partner_id: 'ptr_1' }), 'partner_id'],
    ['a field of another type', check(200, { ...ANSWER, price_cents: '1' }), '/price_cents'],
    ['a status that is not declared', check(201, ANSWER), 'no operation declares'],
    ['a code outside the catalogue', check(404, error({ code: 'oops' })), '/error/code'],
    ['a refusal that the row does not name', check(404, error({})), 'does not name not_found'],
    ['a code with another status', check(400, error({})), 'status'],
    ['a request id that is not the header’s', check(404, error({ request_id: 'x' })), 'request_id'],
  ])('fails on %s', (_what, run, named) => {
    expect(run).toThrow(named);
  });
});
