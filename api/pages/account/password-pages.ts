import { Router } from 'express';
import {
  readPasswordReset,
  requestPasswordReset,
  resetPassword,
} from '../../../shared/people/user-accounts/own-password.ts';
import { html } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { signInOriginOf } from '../../http/sign-in-origin.ts';
import { cardPage } from '../kit/card-page.ts';
import { clearSessionCookie } from './account-session.ts';
import { linkByMailRouter, mailedLinkForm, mailedLinkRouter } from './link-by-mail.ts';
import type { TakeSlot } from './sign-in-slots.ts';

/** Sets a new password through a link in a mail. */
export function passwordRouter(runtime: ApiServices, takeSlot: TakeSlot): Router {
  const ask = linkByMailRouter(
    {
      path: '/reset',
      title: 'Reset your password',
      hint: 'We will send you a link to choose a new password.',
      other: html`<a href="/account/sign-in">Back to sign in</a>`,
      sent: 'If this address has an account, we sent it a link to choose a new password. It works once, for 30 minutes.',
      request: ({ email = '' }, req) =>
        requestPasswordReset(runtime, { email, from: signInOriginOf(req) }),
    },
    takeSlot,
  );
  const choose = mailedLinkRouter(
    {
      path: '/new-password',
      read: (token) => readPasswordReset(runtime, token),
      page: choosePage,
      async use({ token, password }, _found, res) {
        await resetPassword(runtime, { token, password: password ?? '' });
        clearSessionCookie(res, runtime.config);
        return CHANGED;
      },
    },
    takeSlot,
  );
  return Router().use(ask, choose);
}

function choosePage(token: string, { email }: { email: string }, error?: string): string {
  return cardPage({
    title: 'Choose a new password',
    error,
    content: html`<p class="lead">For <strong class="account">${email}</strong>. You will be signed out everywhere, and connected apps will ask again.</p>
${mailedLinkForm({ path: '/new-password', token, email, password: 'New password', button: 'Change password', error })}`,
  });
}

const CHANGED = cardPage({
  title: 'Your password has changed',
  content: html`<p class="lead">Sign in with your new password.</p>
<p><a class="button primary" href="/account/sign-in">Sign in</a></p>`,
});
