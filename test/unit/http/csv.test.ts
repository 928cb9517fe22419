import { describe, expect, it } from '@jest/globals';
import { csvRecord, wantsCsv } from '../../../api/http/csv.ts';

describe('CSV', () => {
  it('quotes every text and neutralizes formulas', () => {
    expect(csvRecord(['a', 'b,c', 'say "hi"', 'two\nlines', null, -5, ''])).toBe(
      '"a","b,c","say ""hi""","two\nlines",,-5,""\r\n',
    );
    expect(csvRecord(['=1+1', '+1', '-1', '@x'])).toBe(`"'=1+1","'+1","'-1","'@x"\r\n`);
    expect(csvRecord(['\t=1+1', ' =1', '＝1', '\n=1'])).toBe(`"' =1+1","' =1","'＝1","'\n=1"\r\n`);
  });

  it('keeps text in one cell even if lists are separated by semicolons', () => {
    expect(csvRecord(['harmless;=1+1', "it's\t;@x"])).toBe(`"harmless;=1+1","it's ;@x"\r\n`);
  });

  it('contains no control or bidi characters', () => {
    expect(csvRecord(['\u001b[2JAda\u009b\u202e', '\u0000\u2066=1'])).toBe(`"[2JAda","'=1"\r\n`);
    expect(csvRecord(['two\r\nlines'])).toBe('"two\nlines"\r\n');
  });

  it.each([
    ['text/csv', true],
    ['application/json, text/csv;q=0.5', true],
    ['TEXT/CSV; header=present', true],
    ['*/*', false],
    ['application/json', false],
    ['text/csvx', false],
  ])('is requested by Accept %j: %s', (accept, expected) => {
    expect(wantsCsv(accept)).toBe(expected);
  });
});
