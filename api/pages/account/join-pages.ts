import { Router } from 'express';
import {
  completeAccount,
  readAccountRequest,
  requestAccount,
} from '../../../shared/people/users/open-account.ts';
import { html } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formFields } from '../../http/form-body.ts';
import { inputField } from '../kit/form.ts';
import { accountCard } from './account-layout.ts';
import type { TakeSlot } from './account-router.ts';
import { refusalOf } from './form-refusal.ts';
import { newPasswordField } from './new-password-field.ts';

/** From a stranger to the owner of an account, by a link that proves the address. */
export function joinRouter(runtime: ApiServices, takeSlot: TakeSlot): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/join', (_req, res) => {
    res.type('html').send(requestPage({}));
  });
  router.post('/join', async (req, res) => {
    const email = String(formFields(req).email ?? '');
    try {
      await takeSlot(req);
      await requestAccount(runtime, email);
      res.type('html').send(SENT);
    } catch (thrown) {
      const error = refusalOf(thrown, res);
      res.type('html').send(requestPage({ email, error }));
    }
  });

  router.get('/join/verify', async (req, res) => {
    const token = String(req.query.t ?? '');
    res.type('html').send(openPage({ token, ...(await readAccountRequest(runtime, token)) }));
  });
  router.post('/join/verify', async (req, res) => {
    const form = formFields(req);
    const token = String(form.t ?? '');
    await takeSlot(req);
    const request = await readAccountRequest(runtime, token);
    try {
      await completeAccount(runtime, { token, password: String(form.password ?? '') });
      res.type('html').send(OPENED);
    } catch (thrown) {
      const error = refusalOf(thrown, res);
      res.type('html').send(openPage({ token, ...request, error }));
    }
  });
  return router;
}

function requestPage({ email = '', error }: { email?: string; error?: string }): string {
  return accountCard({
    title: 'Open an account',
    error,
    content: html`<p class="lead">Manage your domains, many at a time.</p>
<form method="post" action="/account/join">
${inputField({
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  hint: 'We will send you a link to confirm it.',
  required: true,
  value: email,
  describedBy: error && 'error',
  attributes: { autocomplete: 'username', maxlength: 254 },
})}
<button class="primary" type="submit">Send link</button>
</form>
<p class="other"><a href="/account/sign-in">Sign in</a> · <a href="/account/sign-up">Open a partner account</a></p>`,
  });
}

/** The same whether the address has an account or not. */
const SENT = accountCard({
  title: 'Check your email',
  content: html`<p class="lead">We sent you a link to open the account. It works once, for 24 hours.</p>
<p class="other"><a href="/account/sign-in">Back to sign in</a></p>`,
});

function openPage(page: { token: string; email: string; known: boolean; error?: string }): string {
  const { token, email, known, error } = page;
  if (known) {
    return accountCard({
      title: 'You have an account',
      content: html`<p class="lead">Sign in as <strong class="account">${email}</strong>, or choose another password if you forgot yours.</p>
<p><a class="button primary" href="/account/sign-in">Sign in</a></p>
<p class="other"><a href="/account/reset">Forgot your password?</a></p>`,
    });
  }
  return accountCard({
    title: 'Choose a password',
    error,
    content: html`<p class="lead">For <strong class="account">${email}</strong>.</p>
<form method="post" action="/account/join/verify">
<input type="hidden" name="t" value="${token}">
<input type="hidden" name="username" autocomplete="username" value="${email}">
${newPasswordField('Password', error && 'error')}
<button class="primary" type="submit">Open account</button>
</form>`,
  });
}

const OPENED = accountCard({
  title: 'Your account is open',
  content: html`<p class="lead">Sign in with your e-mail address and password.</p>
<p><a class="button primary" href="/account/sign-in">Sign in</a></p>`,
});
