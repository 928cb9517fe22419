import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import {
  COMMON_RULES,
  readRegistrant,
} from '../../../shared/domains/registrants/read-registrant.ts';
import { draftOf, type RegistrantDraft } from '../../../shared/domains/registrants/registrant.ts';
import { registrantSchema } from '../../../shared/domains/registrants/registrant-schema.ts';
import type { RegistrantRules, TldFileRow } from '../../../shared/market/tlds/tld.ts';
import type { FieldError, ServiceError } from '../../../shared/platform/errors.ts';
import { KEPT_REGISTRANT, REGISTRANT } from '../../support/registrants.ts';

const TLDS: ReadonlyMap<string, RegistrantRules> = new Map(
  readFileSync('db/seeds/tlds.ndjson', 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as TldFileRow)
    .map((row) => [row.tld, row]),
);
const rulesOf = (tld: string) => TLDS.get(tld) ?? COMMON_RULES;

/** The errors in a draft; empty if it is accepted. */
function faultsIn(draft: RegistrantDraft, tld: string, at = ''): readonly FieldError[] {
  try {
    readRegistrant(draft, rulesOf(tld), at);
    return [];
  } catch (error) {
    return (error as ServiceError).details as FieldError[];
  }
}
/** The paths of the errors. */
const faultsOf = (draft: RegistrantDraft, tld = 'com', at = '') =>
  faultsIn(draft, tld, at).map(({ path }) => path);

const US = {
  ...REGISTRANT,
  street: ['1 Main Street'],
  city: 'Springfield',
  state: 'IL',
  postal_code: '62701',
  country: 'US',
  phone: '+12175550123',
};
const at = (country: string, postal_code: string, phone: string, more: object = {}) => ({
  ...REGISTRANT,
  country,
  postal_code,
  phone,
  ...more,
});
const IT = at('IT', '20121', '+39026361234', { city: 'Milano' });
const ES = at('ES', '28013', '+34912345678', { city: 'Madrid' });
const FR = at('FR', '75001', '+33142345678', { city: 'Paris' });
const BORN = { first_name: 'Alix', birth_date: '1980-05-17' };
const BORN_IN_LYON = {
  ...BORN,
  birth_country: 'FR',
  birth_city: 'Lyon',
  birth_postal_code: '69001',
};
const BORN_IN_KYOTO = { ...BORN, birth_country: 'JP' };
const BR = at('BR', '01310-100', '+551132345678', { city: 'São Paulo', state: 'SP' });
const CN = at('CN', '100000', '+861065551234', { name: '王伟', city: '北京', state: '北京' });
const AU = at('AU', '2000', '+61292345678', {
  city: 'Sydney',
  state: 'NSW',
  organization: 'Example Pty Ltd',
});
const FI = at('FI', '00100', '+358912345678', { city: 'Helsinki' });

/** Accepted drafts for each TLD with its own fields. */
const TAKEN: readonly [tld: string, draft: RegistrantDraft][] = [
  ['com', REGISTRANT],
  ['us', { ...US, extra: { nexus_purpose: 'P1', nexus_category: 'C11' } }],
  ['us', { ...US, extra: { nexus_purpose: 'P1', nexus_category: 'C31', nexus_country: 'DE' } }],
  ['ca', { ...US, extra: { legal_type: 'CCT' } }],
  ['eu', REGISTRANT],
  ['eu', { ...US, extra: { citizenship: 'DE' } }],
  ['fr', { ...FR, extra: BORN_IN_LYON }],
  ['fr', { ...FR, extra: BORN_IN_KYOTO }],
  ['fr', { ...FR, organization: 'Exemple SA', extra: { siren: '552 008 443' } }],
  ['it', { ...IT, extra: { entity_type: '1', registration_code: 'RCCMNL83S18D969H' } }],
  ['it', { ...REGISTRANT, extra: { entity_type: '1', registration_code: 'C01X00T47' } }],
  ['es', { ...ES, extra: { identification_type: '1', identification_number: '54362315K' } }],
  ['nl', { ...REGISTRANT, extra: { legal_form: 'PERSOON' } }],
  [
    'com.au',
    {
      ...AU,
      extra: {
        eligibility_type: 'Company',
        eligibility_id_type: 'ABN',
        eligibility_id: '83914571673',
      },
    },
  ],
  ['com.br', { ...BR, extra: { tax_id: '390.533.447-05' } }],
  ['com.br', { ...BR, organization: 'Exemplo Ltda', extra: { tax_id: '16.727.230/0001-97' } }],
  ['cn', { ...CN, extra: { identity_type: 'SFZ', identity_number: '11010519491231002X' } }],
  ['fi', { ...FI, extra: { identity_number: '131052-308T' } }],
  ['se', { ...REGISTRANT, extra: { identity_number: 'DE12345' } }],
  ['in', { ...REGISTRANT, extra: { pan: 'ACUPA7085R' } }],
  ['uk', { ...REGISTRANT, extra: { legal_type: 'FIND' } }],
];

