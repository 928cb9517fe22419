import type { ErrorRequestHandler } from 'express';
import type { ErrorOut, errors, KoaContextWithOIDC } from 'oidc-provider';
import type { ServiceError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/observability/logger.ts';
import type { ApiServices } from '../compose-api.ts';
import { prepareErrorResponse, toServiceError } from '../http/error-response.ts';
import { noticePage } from '../pages/kit/card-page.ts';
import { type ErrorWords, errorPage, errorWords, PageError } from '../pages/kit/error-page.ts';
import { EXPIRED } from '../pages/sign-in/sign-in-pages.ts';

/** Logs errors of the library that are not the caller's fault. An unreachable database becomes a 503. */
export function logProviderError(log: Logger, ctx: KoaContextWithOIDC, thrown: Error): void {
  log.error({ err: thrown, method: ctx.method, route: ctx.oidc.route }, 'oauth request failed');
  const { status, retryAfterSeconds } = toServiceError(thrown);
  ctx.status = status;
  if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(retryAfterSeconds));
}

const REVOKED = 'so all tokens of its consent are revoked. Sign in again.';

/**
 * What the library found wrong with a code or refresh token, in words for the client's developer. The messages never
 * reveal whether it belongs to someone else.
 */
const GRANT_FAULTS: Readonly<Record<string, string>> = {
  'authorization code already consumed': `The code was used before, ${REVOKED}`,
  'refresh token already used': `The refresh token was used before, ${REVOKED}`,
  // Thrown by our own storage if a code or token is used twice at the same time.
  'already used': `It was used twice, ${REVOKED}`,
  'authorization code redirect_uri mismatch':
    'redirect_uri does not match the authorization request.',
  'code_verifier must be provided': 'code_verifier is missing.',
  'code_verifier does not match code_challenge': 'code_verifier does not match code_challenge.',
};

/** Explains an `invalid_grant` error, for which the library gives no reason. */
export function explainInvalidGrant(ctx: KoaContextWithOIDC, thrown: Error): void {
  const { error, error_detail: detail = '' } = thrown as errors.OIDCProviderError;
  if (error !== 'invalid_grant') return;
  const what = ctx.oidc.params?.grant_type === 'refresh_token' ? 'refresh token' : 'code';
  const error_description =
    GRANT_FAULTS[detail] ??
    `The ${what} is unknown, expired or revoked, or another client's. Sign in again.`;
  ctx.body = { error, error_description };
}

/** Shows a person why the sign-in failed. Endpoints for programs always respond in JSON, whatever they accept. */
export function renderProviderError(ctx: KoaContextWithOIDC, out: ErrorOut, thrown?: Error): void {
  if (ctx.path.startsWith('/api/')) {
    ctx.body = out;
    return;
  }
  ctx.type = 'html';
  ctx.body = noticePage(providerErrorWords(out, thrown));
}

/** Errors of `prompt=none` when a person would have to act (OpenID Connect Core section 3.1.2.6). */
const NEEDS_A_PERSON = new Set(['login_required', 'consent_required', 'interaction_required']);

function providerErrorWords(
  { error, error_description: detail }: ErrorOut,
  thrown: Error | undefined,
): ErrorWords {
  if (isSessionNotFound(thrown)) return EXPIRED;
  if (error === 'invalid_client') {
    return {
      title: 'This app is not known here',
      text: 'The app that sent you is not registered, or its registration has expired. Start again in the app. You may have to connect it again.',
    };
  }
  if (NEEDS_A_PERSON.has(error)) {
    return {
      title: 'You have not connected this app yet',
      text: 'The app tried to sign you in without asking. That works only after you have allowed it once. Go back to the app and sign in there.',
    };
  }
  if (error === 'server_error') return { ...errorWords(500), text: SERVER_FAULT };
  return {
    title: 'This sign-in request is not valid',
    text: `The app that sent you made a mistake, and only its developer can fix it. For the developer: ${error}${detail ? `, ${detail}` : ''}.`,
  };
}

const SERVER_FAULT = 'Go back to the app and try again in a minute.';

/** Returns whether the browser has no sign-in in progress. Checks the error's name, so as not to load the library. */
export function isSessionNotFound(thrown: unknown): thrown is errors.SessionNotFound {
  return thrown instanceof Error && thrown.name === 'SessionNotFound';
}

/** Responds to requests refused before the library sees them, with errors as RFC 6749 section 5.2 defines them. */
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

/** Shows errors of the sign-in pages as a page. */
export function oauthErrorPage({ log }: ApiServices): ErrorRequestHandler {
  return errorPage({
    log,
    translate: (thrown) => (isSessionNotFound(thrown) ? new PageError(400, EXPIRED) : undefined),
    words: ({ status, retryAfterSeconds }) => {
      const { title } = errorWords(status);
      if (status === 429) {
        return {
          title,
          text: `Too many requests come from your network. Wait ${retryAfterSeconds} seconds, then go back to the app and start again.`,
        };
      }
      if (status >= 500) return { ...errorWords(500), text: SERVER_FAULT };
      return { title, text: 'Go back to the app and start again.' };
    },
    render: noticePage,
  });
}
