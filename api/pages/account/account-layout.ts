import { html, type Markup } from '../../../shared/platform/html.ts';
import { type HtmlDocument, htmlDocument } from '../kit/html-document.ts';
import { icon } from '../kit/icon.ts';
import { notice } from '../kit/page-parts.ts';

type Scripts = Pick<HtmlDocument, 'libraries' | 'scripts'>;

/** Returns a page with a single task, as a card. */
export function accountCard(
  page: {
    title: string;
    content: Markup;
    /** Why the last attempt failed. */
    error?: string | undefined;
  } & Scripts,
): string {
  const { title, content, error, libraries, scripts } = page;
  return htmlDocument({
    title: error ? `Error: ${title}` : title,
    styles: ['sign-in.css'],
    ...(libraries && { libraries }),
    ...(scripts && { scripts }),
    content: html`<main><h1>${title}</h1>
${error && notice({ tone: 'bad', id: 'error', content: error })}${content}</main>`,
  });
}

/** The sections of an account, as its navigation names them. */
const SECTIONS = {
  domains: { text: 'Domains', icon: 'globe', path: '/account/domains' },
  payments: { text: 'Payments', icon: 'credit-card', path: '/account/payments' },
  jobs: { text: 'Changes', icon: 'list-checks', path: '/account/jobs' },
  apps: { text: 'Connected apps', icon: 'plug', path: '/account/apps' },
  security: { text: 'Security', icon: 'shield-check', path: '/account/security' },
} as const;

export type AccountSection = keyof typeof SECTIONS;

/** Returns a page for a signed-in user. */
export function accountPage(
  page: {
    title: string;
    email: string;
    /** Missing for pages outside all sections, such as the choice of a partner. */
    section?: AccountSection;
    content: Markup;
    /** The success message. */
    done?: string | undefined;
    error?: string | undefined;
  } & Scripts,
): string {
  const { title, email, section, content, done, error, libraries, scripts } = page;
  const items = Object.entries(SECTIONS).map(
    ([name, { text, icon: shape, path }]) =>
      html`<li><a href="${path}"${section === name && html` aria-current="page"`}>${icon(shape)}${text}</a></li>`,
  );
  return htmlDocument({
    title: error ? `Error: ${title}` : title,
    styles: ['account.css'],
    ...(libraries && { libraries }),
    ...(scripts && { scripts }),
    skipTo: 'main',
    header: html`<header class="masthead">
<div class="bar">
<a class="home" href="/account">Marketplace <span>account</span></a>
<form class="who" method="post" action="/account/sign-out">
<a href="/partner">Partners</a>
<span class="email">${email}</span>
<button class="link" type="submit">Sign out</button>
</form>
</div>
<nav class="sections" aria-label="Account"><ul>${items}</ul></nav>
</header>`,
    content: html`<main id="main" tabindex="-1">
${done && notice({ tone: 'good', content: done, focus: true })}${error && notice({ tone: 'bad', id: 'error', content: error, focus: true })}
<h1>${title}</h1>
${content}
</main>`,
  });
}
