import { Router } from 'express';
import type { Config } from '../../../shared/platform/config/config.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { requireWithinLimit } from '../../http/rate-limit.ts';
import { anonymousCaller } from '../../public/public-caller.ts';
import type { PublicLimits } from '../../public/public-limits.ts';
import { setPublicPageHeaders } from '../kit/page-headers.ts';
import {
  createDocsSearch,
  type ExcerptPart,
  type FoundSection,
  MAX_SEARCH_LENGTH,
} from './docs-search.ts';
import { createGuideLibrary } from './guide-library.ts';
import { portalLayout } from './portal-layout.ts';

const PATH = '/docs/search';

/** `GET /docs/search?q=`: a form and its results. `search.js` requests it again as the reader types. */
export function docsSearchRouter(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  limits: PublicLimits,
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  let search: ReturnType<typeof createDocsSearch> | undefined;
  /** Reads the guides at the first search: a starting process has more urgent work. */
  const searchOf = () => {
    search ??= createDocsSearch(createGuideLibrary(baseUrl));
    return search;
  };
  router.get(PATH, async (req, res) => {
    res.locals.route = PATH;
    requireWithinLimit(await limits.take('reads', anonymousCaller(req)));
    const query = String(req.query.q ?? '')
      .trim()
      .slice(0, MAX_SEARCH_LENGTH);
    const find = await searchOf();
    setPublicPageHeaders(res, 'portal-with-form');
    res.type('html').send(searchPage(query, query === '' ? [] : find(query)));
  });
  return router;
}

/** Returns the page of a search; an empty query shows only the form. */
function searchPage(query: string, results: readonly FoundSection[]): string {
  return portalLayout({
    path: PATH,
    title: query === '' ? 'Search' : `Search: ${query}`,
    scripts: ['search.js'],
    content: html`<h1>Search</h1>
<form id="search" role="search" action="${PATH}">
<label for="search-words">Search the documentation</label>
<div class="acts"><input id="search-words" name="q" type="search" value="${query}" maxlength="${MAX_SEARCH_LENGTH}" autocomplete="off" spellcheck="false" autofocus>
<button>Search</button></div>
</form>
<p id="found" role="status">${summary(query, results.length)}</p>
<ol id="results">
${results.map(
  ({
    path,
    page,
    heading,
    excerpt,
  }) => html`<li><a href="${path}">${marked(heading)}</a> <span class="page">${page}</span>
<p>${marked(excerpt)}</p></li>
`,
)}</ol>`,
  });
}

function summary(query: string, count: number): string {
  if (query === '') return 'Type a word, an error code, a path or a field.';
  if (count === 0) return `Nothing matches “${query}”. Try another word, or fewer.`;
  return count === 1 ? '1 section' : `${count} sections`;
}

function marked(parts: readonly ExcerptPart[]): Markup {
  return html`${parts.map(({ text, found }) => (found ? html`<mark>${text}</mark>` : html`${text}`))}`;
}
