import { type TObject, Type } from 'typebox';
import type { TimeOwner } from '../../../shared/messaging/unit-of-work/partner-time.ts';
import { fail, type ServiceError } from '../../../shared/platform/errors.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { type IdKind, isId } from '../../../shared/platform/ids.ts';
import type { AssetName } from '../../pages/kit/assets.ts';
import { type CardPage, cardPage } from '../../pages/kit/card-page.ts';
import type { ErrorWords } from '../../pages/kit/error-page.ts';
import { selectFilter } from '../../pages/kit/form.ts';
import { htmlDocument } from '../../pages/kit/html-document.ts';
import { masthead, type SectionLink } from '../../pages/kit/masthead.ts';
import type { Page, PageWith } from '../../pages/kit/page-group.ts';
import { notice } from '../../pages/kit/page-parts.ts';
import { clockWords, type PageNow, pageNowOf } from '../../pages/kit/page-time.ts';
import type { OpsContext } from '../ops-action.ts';
import { QUEUE_BOARD } from '../ops-routes.ts';
import type { Staff } from '../ops-session.ts';

/** The context of a page: the runtime, the viewer, and real time. */
export interface PageContext extends OpsContext {
  now: PageNow;
  staff: Staff;
}

export interface PageView {
  title: string;
  section: Section | null;
  content: Markup;
  searched?: string;
  /** The clock of a page about a sandbox, for its test-mode bar. */
  testMode?: string | false;
}

/** A page of the console; its path is below `/ops`. */
export type ConsolePage = Page<PageContext, PageView>;

/** Defines a page whose `show` is typed by its input. */
export function consolePage<I extends TObject>(
  page: PageWith<PageContext, PageView, I>,
): ConsolePage {
  return page as unknown as ConsolePage;
}

/** Returns the clock that applies to a page's subject, and the text about it for the page's test-mode bar. */
export async function clockOf(
  context: PageContext,
  owner: TimeOwner,
): Promise<{ now: PageNow; testMode: string | false }> {
  const now = await pageNowOf(context, owner);
  return { now, testMode: owner.environment === 'SANDBOX' && clockWords(now, context.now) };
}

/** The start of a list's next page: the last id of the previous page. */
export const CursorField = Type.Optional(Type.String({ maxLength: 64 }));
export const EnvironmentFilter = Type.Optional(Type.Enum(['LIVE', 'SANDBOX']));
export const IdField = Type.String({ maxLength: 64 });

/** @throws not_found for a malformed id of this kind, without any read */
export function requireId(kind: IdKind, id: string, message: string): string {
  if (!isId(kind, id)) throw fail('not_found', { message });
  return id;
}

/** The sections of the console, as its navigation names them. */
const SECTIONS = {
  overview: { text: 'Overview', icon: 'layout-dashboard', path: '/ops' },
  review: { text: 'Review', icon: 'clipboard-check', path: '/ops/review' },
  screening: { text: 'Screening', icon: 'shield-alert', path: '/ops/screening' },
  transfers: { text: 'Transfers', icon: 'arrow-left-right', path: '/ops/transfers' },
  orders: { text: 'Orders', icon: 'shopping-cart', path: '/ops/orders' },
  listings: { text: 'Listings', icon: 'tag', path: '/ops/listings' },
  offers: { text: 'Offers', icon: 'hand-coins', path: '/ops/offers' },
  brokerage: { text: 'Brokerage', icon: 'handshake', path: '/ops/brokerage' },
  payments: { text: 'Payments', icon: 'credit-card', path: '/ops/payments' },
  payouts: { text: 'Payouts', icon: 'banknote', path: '/ops/payouts' },
  settlements: { text: 'Settlements', icon: 'file-text', path: '/ops/settlements' },
  referrals: { text: 'Referrals', icon: 'link', path: '/ops/referrals' },
  webhooks: { text: 'Webhooks', icon: 'webhook', path: '/ops/webhooks' },
  mail: { text: 'Mail', icon: 'mail', path: '/ops/mail' },
  marketSearch: { text: 'Market search', icon: 'search', path: '/ops/market-search' },
  partners: { text: 'Partners', icon: 'building-2', path: '/ops/partners' },
  owners: { text: 'Owners', icon: 'globe', path: '/ops/owners' },
  people: { text: 'People', icon: 'users', path: '/ops/people' },
  ledger: { text: 'Ledger', icon: 'book-open', path: '/ops/ledger' },
  audit: { text: 'Audit', icon: 'history', path: '/ops/audit' },
} as const;

