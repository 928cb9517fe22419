import { unicodeOf } from '../../../shared/market/names/domain-name.ts';
import type { Brand } from '../../../shared/messaging/mail/mail-settings.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { brandLinks, brandMark, brandStyles } from '../kit/brand-parts.ts';
import { htmlDocument } from '../kit/html-document.ts';
import { notice } from '../kit/page-parts.ts';
import {
  type AskedRegistrant,
  registrantFields,
  registrantProblems,
} from '../kit/registrant-form.ts';

export interface RegistrantPage extends AskedRegistrant {
  /** A-labels. */
  domain: string;
  /** The URL that the form is sent to. */
  action: string;
  /** Whether the registrant is known, so that the form changes it. */
  isKnown: boolean;
  /** Whether it was just saved. */
  isSaved: boolean;
  /** The partner's brand for buyers. */
  brand: Brand;
  /** In SANDBOX: which clock the page uses. */
  testMode: string | false;
}

/** Returns the page where a buyer enters the registrant of the domain. */
export function registrantPage(page: RegistrantPage): string {
  const unicode = unicodeOf(page.domain);
  const { isKnown, isSaved } = page;
  return registrantLayout({
    title: `Where should we register ${unicode}?`,
    brand: page.brand,
    testMode: page.testMode,
    content: html`<header class="top">
${page.brand.displayName !== null && html`<p class="brand">${brandMark({ brand: page.brand, name: page.brand.displayName })}</p>`}
<p class="kicker">${unicode}</p>
<h1>Where should we register it?</h1>
</header>
${isSaved && notice({ tone: 'good', content: 'Saved. We will register the domain for this person or organization.', focus: true })}
${registrantProblems(page)}
<section class="card registrant">
<p>${isKnown ? 'You can change this until the domain is delivered.' : 'A domain belongs to a person or an organization, with an address. The registry checks that it is complete. You can use any script.'}</p>
<form method="post" action="${page.action}" novalidate>
${registrantFields(page)}
<button class="primary" type="submit">${isKnown ? 'Save changes' : 'Register it here'}</button>
</form>
</section>`,
  });
}

/** Returns a page for a buyer who has its link, with the partner's branding. */
export function registrantLayout(page: {
  title: string;
  content: Markup;
  brand?: Brand;
  testMode?: string | false;
  /** Why the link must be kept secret. */
  secret?: string;
}): string {
  const { brand, secret = CHANGEABLE } = page;
  const name = brand?.displayName ?? null;
  return htmlDocument({
    title: page.title,
    styles: ['progress.css'],
    head: brand && brandStyles(brand),
    bodyClass: brand && 'branded',
    testMode: page.testMode,
    content: html`<main>
${page.content}
${brand && html`<footer>${name !== null && brandLinks({ brand, name })}<p>${secret}</p></footer>`}
</main>`,
  });
}

const CHANGEABLE = 'Anyone with the link to this page can change these details. Don’t share it.';
