import { html, type Markup } from './html.ts';

/** Plain, legible, and of our own making: the pages load nothing from elsewhere. */
export const STYLE = `:root { color-scheme: light dark; --line: #8a94a3; --accent: #0b57d0; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 40rem; padding: 2rem 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; }
label { display: block; margin: 1rem 0 0.25rem; font-weight: 600; }
input { width: 100%; padding: 0.6rem; font: inherit; border: 1px solid var(--line); border-radius: 4px; }
button { margin-top: 1.5rem; padding: 0.6rem 1.2rem; font: inherit; font-weight: 600; color: #fff;
  background: var(--accent); border: 0; border-radius: 4px; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[role="alert"] { padding: 0.75rem 1rem; border-left: 4px solid #c5221f; background: #c5221f1a; }
`;

function page(title: string, content: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Marketplace operations</title>
<link rel="stylesheet" href="/ops/style.css">
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.markup;
}

/** The sign-in form; `error` tells why the last attempt failed. */
export function signInPage(state: { next: string; email?: string; error?: string }): string {
  return page(
    'Sign in',
    html`${state.error && html`<p role="alert" id="error">${state.error}</p>`}
<form method="post" action="/ops/sign-in">
<input type="hidden" name="next" value="${state.next}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254"
  value="${state.email}"${state.error && html` aria-describedby="error"`}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required
  maxlength="256">
<button type="submit">Sign in</button>
</form>`,
  );
}

/** Where ops begins: what there is, and the way out. */
export function landingPage(state: { email: string }): string {
  return page(
    'Operations',
    html`<p>Signed in as <strong>${state.email}</strong>.</p>
<nav aria-label="Operations">
<ul>
<li><a href="/ops/queues">Queues</a>: jobs that wait, run or failed</li>
<li><a href="/ops/api/review-queue">Review queue</a>: orders that wait for a decision (JSON)</li>
<li><a href="/ops/api/partners">Partners</a> (JSON)</li>
<li><a href="/ops/api/ledger/check">Ledger check</a> (JSON)</li>
<li><a href="/readyz">Readiness</a> and <a href="/metrics">metrics</a></li>
</ul>
</nav>
<p>Everything else is a command: <code>npm run --silent ops -- --help</code>.</p>
<form method="post" action="/ops/sign-out"><button type="submit">Sign out</button></form>`,
  );
}
