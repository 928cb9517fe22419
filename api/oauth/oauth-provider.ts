import { generateKeyPairSync } from 'node:crypto';
import type { Context, Next } from 'koa';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { Database } from '../../shared/messaging/unit-of-work/database.ts';
import {
  apiResource,
  DEFAULT_SCOPE,
  OAUTH_SCOPES,
} from '../../shared/people/oauth/access-token.ts';
import { grantRecords } from '../../shared/people/oauth/oauth-records.ts';
import { findActiveUser } from '../../shared/people/users/user-account.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { deriveKey } from '../../shared/platform/crypto/secrets.ts';
import type { Logger } from '../../shared/platform/observability/logger.ts';
import type { ApiServices } from '../compose-api.ts';
import { hostCookie, pathCookie } from '../http/cookies.ts';
import { createAdapter } from './oauth-adapter.ts';
import { PATHS } from './oauth-endpoints.ts';
import { explainInvalidGrant, logProviderError, renderProviderError } from './oauth-errors.ts';
import {
  errors,
  interactionPolicy,
  logNotices,
  type OAuthProvider,
  Provider,
} from './oidc-library.ts';

/** How long a code is valid. Clients exchange it at once; RFC 6749 (4.1.2) allows ten minutes. */
const CODE_MS = MINUTE;
/** Limits how long a leaked access token is valid; clients refresh theirs. */
const ACCESS_TOKEN_MS = 30 * MINUTE;
/** How long a person has to sign in and decide. */
const INTERACTION_MS = 30 * MINUTE;
/** Grants end when revoked or with their last token; the library requires a number. */
const GRANT_MS = 3_650 * DAY;

/**
 * Creates the OAuth 2.1 server: authorization code with PKCE (S256) for public clients, opaque tokens, storage in
 * Postgres. Registration, metadata and the pages are ours.
 */
export function createOAuthProvider(runtime: ApiServices): OAuthProvider {
  const { config, log } = runtime;
  logNotices(log);
  const provider = new Provider(config.baseUrl, configuration(runtime));
  // Every request was given the issuer's scheme and host before it gets here, so trusting proxy headers is safe.
  provider.proxy = true;
  provider.use(redirectOnlyConsentedClients(runtime));
  provider.use(normalizeAuthorizationRequest);
  provider.on('server_error', (ctx, error) => logProviderError(log, ctx, error));
  provider.on('grant.error', explainInvalidGrant);
  provider.onerror = (error) => log.warn({ err: error }, 'oauth answer not sent');
  return provider;
}

function configuration(runtime: ApiServices): Configuration {
  const { config } = runtime;
  const resource = apiResource(config);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    adapter: createAdapter(runtime),
    // The library requires a key. Nothing is signed with it: tokens are opaque, and there are no ID tokens.
    jwks: { keys: [privateKey.export({ format: 'jwk' })] },
    scopes: [...OAUTH_SCOPES],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    clientDefaults: {
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    pkce: { required: () => true },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clockTolerance: 0,
    routes: {
      authorization: PATHS.authorize,
      token: PATHS.token,
      revocation: PATHS.revoke,
    },
    cookies: {
      // The first key signs; all of them verify.
      keys: [config.secretsKey, ...config.secretsKeyPrevious].map((key) =>
        deriveKey(key, 'oauth-cookies').toString('base64url'),
      ),
      // The library binds `interaction` and `resume` to the path of one request.
      names: {
        session: hostCookie(config, 'oauth_session'),
        interaction: pathCookie(config, 'oauth_interaction'),
        resume: pathCookie(config, 'oauth_resume'),
      },
      long: { httpOnly: true, sameSite: 'lax', signed: true, path: '/' },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => resource,
        useGrantedResource: async () => true,
        async getResourceServerInfo(ctx, asked) {
          if (asked !== resource && asked !== `${resource}/`) throw new errors.InvalidTarget();
          requireKnownScopes(ctx);
          const scope = OAUTH_SCOPES.join(' ');
          return { scope, audience: resource, accessTokenFormat: 'opaque' };
        },
      },
    },
    ttl: {
      AuthorizationCode: seconds(CODE_MS),
      AccessToken: seconds(ACCESS_TOKEN_MS),
      RefreshToken: seconds(config.oauthRefreshTokenMs),
      Session: seconds(config.sessionHours * HOUR),
      Interaction: seconds(INTERACTION_MS),
      Grant: seconds(GRANT_MS),
    },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    // One grant per authorization: revoking one does not affect the client's others.
    async loadExistingGrant(ctx) {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId ? ctx.oidc.provider.Grant.find(grantId) : undefined;
    },
    interactions: {
      policy: interactionPolicy.base(),
      url: (_ctx, { uid }) => `${PATHS.interaction}/${uid}`,
    },
    async findAccount(_ctx, userId) {
      const user = await findActiveUser(runtime, userId);
      return user && { accountId: user.id, claims: async () => ({ sub: user.id }) };
    },
    clientBasedCORS: () => true,
    renderError: renderProviderError,
  };
}

