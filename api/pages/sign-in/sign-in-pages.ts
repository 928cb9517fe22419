import type { OAuthScope } from '../../../shared/people/oauth/access-token.ts';
import { assetPath } from '../kit/assets.ts';
import { html, type Markup } from '../kit/html.ts';

export interface SignInPage {
  /** Where the forms are sent, without the last part. */
  action: string;
  /** The query of the app's request, to start anew with. */
  request: string;
  clientName: string;
  /** Where canceling leads, in words. */
  place: string;
  email?: string;
  /** Why the last attempt failed. */
  fault?: string;
}

/** Asks who it is. Works without scripts. */
export function oauthSignInPage(page: SignInPage): string {
  const { action, request, clientName, place, email, fault } = page;
  const again = html`<input type="hidden" name="request" value="${request}">`;
  return signInLayout({
    title: fault ? 'Error: Sign in' : 'Sign in',
    content: html`<h1>Sign in</h1>
<p class="lead"><strong>${clientName}</strong> asks to be connected with your account.</p>
${fault && html`<p class="fault" role="alert" id="fault">${fault}</p>`}
<form method="post" action="${action}/sign-in">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254"
  value="${email}"${!email && html` autofocus`}${fault && html` aria-describedby="fault"`}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required
  maxlength="256"${email && html` autofocus`}${fault && html` aria-describedby="fault"`}>
<button class="main" type="submit">Sign in</button>${again}
</form>
<form method="post" action="${action}/cancel">
<button class="quiet" type="submit">Cancel and go back</button>${again}
</form>
<p class="other">Canceling takes you to <strong>${place}</strong>.</p>`,
  });
}

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

/** The frame of the pages on the way into a signed-in app: one card, style of ours and nothing else. */
export function signInLayout(page: { title: string; content: Markup }): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${page.title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetPath('sign-in.css')}">
</head>
<body>
<main>
${page.content}
</main>
</body>
</html>
`.markup;
}

/** A page that says one thing: why it does not go on here. */
export function signInNotice(title: string, text: string): string {
  return signInLayout({ title, content: html`<h1>${title}</h1>\n<p>${text}</p>` });
}

/** For a page that was left open too long, was finished already, or belongs to another browser. */
export const EXPIRED = {
  title: 'This sign-in has expired',
  text: 'It was finished already, or left waiting for too long, or opened in another browser. Go back to the app and start again.',
} as const;

/** For an answer that was given before, by a second click perhaps, or too late; `link` starts anew. */
export function finishedPage(link: string): string {
  const title = 'This sign-in is over';
  return signInLayout({
    title,
    content: html`<h1>${title}</h1>
<p class="lead">You have answered it already and the app is opening, or it was left waiting for too long. If the app does not open, go on from here.</p>
<p><a class="button main" href="${link}">Go on to the app</a></p>`,
  });
}
