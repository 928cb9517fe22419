import { html } from '../pages/html.ts';
import { consoleLayout } from './console/layout.ts';

/** The sign-in form; `error` tells why the last attempt failed. */
export function opsSignInPage(state: { next: string; email?: string; error?: string }): string {
  return consoleLayout({
    title: 'Sign in',
    prefix: state.error && 'Error',
    content: html`${state.error && html`<p class="problem" role="alert" id="error">${state.error}</p>`}
<form method="post" action="/ops/sign-in">
<input type="hidden" name="next" value="${state.next}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254"
  value="${state.email}"${state.error && html` aria-describedby="error"`}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required
  maxlength="256">
<p class="acts"><button class="main" type="submit">Sign in</button></p>
</form>`,
  });
}
