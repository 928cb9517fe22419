import { html, type Markup } from '../../../shared/platform/html.ts';
import { type HtmlDocument, htmlDocument, SITE } from '../kit/html-document.ts';
import { masthead } from '../kit/masthead.ts';
import { notice } from '../kit/page-parts.ts';

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
  } & Pick<HtmlDocument, 'libraries' | 'scripts'>,
): string {
  const { title, email, section, content, done, error, libraries, scripts } = page;
  return htmlDocument({
    title: `${error ? 'Error: ' : ''}${title} · ${SITE}`,
    styles: ['account.css'],
    ...(libraries && { libraries }),
    ...(scripts && { scripts }),
    skipTo: 'main',
    header: masthead({
      home: html`<a class="home" href="/account">Marketplace <span>account</span></a>`,
      links: html`<a href="/partner">Partners</a>`,
      email,
      signOut: '/account/sign-out',
      label: 'Account',
      sections: Object.entries(SECTIONS).map(([name, { path, ...shown }]) => ({
        ...shown,
        href: path,
        current: section === name,
      })),
    }),
    content: html`<main id="main" tabindex="-1">
${done && notice({ tone: 'good', content: done, focus: true })}${error && notice({ tone: 'bad', id: 'error', content: error, focus: true })}
<h1>${title}</h1>
${content}
</main>`,
  });
}
