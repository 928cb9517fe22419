import type { ErrorOut, errors, KoaContextWithOIDC } from 'oidc-provider';
import type { Logger } from '../../shared/platform/logger.ts';
import { toServiceError } from '../http/error-response.ts';
import { EXPIRED, signInNotice } from '../pages/sign-in/layout.ts';

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
