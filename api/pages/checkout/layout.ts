import { assetPath } from '../assets.ts';
import { html, type Markup } from '../html.ts';

export interface CheckoutLayout {
  title: string;
  content: Markup;
  /** What is being bought; left out on pages that must not say. */
  summary?: Markup;
  /** Says that no money moves. */
  sandbox?: boolean;
  /** A page that waits for news asks again after so many seconds, at this address. */
  refresh?: { seconds: number; url: string };
}

/** The frame of every page under /checkout. It loads two files of ours and nothing else. */
export function checkoutLayout({
  title,
  content,
  summary,
  sandbox,
  refresh,
}: CheckoutLayout): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
${refresh && html`<meta http-equiv="refresh" content="${refresh.seconds};url=${refresh.url}">`}
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetPath('checkout.css')}">
<script src="${assetPath('checkout.js')}" defer></script>
</head>
<body>
${sandbox && html`<aside class="sandbox" aria-label="Test mode"><strong>Test mode</strong> No money moves and no real domain is sold.</aside>`}
<div class="frame${summary ? ' wide' : ''}">
${summary && html`<aside class="summary" aria-label="Your order">${summary}</aside>`}
<main class="card">
${content}
</main>
</div>
<footer><p class="assurance">${LOCK}Card details are passed on for the payment and never stored.</p></footer>
</body>
</html>
`.markup;
}

const LOCK = html`<svg aria-hidden="true" viewBox="0 0 16 16" width="14" height="14"><path fill="currentColor" d="M8 1a3.5 3.5 0 0 0-3.5 3.5V7H4a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h8a1 1 0 0 0 1-1V8a1 1 0 0 0-1-1h-.5V4.5A3.5 3.5 0 0 0 8 1Zm2 6H6V4.5a2 2 0 1 1 4 0V7Z"/></svg>`;
