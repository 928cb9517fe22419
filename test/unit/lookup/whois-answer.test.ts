import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readWhois } from '../../../shared/market/lookup/whois-response.ts';
import { refusalWaitMs } from '../../../shared/market/lookup/whois-verdict.ts';
import { WHOIS_LAYOUTS, WHOIS_REFUSALS } from '../../support/whois-layouts.ts';

/** Messages about servers, pages, and services that use the same words as messages about names. */
const FAILURES_AND_NOTICES = [
  '404 Not Found',
  '404: Not Found',
  'Error 404: Not Found',
  'Error: 404 Not Found',
  'HTTP/1.1 404 Not Found',
  'Not Found\n\nThe requested URL was not found on this server.',
  'Server not found.',
  'Error: Host not found',
  'Database not found',
  'Backend not found',
  'Domain database not found',
  'Object storage does not exist',
  'No data source found',
  'No matching server',
  'Not registered address',
  'page.html: no existe',
  'other.com is free',
  'WHOIS service has been retired.\r\nRDAP is available at https://rdap.registry.example/',
  'RDAP is available at https://rdap.registry.example/',
  'Whois is available at whois.nic.shop',
  'Domain data is available at https://www.registry.example/',
  'Domain is available at https://www.registry.example/',
  'The full report is available for purchase',
  'This service is available for registration of partners',
  'Whois is free',
  'Please use the web.\n\nAvailable',
  'Available\n\nPlease use the web.',
  'Our new service:\n\nAvailable.',
];

describe('a WHOIS record', () => {
  it.each(WHOIS_LAYOUTS)('is read in the layout %s', (_layout, domain, text, expected) => {
    const asked = { domain, registered: true, source: 'whois' };
    for (const spelled of [text, text.replaceAll('\n', '\r\n'), `\n\n${text}\n\n`]) {
      expect(readWhois(domain, spelled)).toMatchObject({ ...asked, ...expected });
    }
  });

  it('may spell an internationalized name in Unicode', () => {
    const text = 'Domain Name: bücher.de\nNserver: ns1.host.example\n';
    expect(readWhois('xn--bcher-kva.de', text)).toMatchObject({ registered: true });
  });

  it('is rejected if it is about another name', () => {
    expect(readWhois('shop.com', WHOIS_LAYOUTS[1]?.[2] ?? '')).toBe('unreadable');
  });
});

