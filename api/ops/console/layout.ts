import { assetPath } from '../../pages/assets.ts';
import { html, type Markup } from '../../pages/html.ts';

/** What a page says once, right after something was done. */
export interface Flash {
  text: string;
}

/** The parts of the console, as its navigation names them. */
const SECTIONS = {
  desk: { text: 'Desk', path: '/ops' },
  review: { text: 'Review', path: '/ops/review' },
  pushes: { text: 'Pushes', path: '/ops/pushes' },
  orders: { text: 'Orders', path: '/ops/orders' },
  brokerage: { text: 'Brokerage', path: '/ops/brokerage' },
  payouts: { text: 'Payouts', path: '/ops/payouts' },
  settlements: { text: 'Settlements', path: '/ops/settlements' },
  webhooks: { text: 'Webhooks', path: '/ops/webhooks' },
  partners: { text: 'Partners', path: '/ops/partners' },
  people: { text: 'People', path: '/ops/people' },
  ledger: { text: 'Ledger', path: '/ops/ledger' },
  audit: { text: 'Audit', path: '/ops/audit' },
} as const;

export type Section = keyof typeof SECTIONS;

export interface PageFrame {
  title: string;
  content: Markup;
  /** Null for a page outside of the navigation. */
  section?: Section | null;
  /** The signed-in account; without it the page has no navigation. */
  email?: string | undefined;
  flash?: Flash | undefined;
  /** What was searched for. */
  searched?: string | undefined;
  /** Put before the title in the window's name: `Error`. */
  prefix?: string | undefined;
}

/** A whole page of ours. It loads one style sheet and nothing else. */
export function consoleLayout(frame: PageFrame): string {
  const { title, content, email, flash, prefix } = frame;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${prefix && `${prefix}: `}${title} · Marketplace operations</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetPath('console.css')}">
</head>
<body${email === undefined && html` class="narrow"`}>
<a class="skip" href="#main">Skip to the content</a>
${email !== undefined && consoleHeader(frame, email)}
<main id="main" tabindex="-1">
${flash && html`<p class="flash" role="status" tabindex="-1" autofocus>${flash.text}</p>`}
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.markup;
}

function consoleHeader({ section, searched }: PageFrame, email: string): Markup {
  const items = Object.entries(SECTIONS).map(
    ([name, { text, path }]) =>
      html`<li><a href="${path}"${section === name && html` aria-current="page"`}>${text}</a></li>`,
  );
  return html`<header class="masthead">
<div class="bar">
<a class="home" href="/ops">Marketplace <span>operations</span></a>
<form class="search" role="search" action="/ops/search" method="get">
<label class="quiet" for="q">Search by id, domain or partner</label>
<input id="q" name="q" type="search" maxlength="200" required placeholder="Id, domain or partner"
  value="${searched}">
<button type="submit">Search</button>
</form>
<form class="who" method="post" action="/ops/sign-out">
<span class="email">${email}</span>
<button class="plain" type="submit">Sign out</button>
</form>
</div>
<nav class="sections" aria-label="Console"><ul>${items}<li><a href="/ops/queues">Queues</a></li></ul></nav>
</header>`;
}
