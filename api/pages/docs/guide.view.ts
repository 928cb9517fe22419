import { html, type Markup } from '../html.ts';
import type { Guide } from './guides.ts';
import { inspector } from './inspector.view.ts';
import { NAVIGATION, portalLayout } from './layout.ts';
import type { Heading } from './markdown.ts';
import { renderGuide } from './repository.ts';

/** The page of a guide. */
export function guidePage(guide: Guide): string {
  const { title, markup, headings } = renderGuide(guide);
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
  });
}

function tableOfContents(headings: readonly Heading[]): Markup {
  return html`<nav class="toc" aria-label="On this page">
<p>On this page</p>
<ul>
${headings.map(({ level, id, text }) => html`<li class="level-${level}"><a href="#${id}">${text}</a></li>\n`)}</ul>
</nav>`;
}

/** The page before and the page after, in the order of the navigation. */
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
