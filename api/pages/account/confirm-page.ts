import { type Request, type Response, Router } from 'express';
import { passkeyForUser } from '../../../shared/people/users/sign-in-ticket.ts';
import { confirmSession } from '../../../shared/people/users/user-session.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formFields } from '../../http/form-body.ts';
import { signInOriginOf } from '../../http/sign-in-origin.ts';
import { cardPage } from '../kit/card-page.ts';
import { accountReturnPath, requireAccount, signedInOf } from './account-session.ts';
import { refusalOf } from './form-refusal.ts';
import { PASSKEY_SCRIPTS } from './passkey-form.ts';
import { proofIn, secondFactorForm } from './second-factor-form.ts';
import type { TakeSlot } from './sign-in-slots.ts';

/** Asks for the second factor again before a dangerous action. */
export function confirmRouter(runtime: ApiServices, takeSlot: TakeSlot): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const signedIn = requireAccount(runtime);
  const show = async (res: Response, next: string, error?: string) => {
    const passkey = await passkeyForUser(runtime, signedInOf(res).user.id);
    const form = { action: '/account/confirm', fields: { next }, passkey };
    const content = secondFactorForm({ ...form, error: error && 'error' });
    const page = { title: 'Confirm it’s you', content, error };
    res.type('html').send(cardPage({ ...page, ...PASSKEY_SCRIPTS }));
  };

  router.get('/confirm', signedIn, (req, res) => show(res, accountReturnPath(req.query.next)));
  router.post('/confirm', signedIn, async (req: Request, res: Response) => {
    const form = formFields(req);
    const next = accountReturnPath(form.next);
    const { user } = signedInOf(res);
    try {
      await takeSlot(req);
      await confirmSession(runtime, { user, proof: proofIn(form), from: signInOriginOf(req) });
      res.redirect(303, next);
    } catch (thrown) {
      await show(res, next, refusalOf(thrown, res));
    }
  });
  return router;
}
