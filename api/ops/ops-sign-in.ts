import { type Request, type Response, Router } from 'express';
import { Type } from 'typebox';
import { signIn, signOut } from '../../shared/people/users/user-session.ts';
import { html } from '../../shared/platform/html.ts';
import type { ApiServices } from '../compose-api.ts';
import { toServiceError } from '../http/error-response.ts';
import { formBody, formFields } from '../http/form-body.ts';
import { parseJsonBody, rawBodyOf, rawBodyUpTo } from '../http/json-body.ts';
import { callerBucket, createLimiter } from '../http/rate-limit.ts';
import { signInOriginOf } from '../http/sign-in-origin.ts';
import { bodyValidator } from '../http/validate.ts';
import { signInFields } from '../pages/kit/form.ts';
import { notice } from '../pages/kit/page-parts.ts';
import { consoleLayout } from './console/console-page.ts';
import { clearSessionCookie, safeReturnPath, setSessionCookie, tokenOf } from './ops-session.ts';

const MAX_BODY_BYTES = 10_240;

const Credentials = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 256 }),
});

/** Ways in and out: the form and its cookie, and the bearer token of scripts. */
export function signInRouter(runtime: ApiServices): Router {
  const { config } = runtime;
  const router = Router();
  const check = bodyValidator(Credentials);
  const limiter = createLimiter(runtime.redis, config, 'sign-in', config.limitSignIn);

  const enter = async (req: Request, body: unknown) => {
    await limiter.take(callerBucket(req));
    const { email, password } = check(body) as { email: string; password: string };
    return signIn(runtime, { email, password, role: 'ops', from: signInOriginOf(req) });
  };

  router.get('/sign-in', (req, res) => {
    res.type('html').send(opsSignInPage({ next: safeReturnPath(req.query.next) }));
  });

  router.post('/sign-in', formBody(), async (req, res) => {
    const form = { ...req.body };
    const next = safeReturnPath(form.next);
    try {
      const session = await enter(req, formFields(req));
      setSessionCookie(res, config, session.token, session.expiresAt);
      res.redirect(303, next);
    } catch (thrown) {
      refuseWithPage(res, thrown, { next, email: String(form.email ?? '') });
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
    const { token, expiresAt } = await enter(req, body);
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

/** Says on the page what was wrong; what is our fault goes the way of all errors. */
function refuseWithPage(res: Response, thrown: unknown, form: { next: string; email: string }) {
  const error = toServiceError(thrown);
  if (error.status >= 500) throw thrown;
  if (error.retryAfterSeconds !== undefined)
    res.set('Retry-After', String(error.retryAfterSeconds));
  res
    .status(error.status)
    .type('html')
    .send(opsSignInPage({ ...form, error: error.message }));
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
