import { Type } from 'typebox';
import { ENDING_DAYS } from '../../../../shared/domains/owned-domains/manage-owned-domains.ts';
import type { OwnedDomain } from '../../../../shared/domains/owned-domains/owned-domain.ts';
import { addMs, DAY } from '../../../../shared/platform/clock.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { formatDay, money, pathWith, relativeTime } from '../../kit/format.ts';
import { badge, emptyValue } from '../../kit/page-parts.ts';
import type { PageNow } from '../../kit/page-time.ts';

export const DOMAINS = '/account/domains';

/** A domain in the path of a page. */
export const DomainName = Type.String({ maxLength: 253 });

/** Returns the path of a domain's page (A-labels), or of one below it. */
export function domainPath(domain: string, below = ''): string {
  return `${DOMAINS}/${domain}${below}`;
}

/** Returns tags, each linked to the domains that have it. */
export function tagLinks(tags: readonly string[]): Markup | false {
  return (
    tags.length > 0 &&
    html`<span class="sub">${tags.map((tag) => html`<a href="${pathWith(DOMAINS, { tag })}">${tag}</a> `)}</span>`
  );
}

/** Shows when a domain expires, and whether its owner must act. */
export function expiry({ expiresAt, autoRenew }: OwnedDomain, now: PageNow): Markup {
  const day = html`<time datetime="${expiresAt.toISOString()}">${formatDay(expiresAt)}</time>`;
  if (expiresAt < now) return html`${day} ${badge('bad', 'Expired')}`;
  const left = html` <span class="age">${relativeTime(expiresAt, now)}</span>`;
  const soon = !autoRenew && expiresAt < addMs(now, ENDING_DAYS * DAY);
  return html`${day} ${soon ? badge('wait', 'Expires soon') : left}`;
}

export function onOff(on: boolean): Markup {
  return on ? html`On` : html`<span class="none">Off</span>`;
}

/** Shows the market status of a domain. */
export function market({ listing, purchaseFault }: OwnedDomain): Markup {
  if (purchaseFault === 'refunded') return badge('neutral', 'Returned');
  if (listing?.status === 'listed')
    return html`${badge('good', 'For sale')} ${money(listing.price)}`;
  return listing?.status === 'sold' ? badge('neutral', 'Sold') : emptyValue();
}