function seconds(ms: number): number {
  return Math.ceil(ms / SECOND);
}

/** Rejects unknown scopes, which the library would silently drop. */
function requireKnownScopes({ oidc }: KoaContextWithOIDC): void {
  const asked = String(oidc.params?.scope ?? DEFAULT_SCOPE).split(' ');
  const unknown = asked.find((scope) => !OAUTH_SCOPES.some((known) => known === scope));
  if (unknown !== undefined) throw new errors.InvalidScope('there is no such scope', unknown);
}

/** The supported parameters of an authorization request; OpenID Connect's own are not supported. */
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

/** Clients of other servers often request these scopes by default. */
const OPENID_SCOPES = new Set(['openid', 'profile', 'email', 'offline_access']);

/**
 * Fills in optional parts of an authorization request (the scope, the method S256), and drops parameters that have no
 * meaning here. A repeated parameter stays repeated, so that the library refuses it.
 */
async function normalizeAuthorizationRequest(ctx: Context, next: Next): Promise<void> {
  if (ctx.path === PATHS.authorize) {
    const given = ctx.query;
    const kept = PARAMETERS.filter((name) => given[name] !== undefined && given[name] !== '');
    const tidy: typeof given = Object.fromEntries(kept.map((name) => [name, given[name]]));
    tidy.code_challenge_method ??= 'S256';
    // The library knows other modes, and would use the unsupported mode for its error response.
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

/**
 * Keeps an authorization request alone from redirecting a browser to a client, since anyone may register a client with
 * any address (RFC 9700 section 4.11.2). Immediate responses of the library, such as errors, go to the client only if
 * the person signed in at this browser has allowed that client before; all others see them on a page of ours.
 */
function redirectOnlyConsentedClients(runtime: { db: Database; clock: Clock; log: Logger }) {
  const grants = grantRecords(runtime);
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const target = String(ctx.response.get('Location') ?? '');
    // Redirects to sign-in and consent are not the final response.
    if (ctx.path !== PATHS.authorize || target === '' || isInteraction(target)) return;
    const { session, client } = ctx.oidc;
    const answer = answerIn(target);
    try {
      const userId = session?.accountId;
      if (userId && client && (await grants.hasConsent(userId, client.clientId))) return;
    } catch (error) {
      logProviderError(runtime.log, ctx, error as Error);
      answer.error = 'server_error';
    }
    ctx.remove('Location');
    ctx.status = answer.error === 'server_error' ? 503 : 400;
    renderProviderError(ctx, answer);
  };
}

function isInteraction(target: string): boolean {
  return target.startsWith(`${PATHS.interaction}/`);
}

/** Reads the response out of the redirect address: from the query, or from the fragment for flows that use it. */
function answerIn(target: string): { error: string; error_description?: string } {
  const { search, hash } = new URL(target);
  const members = new URLSearchParams(hash === '' ? search : hash.slice(1));
  const description = members.get('error_description');
  return {
    error: members.get('error') ?? 'server_error',
    ...(description !== null && { error_description: description }),
  };
}
