import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readWhois } from '../../../shared/market/lookup/whois-response.ts';
import { WHOIS_LAYOUTS } from '../../support/whois-layouts.ts';

describe('a WHOIS record', () => {
  it.each(WHOIS_LAYOUTS)('in the layout %s is read', (_layout, domain, text, expected) => {
    const asked = { domain, registered: true, source: 'whois' };
    for (const spelled of [text, text.replaceAll('\n', '\r\n'), `\n\n${text}\n\n`]) {
      expect(readWhois(domain, spelled)).toMatchObject({ ...asked, ...expected });
    }
  });

  it('of an internationalized name may spell it in Unicode', () => {
    const text = 'Domain Name: bücher.de\nNserver: ns1.host.example\n';
    expect(readWhois('xn--bcher-kva.de', text)).toMatchObject({ registered: true });
  });

  it('of another name is not taken', () => {
    expect(readWhois('shop.com', WHOIS_LAYOUTS[1]?.[2] ?? '')).toBe('unreadable');
  });
});

describe('a WHOIS answer without a record', () => {
  it.each([
    'No match for "SHOP.COM".',
    'No match for domain "shop.com".',
    'No match!!',
    'NOT FOUND',
    'Domain not found.',
    'DOMAIN NOT FOUND',
    'The queried object does not exist: Domain name shop.com not found',
    'No Data Found',
    'No matching record.',
    '%% NOT FOUND',
    '% No entries found for the selected source(s).',
    '% nothing found',
    '%ERROR:101: no entries found',
    'Domain "shop.com" not found.',
    'domain "shop.com" not found.',
    'shop.com is free',
    'Domain: shop.com\nStatus: free',
    'Domain:\tshop.com\nStatus:\tAVAILABLE',
    'Domain Name: shop.com\nDomain Status: No Object Found',
    'query_status: 220 Available',
    'Available',
    'We do not have an entry in our database matching your query.',
    'No_Se_Encontro_El_Objeto/Object_Not_Found',
    'No Object Found',
    'Object does not exist',
    'This domain name has not been registered.',
    'The domain has not been registered.',
    'No information available about domain name shop.com in the Registry database. Not found',
    'No such domain shop.com',
    '>>> Domain shop.com is available for registration',
  ])('says that nobody holds the name: %j', (text) => {
    const smallPrint = '\n\nTERMS OF USE: you agree not to exceed the limit of queries.\n'.repeat(
      3,
    );
    expect(readWhois('shop.com', text)).toBe('unregistered');
    expect(readWhois('shop.com', `% Registry\n\n${text}${smallPrint}`)).toBe('unregistered');
  });

  it.each([
    'Your connection limit exceeded. Please slow down and try again later.',
    'Number of allowed queries exceeded.',
    '% Quota exceeded',
    'ERROR:00:Too many requests from your address',
    'Query rate limit reached',
    'WHOIS LIMIT EXCEEDED - SEE WWW.REGISTRY.EXAMPLE/WHOIS FOR DETAILS',
    'Requests of this client are not permitted. Please use https://www.registry.example/whois/',
    'Your IP address has been blocked',
    'Access denied',
  ])('asks to come later: %j', (text) => {
    expect(readWhois('shop.com', `${text}\n`)).toBe('busy');
  });

  it.each([
    '',
    '\n\n',
    'Welcome.',
    '<html><body>502 Bad Gateway</body></html>',
    'Domain Name: shop.com',
    'Domain: shop.com\nStatus: invalid',
    'In no event shall no match or availability be implied.',
    'The list of names not found elsewhere is available on request to partners of ours only.',
  ])('is not understood: %j', (text) => {
    expect(readWhois('shop.com', text)).toBe('unreadable');
  });

  it('is read without a fault whatever it is', () => {
    const line = fc.oneof(
      fc.constantFrom(
        'Domain Name: ',
        'Registrar:',
        '[Created on] ',
        'Name Server:',
        '   x: ',
        '%',
        '\t',
      ),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        const reading = readWhois('shop.com', lines.join('\n'));
        if (typeof reading !== 'string') expect(reading.domain).toBe('shop.com');
      }),
      { numRuns: 500 },
    );
  });
});
