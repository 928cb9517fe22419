import { describe, expect, it } from '@jest/globals';
import { csvRecord, wantsCsv } from '../../../api/http/csv.ts';

describe('CSV', () => {
  it('quotes what needs it, and disarms what a spreadsheet would run', () => {
    expect(csvRecord(['a', 'b,c', 'say "hi"', 'two\nlines', null, -5, ''])).toBe(
      'a,"b,c","say ""hi""","two\nlines",,-5,\r\n',
    );
    expect(csvRecord(['=1+1', '+1', '-1', '@x'])).toBe("'=1+1,'+1,'-1,'@x\r\n");
  });

  it.each([
    ['text/csv', true],
    ['application/json, text/csv;q=0.5', true],
    ['TEXT/CSV; header=present', true],
    ['*/*', false],
    ['application/json', false],
    ['text/csvx', false],
  ])('is what %j asks for: %s', (accept, expected) => {
    expect(wantsCsv(accept)).toBe(expected);
  });
});
