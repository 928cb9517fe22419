import * as abn from 'stdnum/lib/cjs/au/abn.js';
import * as acn from 'stdnum/lib/cjs/au/acn.js';
import * as cnpj from 'stdnum/lib/cjs/br/cnpj.js';
import * as cpf from 'stdnum/lib/cjs/br/cpf.js';
import * as ric from 'stdnum/lib/cjs/cn/ric.js';
import * as uscc from 'stdnum/lib/cjs/cn/uscc.js';
import * as nie from 'stdnum/lib/cjs/es/nie.js';
import * as nif from 'stdnum/lib/cjs/es/nif.js';
import * as hetu from 'stdnum/lib/cjs/fi/hetu.js';
import * as ytunnus from 'stdnum/lib/cjs/fi/ytunnus.js';
import * as siren from 'stdnum/lib/cjs/fr/siren.js';
import * as pan from 'stdnum/lib/cjs/in/pan.js';
import * as codiceFiscale from 'stdnum/lib/cjs/it/codicefiscale.js';
import * as partitaIva from 'stdnum/lib/cjs/it/iva.js';
import * as orgnr from 'stdnum/lib/cjs/se/orgnr.js';
import * as personnummer from 'stdnum/lib/cjs/se/personnummer.js';
import type { IdentityCheck } from '../../market/tlds/tld.ts';
import type { Registrant } from './registrant.ts';

/** The data needed to validate a number: the country, whether it is an organization, and the other fields. */
type Owner = Pick<Registrant, 'country' | 'organization' | 'extra'>;

interface NumberKind {
  validate(value: string): { isValid: boolean };
}

const isOne = (value: string, ...kinds: readonly NumberKind[]) =>
  kinds.some((kind) => kind.validate(value).isValid);

/** Selects the kind of number by another field; accepts kinds whose check digits we do not know. */
const byKind =
  (field: string, kinds: Readonly<Record<string, NumberKind>>) => (value: string, owner: Owner) => {
    const kind = kinds[owner.extra[field] ?? ''];
    return kind === undefined || isOne(value, kind);
  };

/** Checks numbers of people and organizations of one country; accepts those of other countries. */
const ofCountry =
  (country: string, person: readonly NumberKind[], organization: readonly NumberKind[]) =>
  (value: string, owner: Owner) =>
    owner.country !== country ||
    isOne(value, ...(owner.organization === null ? person : organization));

const CHECKS: Readonly<Record<IdentityCheck, (value: string, owner: Owner) => boolean>> = {
  au_eligibility: byKind('eligibility_id_type', { ABN: abn, ACN: acn }),
  br_tax_id: (value, { organization }) => isOne(value, organization === null ? cpf : cnpj),
  cn_identity: byKind('identity_type', { SFZ: ric, TYDM: uscc }),
  es_identification: byKind('identification_type', { 1: nif, 3: nie }),
  fi_identity: ofCountry('FI', [hetu], [ytunnus]),
  fr_siren: (value) => isOne(value, siren),
  in_pan: (value) => isOne(value, pan),
  it_registration: ofCountry('IT', [codiceFiscale], [partitaIva, codiceFiscale]),
  se_identity: ofCountry('SE', [personnummer], [orgnr]),
};

/** Returns whether an identity number has valid check digits, for its owner. */
export function isIdentityNumber(check: IdentityCheck, value: string, owner: Owner): boolean {
  return CHECKS[check](value, owner);
}
