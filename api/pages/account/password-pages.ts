import { Router } from 'express';
import {
  readPasswordReset,
  requestPasswordReset,
  resetPassword,
} from '../../../shared/operations/user-accounts/own-password.ts';
import { html } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formFields } from '../../http/form-body.ts';
import { signInOriginOf } from '../../http/sign-in-origin.ts';
import { inputField } from '../kit/form.ts';
import { accountCard } from './account-layout.ts';
import type { TakeSlot } from './account-router.ts';
import { clearSessionCookie } from './account-session.ts';
import { refusalOf } from './form-refusal.ts';
import { newPasswordField } from './new-password-field.ts';

/** A new password by a link in a mail. */
export function passwordRouter(runtime: ApiServices, takeSlot: TakeSlot): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/reset', (_req, res) => {
    res.type('html').send(requestPage({}));
  });
  router.post('/reset', async (req, res) => {
    const email = String(formFields(req).email ?? '');
    try {
      await takeSlot(req);
      await requestPasswordReset(runtime, { email, from: signInOriginOf(req) });
      res.type('html').send(SENT);
    } catch (thrown) {
      const error = refusalOf(thrown, res);
      res.type('html').send(requestPage({ email, error }));
    }
  });

  router.get('/new-password', async (req, res) => {
    const token = String(req.query.t ?? '');
    const { email } = await readPasswordReset(runtime, token);
    res.type('html').send(choosePage({ token, email }));
  });
  router.post('/new-password', async (req, res) => {
    const form = formFields(req);
    const token = String(form.t ?? '');
    await takeSlot(req);
    const { email } = await readPasswordReset(runtime, token);
    try {
      await resetPassword(runtime, { token, password: String(form.password ?? '') });
      clearSessionCookie(res, runtime.config);
      res.type('html').send(CHANGED);
    } catch (thrown) {
      const error = refusalOf(thrown, res);
      res.type('html').send(choosePage({ token, email, error }));
    }
  });
  return router;
}

function requestPage({ email = '', error }: { email?: string; error?: string }): string {
  return accountCard({
    title: 'Reset your password',
    error,
    content: html`<form method="post" action="/account/reset">
${inputField({
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  hint: 'We will send you a link to choose a new password.',
  required: true,
  value: email,
  describedBy: error && 'error',
  attributes: { autocomplete: 'username', maxlength: 254 },
})}
<button class="primary" type="submit">Send link</button>
</form>
<p class="other"><a href="/account/sign-in">Back to sign in</a></p>`,
  });
}

/** The same whether the address has an account or not. */
const SENT = accountCard({
  title: 'Check your email',
  content: html`<p class="lead">If this address has an account, we sent it a link to choose a new password. It works once, for 30 minutes.</p>
<p class="other"><a href="/account/sign-in">Back to sign in</a></p>`,
});

function choosePage(page: { token: string; email: string; error?: string }): string {
  const { token, email, error } = page;
  return accountCard({
    title: 'Choose a new password',
    error,
    content: html`<p class="lead">For <strong class="account">${email}</strong>. You will be signed out everywhere, and connected apps will ask again.</p>
<form method="post" action="/account/new-password">
<input type="hidden" name="t" value="${token}">
<input type="hidden" name="username" autocomplete="username" value="${email}">
${newPasswordField('New password', error && 'error')}
<button class="primary" type="submit">Change password</button>
</form>`,
  });
}

const CHANGED = accountCard({
  title: 'Your password has changed',
  content: html`<p class="lead">Sign in with your new password.</p>
<p><a class="button primary" href="/account/sign-in">Sign in</a></p>`,
});
