import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { publishedDate } from '../../../shared/market/lookup/published-fields.ts';

describe('parsing a published date', () => {
  it.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02t03:04:05z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05+05:30', '2026-01-01T21:34:05Z'],
    ['2026-01-02T03:04:05-0800', '2026-01-02T11:04:05Z'],
    ['2026-01-02 03:04:05 UTC', '2026-01-02T03:04:05Z'],
    ['2026-01-02', '2026-01-02T00:00:00Z'],
    ['2026/1/2', '2026-01-02T00:00:00Z'],
    ['2026/01/02 09:00:00 (JST)', '2026-01-02T00:00:00Z'],
    ['20260102', '2026-01-02T00:00:00Z'],
    ['02-Jan-2026', '2026-01-02T00:00:00Z'],
    ['2-January-2026 03:04:05 UTC', '2026-01-02T03:04:05Z'],
    ['2026-Jan-02', '2026-01-02T00:00:00Z'],
    ['02/01/2026', '2026-01-02T00:00:00Z'],
    ['January 2 2026', '2026-01-02T00:00:00Z'],
    ['Fri Jan 2 2026', '2026-01-02T00:00:00Z'],
    ['Fri Jan  2 03:04:05 GMT 2026', '2026-01-02T03:04:05Z'],
    ['2026-01-02 (until then)', '2026-01-02T00:00:00Z'],
    ['2026-01-02 00:00:00', '2026-01-02T00:00:00Z'],
    ['2026-01-02 03:04:05+03', '2026-01-02T00:04:05Z'],
    ['2026-01-02 03:04:05 -03', '2026-01-02T06:04:05Z'],
    ['2026-01-02 03:04:05 (GMT+0:00)', '2026-01-02T03:04:05Z'],
    ['2026-01-02 00:00:00 (UTC+8)', '2026-01-01T16:00:00Z'],
    ['02/01/2026 00:00:00 EET', '2026-01-01T22:00:00Z'],
    ['2026-01-02 03:04:05 CEST', '2026-01-02T01:04:05Z'],
    ['2026. 01. 02.', '2026-01-02T00:00:00Z'],
    ['2nd January 2026 at 00:00:00.000', '2026-01-02T00:00:00Z'],
    ['Friday 2nd Jan 2026', '2026-01-02T00:00:00Z'],
  ])('understands %s', (text, expected) => {
    expect(publishedDate(text)).toEqual(new Date(expected));
  });

  it.each<[unknown]>([
    ['before Aug-1996'],
    ['2026-02-30'],
    ['2026-13-01'],
    ['2026-00-10'],
    ['0000-00-00'],
    ['1066-10-14'],
    ['99999999'],
    ['9999-12-31T23:59:59Z'],
    ['2026-01-02T99:00:00Z'],
    // A time of day in an unknown time zone.
    ['2026-01-02 03:04'],
    ['2026-01-02T03:04:05'],
    ['2026.01.02 03:04:05'],
    ['20260102 03:04:05'],
    ['2.1.2026 3:04:05'],
    ['2026-01-02 03:04:05 EST'],
    ['2026-01-02 03:04:05 CLST'],
    ['2026-01-02 03:04:05 (local)'],
    ['2026-01-02 03:04:05 +99'],
    ['02/01/26'],
    ['1767323045'],
    [1_767_323_045],
    [''],
    [null],
    [{}],
  ])('rejects %j', (value) => {
    expect(publishedDate(value)).toBeNull();
  });

  it.each([
    ['10/24/2026', { monthFirst: true }, '2026-10-24T00:00:00Z'],
    ['03/02/2026', { monthFirst: true }, '2026-03-02T00:00:00Z'],
    ['10.01.2026 12:00:00', { zone: 'Europe/Belgrade' }, '2026-01-10T11:00:00Z'],
    ['10.07.2026 12:00:00', { zone: 'Europe/Belgrade' }, '2026-07-10T10:00:00Z'],
    ['10.07.2026 00:00:00', { zone: 'Europe/Belgrade' }, '2026-07-09T22:00:00Z'],
    ['10.07.2026', { zone: 'Europe/Belgrade' }, '2026-07-10T00:00:00Z'],
    ['2026-07-10T12:00:00Z', { zone: 'Europe/Belgrade' }, '2026-07-10T12:00:00Z'],
  ])('understands %s of a registry with the rules %j', (text, rules, expected) => {
    expect(publishedDate(text, rules)).toEqual(new Date(expected));
  });

  it('keeps the second, in every format that RDAP registries use', () => {
    const between = {
      min: new Date('1985-01-01'),
      max: new Date('2150-01-01'),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(between), (date) => {
        const seconds = new Date(Math.floor(date.getTime() / 1_000) * 1_000);
        expect(publishedDate(date.toISOString())).toEqual(seconds);
      }),
    );
  });

  it('returns a valid date or null for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d/.:T -]{4,25}$/)), (text) => {
        const date = publishedDate(text);
        expect(date === null || !Number.isNaN(date.getTime())).toBe(true);
      }),
    );
  });
});
