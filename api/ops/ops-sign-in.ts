import { type Request, type Response, Router } from 'express';
import { type Static, Type } from 'typebox';
import {
  beginSignIn,
  finishSignIn,
  type OpenedSession,
  signIn,
  signOut,
} from '../../shared/people/users/user-session.ts';
import { html } from '../../shared/platform/html.ts';
import type { ApiServices } from '../compose-api.ts';
import { toServiceError } from '../http/error-response.ts';
import { formBody, formFields } from '../http/form-body.ts';
import { parseJsonBody, rawBodyOf, rawBodyUpTo } from '../http/json-body.ts';
import { callerBucket, createLimiter } from '../http/rate-limit.ts';
import { signInOriginOf } from '../http/sign-in-origin.ts';
import { bodyValidator } from '../http/validate.ts';
import { secondFactorForm } from '../pages/account/second-factor-form.ts';
import { signInFields } from '../pages/kit/form.ts';
import { notice } from '../pages/kit/page-parts.ts';
import { consoleLayout } from './console/console-page.ts';
import { clearSessionCookie, safeReturnPath, setSessionCookie, tokenOf } from './ops-session.ts';

const MAX_BODY_BYTES = 10_240;

const Credentials = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 256 }),
});

const WithCode = Type.Object({
  ...Credentials.properties,
  /** Of the second factor, where the account has one. */
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
});

/** Ways in and out: the form and its cookie, and the bearer token of scripts. */
export function signInRouter(runtime: ApiServices): Router {
  const { config } = runtime;
  const router = Router();
  const check = bodyValidator(Credentials);
  const checkWithCode = bodyValidator(WithCode);
  const limiter = createLimiter(runtime.redis, config, 'sign-in', config.limitSignIn);
  const staff = (req: Request) => ({ role: 'ops' as const, from: signInOriginOf(req) });

  router.get('/sign-in', (req, res) => {
    res.type('html').send(opsSignInPage({ next: safeReturnPath(req.query.next) }));
  });

  const enter = (res: Response, session: OpenedSession, next: string) => {
    setSessionCookie(res, config, session.token, session.expiresAt);
    res.redirect(303, next);
  };

  router.post('/sign-in', formBody(), async (req, res) => {
    const form = { ...req.body };
    const next = safeReturnPath(form.next);
    try {
      await limiter.take(callerBucket(req));
      const given = check(formFields(req)) as Static<typeof Credentials>;
      const step = await beginSignIn(runtime, { ...given, ...staff(req) });
      if ('token' in step) return enter(res, step, next);
      res.type('html').send(opsCodePage({ ticket: step.ticket, next }));
    } catch (thrown) {
      const error = refusalOf(res, thrown);
      res.send(opsSignInPage({ next, email: String(form.email ?? ''), error }));
    }
  });

  router.post('/sign-in/code', formBody(), async (req, res) => {
    const form = formFields(req);
    const next = safeReturnPath(form.next);
    const ticket = String(form.ticket ?? '');
    try {
      await limiter.take(callerBucket(req));
      const given = { ticket, code: String(form.code ?? ''), from: signInOriginOf(req) };
      enter(res, await finishSignIn(runtime, given), next);
    } catch (thrown) {
      res.send(opsCodePage({ ticket, next, error: refusalOf(res, thrown) }));
    }
  });

  router.post('/sign-out', async (req, res) => {
    const given = tokenOf(req);
    if (given) await signOut(runtime, given.token);
    clearSessionCookie(res, config);
    res.redirect(303, '/ops/sign-in');
  });

  router.post('/api/session', rawBodyUpTo(MAX_BODY_BYTES), async (req, res) => {
    const body = parseJsonBody(rawBodyOf(req), req.get('Content-Type'));
    await limiter.take(callerBucket(req));
    const given = checkWithCode(body) as Static<typeof WithCode>;
    const { token, expiresAt } = await signIn(runtime, { ...given, ...staff(req) });
    res.status(201).json({ token, expires_at: expiresAt });
  });

  router.delete('/api/session', async (req, res) => {
    const given = tokenOf(req);
    if (given) await signOut(runtime, given.token);
    clearSessionCookie(res, config);
    res.status(204).end();
  });
  return router;
}

/** What was wrong, with the status set; what is our fault goes the way of all errors. @throws that */
function refusalOf(res: Response, thrown: unknown): string {
  const error = toServiceError(thrown);
  if (error.status >= 500) throw thrown;
  if (error.retryAfterSeconds !== undefined)
    res.set('Retry-After', String(error.retryAfterSeconds));
  res.status(error.status).type('html');
  return error.message;
}

/** Asks for the code of the second factor. */
function opsCodePage(state: { ticket: string; next: string; error?: string }): string {
  const { ticket, next, error } = state;
  return consoleLayout({
    title: 'Enter your code',
    prefix: error && 'Error',
    content: html`${error && notice({ tone: 'bad', id: 'error', content: error })}
${secondFactorForm({ action: '/ops/sign-in/code', ticket, fields: { next }, error: error && 'error' })}
<p><a href="/ops/sign-in">Start again</a></p>`,
  });
}

/** The sign-in form; `error` tells why the last attempt failed. */
export function opsSignInPage(state: { next: string; email?: string; error?: string }): string {
  return consoleLayout({
    title: 'Sign in',
    prefix: state.error && 'Error',
    content: html`${state.error && notice({ tone: 'bad', id: 'error', content: state.error })}
<form method="post" action="/ops/sign-in">
<input type="hidden" name="next" value="${state.next}">
${signInFields({ email: state.email, error: state.error && 'error' })}
<p class="acts"><button class="primary" type="submit">Sign in</button></p>
</form>
<p><a href="/account/reset">Forgot your password?</a></p>`,
  });
}
