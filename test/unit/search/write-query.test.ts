import { describe, expect, it } from '@jest/globals';
import { understandQuery } from '../../../shared/market/search/understanding/understand-query.ts';
import { writeQuery } from '../../../shared/market/search/write-query.ts';

describe('rewriting a query', () => {
  it.each([
    ['wallet', 'wallet'],
    ['i want a .com or .net for my bakery', 'bakery, .com or .net'],
    ['bakery not .com or .net', 'bakery, not .com, not .net'],
    ['coffee shop between $500 and $2,000', 'coffee shop, over $500, under $2000'],
    ['coffee under 300 euros', 'coffee, under 300 EUR'],
    ['咖啡 1万元以下', '咖啡, under 10000 CNY'],
    ['coffee under 5000 yen', 'coffee, under 5000 JPY'],
    ['coffee below 99.50 usd', 'coffee, under $99.5'],
    [
      '4 letter domains under 1500',
      'under 1500, min 4 letters, max 4 letters, no hyphens, no digits',
    ],
    ['names starting with neo ending with ly', 'starting with neo, ending with ly'],
    ['gym with fit in it and no hyphens or digits', 'gym, containing fit, no hyphens, no digits'],
    ['gym with hyphens', 'gym, with hyphens'],
    ['gym with a number in it', 'gym, with digits'],
    ['numbers only domain', 'digits only'],
    ['gym not starting with my', 'gym, not starting with my'],
    ['gym not ending in ly', 'gym, not ending with ly'],
    ['gym names of two words', 'gym, 2 words'],
    ['gym, one word', 'gym, one word'],
    ['law but not divorce or tax', 'law, not divorce, not tax'],
    ['short elegant name for a hotel', 'hotel, short name, premium name'],
    ['catchy name for a bakery', 'bakery, brandable name'],
    ['made up short cheap name', 'made up name, short name, cheap name'],
  ])('turns %j into the equivalent %j', (query, written) => {
    const asked = understandQuery(query);
    expect(writeQuery(asked)).toBe(written);
    const read = understandQuery(written);
    expect({ ...read, wishes: [...read.wishes].sort() }).toEqual({
      ...asked,
      wishes: [...asked.wishes].sort(),
    });
  });
});
