import type { ErrorRequestHandler } from 'express';
import type { ErrorOut, errors, KoaContextWithOIDC } from 'oidc-provider';
import type { ServiceError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/observability/logger.ts';
import type { ApiServices } from '../compose-api.ts';
import { prepareErrorResponse, toServiceError } from '../http/error-response.ts';
import { EXPIRED, signInNotice } from '../pages/sign-in/sign-in-pages.ts';

/** What the library could not do, and it was not the caller's fault. A lost database is 503. */
export function logProviderError(log: Logger, ctx: KoaContextWithOIDC, thrown: Error): void {
  log.error({ err: thrown, method: ctx.method, route: ctx.oidc.route }, 'oauth request failed');
  const { status, retryAfterSeconds } = toServiceError(thrown);
  ctx.status = status;
  if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(retryAfterSeconds));
}

/** Shows a person why signing in ends here. Endpoints that programs call answer in JSON whatever they accept. */
export function renderProviderError(ctx: KoaContextWithOIDC, out: ErrorOut, thrown?: Error): void {
  if (ctx.path.startsWith('/api/')) {
    ctx.body = out;
    return;
  }
  const { title, text } = providerErrorText(out, thrown);
  ctx.type = 'html';
  ctx.body = signInNotice(title, text);
}

/** What `prompt=none` ends in when there is something to ask (OpenID Connect Core section 3.1.2.6). */
const NEEDS_A_PERSON = new Set(['login_required', 'consent_required', 'interaction_required']);

function providerErrorText(
  { error, error_description: detail }: ErrorOut,
  thrown: Error | undefined,
): { title: string; text: string } {
  if (isSessionNotFound(thrown)) return EXPIRED;
  if (error === 'invalid_client') {
    return {
      title: 'This app is not known here',
      text: 'The app that sent you has not registered, or its registration has lapsed. Start again in the app; it may have to be connected anew.',
    };
  }
  if (NEEDS_A_PERSON.has(error)) {
    return {
      title: 'You have not connected this app yet',
      text: 'The app asked to sign you in without showing you anything. That works only after you have allowed the app once. Go back to the app and sign in there.',
    };
  }
  if (error === 'server_error') {
    return {
      title: 'That did not work',
      text: 'Something went wrong on our side. Please go back to the app and try again in a minute.',
    };
  }
  return {
    title: 'This sign-in request is not valid',
    text: `The app that sent you made a mistake, and you cannot mend it here. For its makers: ${error}${detail ? `, ${detail}` : ''}.`,
  };
}

/** Whether the browser is in the middle of nothing; told by its name, without loading the library. */
export function isSessionNotFound(thrown: unknown): thrown is errors.SessionNotFound {
  return thrown instanceof Error && thrown.name === 'SessionNotFound';
}

/** What was refused before the library saw it, in the shape of RFC 6749 section 5.2. */
export function oauthErrorResponse(log: Logger): ErrorRequestHandler {
  return (thrown, req, res, _next) => {
    const error = prepareErrorResponse(log, thrown, req, res);
    if (!error) return;
    res.status(error.status).set('Cache-Control', 'no-store');
    res.json({ error: codeOf(error), error_description: error.message });
  };
}

function codeOf({ status }: ServiceError): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

/** What went wrong on the way through the pages, as a page; what is our fault is logged as everywhere else. */
export function oauthErrorPage({ log }: ApiServices): ErrorRequestHandler {
  return (thrown, req, res, _next) => {
    if (isSessionNotFound(thrown) && !res.headersSent) {
      res.status(400).type('html').send(signInNotice(EXPIRED.title, EXPIRED.text));
      return;
    }
    const error = prepareErrorResponse(log, thrown, req, res);
    if (!error) return;
    const page = signInNotice('That did not work', requestErrorText(error));
    res.status(error.status).type('html').send(page);
  };
}

function requestErrorText({ status, retryAfterSeconds }: ServiceError): string {
  if (status === 429) {
    return `Too many requests come from your network. Please wait ${retryAfterSeconds} seconds, then go back to the app and start again.`;
  }
  return status >= 500
    ? 'Something went wrong on our side. Please try again in a minute.'
    : 'The request could not be taken. Go back to the app and start again.';
}
