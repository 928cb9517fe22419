import { html, type Markup } from '../../../shared/platform/html.ts';
import { errorWords } from '../kit/error-page.ts';
import type { Guide } from './guides.ts';
import type { Heading, RenderedPage } from './markdown.ts';
import { NAVIGATION, portalLayout } from './portal-layout.ts';
import { inspector } from './signature-inspector.ts';

/** The steps of a sale, with the page that describes each. */
const STEPS = [
  {
    name: 'Search',
    path: '/docs/getting-started',
    text: 'In the buyer’s own words, with a price on every result.',
  },
  {
    name: 'Quote',
    path: '/docs/partner-api',
    text: 'The price is fixed and the domain is held for ten minutes.',
  },
  {
    name: 'Record the sale',
    path: '/docs/quickstart',
    text: 'Recorded exactly once, even when the network fails.',
  },
  {
    name: 'Follow it',
    path: '/docs/webhooks',
    text: 'Signed webhooks, and a complete event history.',
  },
  {
    name: 'Settle',
    path: '/docs/money',
    text: 'A statement each month, to the cent.',
  },
] as const;

/** Returns `/`: what this is, and where to go. */
export function landingPage(): string {
  return portalLayout({
    path: '/',
    title: 'Domain marketplace',
    navigation: false,
    content: html`<div class="hero">
<h1>Sell domain names from your own shop</h1>
<p class="lead">A marketplace of domain names behind an API. Search by meaning, quote, record the sale and follow the domain to its buyer; or let the buyer pay on our page. Every step is an event, and every month ends with a statement.</p>
<p class="calls"><a class="call" href="/docs/quickstart">Quickstart</a> <a class="call plain" href="/docs">Documentation</a></p>
</div>
<h2 class="unseen">How a sale goes</h2>
<ol class="steps">
${STEPS.map(({ name, path, text }) => html`<li><a href="${path}">${name}</a> ${text}</li>\n`)}</ol>
<ul class="cards">
<li><h2><a href="/docs/partner-api">For shops and registrars</a></h2><p>The partner API: signed requests, a sandbox with fixed outcomes, webhooks, settlements, hosted checkout, brokerage and referrals.</p></li>
<li><h2><a href="/docs/public-api">For everyone</a></h2><p>The public API: search, lookups, prices of TLDs and what is on the market. No key needed.</p></li>
<li><h2><a href="/docs/tool-server">For assistants</a></h2><p>The read calls as tools that an AI assistant can use for a signed-in person.</p></li>
<li><h2><a href="/docs/status">Status</a></h2><p>Current status, and uptime and incidents of the last 90 days.</p></li>
<li><h2><a href="/docs/changelog">Changes</a></h2><p>What is new, what changed, and what is going away.</p></li>
<li><h2><a href="/openapi.json">Machine-readable documents</a></h2><p>OpenAPI 3.1 of the public API; <a href="/openapi-partner.json">of the partner API</a>; AsyncAPI 3.0 <a href="/asyncapi.json">of its events</a>; every guide as <a href="/docs/quickstart.md">Markdown</a>.</p></li>
</ul>`,
  });
}

/** Returns `/docs`: every page of the portal. */
export function portalHome(): string {
  return portalLayout({
    path: '/docs',
    title: 'Documentation',
    content: html`<h1>Documentation</h1>
<p>New here? The <a href="/docs/quickstart">quickstart</a> makes a sale in the sandbox in a few minutes.</p>
${NAVIGATION.map(
  ({ title, pages }) => html`<h2>${title}</h2>
<ul class="index">
${pages.map(({ path, name, about }) => html`<li><a href="${path}">${name}</a> <span>${about}</span></li>\n`)}</ul>
`,
)}`,
  });
}

/** Returns the page for unknown paths. */
export function missingPage(): string {
  const { title, text } = errorWords(404);
  return portalLayout({
    path: '',
    title,
    content: html`<h1>${title}</h1>
<p>${text} See <a href="/docs">all pages</a>.</p>`,
  });
}

/** Returns the page of a guide. */
export function guidePage(guide: Guide, rendered: RenderedPage): string {
  const { title, markup, headings, hasSamples } = rendered;
  const path = `/docs/${guide.slug}`;
  const tool = guide.slug === 'signing' ? inspector : undefined;
  const contents = tool ? [...headings, tool.heading] : headings;
  return portalLayout({
    path,
    title,
    content: html`<article>
<h1>${title}</h1>
${tool?.lead}${{ markup }}${tool?.content}
</article>
${previousAndNext(path)}
<p class="source"><a href="${path}.md">This page as Markdown</a></p>`,
    ...(contents.length > 1 && { aside: tableOfContents(contents) }),
    ...(tool && { scripts: ['inspector.js'] as const }),
    ...(hasSamples && { scriptsBeforePaint: ['samples.js'] as const }),
  });
}

function tableOfContents(headings: readonly Heading[]): Markup {
  return html`<nav class="toc" aria-label="On this page">
<p>On this page</p>
<ul>
${headings.map(({ level, id, text }) => html`<li class="level-${level}"><a href="#${id}">${text}</a></li>\n`)}</ul>
</nav>`;
}

/** Returns links to the previous and next pages, in navigation order. */
function previousAndNext(path: string): Markup {
  const pages = NAVIGATION.flatMap(({ pages: inGroup }) => inGroup);
  const at = pages.findIndex((page) => page.path === path);
  const before = pages[at - 1];
  const after = pages[at + 1];
  return html`<nav class="neighbours" aria-label="Before and after">
${before && html`<a href="${before.path}" rel="prev">← ${before.name}</a>`}
${after && html`<a class="next" href="${after.path}" rel="next">${after.name} →</a>`}
</nav>`;
}
