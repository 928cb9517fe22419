import { describe, expect, it } from '@jest/globals';
import { readRdapDomain } from '../../../shared/market/lookup/rdap-response.ts';

const read = (answer: unknown, domain = 'shop.example') => readRdapDomain(domain, answer);
const record = (more: Record<string, unknown> = {}) => ({
  objectClassName: 'domain',
  ldhName: 'shop.example',
  ...more,
});
const recordOf = (more: Record<string, unknown>) => read(record(more))?.record;

/** A contact in a role, with the properties of its jCard. */
const contact = (role: string, ...properties: unknown[]) => ({
  objectClassName: 'entity',
  roles: [role],
  vcardArray: ['vcard', [['version', {}, 'text', '4.0'], ...properties]],
});
const registrant = (...properties: unknown[]) =>
  recordOf({ entities: [contact('registrant', ...properties)] })?.registrant;

/** Everything in RFC 9083, 5.3: nested entities, variants, keys, remarks, and notices. */
const FULL = {
  rdapConformance: ['rdap_level_0', 'redacted'],
  ...record({
    ldhName: 'XN--CAF-DMA.EXAMPLE',
    unicodeName: 'café.example',
    handle: 'D-1234',
    variants: [{ relation: ['registered'], variantNames: [{ ldhName: 'cafe.example' }] }],
    status: ['client transfer prohibited', 'locked', 'Transfer Prohibited', 'locked'],
    publicIds: [{ type: 'ENS_Auth ID', identifier: '7' }],
    port43: 'whois.registry.example',
    nameservers: [
      {
        objectClassName: 'nameserver',
        ldhName: 'NS1.Host.Example.',
        ipAddresses: { v4: ['192.0.2.1'], v6: ['2001:db8::1'] },
      },
      { objectClassName: 'nameserver', ldhName: 'ns2.host.example' },
      { objectClassName: 'nameserver', unicodeName: 'ns.bücher.example' },
    ],
    secureDNS: {
      zoneSigned: true,
      delegationSigned: true,
      dsData: [{ keyTag: 12_345, algorithm: 13, digest: 'AB', digestType: 2 }],
    },
    events: [
      { eventAction: 'registration', eventDate: '1999-03-04T05:06:07Z' },
      { eventAction: 'last changed', eventDate: '2025-07-08T10:00:00+02:00' },
      { eventAction: 'expiration', eventDate: '2027-03-04T05:06:07.891Z' },
      { eventAction: 'last update of RDAP database', eventDate: '2026-11-01T00:00:00Z' },
    ],
    remarks: [{ description: ['Sold out of beans.'] }],
    links: [
      {
        rel: 'self',
        href: 'https://rdap.registry.example/domain/x',
        type: 'application/rdap+json',
      },
    ],
    entities: [
      {
        ...contact('registrar', ['fn', {}, 'text', 'Sample Registrar, Inc.']),
        publicIds: [{ type: 'IANA Registrar ID', identifier: '9998' }],
        entities: [contact('abuse', ['fn', {}, 'text', 'Abuse Desk'])],
      },
      contact(
        'registrant',
        ['fn', {}, 'text', 'Zoë Exämple'],
        ['org', { type: 'work' }, 'text', ['Exämple GmbH', 'Roastery']],
        ['adr', {}, 'text', ['', '', '1 Road', 'Town', '', '12345', 'Germany']],
      ),
    ],
  }),
};