describe('reading a registrant', () => {
  it('trims fields and converts the phone number to E.164', () => {
    const typed = { ...REGISTRANT, name: ' A. Buyer ', country: 'de', phone: '030 12 34 56' };
    expect(readRegistrant(typed, COMMON_RULES, '')).toEqual(KEPT_REGISTRANT);
  });

  it.each(TAKEN)('accepts what .%s requires', (tld, draft) => {
    expect(faultsOf(draft, tld)).toEqual([]);
  });

  it.each([
    ['nothing', {}, ['/name', '/street', '/city', '/email', '/country', '/phone']],
    ['an unknown country', { ...REGISTRANT, country: 'XX' }, ['/country']],
    ['a phone number of nowhere', { ...REGISTRANT, phone: '12' }, ['/phone']],
    ['an address without a postal code', { ...REGISTRANT, postal_code: '' }, ['/postal_code']],
    ['a postal code of elsewhere', { ...REGISTRANT, postal_code: 'SW1A 1AA' }, ['/postal_code']],
    ['an address in the US without a state', { ...US, state: undefined }, ['/state']],
    ['no email address', { ...REGISTRANT, email: 'buyer' }, ['/email']],
    [
      'an email address at an internationalized domain',
      { ...REGISTRANT, email: 'a@müller.de' },
      ['/email'],
    ],
    ['an email address with an umlaut', { ...REGISTRANT, email: 'jürgen@example.com' }, ['/email']],
    ['a name of which letters were lost', { ...REGISTRANT, name: 'J\uFFFDrg' }, ['/name']],
    ['a name that no registry can be sent', { ...REGISTRANT, name: 'a\uFFFEb' }, ['/name']],
    ['two lines in one', { ...REGISTRANT, city: 'Berlin\nMitte' }, ['/city']],
    ['four lines of street', { ...REGISTRANT, street: ['a', 'b', 'c', 'd'] }, ['/street']],
    ['a field that nobody asks for', { ...REGISTRANT, extra: { shoe: '43' } }, ['/extra/shoe']],
  ])('rejects input with %s', (_what, draft, paths) => {
    expect(faultsOf(draft)).toEqual(paths);
  });

  it.each([
    ['us', US, ['/extra/nexus_purpose', '/extra/nexus_category']],
    [
      'us',
      { ...US, extra: { nexus_purpose: 'P1', nexus_category: 'C32' } },
      ['/extra/nexus_country'],
    ],
    [
      'us',
      { ...US, extra: { nexus_purpose: 'P9', nexus_category: 'C11' } },
      ['/extra/nexus_purpose'],
    ],
    ['eu', US, ['/country']],
    ['jp', REGISTRANT, ['/country']],
    ['fr', FR, ['/extra/first_name', '/extra/birth_date', '/extra/birth_country']],
    [
      'fr',
      { ...FR, extra: { ...BORN, birth_country: 'FR' } },
      ['/extra/birth_city', '/extra/birth_postal_code'],
    ],
    ['co.za', REGISTRANT, ['/organization']],
    [
      'it',
      { ...IT, extra: { entity_type: '1', registration_code: 'RCCMNL83S18D969X' } },
      ['/extra/registration_code'],
    ],
    [
      'es',
      { ...ES, extra: { identification_type: '1', identification_number: '54362315Z' } },
      ['/extra/identification_number'],
    ],
    ['com.br', { ...BR, extra: { tax_id: '390.533.447-06' } }, ['/extra/tax_id']],
  ])('reports what .%s requires', (tld, draft, paths) => {
    expect(faultsOf(draft, tld)).toEqual(paths);
  });

  it('requires no postal code in countries without them', () => {
    const hongKong = at('HK', '', '+85221234567', { city: 'Hong Kong' });
    expect(faultsOf(hongKong)).toEqual([]);
  });

  it('reports errors by their path in the request', () => {
    expect(faultsOf({ ...REGISTRANT, city: '' }, 'com', '/registrant')).toEqual([
      '/registrant/city',
    ]);
  });
});

describe('the registrant schema of a TLD', () => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false });
  addFormats.default(ajv);
  const checks = new Map(
    [...TLDS].map(([tld, rules]) => [tld, ajv.compile(registrantSchema(tld, rules))]),
  );
  const fits = (tld: string, draft: unknown) => checks.get(tld)?.(draft) === true;

  it.each(TAKEN)('for .%s accepts what we accept', (tld, draft) => {
    expect(fits(tld, draftOf(readRegistrant(draft, rulesOf(tld), '')))).toBe(true);
  });

  it('accepts whatever we accept, even without an optional field', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TAKEN),
        fc.constantFrom(...TLDS.keys()),
        fc.subarray(['organization', 'state', 'postal_code', 'extra', 'city', 'phone', 'email']),
        ([tld, draft], other, left) => {
          for (const each of [tld, other]) {
            const rest = Object.fromEntries(
              Object.entries(draft).filter(([name]) => !left.includes(name)),
            );
            const faults = faultsIn(rest, each);
            // A schema cannot verify check digits.
            const isBeyond = ({ message }: FieldError) =>
              message.startsWith('is not a valid number');
            if (faults.length === 0) expect(fits(each, rest)).toBe(true);
            if (faults.some((fault) => !isBeyond(fault))) expect(fits(each, rest)).toBe(false);
          }
        },
      ),
    );
  });
});
