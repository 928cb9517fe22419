import type { Config } from '../platform/config.ts';
import type { ReferralLink } from './referral-link.ts';

/** What a redirect needs of a link. */
export type LinkTarget = Pick<ReferralLink, 'id' | 'environment' | 'kind' | 'domain' | 'product'>;

/** The same with its code. */
export type CodeTarget = LinkTarget & { code: string };

const KINDS = { g: 'generic', d: 'domain', p: 'product' } as const;
const LETTERS = { generic: 'g', domain: 'd', product: 'p' } as const;

/** As Redis keeps it: `<id> <environment> <letter of the kind> <domain or product>`. */
export function packTarget(link: LinkTarget): string {
  const value = link.domain ?? link.product ?? '';
  return `${link.id} ${link.environment} ${LETTERS[link.kind]} ${value}`;
}

/** @throws Error for text that {@link packTarget} did not write */
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
 * Where a link leads: always to a page that the configuration names, with the domain or product encoded
 * into it, so that no link can lead anywhere else.
 */
export function targetUrl(config: Config, link: LinkTarget): string {
  const fill = (template: string, name: string, value: string | null) =>
    template.replaceAll(`{${name}}`, encodeURIComponent(value ?? ''));
  switch (link.kind) {
    case 'generic':
      return config.referralLandingUrl || `${config.baseUrl}/`;
    case 'domain':
      return fill(
        config.referralDomainUrl || `${config.baseUrl}/domains/{domain}`,
        'domain',
        link.domain,
      );
    case 'product':
      return fill(
        config.referralProductUrl || `${config.baseUrl}/products/{product}`,
        'product',
        link.product,
      );
  }
}
