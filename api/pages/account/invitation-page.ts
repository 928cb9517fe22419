import type { Router } from 'express';
import {
  acceptInvitation,
  type OpenInvitation,
  readInvitation,
} from '../../../shared/people/members/invitations.ts';
import { html } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { cardPage } from '../kit/card-page.ts';
import { humanize } from '../kit/format.ts';
import { mailedLinkForm, mailedLinkRouter } from './link-by-mail.ts';
import type { TakeSlot } from './sign-in-slots.ts';

/** Serves the link in an invitation mail. */
export function invitationRouter(runtime: ApiServices, takeSlot: TakeSlot): Router {
  return mailedLinkRouter(
    {
      path: '/invitation',
      read: (token) => readInvitation(runtime, token),
      page: invitationPage,
      async use(given, invitation) {
        await acceptInvitation(runtime, given);
        return acceptedPage(invitation);
      },
    },
    takeSlot,
  );
}

function invitationPage(
  token: string,
  { account, email, role, known }: OpenInvitation,
  error?: string,
): string {
  return cardPage({
    title: `Join ${account}`,
    error,
    content: html`<p class="lead"><strong class="account">${email}</strong> is invited with the role <strong>${humanize(role)}</strong>.</p>
${mailedLinkForm({ path: '/invitation', token, email, password: !known && 'Choose a password', button: 'Accept invitation', error })}`,
  });
}

function acceptedPage({ account, partnerId }: OpenInvitation): string {
  const href = partnerId === null ? '/ops' : '/account/sign-in';
  return cardPage({
    title: `You joined ${account}`,
    content: html`<p class="lead">Sign in with your email address and password.</p>
<p><a class="button primary" href="${href}">Sign in</a></p>`,
  });
}
