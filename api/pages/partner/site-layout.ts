import type { PartnerOfMember } from '../../../shared/people/members/manage-members.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { htmlDocument } from '../kit/html-document.ts';
import { masthead } from '../kit/masthead.ts';
import { notice } from '../kit/page-parts.ts';

/** The sections of the site, as its navigation names them; paths are below that of partner and environment. */
const SECTIONS = {
  overview: { text: 'Overview', icon: 'layout-dashboard', path: '' },
  orders: { text: 'Orders', icon: 'shopping-cart', path: '/orders' },
  checkouts: { text: 'Checkouts', icon: 'credit-card', path: '/checkouts' },
  brokerage: { text: 'Brokerage', icon: 'handshake', path: '/brokerage' },
  referrals: { text: 'Referrals', icon: 'link', path: '/referrals' },
  settlements: { text: 'Settlements', icon: 'file-text', path: '/settlements' },
  payouts: { text: 'Payouts', icon: 'banknote', path: '/payouts' },
  webhooks: { text: 'Webhooks', icon: 'webhook', path: '/webhooks' },
  events: { text: 'Events', icon: 'activity', path: '/events' },
  requests: { text: 'Requests', icon: 'scroll-text', path: '/requests' },
  clock: { text: 'Clock', icon: 'clock', path: '/clock' },
  delivery: { text: 'Delivery', icon: 'globe', path: '/delivery' },
  branding: { text: 'Branding', icon: 'palette', path: '/branding' },
  team: { text: 'Team', icon: 'users', path: '/team' },
} as const;

export type SiteSection = keyof typeof SECTIONS | 'keys';

/** The partner and environment of a page; null if it is about both environments. */
interface SiteFrame {
  partner: PartnerOfMember;
  environment: 'SANDBOX' | 'LIVE' | null;
  email: string;
}

export interface SiteDocument extends SiteFrame {
  title: string;
  section: SiteSection | null;
  content: Markup;
  /** The clock that the page uses, for its test-mode bar; left out if the page shows no times. */
  clock?: string | undefined;
  /** After how many seconds the page reloads. */
  refreshSeconds?: number | undefined;
  /** More markup for the head. */
  head?: Markup | false | undefined;
  /** The success message. */
  done?: string | undefined;
  /** Why the action was refused. */
  error?: string | undefined;
}

/** Returns the base path of a partner's pages in an environment. */
export function siteBase(partnerId: string, environment: string): string {
  return `/partner/${encodeURIComponent(partnerId)}/${environment.toLowerCase()}`;
}

const SUSPENDED =
  'This account is suspended. Its keys are refused, and its members can only read, until we resume it.';

/** Returns a whole page of the partner site. */
export function siteDocument(page: SiteDocument): string {
  const { title, partner, environment, content, done, error } = page;
  return htmlDocument({
    title: `${error ? 'Error: ' : ''}${title} · ${partner.name}`,
    styles: ['partner.css'],
    head: html`${page.head}${
      page.refreshSeconds && html`<meta http-equiv="refresh" content="${page.refreshSeconds}">`
    }`,
    skipTo: 'main',
    testMode:
      environment === 'SANDBOX' &&
      `Nothing here moves money or domains. ${page.clock ?? ''}`.trim(),
    header: siteHeader(page),
    content: html`<main id="main" tabindex="-1">
${done && notice({ tone: 'good', content: done, focus: true })}${error && notice({ tone: 'bad', id: 'error', content: error, focus: true })}
<h1>${title}</h1>
${partner.status === 'suspended' && notice({ tone: 'bad', content: SUSPENDED })}${content}
</main>`,
  });
}

function siteHeader({ partner, environment, email, section }: SiteDocument): Markup {
  const { partnerId, name } = partner;
  const base = siteBase(partnerId, environment ?? 'SANDBOX');
  const path = section === null || section === 'keys' ? '' : SECTIONS[section].path;
  const environments = (['SANDBOX', 'LIVE'] as const).map(
    (each) =>
      html`<li><a href="${siteBase(partnerId, each)}${path}"${each === environment && html` aria-current="true"`}>${each}</a></li>`,
  );
  const sections = Object.entries(SECTIONS).map(([each, { path, ...shown }]) => ({
    ...shown,
    href: `${base}${path}`,
    current: section === each,
  }));
  return masthead({
    home: html`<a class="home" href="${base}">${name}</a>`,
    beside: html`<nav class="environments" aria-label="Environment"><ul>${environments}</ul></nav>`,
    links: html`<a href="/partner">Partners</a> <a href="/account/security">Account</a>`,
    email,
    signOut: '/account/sign-out',
    label: 'Partner',
    sections: [
      ...sections,
      {
        text: 'API keys',
        icon: 'key-round',
        href: `/partner/${partnerId}/keys`,
        current: section === 'keys',
      },
    ],
  });
}
