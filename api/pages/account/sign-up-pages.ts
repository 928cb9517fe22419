import { Router } from 'express';
import {
  completeSignUp,
  readSignUp,
  requestSignUp,
} from '../../../shared/people/members/sign-up.ts';
import type { IssuedKeyPair } from '../../../shared/people/partners/credential.ts';
import { html } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formFields } from '../../http/form-body.ts';
import { inputField } from '../kit/form.ts';
import { notice } from '../kit/page-parts.ts';
import { accountCard } from './account-layout.ts';
import type { TakeSlot } from './account-router.ts';
import { refusalOf } from './form-refusal.ts';
import { newPasswordField } from './new-password-field.ts';

/** From a stranger to a partner with a SANDBOX key, by a link that proves the address. */
export function signUpRouter(runtime: ApiServices, takeSlot: TakeSlot): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/sign-up', (_req, res) => {
    res.type('html').send(requestPage({}));
  });
  router.post('/sign-up', async (req, res) => {
    const form = formFields(req);
    const given = { company: String(form.company ?? ''), email: String(form.email ?? '') };
    try {
      await takeSlot(req);
      await requestSignUp(runtime, given);
      res.type('html').send(SENT);
    } catch (thrown) {
      const error = refusalOf(thrown, res);
      res.type('html').send(requestPage({ ...given, error }));
    }
  });

  router.get('/verify', async (req, res) => {
    const token = String(req.query.t ?? '');
    res.type('html').send(openPage({ token, ...(await readSignUp(runtime, token)) }));
  });
  router.post('/verify', async (req, res) => {
    const form = formFields(req);
    const token = String(form.t ?? '');
    await takeSlot(req);
    const signUp = await readSignUp(runtime, token);
    const password = typeof form.password === 'string' ? form.password : null;
    try {
      res.type('html').send(keyPage(await completeSignUp(runtime, { token, password })));
    } catch (thrown) {
      const error = refusalOf(thrown, res);
      res.type('html').send(openPage({ token, ...signUp, error }));
    }
  });
  return router;
}

function requestPage(page: { company?: string; email?: string; error?: string }): string {
  const { company = '', email = '', error } = page;
  const describedBy = error && 'error';
  return accountCard({
    title: 'Open a partner account',
    error,
    content: html`<p class="lead">Sell domains in your own shop. You get a SANDBOX key at once.</p>
<form method="post" action="/account/sign-up">
${inputField({
  name: 'company',
  label: 'Company',
  required: true,
  value: company,
  describedBy,
  attributes: { autocomplete: 'organization', maxlength: 100 },
})}
${inputField({
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  required: true,
  value: email,
  describedBy,
  attributes: { autocomplete: 'username', maxlength: 254 },
})}
<button class="primary" type="submit">Send link</button>
</form>
<p class="other"><a href="/account/sign-in">Sign in</a></p>`,
  });
}

/** The same whether the address has an account or not. */
const SENT = accountCard({
  title: 'Check your email',
  content: html`<p class="lead">We sent you a link to open the account. It works once, for 24 hours.</p>`,
});

function openPage(page: {
  token: string;
  email: string;
  company: string;
  known: boolean;
  error?: string;
}): string {
  const { token, email, company, known, error } = page;
  return accountCard({
    title: `Open ${company}`,
    error,
    content: html`<p class="lead">With <strong class="account">${email}</strong> as its admin.</p>
<form method="post" action="/account/verify">
<input type="hidden" name="t" value="${token}">
<input type="hidden" name="username" autocomplete="username" value="${email}">
${!known && newPasswordField('Choose a password', error && 'error')}
<button class="primary" type="submit">Open account</button>
</form>`,
  });
}

function keyPage({ keyId, secret }: IssuedKeyPair): string {
  return accountCard({
    title: 'Your account is open',
    content: html`${notice({
      tone: 'wait',
      focus: true,
      content: html`<p><strong>Copy the secret now.</strong> It is shown only this once.</p>
<p>Key id: <code>${keyId}</code></p>
<p>Secret: <code>${secret}</code></p>`,
    })}
<p class="lead">This key is for SANDBOX. We look at your account before it gets LIVE keys.</p>
<p><a class="button primary" href="/docs/quickstart">Continue to the quickstart</a></p>
<p class="other"><a href="/partner">Your keys</a></p>`,
  });
}
