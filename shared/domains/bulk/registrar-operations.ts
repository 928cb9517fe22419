import { toASCII } from 'tr46';
import { Type } from 'typebox';
import { dayOf } from '../../platform/clock.ts';
import type { OwnedDomain } from '../owned-domains/owned-domain.ts';
import {
  expiryAfter,
  MAX_RENEW_YEARS,
  renewalFault,
  renewalPrice,
} from '../owned-domains/renewal-terms.ts';
import {
  canonicalSigner,
  MAX_SIGNERS,
  SignerFields,
  toDsData,
} from '../registrar/delegation-signers.ts';
import {
  asItIs,
  type BulkOperation,
  conflicting,
  defineOperation,
  FREE,
  malformed,
} from './define-operation.ts';

const ToggleParams = Type.Object(
  {
    enabled: Type.Boolean({ description: 'On or off. Setting the current value is not an error.' }),
  },
  { title: 'BulkSwitchParams', description: 'For `lock`, `auto_renew` and `privacy`.' },
);

const NO_REFUSAL = () => undefined;

/** Defines an operation that turns a setting of a domain on or off at the registrar. */
function toggle(
  kind: 'lock' | 'auto_renew' | 'privacy',
  what: string,
  stateOf: (owned: OwnedDomain) => boolean,
  rules: Pick<BulkOperation<{ enabled: boolean }>, 'asksTld' | 'refusal'> = {
    asksTld: false,
    refusal: NO_REFUSAL,
  },
) {
  return defineOperation({
    params: ToggleParams,
    canonical: asItIs,
    ...rules,
    preview: ({ enabled }, owned) => switching(what, stateOf(owned), enabled),
    cost: FREE,
    execution: { by: 'registrar', change: ({ enabled }) => ({ kind, enabled }) },
  });
}

/** The operations that the registrar carries out. */
export const REGISTRAR_OPERATIONS = {
  nameservers: defineOperation({
    params: Type.Object(
      {
        nameservers: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
          minItems: 2,
          maxItems: 13,
          description: 'Host names. They replace the current ones.',
        }),
      },
      { title: 'BulkNameserversParams' },
    ),
    canonical({ nameservers: texts }, faults) {
      const nameservers = texts.map((text, at) => {
        const path = `/params/nameservers/${at}`;
        const host = readHost(text);
        if (!host) faults.push({ path, message: 'must be a host name such as ns1.example.net' });
        return host ?? '';
      });
      const hosts = nameservers.filter((host) => host !== '');
      if (new Set(hosts).size < hosts.length) {
        faults.push({ path: '/params/nameservers', message: 'must not name a host twice' });
      }
      return { nameservers };
    },
    asksTld: true,
    refusal({ nameservers }, { owned, tld }) {
      const max = tld?.rules.nameservers.max ?? nameservers.length;
      if (nameservers.length > max) {
        return malformed(`.${owned.tld} takes ${max} nameservers at most.`);
      }
      const own = nameservers.find((host) => isUnaddressedHost(host, owned));
      return own === undefined
        ? undefined
        : malformed(
            `The nameserver ${own} is in ${owned.domain} itself: the registry needs its IP address, which cannot be set here. Use nameservers of another domain.`,
          );
    },
    preview: ({ nameservers }) => `Would set the nameservers ${nameservers.join(', ')}.`,
    cost: FREE,
    execution: {
      by: 'registrar',
      change: ({ nameservers }) => ({ kind: 'nameservers', nameservers }),
    },
  }),
  dnssec: defineOperation({
    params: Type.Object(
      {
        signers: Type.Array(SignerFields, {
          maxItems: MAX_SIGNERS,
          description: 'These replace the current DS records; an empty list turns DNSSEC off.',
        }),
      },
      { title: 'BulkDnssecParams' },
    ),
    canonical({ signers: given }, faults) {
      const at = (index: number) => `/params/signers/${index}`;
      const signers = given.map((each, index) => canonicalSigner(each, at(index), faults));
      if (new Set(signers.map((each) => JSON.stringify(each))).size < signers.length) {
        faults.push({ path: '/params/signers', message: 'must not name a DS record twice' });
      }
      return { signers };
    },
    asksTld: true,
    refusal: ({ signers }, { owned, tld }) =>
      signers.length > 0 && tld?.rules.dnssec === false
        ? malformed(`.${owned.tld} has no DNSSEC.`)
        : undefined,
    preview: ({ signers }) =>
      signers.length === 0 ? 'Would turn DNSSEC off.' : `Would set ${dsRecords(signers.length)}.`,
    cost: FREE,
    execution: {
      by: 'registrar',
      change: ({ signers }) => ({ kind: 'signers', signers: signers.map(toDsData) }),
    },
  }),
  lock: toggle('lock', 'the transfer lock', ({ locked }) => locked, {
    asksTld: true,
    refusal: (_params, { owned, tld }) =>
      tld?.rules.transfer.lock_supported === false
        ? malformed(`.${owned.tld} has no transfer lock.`)
        : undefined,
  }),
  auto_renew: toggle('auto_renew', 'automatic renewal', ({ autoRenew }) => autoRenew),
  privacy: toggle('privacy', 'WHOIS privacy', ({ privacy }) => privacy),
  renew: defineOperation({
    params: Type.Object(
      {
        years: Type.Integer({
          minimum: 1,
          maximum: MAX_RENEW_YEARS,
          description: "The number of years to add; the TLD's rules apply.",
        }),
      },
      { title: 'BulkRenewParams' },
    ),
    canonical: asItIs,
    asksTld: true,
    refusal({ years }, { owned, tld, now }) {
      if (owned.isBought) {
        return conflicting(
          `You pay for its renewal: see the price and renew it at /account/domains/${owned.domain}/renew.`,
        );
      }
      const fault = renewalFault(years, { ...owned, rules: tld, now });
      return fault === undefined ? undefined : malformed(fault);
    },
    preview: ({ years }, { expiresAt }) =>
      `Would expire ${dayOf(expiryAfter(expiresAt, years))} instead of ${dayOf(expiresAt)}.`,
    cost: ({ years }, tld) => renewalPrice(years, tld),
    execution: { by: 'registrar', change: ({ years }) => ({ kind: 'renew', years }) },
  }),
} as const;

function switching(what: string, now: boolean, wanted: boolean): string {
  const state = wanted ? 'on' : 'off';
  return now === wanted
    ? `Nothing would change: ${what} is ${state}.`
    : `Would turn ${what} ${state}.`;
}

/** Formats a count of DS records. */
export function dsRecords(count: number): string {
  return count === 1 ? '1 DS record' : `${count} DS records`;
}

/**
 * Returns whether a host is in the domain it shall serve, and new there. Resolvers could not find it, since we create
 * hosts without addresses (glue).
 */
function isUnaddressedHost(host: string, { domain, nameservers }: OwnedDomain): boolean {
  return (host === domain || host.endsWith(`.${domain}`)) && !nameservers.includes(host);
}

const HOST_RULES = { checkHyphens: true, useSTD3ASCIIRules: true, verifyDNSLength: true } as const;

/** Returns a host name of two or more labels as A-labels; undefined for anything else, including IP addresses. */
function readHost(text: string): string | undefined {
  const host = toASCII(text.trim().replace(/\.$/, ''), HOST_RULES);
  if (!host?.includes('.') || /^[\d.]+$/.test(host)) return undefined;
  return host;
}