describe('an RDAP domain object', () => {
  it('is read with everything that our response has a field for', () => {
    expect(read(FULL, 'xn--caf-dma.example')).toEqual({
      record: {
        domain: 'xn--caf-dma.example',
        registered: true,
        source: 'rdap',
        registrar: { name: 'Sample Registrar, Inc.', ianaId: 9998 },
        registrant: { name: 'Zoë Exämple', organization: 'Exämple GmbH', country: 'DE' },
        dates: {
          created: new Date('1999-03-04T05:06:07Z'),
          updated: new Date('2025-07-08T08:00:00Z'),
          expires: new Date('2027-03-04T05:06:07Z'),
        },
        nameservers: ['ns1.host.example', 'ns2.host.example', 'ns.xn--bcher-kva.example'],
        status: ['client transfer prohibited', 'locked', 'transfer prohibited'],
        dnssec: true,
      },
      registrarUrl: null,
    });
  });

  it.each<[what: string, publicIds: unknown]>([
    ['a list', [{ type: 'IANA Registrar ID', identifier: '9998' }]],
    ['an object', { type: 'IANA Registrar ID', identifier: 9998 }],
    ['an object by type', { 'IANA Registrar ID': '9998' }],
  ])('has the IANA ID of its registrar if the ids are %s', (_what, publicIds) => {
    const entities = [{ ...contact('registrar'), publicIds }];
    expect(recordOf({ entities })?.registrar).toEqual({ name: null, ianaId: 9998 });
  });

  it('has its outermost registrar, even several levels deep', () => {
    const inside = (entity: object, depth: number): object =>
      depth === 0 ? entity : { roles: ['abuse'], entities: [inside(entity, depth - 1)] };
    const sample = (name: string) => contact('registrar', ['fn', {}, 'text', name]);
    for (const depth of [1, 2, 3, 7]) {
      const entities = [inside(sample('Inner'), depth)];
      expect(recordOf({ entities })?.registrar?.name).toBe('Inner');
      const both = [...entities, inside(sample('Outer'), depth - 1)];
      expect(recordOf({ entities: both })?.registrar?.name).toBe('Outer');
    }
    expect(recordOf({ entities: inside(sample('Alone'), 0) })?.registrar?.name).toBe('Alone');
  });

  it('needs nothing but its name', () => {
    expect(recordOf({})).toEqual({
      domain: 'shop.example',
      registered: true,
      source: 'rdap',
      registrar: null,
      registrant: null,
      dates: { created: null, updated: null, expires: null },
      nameservers: [],
      status: [],
      dnssec: null,
    });
  });

  it.each<[what: string, answer: unknown]>([
    ['of another name', record({ ldhName: 'other.example' })],
    ['about something other than a domain', record({ objectClassName: 'nameserver' })],
    ['without class and name', {}],
    ['that is an error', { errorCode: 404, title: 'Not Found' }],
    ['that is a list', [record()]],
    ['that is null', null],
    ['that is text', 'shop.example'],
  ])('is not read from a response %s', (_what, answer) => {
    expect(read(answer)).toBeUndefined();
  });

  it.each([
    { ldhName: 'SHOP.EXAMPLE.' },
    { ldhName: 'shop.example', objectClassName: undefined },
    { ldhName: undefined },
    { ldhName: 7, unicodeName: 'shop.example' },
  ])('is accepted with %j as its name', (more) => {
    expect(read(record(more))?.record.registered).toBe(true);
  });

  it("has the registrar's expiry date only if the registry gives none", () => {
    const events = [
      { eventAction: 'registrar expiration', eventDate: '2028-01-01T00:00:00Z' },
      { eventAction: 'EXPIRATION', eventDate: '2027-01-01T00:00:00Z' },
      { eventAction: 'registration', eventDate: 'yesterday' },
      { eventAction: 'registration', eventDate: '2001-01-01T00:00:00Z' },
    ];
    expect(recordOf({ events })?.dates).toEqual({
      created: new Date('2001-01-01T00:00:00Z'),
      updated: null,
      expires: new Date('2027-01-01T00:00:00Z'),
    });
    expect(recordOf({ events: events.slice(0, 1) })?.dates.expires).toEqual(
      new Date('2028-01-01T00:00:00Z'),
    );
  });

  it.each<[secureDNS: unknown, dnssec: boolean | null]>([
    [{ delegationSigned: false }, false],
    [{ zoneSigned: true }, null],
    [{ dsData: [{ keyTag: 1 }] }, true],
    [{ delegationSigned: 'yes' }, null],
    [undefined, null],
  ])('with secureDNS %j has DNSSEC %j', (secureDNS, dnssec) => {
    expect(recordOf({ secureDNS })?.dnssec).toBe(dnssec);
  });
});

describe('the RDAP registrar', () => {
  it.each<[what: string, entity: unknown, expected: unknown]>([
    [
      'in capitals',
      { ...contact('Registrar', ['FN', {}, 'text', 'A']) },
      { name: 'A', ianaId: null },
    ],
    [
      'by its organization',
      contact('registrar', ['org', {}, 'text', 'A']),
      { name: 'A', ianaId: null },
    ],
    [
      'by number alone',
      { roles: ['registrar'], publicIds: [{ type: 'IANA Registrar ID', identifier: 292 }] },
      { name: null, ianaId: 292 },
    ],
    [
      'with its role as text',
      { ...contact('x', ['fn', {}, 'text', 'A']), roles: 'registrar' },
      { name: 'A', ianaId: null },
    ],
    [
      'with a number of another kind',
      {
        ...contact('registrar', ['fn', {}, 'text', 'A']),
        publicIds: [{ type: 'Local', identifier: '5' }],
      },
      { name: 'A', ianaId: null },
    ],
    [
      'with no number',
      {
        ...contact('registrar', ['fn', {}, 'text', 'A']),
        publicIds: [{ type: 'IANA Registrar ID', identifier: 'n/a' }],
      },
      { name: 'A', ianaId: null },
    ],
    [
      'inside another entity',
      { roles: ['sponsor'], entities: [contact('registrar', ['fn', {}, 'text', 'A'])] },
      { name: 'A', ianaId: null },
    ],
    ['with nothing to tell', { roles: ['registrar'] }, null],
  ])('is found %s', (_what, entity, expected) => {
    expect(recordOf({ entities: [entity] })?.registrar).toEqual(expected);
  });
});

