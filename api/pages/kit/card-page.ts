import { html, type Markup } from '../../../shared/platform/html.ts';
import type { ErrorWords } from './error-page.ts';
import { type HtmlDocument, htmlDocument, SITE } from './html-document.ts';
import { notice } from './page-parts.ts';

export interface CardPage extends Pick<HtmlDocument, 'libraries' | 'scripts'> {
  /** Its heading; in the window title the name of the site follows. */
  title: string;
  /** The heading, if it has more than words. */
  heading?: Markup;
  content: Markup;
  /** Why the last attempt failed. */
  error?: string | undefined;
  /** The site that the page is part of. */
  site?: { name: string; home: Markup };
}

const MARKETPLACE = { name: SITE, home: html`<a class="home" href="/">${SITE}</a>` };

/** Returns a page with a single task or message, as a card below the name of the site. */
export function cardPage(page: CardPage): string {
  const { title, heading = title, content, error, site = MARKETPLACE, libraries, scripts } = page;
  return htmlDocument({
    title: `${error ? 'Error: ' : ''}${title} · ${site.name}`,
    styles: ['card.css'],
    ...(libraries && { libraries }),
    ...(scripts && { scripts }),
    header: html`<header>${site.home}</header>`,
    content: html`<main>
<h1>${heading}</h1>
${error && notice({ tone: 'bad', id: 'error', content: error })}
${content}
</main>`,
  });
}

/** Returns a card that only says something, such as why a link is refused. */
export function noticePage({ title, text }: ErrorWords): string {
  return cardPage({ title, content: html`<p>${text}</p>` });
}
