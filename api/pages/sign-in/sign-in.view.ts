import { html } from '../html.ts';
import { signInLayout } from './layout.ts';

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
