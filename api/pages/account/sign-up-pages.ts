import { Router } from 'express';
import {
  completeSignUp,
  readSignUp,
  requestSignUp,
} from '../../../shared/people/members/sign-up.ts';
import type { IssuedKeyPair } from '../../../shared/people/partners/credential.ts';
import { html } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { cardPage } from '../kit/card-page.ts';
import { inputField } from '../kit/form.ts';
import { notice } from '../kit/page-parts.ts';
import { linkByMailRouter, mailedLinkForm, mailedLinkRouter } from './link-by-mail.ts';
import type { TakeSlot } from './sign-in-slots.ts';

/** Turns a stranger into a partner with a SANDBOX key, through a link that proves the address. */
export function signUpRouter(runtime: ApiServices, takeSlot: TakeSlot): Router {
  const ask = linkByMailRouter(
    {
      path: '/sign-up',
      title: 'Open a partner account',
      lead: 'Sell domains in your own shop. You get a SANDBOX key at once.',
      fields: ({ company = '' }, error) =>
        inputField({
          name: 'company',
          label: 'Company',
          required: true,
          value: company,
          describedBy: error && 'error',
          attributes: { autocomplete: 'organization', maxlength: 100 },
        }),
      hint: 'We will send you a link to open the account.',
      other: html`Have an account? <a href="/account/sign-in">Sign in</a>`,
      sent: 'We sent you a link to open the account. It works once, for 24 hours.',
      request: ({ company = '', email = '' }) => requestSignUp(runtime, { company, email }),
    },
    takeSlot,
  );
  const open = mailedLinkRouter(
    {
      path: '/verify',
      read: (token) => readSignUp(runtime, token),
      page: openPage,
      use: async (given) => keyPage(await completeSignUp(runtime, given)),
    },
    takeSlot,
  );
  return Router().use(ask, open);
}

function openPage(
  token: string,
  { email, company, known }: { email: string; company: string; known: boolean },
  error?: string,
): string {
  return cardPage({
    title: `Open ${company}`,
    error,
    content: html`<p class="lead">With <strong class="account">${email}</strong> as its admin.</p>
${mailedLinkForm({ path: '/verify', token, email, password: !known && 'Choose a password', button: 'Open account', error })}`,
  });
}

function keyPage({ keyId, secret }: IssuedKeyPair): string {
  return cardPage({
    title: 'Your account is open',
    content: html`${notice({
      tone: 'wait',
      focus: true,
      content: html`<p><strong>Copy the secret now.</strong> It is shown only this once.</p>
<p>Key ID: <code>${keyId}</code></p>
<p>Secret: <code>${secret}</code></p>`,
    })}
<p class="lead">This key is for SANDBOX. We review your account before it gets LIVE keys.</p>
<p><a class="button primary" href="/docs/quickstart">Continue to the quickstart</a></p>
<p class="other"><a href="/partner">Your keys</a></p>`,
  });
}
