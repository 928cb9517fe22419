import type { Request, Response } from 'express';
import { Router } from 'express';
import { askForPasskey, type PasskeyRequest } from '../../../shared/people/users/passkey.ts';
import { passkeyForTicket } from '../../../shared/people/users/sign-in-ticket.ts';
import {
  beginSignIn,
  finishSignIn,
  type OpenedSession,
  signInWithPasskey,
  signOut,
} from '../../../shared/people/users/user-session.ts';
import { html } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formFields } from '../../http/form-body.ts';
import { signInOriginOf } from '../../http/sign-in-origin.ts';
import { cardPage } from '../kit/card-page.ts';
import { signInFields } from '../kit/form.ts';
import {
  accountReturnPath,
  clearSessionCookie,
  enterSession,
  sessionTokenOf,
} from './account-session.ts';
import { refusalOf } from './form-refusal.ts';
import { PASSKEY_SCRIPTS, passkeyAnswerIn, passkeyForm } from './passkey-form.ts';
import { proofIn, secondFactorForm } from './second-factor-form.ts';
import type { TakeSlot } from './sign-in-slots.ts';

/** Serves sign-in and sign-out of users' own pages. */
export function accountSignInRouter(runtime: ApiServices, takeSlot: TakeSlot): Router {
  const router = Router({ caseSensitive: true, strict: true });

  const enter = async (req: Request, res: Response, session: OpenedSession, next: string) => {
    await enterSession(runtime, req, res, session);
    res.redirect(303, next);
  };

  const showSignIn = async (
    res: Response,
    state: { next: string; email?: string; error?: string },
  ) => {
    const passkey = await askForPasskey(runtime, null);
    res.type('html').send(signInPage({ ...state, passkey }));
  };
  const showCode = async (res: Response, state: CodeState) => {
    const passkey = await passkeyForTicket(runtime, state.ticket);
    res.type('html').send(codePage({ ...state, passkey }));
  };

  router.get('/sign-in', (req, res) =>
    showSignIn(res, { next: accountReturnPath(req.query.next) }),
  );

  router.post('/sign-in', async (req, res) => {
    const form = formFields(req);
    const email = String(form.email ?? '');
    const next = accountReturnPath(form.next);
    try {
      await takeSlot(req);
      const given = { email, password: String(form.password ?? '') };
      const step = await beginSignIn(runtime, { ...given, from: signInOriginOf(req) });
      if ('token' in step) return await enter(req, res, step, next);
      await showCode(res, { ticket: step.ticket, next });
    } catch (thrown) {
      await showSignIn(res, { next, email, error: refusalOf(thrown, res) });
    }
  });

  router.post('/sign-in/passkey', async (req, res) => {
    const form = formFields(req);
    const next = accountReturnPath(form.next);
    try {
      await takeSlot(req);
      const answer = passkeyAnswerIn(form) ?? { ticket: '', response: '' };
      const given = { ...answer, from: signInOriginOf(req) };
      await enter(req, res, await signInWithPasskey(runtime, given), next);
    } catch (thrown) {
      await showSignIn(res, { next, error: refusalOf(thrown, res) });
    }
  });

  router.post('/sign-in/code', async (req, res) => {
    const form = formFields(req);
    const next = accountReturnPath(form.next);
    const ticket = String(form.ticket ?? '');
    try {
      await takeSlot(req);
      const given = { ticket, proof: proofIn(form), from: signInOriginOf(req) };
      await enter(req, res, await finishSignIn(runtime, given), next);
    } catch (thrown) {
      await showCode(res, { ticket, next, error: refusalOf(thrown, res) });
    }
  });

  router.post('/sign-out', async (req, res) => {
    const token = sessionTokenOf(runtime.config, req);
    if (token !== undefined) await signOut(runtime, token);
    clearSessionCookie(res, runtime.config);
    res.redirect(303, '/account/sign-in');
  });
  return router;
}

interface CodeState {
  ticket: string;
  next: string;
  error?: string;
}

function codePage(state: CodeState & { passkey: PasskeyRequest<object> | undefined }): string {
  const { ticket, next, passkey, error } = state;
  return cardPage({
    title: 'Enter your code',
    error,
    ...PASSKEY_SCRIPTS,
    content: html`${secondFactorForm({ action: '/account/sign-in/code', fields: { ticket, next }, passkey, error: error && 'error' })}
<p class="other"><a href="/account/sign-in">Start again</a></p>`,
  });
}

function signInPage(state: {
  next: string;
  email?: string;
  error?: string;
  passkey: PasskeyRequest<object>;
}): string {
  return cardPage({
    title: 'Sign in',
    error: state.error,
    ...PASSKEY_SCRIPTS,
    content: html`<form method="post" action="/account/sign-in">
<input type="hidden" name="next" value="${state.next}">
${signInFields({ email: state.email, error: state.error && 'error', autofocus: true })}
<button class="primary" type="submit">Sign in</button>
</form>
${passkeyForm({ action: '/account/sign-in/passkey', kind: 'use', request: state.passkey, hidden: { next: state.next }, button: 'Sign in with a passkey' })}
<p class="other"><a href="/account/reset">Forgot your password?</a> · <a href="/account/join">Open an account</a></p>`,
  });
}