describe('the RDAP registrant', () => {
  it.each<[what: string, properties: unknown[], expected: object]>([
    ['a name', [['fn', {}, 'text', '  Ada\n Example ']], { name: 'Ada Example' }],
    ['a name in a list', [['fn', {}, 'text', ['Ada Example']]], { name: 'Ada Example' }],
    [
      'an empty name before a full one',
      [
        ['fn', {}, 'text', ''],
        ['fn', {}, 'text', 'Ada'],
      ],
      { name: 'Ada' },
    ],
    ['a number for a name', [['fn', {}, 'text', 1984]], { name: '1984' }],
    [
      'an organization with units',
      [['org', {}, 'text', [['Acme', 'Sales']]]],
      { organization: 'Acme' },
    ],
    ['a country code', [['adr', {}, 'text', ['', '', '', '', '', '', 'nl']]], { country: 'NL' }],
    [
      'a country by name',
      [['adr', {}, 'text', ['', '', '', '', '', '', 'United Kingdom']]],
      { country: 'GB' },
    ],
    [
      'a country as a parameter',
      [['adr', { cc: 'FR' }, 'text', ['', '', '', '', '', '', '']]],
      { country: 'FR' },
    ],
    [
      'an address in a label',
      [['adr', { label: '1 Road\nTown\nCanada' }, 'text', ['', '', '', '', '', '', '']]],
      { country: 'CA' },
    ],
    [
      'street lines in a list',
      [['adr', {}, 'text', ['', '', ['1 Road', 'Floor 2'], '', '', '', 'SE']]],
      { country: 'SE' },
    ],
  ])('is read from %s', (_what, properties, expected) => {
    expect(registrant(...properties)).toEqual({
      name: null,
      organization: null,
      country: null,
      ...expected,
    });
  });

  it.each([
    'REDACTED FOR PRIVACY',
    'Redacted for Privacy Purposes',
    'REDACTED REGISTRANT',
    'Data Protected',
    'Not Disclosed',
    'GDPR Masked',
    'Statutory Masking Enabled',
    'Non-Public Data',
    'n/a',
    '-',
    '',
    null,
    {},
    [[[[['deep']]]]],
  ])('is null when the name is %j', (name) => {
    expect(registrant(['fn', {}, 'text', name])).toBeNull();
  });

  it.each<[what: string, vcardArray: unknown]>([
    ['not a list', 'vcard'],
    ['cut short', ['vcard']],
    ['full of invalid properties', ['vcard', [null, [], ['fn'], 'fn', { fn: 1 }]]],
    ['in the wrong order', [[['fn', {}, 'text', 'Ada']], 'vcard']],
  ])('is null when the card is %s', (_what, vcardArray) => {
    expect(recordOf({ entities: [{ roles: ['registrant'], vcardArray }] })?.registrant).toBeNull();
  });
});

describe('the RDAP link to the registrar', () => {
  const href = 'https://rdap.registrar.example/domain/shop.example';
  const links = [
    { rel: 'self', type: 'application/rdap+json', href: 'https://self.example/' },
    { rel: 'related', type: 'text/html', href: 'https://www.registrar.example/' },
    { rel: 'related', type: 'application/rdap+json', href },
  ];
  it('is returned if the registry stores no registrant', () => {
    expect(read(record({ links }))?.registrarUrl).toBe(href);
  });

  it.each<[what: string, more: Record<string, unknown>]>([
    [
      'the registrant is included',
      { entities: [contact('registrant', ['fn', {}, 'text', 'Ada'])] },
    ],
    ['the registrant is included but empty', { entities: [contact('registrant')] }],
    ['the registrant is redacted', { redacted: [{ name: { type: 'Registry Registrant ID' } }] }],
    [
      'the link is invalid',
      { links: [{ rel: 'related', type: 'application/rdap+json', href: 5 }] },
    ],
  ])('is not returned if %s', (_what, more) => {
    expect(read(record({ links, ...more }))?.registrarUrl).toBeNull();
  });
});
