import type { OAuthScope } from '../../../shared/oauth/scopes.ts';
import { html } from '../html.ts';
import { signInLayout } from './layout.ts';

export interface ConsentPage {
  /** Where the forms are sent, without the last part. */
  action: string;
  /** The query of the app's request, to start anew with. */
  request: string;
  clientName: string;
  /** Where the answer goes, in words. */
  place: string;
  scopes: readonly OAuthScope[];
  email: string;
}

const MEANING: Readonly<Record<OAuthScope, { title: string; text: string }>> = {
  'pricing:read': {
    title: 'See prices',
    text: 'The real prices of domains that are for sale, which are masked otherwise.',
  },
  'domains:manage': {
    title: 'Manage your domains',
    text: 'See all your domains and change them: name servers, locks, privacy, renewals (which cost money), and offering them for sale.',
  },
};

/** Asks whether an app may act for the person who is signed in. Works without scripts. */
export function consentPage(page: ConsentPage): string {
  const { action, request, clientName, place, scopes, email } = page;
  const again = html`<input type="hidden" name="request" value="${request}">`;
  return signInLayout({
    title: `Connect ${clientName}`,
    content: html`<h1>Connect <span class="client">${clientName}</span>?</h1>
<p class="lead">It asks to do this with your account <strong class="account">${email}</strong>:</p>
<ul class="scopes">
${scopes.map((scope) => html`<li><strong>${MEANING[scope].title}</strong> ${MEANING[scope].text}</li>\n`)}</ul>
<p class="place">You will be sent to <strong>${place}</strong>. We have not checked who is behind this app or its name: allow it only if you started this yourself.</p>
<form method="post" action="${action}/consent">
<button class="main" type="submit">Allow</button>${again}
</form>
<form method="post" action="${action}/cancel">
<button class="plain" type="submit">Deny</button>${again}
</form>
<p class="other"><a href="${action}?account=other">Use another account</a></p>`,
  });
}
