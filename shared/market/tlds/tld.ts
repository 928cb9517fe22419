import { type Static, Type } from 'typebox';
import { COUNTRY_CODE } from '../../platform/json-schema.ts';
import { type Cents, MAX_PRICE_CENTS } from '../../platform/money.ts';

/** The operations that can be bought for a name under a TLD. */
export const TLD_OPS = ['register', 'renew', 'transfer', 'restore'] as const;
type TldOp = (typeof TLD_OPS)[number];

const Years = Type.Integer({ minimum: 1, maximum: 100 });
const Days = Type.Integer({ minimum: 0, maximum: 3_650 });
const Servers = Type.Integer({ minimum: 0, maximum: 100 });
const Length = Type.Integer({ minimum: 1, maximum: 63 });
const Note = Type.String({ minLength: 1, maxLength: 500 });
const Country = Type.String({ pattern: COUNTRY_CODE });

/** Identity numbers whose check digits are verified, named by the registry that requires them. */
const IDENTITY_CHECKS = [
  'au_eligibility',
  'br_tax_id',
  'cn_identity',
  'es_identification',
  'fi_identity',
  'fr_siren',
  'in_pan',
  'it_registration',
  'se_identity',
] as const;

export type IdentityCheck = (typeof IDENTITY_CHECKS)[number];

/** A field that a TLD requires of registrants beyond their address. */
const ExtraField = Type.Object({
  title: Note,
  description: Type.Optional(Note),
  required: Type.Enum(['always', 'person', 'organization', 'never'], {
    description:
      'Which registrants must provide it. A registrant with an organization name counts as an organization.',
  }),
  required_when: Type.Optional(
    Type.Object(
      { field: Note, values: Type.Array(Note, { minItems: 1, maxItems: 50 }) },
      { description: 'Also required while another extra field has one of these values.' },
    ),
  ),
  values: Type.Optional(
    Type.Array(Type.Object({ value: Note, title: Note }), { minItems: 1, maxItems: 50 }),
  ),
  pattern: Type.Optional(Note),
  check: Type.Optional(
    Type.Enum([...IDENTITY_CHECKS], {
      description: 'The check-digit algorithm the value must pass.',
    }),
  ),
});
export type ExtraField = Static<typeof ExtraField>;

/** The minimum and maximum registration term. */
export const TldTerm = Type.Object({ min_years: Years, max_years: Years });

/** The rules of a TLD, spelled as in the data file, the database and the public API. */
export const TldRules = Type.Object({
  type: Type.Enum(['generic', 'country_code', 'sponsored']),
  transfer: Type.Object({
    auth_code_required: Type.Boolean(),
    lock_supported: Type.Boolean(),
  }),
  organization: Type.Object({
    required: Type.Boolean(),
    allowed: Type.Boolean(),
    notes: Type.Union([Note, Type.Null()]),
  }),
  registrant: Type.Object({
    local_presence: Type.Boolean(),
    requirements: Type.Array(Note, { maxItems: 20 }),
    residence: Type.Optional(
      Type.Object(
        {
          countries: Type.Array(Country, { minItems: 1, maxItems: 60 }),
          unless: Type.Optional(Note),
        },
        {
          description:
            'The country the address must be in. Not enforced if the extra field `unless` is given.',
        },
      ),
    ),
    extra: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z][a-z_]*$' }), ExtraField, {
        description: 'Required fields beyond name and address, by field name.',
      }),
    ),
  }),
  nameservers: Type.Object({
    required: Type.Boolean(),
    min: Servers,
    max: Servers,
    zone_check: Type.Boolean(),
  }),
  label: Type.Object({ min_length: Length, max_length: Length }),
  idn: Type.Object({
    supported: Type.Boolean(),
    scripts: Type.Array(Type.String({ pattern: '^[A-Z][a-z]{3}$' }), {
      maxItems: 100,
      description: "ISO 15924. Empty although supported: the registry's own tables apply.",
    }),
    emoji: Type.Optional(
      Type.Boolean({
        description:
          'Whether the registry accepts emoji labels, which IDNA 2008 does not allow. Such domains can be listed. Defaults to false.',
      }),
    ),
  }),
  dnssec: Type.Boolean(),
  https_only: Type.Boolean(),
  lifecycle: Type.Object({
    add_grace_days: Days,
    late_renew_days: Days,
    redemption_days: Days,
    pending_delete_days: Days,
    restore_supported: Type.Boolean(),
  }),
});
export type TldRules = Static<typeof TldRules>;
/** A TLD's requirements for registrants. */
export type RegistrantRules = Pick<TldRules, 'registrant' | 'organization'>;

const Price = Type.Union([Type.Integer({ minimum: 0, maximum: MAX_PRICE_CENTS }), Type.Null()]);

/** A row of the data file. */
export const TldFileRow = Type.Object({
  tld: Type.String({ minLength: 1, maxLength: 253 }),
  term: TldTerm,
  ...TldRules.properties,
  price_cents: Type.Object({ register: Price, renew: Price, transfer: Price, restore: Price }),
  sources: Type.Array(Note, { minItems: 1, maxItems: 20 }),
});
export type TldFileRow = Static<typeof TldFileRow>;

/** A TLD that is sold. */
export interface Tld {
  /** As A-labels. */
  tld: string;
  unicode: string;
  minYears: number;
  maxYears: number;
  /** US cents for the minimum term; null if not offered. */
  priceCents: Readonly<Record<TldOp, Cents | null>>;
  rules: TldRules;
  sources: readonly string[];
  updatedAt: Date;
}
