import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
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

describe('a redacted RDAP field', () => {
  const someone = contact(
    'registrant',
    ['fn', {}, 'text', 'Shown by mistake'],
    ['org', {}, 'text', 'Acme'],
    ['adr', {}, 'text', ['', '', '', '', '', '', 'DE']],
  );
  it.each<[what: string, redaction: Record<string, unknown>, field: string]>([
    [
      'a name by its registered type',
      { name: { type: 'Registrant Name' }, method: 'emptyValue' },
      'name',
    ],
    [
      'a name by description',
      { name: { description: 'Registrant Name' }, method: 'replacementValue' },
      'name',
    ],
    [
      'an organization by path',
      {
        name: { description: 'hidden' },
        prePath: "$.entities[?(@.roles[0]=='registrant')].vcardArray[1][?(@[0]=='org')]",
      },
      'organization',
    ],
    [
      'a country by path',
      {
        name: { type: 'x' },
        postPath: "$.entities[?(@.roles[0]=='registrant')].vcardArray[1][?(@[0]=='adr')][3][6]",
      },
      'country',
    ],
  ])('is null: %s', (_what, redaction, field) => {
    const found = recordOf({ entities: [someone], redacted: [redaction] })?.registrant;
    expect(found).toEqual({
      ...{ name: 'Shown by mistake', organization: 'Acme', country: 'DE' },
      [field]: null,
    });
  });

  it('does not affect other contacts and fields', () => {
    const redacted = [
      { name: { type: 'Tech Name' } },
      { name: { type: 'Registrant Email' } },
      null,
      'x',
    ];
    expect(recordOf({ entities: [someone], redacted })?.registrant?.name).toBe('Shown by mistake');
  });
});
describe('an arbitrary RDAP response', () => {
  const names = [
    'ldhName',
    'unicodeName',
    'entities',
    'roles',
    'vcardArray',
    'events',
    'eventAction',
  ];
  const more = [
    'eventDate',
    'nameservers',
    'status',
    'secureDNS',
    'links',
    'redacted',
    'publicIds',
  ];
  const member = fc.oneof(fc.constantFrom(...names, ...more), fc.string({ maxLength: 5 }));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom<unknown>(
        null,
        true,
        0,
        -1,
        1e300,
        '',
        'registrant',
        'registrar',
        'vcard',
        'fn',
        'adr',
        '2020-01-01',
        '\ud800',
      ),
      fc.string({ unit: 'binary', maxLength: 10 }),
      fc.array(tie('tree'), { maxLength: 5 }),
      fc.dictionary(member, tie('tree'), { maxKeys: 6 }),
    ),
  }));

  it('is read into the same shape without an error', () => {
    fc.assert(
      fc.property(fc.dictionary(member, tree, { maxKeys: 8 }), (answer) => {
        const found = read({
          ...answer,
          objectClassName: 'domain',
          ldhName: 'shop.example',
        })?.record;
        expect(Object.keys(found ?? {})).toEqual(Object.keys(recordOf({}) ?? {}));
        expect(found?.domain).toBe('shop.example');
        // It can be stored and sent unchanged.
        expect(JSON.stringify(found)).not.toContain('\\ud800');
      }),
      { numRuns: 500 },
    );
  });

  it('is read or rejected without an error, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.oneof(tree, fc.jsonValue()), (answer) => {
        read(answer);
      }),
      { numRuns: 500 },
    );
  });
});
