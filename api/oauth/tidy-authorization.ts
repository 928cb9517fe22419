import type { Context, Next } from 'koa';
import { DEFAULT_SCOPE } from '../../shared/oauth/scopes.ts';
import { PATHS } from './paths.ts';

/** All that an authorization request may say; OpenID Connect has more, and none of it is here. */
const PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'code_challenge',
  'code_challenge_method',
  'state',
  'scope',
  'resource',
  'prompt',
  'response_mode',
] as const;

/** Asked for out of habit by clients of other servers. */
const OPENID_SCOPES = new Set(['openid', 'profile', 'email', 'offline_access']);

/**
 * Fills in what may be left out of an authorization request (the scope, the method S256), and leaves out
 * what means nothing here. A repeated parameter stays repeated: the library refuses it.
 */
export async function normalizeAuthorizationRequest(ctx: Context, next: Next): Promise<void> {
  if (ctx.path === PATHS.authorize) {
    const given = ctx.query;
    const kept = PARAMETERS.filter((name) => given[name] !== undefined && given[name] !== '');
    const tidy: typeof given = Object.fromEntries(kept.map((name) => [name, given[name]]));
    tidy.code_challenge_method ??= 'S256';
    // The library knows others, and would already answer the refusal in the mode that is refused.
    if (tidy.response_mode !== undefined && tidy.response_mode !== 'query') {
      tidy.response_mode = 'unsupported';
    }
    if (!Array.isArray(tidy.scope)) tidy.scope = ourScopes(tidy.scope ?? '') || DEFAULT_SCOPE;
    ctx.query = tidy;
  }
  await next();
}

function ourScopes(scope: string): string {
  const asked = scope.split(' ').filter((each) => each !== '' && !OPENID_SCOPES.has(each));
  return asked.join(' ');
}
