import { Router } from 'express';
import {
  completeAccount,
  readAccountRequest,
  requestAccount,
} from '../../../shared/people/users/open-account.ts';
import { html } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { cardPage } from '../kit/card-page.ts';
import { linkByMailRouter, mailedLinkForm, mailedLinkRouter } from './link-by-mail.ts';
import type { TakeSlot } from './sign-in-slots.ts';

/** Turns a stranger into an account owner, through a link that proves the address. */
export function joinRouter(runtime: ApiServices, takeSlot: TakeSlot): Router {
  const ask = linkByMailRouter(
    {
      path: '/join',
      title: 'Open an account',
      lead: 'Manage your domains, many at a time.',
      hint: 'We will send you a link to confirm it.',
      other: html`<a href="/account/sign-in">Sign in</a> · <a href="/account/sign-up">Open a partner account</a>`,
      sent: 'We sent you a link to open the account. It works once, for 24 hours.',
      request: ({ email = '' }) => requestAccount(runtime, email),
    },
    takeSlot,
  );
  const open = mailedLinkRouter(
    {
      path: '/join/verify',
      read: (token) => readAccountRequest(runtime, token),
      page: openPage,
      async use({ token, password }) {
        await completeAccount(runtime, { token, password: password ?? '' });
        return OPENED;
      },
    },
    takeSlot,
  );
  return Router().use(ask, open);
}

function openPage(
  token: string,
  { email, known }: { email: string; known: boolean },
  error?: string,
): string {
  if (known) {
    return cardPage({
      title: 'You have an account',
      content: html`<p class="lead">Sign in as <strong class="account">${email}</strong>, or choose another password if you forgot yours.</p>
<p><a class="button primary" href="/account/sign-in">Sign in</a></p>
<p class="other"><a href="/account/reset">Forgot your password?</a></p>`,
    });
  }
  return cardPage({
    title: 'Choose a password',
    error,
    content: html`<p class="lead">For <strong class="account">${email}</strong>.</p>
${mailedLinkForm({ path: '/join/verify', token, email, password: 'Password', button: 'Open account', error })}`,
  });
}

const OPENED = cardPage({
  title: 'Your account is open',
  content: html`<p class="lead">Sign in with your email address and password.</p>
<p><a class="button primary" href="/account/sign-in">Sign in</a></p>`,
});
