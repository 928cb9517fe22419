import { html, type Markup } from '../html.ts';

export interface Page {
  title: string;
  main: Markup;
  /** The text in the search box; no box if undefined. */
  query?: string;
}

/** Returns a whole page around its `main`. */
export function layout({ title, main, query }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Larkspur</title>
<link rel="icon" href="/mark.svg">
<link rel="stylesheet" href="/shop.css">
<script src="/shop.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="/"><img src="/mark.svg" alt="" width="28" height="28">Larkspur</a>
${query !== undefined && searchForm(query, 'compact')}
<p class="sandbox">Sandbox<span class="wide">: no money and no domain moves</span></p>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer>A sample shop. Names and prices come from the marketplace, through its partner API.</footer>
</body>
</html>
`.markup;
}

export function searchForm(query: string, look: 'compact' | 'large'): Markup {
  // `required` and `minlength` only help the visitor; the server checks again.
  return html`<form class="search ${look}" role="search" action="/" method="get">
<label for="q">What is your name for?</label>
<input id="q" name="q" type="search" value="${query}" placeholder="yoga studio" required minlength="2" maxlength="200" autocomplete="off" spellcheck="false" enterkeyhint="search">
<button>Search</button>
</form>`;
}
