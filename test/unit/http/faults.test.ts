import { describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { PeriodQuery } from '../../../api/http/pagination.ts';
import { bodyValidator, queryValidator } from '../../../api/http/validate.ts';

const refusal = (check: () => unknown): unknown => {
  try {
    return check();
  } catch (error) {
    return error;
  }
};

describe('what a caller reads of a fault', () => {
  it('names every alternative of a field, once', () => {
    const check = bodyValidator(
      Type.Object({ id: Type.Union([Type.String({ maxLength: 2 }), Type.Number({ maximum: 9 })]) }),
    );
    expect(refusal(() => check({ id: 10 }))).toMatchObject({
      message: '/id must be string or must be <= 9',
      details: [{ path: '/id', message: 'must be string or must be <= 9' }],
    });
    expect(check({ id: 9 })).toEqual({ id: 9 });
  });

  it('says which forms a date may have', () => {
    const check = queryValidator(Type.Object(PeriodQuery));
    expect(refusal(() => check({ from: '2026-02-30' }))).toMatchObject({
      details: [
        { path: '/from', message: 'must match format "date" or must match format "date-time"' },
      ],
    });
  });

  it('says that a parameter came twice, not that it is no text', () => {
    const check = queryValidator(Type.Object({ tld: Type.String() }));
    expect(refusal(() => check({ tld: ['com', 'net'] }))).toMatchObject({
      message: '/tld must be one value',
    });
    expect(check({ tld: 'com', other: ['a', 'b'] })).toEqual({ tld: 'com', other: ['a', 'b'] });
  });
});
