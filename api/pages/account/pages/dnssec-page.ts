import { toASCII } from 'tr46';
import { type Static, Type } from 'typebox';
import {
  readOwnedDomain,
  refreshOwnedDomain,
} from '../../../../shared/domains/owned-domains/manage-owned-domains.ts';
import type { OwnedDomain } from '../../../../shared/domains/owned-domains/owned-domain.ts';
import {
  canonicalSigner,
  DIGEST_TYPES,
  readDsRecord,
  SIGNING_ALGORITHMS,
  type SignerFields,
  signerFields,
} from '../../../../shared/domains/registrar/delegation-signers.ts';
import { conflict, invalid } from '../../../../shared/platform/errors.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { ANY_TEXT } from '../../../http/validate.ts';
import { confirmButton, inputField, selectField } from '../../kit/form.ts';
import { emptyState, link, section } from '../../kit/page-parts.ts';
import { ACTIONS, table } from '../../kit/table.ts';
import { type AccountContext, accountCommand, accountSitePage } from '../account-page.ts';
import { textField } from '../operation-forms.ts';
import { FormKey, formKeyField, newFormKey, startDomainChange } from '../start-change.ts';
import { DomainName, domainPath } from './owned-domain-parts.ts';

const Digits = Type.Optional(Type.String({ pattern: '^\\d{1,5}$' }));

/** A DS record as the form sends it: as text, or as separate parts. */
const DsForm = Type.Object({
  record: Type.Optional(Type.String({ maxLength: 1_000, ...ANY_TEXT })),
  key_tag: Digits,
  algorithm: Digits,
  digest_type: Digits,
  digest: Type.Optional(Type.String({ maxLength: 200 })),
});
type Typed = Static<typeof DsForm>;

/** Shows the current delegation signers of a domain at the registry, and the form for another one. */
export const dnssecPage = accountSitePage({
  path: '/domains/:domain/dnssec',
  input: Type.Object({ domain: DomainName }),
  async show(context, { domain: name }) {
    const owned = await signersOf(context, name);
    const typed = (context.refused?.values ?? {}) as Typed;
    const { domain, unicode } = owned;
    return {
      title: `DNSSEC: ${unicode}`,
      section: 'domains',
      content: html`<p>${link(domainPath(domain), unicode)}</p>
<p class="intro">DNSSEC signs DNS answers about your domain. Turn it on at your DNS provider, then enter the DS record it shows you here.</p>
${section('DS records', signerTable(owned))}
${section('Add a DS record', addForm(domain, typed))}`,
    };
  },
});

/** Reads the signers from the registry, because a change replaces all of them at once. */
async function signersOf(context: AccountContext, name: string): Promise<OwnedDomain> {
  const { id: userId } = context.user;
  const { domain } = await readOwnedDomain(context, userId, name.toLowerCase());
  return refreshOwnedDomain(context, { userId, domain });
}

function signerTable({ domain, signers }: OwnedDomain): Markup {
  if (signers.length === 0) return emptyState('None. DNSSEC is off.');
  return table(
    'DS records at the registry',
    ['Key tag', 'Algorithm', 'Digest type', 'Digest', ACTIONS],
    signers.map(({ keyTag, alg, digestType, digest }) => [
      String(keyTag),
      numberWithName(alg, SIGNING_ALGORITHMS.get(alg)),
      numberWithName(digestType, DIGEST_TYPES.get(digestType)?.name),
      html`<code class="digest">${digest}</code>`,
      confirmButton({
        action: domainPath(domain, '/dnssec/remove'),
        text: 'Remove',
        about: `key ${keyTag}`,
        question:
          signers.length === 1
            ? 'This turns DNSSEC off. DNS answers are no longer signed.'
            : 'If your nameservers sign with this key alone, the domain stops working.',
        fields: { key: newFormKey(), digest },
      }),
    ]),
    '',
  );
}

function numberWithName(number: number, name = 'retired or unknown'): Markup {
  return html`${number} <span class="sub">${name}</span>`;
}

