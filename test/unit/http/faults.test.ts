import { describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { CountryField, HttpUrl } from '../../../api/http/common-schemas.ts';
import { PeriodQuery } from '../../../api/http/pagination.ts';
import { bodyValidator, queryValidator } from '../../../api/http/validate.ts';

const refusal = (check: () => unknown): unknown => {
  try {
    return check();
  } catch (error) {
    return error;
  }
};

describe('validation error messages', () => {
  it('name every allowed type of a field once', () => {
    const check = bodyValidator(
      Type.Object({ id: Type.Union([Type.String({ maxLength: 2 }), Type.Number({ maximum: 9 })]) }),
    );
    expect(refusal(() => check({ id: 10 }))).toMatchObject({
      message: '/id must be a string or at most 9',
      details: [{ path: '/id', message: 'must be a string or at most 9' }],
    });
    expect(check({ id: 9 })).toEqual({ id: 9 });
  });

  it('explain wrong types and exceeded limits in words', () => {
    const check = bodyValidator(
      Type.Object({
        count: Type.Integer({ minimum: 1 }),
        names: Type.Array(Type.String({ minLength: 1, maxLength: 3 }), { maxItems: 2 }),
        password: Type.String({ minLength: 8 }),
      }),
    );
    const faultsOf = (sent: object) =>
      (refusal(() => check(sent)) as { details: { path: string; message: string }[] }).details.map(
        ({ path, message }) => `${path} ${message}`,
      );
    expect(faultsOf({ count: 0, names: ['', 'long', 'c'], password: 'short' })).toEqual([
      '/count must be at least 1',
      '/names must have at most 2 items',
      '/names/0 must not be empty',
      '/names/1 must have at most 3 characters',
      '/password must have at least 8 characters',
    ]);
    expect(faultsOf({ count: '1', names: {}, password: 'long enough' })).toEqual([
      '/count must be an integer',
      '/names must be an array',
    ]);
  });

  it('show the accepted date formats', () => {
    const check = queryValidator(Type.Object(PeriodQuery));
    expect(refusal(() => check({ from: '2026-02-30' }))).toMatchObject({
      details: [
        {
          path: '/from',
          message: 'must be a date such as 2026-01-31 or a date-time such as 2026-01-31T09:30:00Z',
        },
      ],
    });
  });

  it('explain the expected format of codes and addresses', () => {
    const check = bodyValidator(
      Type.Object({
        country: CountryField,
        return_url: HttpUrl,
        email: Type.String({ format: 'email' }),
      }),
    );
    const sent = { country: 'de', return_url: 'javascript:alert(1)', email: 'me' };
    expect(refusal(() => check(sent))).toMatchObject({
      details: [
        { path: '/country', message: 'must be two capital letters (ISO 3166-1), such as DE' },
        {
          path: '/return_url',
          message: 'must be an address that begins with https:// or http://',
        },
        { path: '/email', message: expect.stringMatching(/^must be an email address; .*xn--/) },
      ],
    });
  });

  it('say that a parameter was repeated, not that it is no string', () => {
    const check = queryValidator(Type.Object({ tld: Type.String() }));
    expect(refusal(() => check({ tld: ['com', 'net'] }))).toMatchObject({
      message: '/tld must be one value',
    });
    expect(check({ tld: 'com', other: ['a', 'b'] })).toEqual({ tld: 'com', other: ['a', 'b'] });
  });
});
