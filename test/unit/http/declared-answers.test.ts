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
    ['a missing field', check(200, { ...ANSWER, currency: undefined }), "'currency'"],
    ['an undeclared field', check(200, { ...ANSWER, partner_id: 'ptr_1' }), 'partner_id'],
    ['a field of the wrong type', check(200, { ...ANSWER, price_cents: '1' }), '/price_cents'],
    ['an undeclared status', check(201, ANSWER), 'no operation declares'],
    ['a code outside the catalogue', check(404, error({ code: 'oops' })), '/error/code'],
    ['an error that the route does not declare', check(404, error({})), 'does not name not_found'],
    ['a code with the wrong status', check(400, error({})), 'status'],
    [
      'a request id that differs from the header',
      check(404, error({ request_id: 'x' })),
      'request_id',
    ],
  ])('fails on %s', (_what, run, named) => {
    expect(run).toThrow(named);
  });
});
