import { generateKeyPairSync } from 'node:crypto';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { apiResource } from '../../shared/oauth/api-resource.ts';
import { DEFAULT_SCOPE, OAUTH_SCOPES } from '../../shared/oauth/scopes.ts';
import { findActiveUser } from '../../shared/owners/find-user.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { deriveKey } from '../../shared/platform/secrets.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { createAdapter } from './adapter.ts';
import { redirectOnlyConsentedClients } from './answer-after-consent.ts';
import { logProviderError, renderProviderError } from './fault.ts';
import { errors, interactionPolicy, logNotices, type OAuthProvider, Provider } from './library.ts';
import { PATHS } from './paths.ts';
import { normalizeAuthorizationRequest } from './tidy-authorization.ts';

/** A person has this long to sign in and decide. */
const INTERACTION_MS = 30 * MINUTE;
/** Grants end by revocation, or with their last token; the library needs a number. */
const GRANT_MS = 3_650 * DAY;

/**
 * The OAuth 2.1 server: authorization code with PKCE (S256) for public clients, opaque tokens, storage in
 * Postgres. Registration, metadata and the pages are ours.
 */
export function createOAuthProvider(runtime: Runtime): OAuthProvider {
  const { config, log } = runtime;
  logNotices(log);
  const provider = new Provider(config.baseUrl, configuration(runtime));
  // The issuer's own scheme and host are put into every request before it gets here.
  provider.proxy = true;
  provider.use(redirectOnlyConsentedClients(runtime));
  provider.use(normalizeAuthorizationRequest);
  provider.on('server_error', (ctx, error) => logProviderError(log, ctx, error));
  provider.onerror = (error) => log.warn({ err: error }, 'oauth answer not sent');
  return provider;
}

function configuration(runtime: Runtime): Configuration {
  const { config } = runtime;
  const resource = apiResource(config);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    adapter: createAdapter(runtime),
    // The library wants a key. Nothing is signed with it: tokens are opaque, and there are no ID tokens.
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
      // The first one signs; all of them verify.
      keys: [config.secretsKey, ...config.secretsKeyPrevious].map((key) =>
        deriveKey(key, 'oauth-cookies').toString('base64url'),
      ),
      names: { session: 'oauth_session', interaction: 'oauth_interaction', resume: 'oauth_resume' },
      long: { httpOnly: true, sameSite: 'lax', signed: true, path: '/oauth' },
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
      AuthorizationCode: seconds(config.oauthCodeMs),
      AccessToken: seconds(config.oauthAccessTokenMs),
      RefreshToken: seconds(config.oauthRefreshTokenMs),
      Session: seconds(config.sessionHours * HOUR),
      Interaction: seconds(INTERACTION_MS),
      Grant: seconds(GRANT_MS),
    },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    // One grant an authorization: revoking one leaves the same client's others alone.
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

/** The library would leave out in silence what it does not know. */
function requireKnownScopes({ oidc }: KoaContextWithOIDC): void {
  const asked = String(oidc.params?.scope ?? DEFAULT_SCOPE).split(' ');
  const unknown = asked.find((scope) => !OAUTH_SCOPES.some((known) => known === scope));
  if (unknown !== undefined) throw new errors.InvalidScope('there is no such scope', unknown);
}