describe('a WHOIS response without a record', () => {
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
    'We do not have an entry in our database matching your query.',
    'No_Se_Encontro_El_Objeto/Object_Not_Found',
    'No Object Found',
    'Object does not exist',
    'This domain name has not been registered.',
    'The domain has not been registered.',
    'No information available about domain name shop.com in the Registry database. Not found',
    'No such domain shop.com',
    '>>> Domain shop.com is available for registration',
    'No information available about domain name shop.com in the Registry database.',
    'Invalid query or domain name not known in the Domain Registry',
    'No Found',
    'Nincs találat / No match',
    '%ERROR: No entries found',
    'shop.com: no existe',
    'shop.com: no entries found.',
    'There is no information available on the domain consulted.',
    'query : shop.com\n\nAbove domain name is not registered to the registry.',
    '상기 도메인이름은 등록되어 있지 않습니다.',
    'Sorry, but domain: "shop.com", not found in database',
    'Domain shop.com not registred.',
    'shop.com no match',
    'shop.com - Domain name does not exist',
    'El dominio no se encuentra registrado',
    'No domain records were found to match "shop.com"',
    'No records matching shop.com found.',
    '%error 230 No Objects Found',
    'version: 8.0\ndomain_name: shop.com\nquery_status: 220 Available',
  ])('means that the name is available: %j', (text) => {
    const smallPrint = '\n\nTERMS OF USE: you agree not to exceed the limit of queries.\n'.repeat(
      3,
    );
    expect(readWhois('shop.com', text)).toBe('unregistered');
    expect(readWhois('shop.com', `% Registry\n\n${text}${smallPrint}`)).toBe('unregistered');
  });

  it.each([
    'Available',
    'Available.',
    '% Registry\n\nAvailable\n\n% Terms of use',
    'Query: shop.com\n\nAVAILABLE',
    'shop.com\n\nAvailable',
  ])('means that the name is available if it is just `Available`: %j', (text) => {
    expect(readWhois('shop.com', text)).toBe('unregistered');
    expect(readWhois('shop.com', `\r\n${text.replaceAll('\n', '\r\n')}\r\n`)).toBe('unregistered');
  });

  it.each([
    'xn--bcher-kva.de is free',
    'bücher.de is free',
    'BÜCHER.DE not found',
    'Domain "bu\u0308cher.de" not found.',
    "'xn--bcher-kva.de': no existe",
  ])('may spell an internationalized name in Unicode or A-labels: %j', (text) => {
    expect(readWhois('xn--bcher-kva.de', text)).toBe('unregistered');
  });

  it.each([
    'shop.com, not found',
    '"shop.com" is available',
    'SHOP.COM. was not found',
    '>>> shop.com is available for purchase',
    'The domain name shop.com has not yet been registered.',
    'No information about domain shop.com was found',
    'Object "shop.com" NOT FOUND in database',
  ])('means that the name is available if it names it: %j', (text) => {
    expect(readWhois('shop.com', text)).toBe('unregistered');
  });

  it.each(FAILURES_AND_NOTICES)('is unreadable if it is about something else: %j', (text) => {
    expect(readWhois('shop.com', text)).toBe('unreadable');
    expect(readWhois('shop.com', `% Registry\r\n\r\n${text}\r\n`)).toBe('unreadable');
    expect(readWhois('shop.com', `Query: shop.com\r\n\r\n${text}\r\n`)).toBe('unreadable');
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
    'You have been temporarily blacklisted',
    'Permission denied.',
    'Internal server error',
  ])('means that the registry is busy: %j', (text) => {
    expect(readWhois('shop.com', `${text}\n`)).toBe('busy');
  });

  it.each(WHOIS_REFUSALS)(
    'means busy if refused as %s, whatever else it says',
    (_registry, refusal, seconds) => {
      const record = WHOIS_LAYOUTS[0]?.[2] ?? '';
      for (const more of ['', '%% No entries found in the database.', 'NOT FOUND', record]) {
        for (const text of [`${refusal}\n\n${more}`, `${more}\n${refusal}\n`]) {
          expect(readWhois('shop.com', text)).toBe('busy');
          expect(refusalWaitMs(text.replaceAll('\n', '\r\n'))).toBe(seconds * 1_000);
        }
      }
    },
  );

  it.each([
    'If you exceed the limit of queries, access will be denied for an hour.',
    'Should this limit be\nexceeded, the service will be blocked for two hours.',
    'Access may be withdrawn or restricted at any time.',
    'Abuse of this service results in being permanently\nblacklisted.',
    'limitation, for\nexcessive querying of the database or for failure to abide by this policy.',
    'The query limit is 500 per day from the same IP.',
    'Access to the whois service is rate limited.',
    'Access will only be enabled for IP addresses authorised by the registry. One address is permitted.',
  ])('is not a refusal if only its terms mention limits: %j', (terms) => {
    expect(readWhois('shop.com', `No match for "shop.com".\n\n${terms}\n`)).toBe('unregistered');
    expect(readWhois('shop.com', `${WHOIS_LAYOUTS[0]?.[2]}\n\n${terms}\n`)).toMatchObject({
      registered: true,
    });
  });

  it.each([
    'Reserved by the Registry',
    'Reserved Domain Name',
    'Name is reserved by the registry',
    'Sorry, The domain you requested is in the reserved list.',
    'Domain: shop.com\nStatus: UNASSIGNABLE',
    'Domain Name: shop.com\nDomain Status: Prohibited String - Object Cannot Be Registered',
    'Domain not available',
  ])('means that the registry reserves the name: %j', (text) => {
    expect(readWhois('shop.com', `${text}\n`)).toMatchObject({
      registered: true,
      status: ['reserved'],
      nameservers: [],
    });
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
    'No match for "other.com".',
    'A web interface for this server is\navailable',
    'No match for "shop.com".\nRegistrar: Sample Registrar',
    `No match for "shop.com".\n${'\n'.repeat(2_000)}`,
  ])('is unreadable: %j', (text) => {
    expect(readWhois('shop.com', text)).toBe('unreadable');
  });

  it('is read without an error, whatever it is', () => {
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

describe('a WHOIS response damaged in transit', () => {
  const lines = (text: string) => text.split('\n');
  const layout = fc.constantFrom(...WHOIS_LAYOUTS);
  const junk = fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: 'binary', maxLength: 40 }));
  /** Applies one kind of damage to a text several times. */
  const damaged = (text: string): fc.Arbitrary<string> =>
    fc.oneof(
      fc.nat(text.length).map((end) => text.slice(0, end)),
      fc.nat(text.length).map((start) => text.slice(start)),
      fc.subarray(lines(text)).map((kept) => kept.join('\n')),
      fc.shuffledSubarray(lines(text)).map((kept) => kept.join('\n')),
      fc
        .array(fc.tuple(fc.nat(text.length), junk), { maxLength: 8 })
        .map((holes) =>
          holes.reduce((now, [at, put]) => now.slice(0, at) + put + now.slice(at + 1), text),
        ),
      fc
        .array(fc.nat(text.length), { maxLength: 8 })
        .map((cuts) => cuts.reduce((now, at) => `${now.slice(0, at)}\n${now.slice(at)}`, text)),
      fc.constantFrom(text.toUpperCase(), text.toLowerCase(), text.replace(/\s+/g, ' ')),
    );

  it('never makes a registered name look available', () => {
    const answer = layout.chain(([, domain, text]) => fc.tuple(fc.constant(domain), damaged(text)));
    fc.assert(
      fc.property(answer, ([domain, text]) => {
        expect(readWhois(domain, text)).not.toBe('unregistered');
      }),
      { numRuns: 3_000 },
    );
  });

  it('never makes a failure or notice look like an available name', () => {
    const aside = fc.constantFrom(
      '',
      '% Registry',
      '# Available',
      'Query: shop.com',
      '>>> shop.com',
    );
    const around = fc.array(aside, { maxLength: 5 }).map((parts) => parts.join('\n'));
    const notice = fc.constantFrom(...FAILURES_AND_NOTICES);
    const somethingElse = fc
      .stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,19}$/)
      .filter((word) => !/^(?:domain|error\d*|object|shop\.com[.]*)$/i.test(word))
      .chain((word) =>
        fc
          .constantFrom('not found', 'is free', 'is available', 'was not found', 'no match')
          .map((verdict) => `${word} ${verdict}`),
      );
    fc.assert(
      fc.property(fc.oneof(notice, somethingElse), around, around, (text, before, after) => {
        for (const spelled of [text, text.toUpperCase(), `  ${text}`]) {
          const answer = `${before}\n${spelled}\n${after}`;
          expect(readWhois('shop.com', answer)).not.toBe('unregistered');
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('remains a refusal, whatever text surrounds it', () => {
    const free = fc.constantFrom('No match', 'NOT FOUND', '%% No entries found', 'Status: free');
    const text = fc.oneof(
      junk,
      free,
      layout.map(([, , answer]) => answer),
    );
    const around = fc.array(text, { maxLength: 5 }).map((parts) => parts.join('\n'));
    fc.assert(
      fc.property(fc.constantFrom(...WHOIS_REFUSALS), around, around, (refusal, before, after) => {
        expect(readWhois('shop.com', `${before}\n${refusal[1]}\n${after}`)).toBe('busy');
      }),
      { numRuns: 1_000 },
    );
  });
});
