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

/** What a number is judged by: where its owner is, whether that is an organization, and what else was entered. */
type Owner = Pick<Registrant, 'country' | 'organization' | 'extra'>;

interface NumberKind {
  validate(value: string): { isValid: boolean };
}

const isOne = (value: string, ...kinds: readonly NumberKind[]) =>
  kinds.some((kind) => kind.validate(value).isValid);

/** Kinds by the word that another field has for them; numbers of other kinds have no check digits that we know. */
const byKind =
  (field: string, kinds: Readonly<Record<string, NumberKind>>) => (value: string, owner: Owner) => {
    const kind = kinds[owner.extra[field] ?? ''];
    return kind === undefined || isOne(value, kind);
  };

/** Kinds that people and organizations of a country have; others there have what their own country gives. */
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

/** Whether the check digits of an identity number hold, for its owner. */
export function isIdentityNumber(check: IdentityCheck, value: string, owner: Owner): boolean {
  return CHECKS[check](value, owner);
}
