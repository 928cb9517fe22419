import { type Request, type Response, Router } from 'express';
import {
  addOwnPasskey,
  removeOwnPasskey,
} from '../../../shared/people/user-accounts/second-factor-change.ts';
import { proveSession } from '../../../shared/people/users/factor-change.ts';
import { beginPasskey, type Passkey } from '../../../shared/people/users/passkey.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formFields } from '../../http/form-body.ts';
import { signInOriginOf } from '../../http/sign-in-origin.ts';
import { confirmButton, inputField } from '../kit/form.ts';
import { timestamp } from '../kit/format.ts';
import { section } from '../kit/page-parts.ts';
import type { PageNow } from '../kit/page-time.ts';
import { ACTIONS, table } from '../kit/table.ts';
import { accountPage } from './account-layout.ts';
import { requireAccount, requireFresh, signedInOf } from './account-session.ts';
import { refusalOf } from './form-refusal.ts';
import { PASSKEY_SCRIPTS, passkeyAnswerIn, passkeyForm } from './passkey-form.ts';
import { presentPasswordField } from './password-fields.ts';
import { recoveryCodes } from './second-factor-pages.ts';

const TITLE = 'Add a passkey';

/** Adds and removes passkeys of the signed-in user. */
export function passkeyRouter(runtime: ApiServices): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const signedIn = requireAccount(runtime);
  const mayAdd = [signedIn, requireFresh(runtime, () => '/account/passkeys/new')];
  const mayRemove = [signedIn, requireFresh(runtime, () => '/account/security')];

  const showForm = async (res: Response, error?: string) => {
    const { user } = signedInOf(res);
    const request = await beginPasskey(runtime, user);
    const content = html`<p>Your device keeps the passkey and asks for your fingerprint, face or PIN when you use it.</p>
<noscript><p>This needs JavaScript.</p></noscript>
${passkeyForm({
  action: '/account/passkeys',
  kind: 'new',
  request,
  fields: newPasskeyFields(!user.hasSecondFactor, error && 'error'),
  button: 'Add passkey',
})}
<p><a href="/account/security">Back to your account</a></p>`;
    const page = { title: TITLE, section: 'security' as const, email: user.email, content, error };
    res.type('html').send(accountPage({ ...page, ...PASSKEY_SCRIPTS }));
  };

  router.get('/passkeys/new', mayAdd, (_req: Request, res: Response) => showForm(res));
  router.post('/passkeys', mayAdd, async (req: Request, res: Response) => {
    const session = signedInOf(res);
    const form = formFields(req);
    try {
      const given = { password: String(form.present ?? ''), from: signInOriginOf(req) };
      const proven = await proveSession(runtime, session, given);
      const answer = passkeyAnswerIn(form) ?? { ticket: '', response: '' };
      const codes = await addOwnPasskey(runtime, proven, {
        ...answer,
        name: String(form.name ?? ''),
      });
      if (codes.length === 0) return res.redirect(303, '/account/security?done=passkey');
      const content = recoveryCodes(codes);
      res.type('html').send(
        accountPage({
          title: 'Passkey added',
          section: 'security' as const,
          email: session.user.email,
          content,
        }),
      );
    } catch (thrown) {
      await showForm(res, refusalOf(thrown, res));
    }
  });
  router.post('/passkeys/remove', mayRemove, async (req: Request, res: Response) => {
    await removeOwnPasskey(runtime, signedInOf(res), String(formFields(req).id ?? ''));
    res.redirect(303, '/account/security?done=passkey-removed');
  });
  return router;
}

function newPasskeyFields(askPassword: boolean, describedBy: string | undefined): Markup {
  return html`${inputField({
    name: 'name',
    label: 'Name',
    hint: 'Such as “Laptop” or “Security key”.',
    required: true,
    attributes: { maxlength: 60, autocomplete: 'off' },
  })}
${askPassword && presentPasswordField(describedBy)}`;
}

/** Returns the passkeys section of the security page. */
export function passkeySection(passkeys: readonly Passkey[], now: PageNow): Markup {
  return section(
    'Passkeys',
    html`${table(
      'Passkeys, oldest first',
      ['Name', 'Added', 'Last used', ACTIONS],
      passkeys.map(({ id, name, createdAt, lastUsedAt }) => [
        name,
        timestamp(createdAt, now),
        lastUsedAt ? timestamp(lastUsedAt, now) : 'Never',
        confirmButton({
          action: '/account/passkeys/remove',
          text: 'Remove',
          about: name,
          fields: { id },
          question: 'You can no longer sign in with this passkey.',
        }),
      ]),
      'No passkeys yet.',
    )}
<p class="acts"><a class="button" href="/account/passkeys/new">Add a passkey</a></p>`,
    'Sign in with your device instead of a password. Nobody can steal or guess a passkey.',
  );
}
