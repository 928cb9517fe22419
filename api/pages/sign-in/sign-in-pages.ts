import type { OAuthScope } from '../../../shared/people/oauth/access-token.ts';
import type { PasskeyRequest } from '../../../shared/people/users/passkey.ts';
import { html } from '../../../shared/platform/html.ts';
import { PASSKEY_SCRIPTS, passkeyForm } from '../account/passkey-form.ts';
import { secondFactorForm } from '../account/second-factor-form.ts';
import { cardPage } from '../kit/card-page.ts';
import type { ErrorWords } from '../kit/error-page.ts';
import { signInFields } from '../kit/form.ts';

export interface SignInPage {
  /** The path prefix of the forms' actions. */
  action: string;
  /** The query of the app's request, to restart the sign-in. */
  request: string;
  clientName: string;
  /** Where canceling leads, in words. */
  place: string;
  email?: string;
  /** Why the last attempt failed. */
  fault?: string;
  passkey: PasskeyRequest<object>;
}

/** Returns the sign-in page. Works without scripts; with them, a passkey is enough. */
export function oauthSignInPage(page: SignInPage): string {
  const { action, request, clientName, place, email, fault, passkey } = page;
  const again = html`<input type="hidden" name="request" value="${request}">`;
  return cardPage({
    title: 'Sign in',
    error: fault,
    ...PASSKEY_SCRIPTS,
    content: html`<p class="lead"><strong>${clientName}</strong> wants to access your account.</p>
<form method="post" action="${action}/sign-in">
${signInFields({ email, error: fault && 'error', autofocus: true })}
<button class="primary" type="submit">Sign in</button>${again}
</form>
${passkeyForm({ action: `${action}/passkey`, kind: 'use', request: passkey, hidden: { request }, button: 'Sign in with a passkey' })}
<form method="post" action="${action}/cancel">
<button class="link" type="submit">Cancel and go back</button>${again}
</form>
<p class="other">Canceling takes you to <strong>${place}</strong>.</p>`,
  });
}

/** Returns the page that asks for a second-factor code. Works without scripts. */
export function oauthCodePage(page: {
  action: string;
  request: string;
  ticket: string;
  passkey: PasskeyRequest<object> | undefined;
  fault?: string | undefined;
}): string {
  const { action, request, ticket, passkey, fault } = page;
  return cardPage({
    title: 'Enter your code',
    error: fault,
    ...PASSKEY_SCRIPTS,
    content: html`${secondFactorForm({ action: `${action}/code`, fields: { ticket, request }, passkey, error: fault && 'error' })}
<p class="other"><a href="${action}">Start again</a></p>`,
  });
}

/** Returns the page that asks for the second factor again, before an app gets a dangerous scope. Needs no scripts. */
export function oauthConfirmPage(page: {
  action: string;
  request: string;
  clientName: string;
  /** Where canceling leads, in words. */
  place: string;
  email: string;
  passkey: PasskeyRequest<object> | undefined;
  fault?: string | undefined;
}): string {
  const { action, request, clientName, place, email, passkey, fault } = page;
  return cardPage({
    title: 'Confirm it’s you',
    error: fault,
    ...PASSKEY_SCRIPTS,
    content: html`<p class="lead"><strong>${clientName}</strong> wants to make changes in your account <strong class="account">${email}</strong>. Verify your second factor to see the details.</p>
${secondFactorForm({ action: `${action}/confirm`, fields: { request }, passkey, error: fault && 'error' })}
<form method="post" action="${action}/cancel">
<button class="link" type="submit">Cancel and go back</button><input type="hidden" name="request" value="${request}">
</form>
<p class="other">Canceling takes you to <strong>${place}</strong>.</p>
<p class="other"><a href="${action}?account=other">Use another account</a></p>`,
  });
}

export interface ConsentPage {
  /** The path prefix of the forms' actions. */
  action: string;
  /** The query of the app's request, to restart the sign-in. */
  request: string;
  clientName: string;
  /** Where the response goes, in words. */
  place: string;
  scopes: readonly OAuthScope[];
  email: string;
}

/** What each scope allows an app to do. */
export const SCOPE_MEANINGS: Readonly<Record<OAuthScope, { title: string; text: string }>> = {
  'pricing:read': {
    title: 'See prices',
    text: 'Exact prices of domains that are for sale. Otherwise prices are masked.',
  },
  'domains:manage': {
    title: 'Manage your domains',
    text: 'See all your domains and change them: name servers, locks, privacy, renewals (which cost money), and listing them for sale.',
  },
};

/** Returns the page that asks whether an app may act for the signed-in person. Works without scripts. */
export function consentPage(page: ConsentPage): string {
  const { action, request, clientName, place, scopes, email } = page;
  const again = html`<input type="hidden" name="request" value="${request}">`;
  return cardPage({
    title: `Connect ${clientName}`,
    heading: html`Connect <span class="client">${clientName}</span>?`,
    content: html`<p class="lead">It will be able to do this with your account <strong class="account">${email}</strong>:</p>
<ul class="scopes">
${scopes.map((scope) => html`<li><strong>${SCOPE_MEANINGS[scope].title}</strong> ${SCOPE_MEANINGS[scope].text}</li>\n`)}</ul>
<p class="place">You will be sent to <strong>${place}</strong>. We have not checked who is behind this app or its name. Allow it only if you started this yourself.</p>
<form method="post" action="${action}/consent">
<button class="primary" type="submit">Allow</button>${again}
</form>
<form method="post" action="${action}/cancel">
<button type="submit">Deny</button>${again}
</form>
<p class="other"><a href="${action}?account=other">Use another account</a></p>`,
  });
}

/** For a page that was left open too long, was already finished, or belongs to another browser. */
export const EXPIRED: ErrorWords = {
  title: 'This sign-in has expired',
  text: 'It was already finished, left open for too long, or opened in another browser. Go back to the app and start again.',
};

/** Returns the page for a response that came twice or too late; `link` restarts the sign-in. */
export function finishedPage(link: string): string {
  return cardPage({
    title: 'This sign-in is over',
    content: html`<p class="lead">You already answered, and the app is opening. If it doesn’t open, or you left this page open for too long, continue here.</p>
<p><a class="button primary" href="${link}">Continue to the app</a></p>`,
  });
}
