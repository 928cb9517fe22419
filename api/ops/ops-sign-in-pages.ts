import type { PasskeyRequest } from '../../shared/people/users/passkey.ts';
import { html } from '../../shared/platform/html.ts';
import { PASSKEY_SCRIPTS, passkeyForm } from '../pages/account/passkey-form.ts';
import { secondFactorForm } from '../pages/account/second-factor-form.ts';
import { signInFields } from '../pages/kit/form.ts';
import { consoleCard } from './console/console-page.ts';

/** Returns the page that asks for a second factor. */
export function opsSecondFactorPage(form: {
  action: string;
  fields: Readonly<Record<string, string>>;
  passkey: PasskeyRequest<object> | undefined;
  error?: string | undefined;
}): string {
  const { error } = form;
  return consoleCard({
    title: 'Enter your code',
    error,
    ...PASSKEY_SCRIPTS,
    content: html`${secondFactorForm({ ...form, error: error && 'error' })}
<p class="other"><a href="/ops/sign-in">Start again</a></p>`,
  });
}

/** Returns the sign-in form; `error` says why the last attempt failed. */
export function opsSignInPage(state: {
  next: string;
  email?: string;
  error?: string;
  passkey: PasskeyRequest<object>;
}): string {
  const { next, email, error, passkey } = state;
  return consoleCard({
    title: 'Sign in',
    error,
    ...PASSKEY_SCRIPTS,
    content: html`<form method="post" action="/ops/sign-in">
<input type="hidden" name="next" value="${next}">
${signInFields({ email, error: error && 'error' })}
<button class="primary" type="submit">Sign in</button>
</form>
${passkeyForm({ action: '/ops/sign-in/passkey', kind: 'use', request: passkey, hidden: { next }, button: 'Sign in with a passkey' })}
<p class="other"><a href="/account/reset">Forgot your password?</a></p>`,
  });
}
