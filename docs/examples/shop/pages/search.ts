import type { SearchResult, SearchSuggestion } from '@domain-marketplace/sdk';
import { money, nameplate, readable, searchUrl } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { layout, searchForm } from './layout.ts';

const IDEAS = ['Yoga studio', 'Coffee shop', 'Photography', 'Music school', 'Travel', 'AI startup'];

export function homePage(hint?: string): string {
  return layout({
    title: 'Good names, ready today',
    main: html`<section class="hero">
<h1>Good names, <em>ready today.</em></h1>
<p class="lead">Say what you are building. We show you names that are for sale now, with their prices.</p>
${searchForm('', 'large')}
${hint !== undefined && html`<p class="hint" role="alert">${hint}</p>`}
${ideas()}
</section>
<ol class="promises">
<li><strong>A fixed price</strong>We hold the name for you at its price for ten minutes.</li>
<li><strong>Secure payment</strong>You pay on the marketplace’s page. We never see your card.</li>
<li><strong>Live progress</strong>Follow every step, from the payment until the name is in your account.</li>
</ol>`,
  });
}

export function resultsPage(
  query: string,
  results: readonly SearchResult[],
  suggestions: readonly SearchSuggestion[],
): string {
  const count = results.length === 1 ? 'One name' : `${results.length} names`;
  return layout({
    title: `Names for ${query}`,
    query,
    main:
      results.length === 0
        ? nothingFound(query, suggestions)
        : html`<h1 class="quiet">${count} for <strong>“${query}”</strong></h1>
<ul class="cards">${results.map((result, at) => card(result, query, at === 0))}</ul>`,
  });
}

function card(result: SearchResult, query: string, best: boolean): Markup {
  const { domain, category, price_cents, currency } = result;
  // Every search reads the current prices from the marketplace; the shop stores none.
  return html`<li class="card">
<p class="kind">${best ? 'Best match' : (category ?? 'Premium')}</p>
<h2 class="name">${nameplate(domain)}</h2>
<p class="price">${money(price_cents, currency)}<span>once, then yours</span></p>
<form action="/purchases" method="post">
<input type="hidden" name="domain" value="${domain}">
<input type="hidden" name="q" value="${query}">
<button data-busy="Holding it for you …">Get this name <span class="unseen">${readable(domain)}</span></button>
</form>
</li>`;
}

function nothingFound(query: string, suggestions: readonly SearchSuggestion[]): Markup {
  const others = suggestions.map((suggestion) => suggestion.query);
  return html`<section class="message">
<h1>Nothing for “${query}” yet</h1>
<p>${
    others.length > 0
      ? 'These searches have results:'
      : 'Try fewer words, or what the name is for: a trade, a place, a feeling.'
  }</p>
${ideas(others.length > 0 ? others : IDEAS)}
</section>`;
}

function ideas(shown: readonly string[] = IDEAS): Markup {
  const links = shown.map(
    (idea) => html`<li><a href="${searchUrl(idea.toLowerCase())}">${idea}</a></li>`,
  );
  return html`<nav aria-label="Ideas"><ul class="ideas">${links}</ul></nav>`;
}
