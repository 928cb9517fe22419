import { Router } from 'express';
import {
  acceptInvitation,
  type OpenInvitation,
  readInvitation,
} from '../../../shared/people/members/invitations.ts';
import { html } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formFields } from '../../http/form-body.ts';
import { humanize } from '../kit/format.ts';
import { accountCard } from './account-layout.ts';
import type { TakeSlot } from './account-router.ts';
import { refusalOf } from './form-refusal.ts';
import { newPasswordField } from './new-password-field.ts';

/** What the link of an invitation leads to. Opening it accepts nothing: some mail programs open every link. */
export function invitationRouter(runtime: ApiServices, takeSlot: TakeSlot): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/invitation', async (req, res) => {
    const token = String(req.query.t ?? '');
    const invitation = await readInvitation(runtime, token);
    res.type('html').send(invitationPage({ token, invitation }));
  });

  router.post('/invitation', async (req, res) => {
    const form = formFields(req);
    const token = String(form.t ?? '');
    await takeSlot(req);
    const invitation = await readInvitation(runtime, token);
    const password = typeof form.password === 'string' ? form.password : null;
    try {
      await acceptInvitation(runtime, { token, password });
      res.type('html').send(acceptedPage(invitation));
    } catch (thrown) {
      const error = refusalOf(thrown, res);
      res.type('html').send(invitationPage({ token, invitation, error }));
    }
  });
  return router;
}

function invitationPage(page: {
  token: string;
  invitation: OpenInvitation;
  error?: string;
}): string {
  const { token, invitation, error } = page;
  const { account, email, role, known } = invitation;
  return accountCard({
    title: `Join ${account}`,
    error,
    content: html`<p class="lead"><strong class="account">${email}</strong> is invited with the role <strong>${humanize(role)}</strong>.</p>
<form method="post" action="/account/invitation">
<input type="hidden" name="t" value="${token}">
<input type="hidden" name="username" autocomplete="username" value="${email}">
${!known && newPasswordField('Choose a password', error && 'error')}
<button class="primary" type="submit">Accept invitation</button>
</form>`,
  });
}

function acceptedPage({ account, partnerId }: OpenInvitation): string {
  const href = partnerId === null ? '/ops' : '/account/sign-in';
  return accountCard({
    title: `You joined ${account}`,
    content: html`<p class="lead">Sign in with your e-mail address and password.</p>
<p><a class="button primary" href="${href}">Sign in</a></p>`,
  });
}