function addForm(domain: string, typed: Typed): Markup {
  const numbers = (all: ReadonlyMap<number, string>) =>
    [...all].map(([value, name]) => ({ value: String(value), text: `${value} (${name})` }));
  const types = new Map([...DIGEST_TYPES].map(([value, { name }]) => [value, name]));
  const inParts = Boolean(typed.digest);
  return html`<form class="ask" method="post" action="${domainPath(domain, '/dnssec/add')}">
${formKeyField()}${textField({
  name: 'record',
  label: 'DS record',
  hint: `As your DNS provider shows it, such as ${domain}. IN DS 12345 13 2 49FD46E6C4B45C55…`,
  value: typed.record ?? '',
  rows: 3,
})}
<details${inParts && html` open`}><summary>Enter its parts instead</summary>
${inputField({ name: 'key_tag', label: 'Key tag', value: typed.key_tag ?? '', attributes: { inputmode: 'numeric', maxlength: 5 } })}
${selectField({ name: 'algorithm', label: 'Algorithm', choices: numbers(SIGNING_ALGORITHMS), chosen: typed.algorithm ?? '13' })}
${selectField({ name: 'digest_type', label: 'Digest type', choices: numbers(types), chosen: typed.digest_type ?? '2' })}
${inputField({ name: 'digest', label: 'Digest', hint: 'Hexadecimal.', value: typed.digest ?? '', attributes: { maxlength: 200, spellcheck: 'false', autocapitalize: 'none' } })}
</details>
<p class="acts"><button class="primary" type="submit">Add the DS record</button></p>
</form>`;
}

/** Adds a key at the registry. */
export const addSigner = accountCommand({
  path: '/domains/:domain/dnssec/add',
  dangerous: true,
  input: Type.Object({ domain: DomainName, key: FormKey, ...DsForm.properties }),
  page: dnssecPage,
  async run(context, { domain: name, key, ...typed }) {
    const { domain, signers } = await signersOf(context, name);
    const added = readTyped(typed, domain);
    const isKnown = signers
      .map(signerFields)
      .some(
        (each) =>
          each.key_tag === added.key_tag &&
          each.algorithm === added.algorithm &&
          each.digest_type === added.digest_type &&
          each.digest === canonicalSigner(added, '', []).digest,
      );
    if (isKnown) throw conflict('invalid_state', 'The domain already has this DS record.');
    return startDomainChange(context, {
      domain,
      key,
      action: { op: 'dnssec', params: { signers: [...signers.map(signerFields), added] } },
    });
  },
});

/** @throws validation_error */
function readTyped({ record, ...parts }: Typed, domain: string): SignerFields {
  if (!record && parts.digest) {
    const { key_tag = '', algorithm = '', digest_type = '', digest } = parts;
    return {
      key_tag: Number(key_tag),
      algorithm: Number(algorithm),
      digest_type: Number(digest_type),
      digest,
    };
  }
  const read = readDsRecord(record ?? '');
  if (!read) {
    const message = /\bC?DNSKEY\b/i.test(record ?? '')
      ? 'must not be a DNSKEY record: copy the DS record, which your DNS provider shows near it'
      : 'must be a record such as example.com. IN DS 12345 13 2 49FD46E6C4B45C55…';
    throw invalid([{ path: '/record', message }]);
  }
  const { owner, ...signer } = read;
  if (owner !== null && toASCII(owner) !== domain) {
    throw invalid([{ path: '/record', message: `is of ${owner}, not of this domain` }]);
  }
  return signer;
}

/** Removes a key from the registry. */
export const removeSigner = accountCommand({
  path: '/domains/:domain/dnssec/remove',
  dangerous: true,
  input: Type.Object({
    domain: DomainName,
    key: FormKey,
    digest: Type.String({ maxLength: 200 }),
  }),
  page: dnssecPage,
  async run(context, { domain: name, key, digest }) {
    const { domain, signers } = await signersOf(context, name);
    const kept = signers.filter((each) => each.digest !== digest);
    if (kept.length === signers.length) {
      throw conflict('invalid_state', 'The registry no longer has this DS record.');
    }
    return startDomainChange(context, {
      domain,
      key,
      action: { op: 'dnssec', params: { signers: kept.map(signerFields) } },
    });
  },
});
