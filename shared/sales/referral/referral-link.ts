import type { Caller } from '../../people/partners/credential.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import { fail } from '../../platform/errors.ts';
import { randomBase62 } from '../../platform/ids.ts';

export const LINK_KINDS = ['generic', 'domain', 'product'] as const;

export type LinkKind = (typeof LINK_KINDS)[number];

/** A tracked link of an affiliate. It never changes. */
export interface ReferralLink {
  id: string;
  partnerId: string;
  environment: Environment;
  kind: LinkKind;
  /** A-labels; for the kind `domain` only. */
  domain: string | null;
  /** For the kind `product` only. */
  product: string | null;
  label: string | null;
  /** The affiliate's own name for the place of the link. */
  subId: string | null;
  code: string;
  /** Basis points of a sale's price. */
  commissionBps: number;
  createdAt: Date;
}

/** The owner of links, clicks and commissions. */
export interface AffiliateOwner {
  partnerId: string;
  environment: Environment;
}

const CODE_LENGTH = 10;
const CODE = /^[0-9A-Za-z]{10}$/;

/** Creates a code with about 60 random bits, so that codes cannot be guessed and do not collide. */
export function newCode(): string {
  return randomBase62(CODE_LENGTH);
}

/** Returns whether `text` has the format of a link's code. The code may not exist. */
export function isCode(text: string): boolean {
  return CODE.test(text);
}

/** Returns `{base_url}/r/{code}`. */
export function linkUrl(baseUrl: string, code: string): string {
  return `${baseUrl}/r/${code}`;
}

/** @throws forbidden when the credential's partner is not linked to an affiliate account */
export function assertAffiliate(caller: Caller): void {
  if (caller.affiliateId) return;
  throw fail('forbidden', {
    message:
      'The partner of this credential is not linked to an affiliate account. Ask the operator of the marketplace to link one.',
  });
}

/** The fields of a link that a redirect needs. */
export type LinkTarget = Pick<ReferralLink, 'id' | 'environment' | 'kind' | 'domain' | 'product'>;

/** A {@link LinkTarget} with its code. */
export type CodeTarget = LinkTarget & { code: string };

const KINDS = { g: 'generic', d: 'domain', p: 'product' } as const;
const LETTERS = { generic: 'g', domain: 'd', product: 'p' } as const;

/** Encodes a target for Redis: `<id> <environment> <letter of the kind> <domain or product>`. */
export function packTarget(link: LinkTarget): string {
  const value = link.domain ?? link.product ?? '';
  return `${link.id} ${link.environment} ${LETTERS[link.kind]} ${value}`;
}

/** Decodes a target. @throws Error for text that {@link packTarget} did not write */
export function unpackTarget(text: string): LinkTarget {
  const parts = /^(\S+) (SANDBOX|LIVE) ([gdp]) (.*)$/su.exec(text);
  const [, id = '', environment = '', letter = '', value = ''] = parts ?? [];
  const kind = KINDS[letter as keyof typeof KINDS];
  if (!kind) throw new Error('a referral target in Redis is malformed');
  return {
    id,
    environment: environment as LinkTarget['environment'],
    kind,
    domain: kind === 'domain' ? value : null,
    product: kind === 'product' ? value : null,
  };
}

/**
 * Returns the URL that a link redirects to. It is always a page from the configuration, with the domain or product
 * encoded into it, so that no link can lead anywhere else.
 */
export function targetUrl(config: Config, link: LinkTarget): string {
  const landing = config.referralLandingUrl || `${config.baseUrl}/`;
  const fill = (template: string, name: string, value: string | null) =>
    (template || landing).replaceAll(`{${name}}`, encodeURIComponent(value ?? ''));
  switch (link.kind) {
    case 'generic':
      return landing;
    case 'domain':
      return fill(config.referralDomainUrl, 'domain', link.domain);
    case 'product':
      return fill(config.referralProductUrl, 'product', link.product);
  }
}