export type Section = keyof typeof SECTIONS;

export interface PageFrame {
  title: string;
  content: Markup;
  /** Null for a page outside the navigation. */
  section?: Section | null;
  /** The signed-in account. */
  email: string;
  /** The role of the account; the navigation shows only what it may use. */
  staff?: Staff | undefined;
  /** The success message. */
  flash?: string | undefined;
  testMode?: string | false | undefined;
  /** The search text. */
  searched?: string | undefined;
  /** A prefix of the window title: `Error`. */
  prefix?: string | undefined;
  libraries?: readonly AssetName[];
  scripts?: readonly AssetName[];
}

const SITE = {
  name: 'Marketplace operations',
  home: html`<a class="home" href="/ops">Marketplace <span>operations</span></a>`,
};

/** Returns a page for someone who is not signed in. */
export function consoleCard(page: CardPage): string {
  return cardPage({ ...page, site: SITE });
}

/** Returns a whole page of the console. */
export function consoleLayout(frame: PageFrame): string {
  const { title, content, flash, prefix, libraries = [], scripts = [] } = frame;
  return htmlDocument({
    title: `${prefix ? `${prefix}: ` : ''}${title} · ${SITE.name}`,
    styles: ['workplace.css'],
    libraries,
    scripts,
    skipTo: 'main',
    testMode: frame.testMode,
    header: consoleHeader(frame),
    content: html`<main id="main" tabindex="-1">
${flash && notice({ tone: 'good', content: flash, focus: true })}
<h1>${title}</h1>
${content}
</main>`,
  });
}

function consoleHeader({ section, searched, email, staff }: PageFrame): Markup {
  const sections: SectionLink[] = Object.entries(SECTIONS).map(([name, { path, ...shown }]) => ({
    ...shown,
    href: path,
    current: section === name,
  }));
  if (staff && QUEUE_BOARD.roles.includes(staff.role)) {
    sections.push({ text: 'Queues', icon: 'layers', href: '/ops/queues', current: false });
  }
  return masthead({
    home: SITE.home,
    beside: html`<form class="search" role="search" action="/ops/search" method="get">
<label class="unseen" for="q">Search by domain, email, partner or ID</label>
<input id="q" name="q" type="search" maxlength="200" required placeholder="Domain, email, partner or ID"
  value="${searched}">
<button type="submit">Search</button>
</form>`,
    email,
    signOut: '/ops/sign-out',
    label: 'Console',
    sections,
  });
}

/** Shows an error's message, with its code and the request id to quote. */
export function errorNotice(error: ServiceError, requestId: string): Markup {
  return notice({
    tone: 'bad',
    content: html`<p>${error.message}</p>
<p class="hint"><code>${error.code}</code> · request <code>${requestId}</code></p>`,
  });
}

/** Returns an error page. */
export function consoleErrorPage(
  { title, text }: ErrorWords,
  error: ServiceError | undefined,
  state: { requestId: string; email: string | undefined; staff: Staff | undefined },
): string {
  const content = html`${error ? errorNotice(error, state.requestId) : html`<p>${text}</p>`}
<p>${
    error?.status === 401
      ? html`<a href="/ops/sign-in">Sign in</a>`
      : html`<a href="/ops">Back to the overview</a>`
  }</p>`;
  const { email, staff } = state;
  if (email === undefined) return consoleCard({ title, content });
  return consoleLayout({ title, prefix: 'Error', email, staff, content });
}

/** Returns the inventory filter of a list. */
export function environmentFilter(chosen: string | null): Markup {
  const choices = ['LIVE', 'SANDBOX'].map((value) => ({ value, text: value }));
  return selectFilter('environment', 'Environment', choices, chosen);
}
