import { html, type Markup } from '../../../shared/platform/html.ts';
import { type HtmlDocument, htmlDocument } from '../kit/html-document.ts';
import { notice } from '../kit/page-parts.ts';

type Scripts = Pick<HtmlDocument, 'libraries' | 'scripts'>;

/** A page with one thing to do: a card. */
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

/** A page of somebody who is signed in. */
export function accountPage(
  page: {
    title: string;
    email: string;
    content: Markup;
    /** What was done. */
    done?: string | undefined;
    error?: string | undefined;
  } & Scripts,
): string {
  const { title, email, content, done, error, libraries, scripts } = page;
  return htmlDocument({
    title: error ? `Error: ${title}` : title,
    styles: ['account.css'],
    ...(libraries && { libraries }),
    ...(scripts && { scripts }),
    skipTo: 'main',
    header: html`<header class="masthead">
<a class="home" href="/account">Marketplace <span>account</span></a>
<a href="/partner">Partners</a>
<form class="who" method="post" action="/account/sign-out">
<span class="email">${email}</span>
<button class="link" type="submit">Sign out</button>
</form>
</header>`,
    content: html`<main id="main" tabindex="-1">
${done && notice({ tone: 'good', content: done, focus: true })}${error && notice({ tone: 'bad', id: 'error', content: error, focus: true })}
<h1>${title}</h1>
${content}
</main>`,
  });
}
