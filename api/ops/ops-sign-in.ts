import { type Request, type Response, Router } from 'express';
import { type Static, Type } from 'typebox';
import { askForPasskey } from '../../shared/people/users/passkey.ts';
import { passkeyForTicket, passkeyForUser } from '../../shared/people/users/sign-in-ticket.ts';
import {
  beginSignIn,
  confirmSession,
  finishSignIn,
  type OpenedSession,
  signIn,
  signInWithPasskey,
  signOut,
} from '../../shared/people/users/user-session.ts';
import type { ApiServices } from '../compose-api.ts';
import { toServiceError } from '../http/error-response.ts';
import { formBody, formFields } from '../http/form-body.ts';
import { parseJsonBody, rawBodyOf, rawBodyUpTo } from '../http/json-body.ts';
import { callerBucket, createLimiter, type Limiter } from '../http/rate-limit.ts';
import { signInOriginOf } from '../http/sign-in-origin.ts';
import { bodyValidator } from '../http/validate.ts';
import { passkeyAnswerIn } from '../pages/account/passkey-form.ts';
import { proofIn } from '../pages/account/second-factor-form.ts';
import { pageHeaders } from '../pages/kit/page-headers.ts';
import {
  clearSessionCookie,
  requireStaff,
  safeReturnPath,
  setSessionCookie,
  tokenOf,
} from './ops-session.ts';
import { opsSecondFactorPage, opsSignInPage } from './ops-sign-in-pages.ts';

const MAX_BODY_BYTES = 10_240;

const Credentials = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 256 }),
});

const WithCode = Type.Object({
  ...Credentials.properties,
  /** The second-factor code, if the account has one. */
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
});

const staff = (req: Request) => ({ role: 'ops' as const, from: signInOriginOf(req) });

/** Serves sign-in and sign-out: the form with its cookie, and bearer tokens for scripts. */
export function signInRouter(runtime: ApiServices): Router {
  const { config } = runtime;
  const router = Router();
  const check = bodyValidator(Credentials);
  const limiter = createLimiter(runtime.redis, config, 'sign-in', config.limitSignIn);

  const showSignIn = async (
    res: Response,
    state: { next: string; email?: string; error?: string },
  ) => {
    const passkey = await askForPasskey(runtime, null);
    res.type('html').send(opsSignInPage({ ...state, passkey }));
  };
  const showCode = async (
    res: Response,
    state: { ticket: string; next: string; error?: string },
  ) => {
    const { ticket, ...rest } = state;
    const passkey = await passkeyForTicket(runtime, ticket);
    const form = { action: '/ops/sign-in/code', fields: { ticket, next: rest.next }, passkey };
    res.type('html').send(opsSecondFactorPage({ ...form, error: rest.error }));
  };
  const enter = (res: Response, session: OpenedSession, next: string) => {
    setSessionCookie(res, config, session.token, session.expiresAt);
    res.redirect(303, next);
  };

  router.use(['/sign-in', '/confirm'], pageHeaders('console-sign-in'));
  router.get('/sign-in', (req, res) => showSignIn(res, { next: safeReturnPath(req.query.next) }));

  router.post('/sign-in', formBody(), async (req, res) => {
    const form = { ...req.body };
    const next = safeReturnPath(form.next);
    try {
      await limiter.take(callerBucket(req));
      const given = check(formFields(req)) as Static<typeof Credentials>;
      const step = await beginSignIn(runtime, { ...given, ...staff(req) });
      if ('token' in step) return enter(res, step, next);
      await showCode(res, { ticket: step.ticket, next });
    } catch (thrown) {
      const error = refusalOf(res, thrown);
      await showSignIn(res, { next, email: String(form.email ?? ''), error });
    }
  });

  router.post('/sign-in/passkey', formBody(), async (req, res) => {
    const form = formFields(req);
    const next = safeReturnPath(form.next);
    try {
      await limiter.take(callerBucket(req));
      const answer = passkeyAnswerIn(form) ?? { ticket: '', response: '' };
      enter(res, await signInWithPasskey(runtime, { ...answer, ...staff(req) }), next);
    } catch (thrown) {
      await showSignIn(res, { next, error: refusalOf(res, thrown) });
    }
  });

  router.post('/sign-in/code', formBody(), async (req, res) => {
    const form = formFields(req);
    const next = safeReturnPath(form.next);
    const ticket = String(form.ticket ?? '');
    try {
      await limiter.take(callerBucket(req));
      const given = { ticket, proof: proofIn(form), from: signInOriginOf(req) };
      enter(res, await finishSignIn(runtime, given), next);
    } catch (thrown) {
      await showCode(res, { ticket, next, error: refusalOf(res, thrown) });
    }
  });

  router.use(confirmRouter(runtime, limiter), tokenRouter(runtime, limiter));

  router.post('/sign-out', async (req, res) => {
    const given = tokenOf(config, req);
    if (given) await signOut(runtime, given.token);
    clearSessionCookie(res, config);
    res.redirect(303, '/ops/sign-in');
  });
  return router;
}

/** Asks staff to confirm their identity again, before dangerous actions. */
function confirmRouter(runtime: ApiServices, limiter: Limiter): Router {
  const router = Router();
  const signedIn = requireStaff(runtime);
  const showConfirm = async (res: Response, next: string, error?: string) => {
    const passkey = await passkeyForUser(runtime, res.locals.actor);
    const form = { action: '/ops/confirm', fields: { next }, passkey, error };
    res.type('html').send(opsSecondFactorPage(form));
  };
  router.get('/confirm', signedIn, (req, res) => showConfirm(res, safeReturnPath(req.query.next)));
  router.post('/confirm', signedIn, formBody(), async (req, res) => {
    const form = formFields(req);
    const next = safeReturnPath(form.next);
    const { actor: id, email, sessionId } = res.locals;
    try {
      await limiter.take(callerBucket(req));
      const given = { proof: proofIn(form), from: signInOriginOf(req) };
      await confirmSession(runtime, { user: { id, email, sessionId }, ...given });
      res.redirect(303, next);
    } catch (thrown) {
      await showConfirm(res, next, refusalOf(res, thrown));
    }
  });
  return router;
}

/** Serves bearer tokens for scripts. */
function tokenRouter(runtime: ApiServices, limiter: Limiter): Router {
  const router = Router();
  const checkWithCode = bodyValidator(WithCode);

  router.post('/api/session', rawBodyUpTo(MAX_BODY_BYTES), async (req, res) => {
    const body = parseJsonBody(rawBodyOf(req), req.get('Content-Type'));
    await limiter.take(callerBucket(req));
    const given = checkWithCode(body) as Static<typeof WithCode>;
    const { token, expiresAt } = await signIn(runtime, { ...given, ...staff(req) });
    res.status(201).json({ token, expires_at: expiresAt });
  });

  router.delete('/api/session', async (req, res) => {
    const given = tokenOf(runtime.config, req);
    if (given) await signOut(runtime, given.token);
    clearSessionCookie(res, runtime.config);
    res.status(204).end();
  });
  return router;
}

/** Returns the error message, and sets the status; server faults go to the general error handler. @throws those */
function refusalOf(res: Response, thrown: unknown): string {
  const error = toServiceError(thrown);
  if (error.status >= 500) throw thrown;
  if (error.retryAfterSeconds !== undefined)
    res.set('Retry-After', String(error.retryAfterSeconds));
  res.status(error.status).type('html');
  return error.message;
}
