import type { PasskeyRequest } from '../../shared/people/users/passkey.ts';
import { html } from '../../shared/platform/html.ts';
import { PASSKEY_SCRIPTS, passkeyForm } from '../pages/account/passkey-form.ts';
import { secondFactorForm } from '../pages/account/second-factor-form.ts';
import { signInFields } from '../pages/kit/form.ts';
import { notice } from '../pages/kit/page-parts.ts';
import { consoleLayout } from './console/console-page.ts';

/** Returns the page that asks for a second factor. */
export function opsSecondFactorPage(form: {
  action: string;
  fields: Readonly<Record<string, string>>;
  passkey: PasskeyRequest<object> | undefined;
  error?: string | undefined;
}): string {
  const { error } = form;
  return consoleLayout({
    title: 'Enter your code',
    prefix: error && 'Error',
    ...PASSKEY_SCRIPTS,
    content: html`${error && notice({ tone: 'bad', id: 'error', content: error })}
${secondFactorForm({ ...form, error: error && 'error' })}
<p><a href="/ops/sign-in">Sign in again</a></p>`,
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
  return consoleLayout({
    title: 'Sign in',
    prefix: error && 'Error',
    ...PASSKEY_SCRIPTS,
    content: html`${error && notice({ tone: 'bad', id: 'error', content: error })}
<form method="post" action="/ops/sign-in">
<input type="hidden" name="next" value="${next}">
${signInFields({ email, error: error && 'error' })}
<p class="acts"><button class="primary" type="submit">Sign in</button></p>
</form>
${passkeyForm({ action: '/ops/sign-in/passkey', kind: 'use', request: passkey, hidden: { next }, button: 'Sign in with a passkey' })}
<p><a href="/account/reset">Forgot your password?</a></p>`,
  });
}
