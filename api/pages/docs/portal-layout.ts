import { html, type Markup } from '../../../shared/platform/html.ts';
import type { AssetName } from '../kit/assets.ts';
import { htmlDocument, SITE } from '../kit/html-document.ts';
import { CHANGELOG, GUIDE_GROUPS, type Guide } from './guides.ts';

export interface PortalPage {
  /** Its path; the navigation entry with this path is marked as current. */
  path: string;
  title: string;
  content: Markup;
  /** Shown beside the text if there is room: the page's contents. */
  aside?: Markup;
  /** Whether the navigation is shown; the landing page has none. */
  navigation?: boolean;
  /** In addition to the portal's own. */
  styles?: readonly AssetName[];
  scripts?: readonly AssetName[];
  /** Scripts that run before the first paint. */
  scriptsBeforePaint?: readonly AssetName[];
}

interface Entry {
  path: string;
  name: string;
  /** What the reader finds there, in one line. */
  about: string;
}

/** Pages that are not guides. */
const OTHERS: readonly Entry[] = [
  {
    path: '/docs/reference/public',
    name: 'Public API',
    about: 'Every call with its schemas; send it from the page and see the answer.',
  },
  {
    path: '/docs/reference/partner',
    name: 'Partner API',
    about: 'Every call and webhook with its schemas; send calls with a SANDBOX key.',
  },
  entryOf(CHANGELOG),
  {
    path: '/docs/status',
    name: 'Status',
    about: 'Current status, and uptime and incidents of the last 90 days.',
  },
  {
    path: '/docs/search',
    name: 'Search',
    about: 'Search all pages. Shortcut: the / key.',
  },
];

/** Every page of the navigation, in order. */
export const NAVIGATION: readonly { title: string; pages: readonly Entry[] }[] = [
  ...GUIDE_GROUPS.map(({ title, guides }) => ({ title, pages: guides.map(entryOf) })),
  { title: 'Reference', pages: OTHERS },
];

function entryOf({ slug, name, about }: Guide): Entry {
  return { path: `/docs/${slug}`, name, about };
}

/** Returns the frame of the portal's pages. */
export function portalLayout(page: PortalPage): string {
  const {
    path,
    title,
    content,
    aside,
    navigation = true,
    styles = [],
    scripts = [],
    scriptsBeforePaint = [],
  } = page;
  return htmlDocument({
    title: portalTitle(title),
    styles: ['portal.css', ...styles],
    scriptsBeforePaint,
    scripts: ['portal.js', ...scripts],
    listed: true,
    skipTo: 'main',
    header: portalHeader(path, navigation),
    content: html`<div class="${navigation ? 'portal' : 'single'}">
${navigation && sidebar(path)}
<main id="main" tabindex="-1">
${content}
</main>
${aside}
</div>`,
  });
}

/** Returns a page's title with the name of the site. */
function portalTitle(title: string): string {
  return title === SITE ? title : `${title} – ${SITE}`;
}

/** Returns the top bar, which the API references also have. */
function portalHeader(current: string, menu = false): Markup {
  const entries = [
    ['/docs', 'Guides'],
    ['/docs/reference/public', 'Public API'],
    ['/docs/reference/partner', 'Partner API'],
    ['/docs/status', 'Status'],
    ['/docs/search', 'Search'],
  ] as const;
  return html`<header class="bar">
<a class="name" href="/">${SITE}</a>
${menu && html`<button type="button" class="menu" aria-expanded="false" aria-controls="pages">All pages</button>`}
<nav aria-label="Sections">
${entries.map(([path, name]) => html`<a href="${path}"${path === current && html` aria-current="page"`}>${name}</a>\n`)}</nav>
<a class="sign-in" href="/partner">Sign in</a>
</header>`;
}

function sidebar(current: string): Markup {
  return html`<nav class="side" id="pages" aria-label="All pages">
${NAVIGATION.map(
  ({ title, pages }) => html`<p>${title}</p>
<ul>
${pages.map(
  ({ path, name }) =>
    html`<li><a href="${path}"${path === current && html` aria-current="page"`}>${name}</a></li>\n`,
)}</ul>
`,
)}</nav>`;
}
