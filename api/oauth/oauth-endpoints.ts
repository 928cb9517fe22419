import {
  apiResource,
  DEFAULT_SCOPE,
  OAUTH_SCOPES,
} from '../../shared/people/oauth/access-token.ts';

/** The paths of the sign-in endpoints, below BASE_URL. */
export const PATHS = {
  authorize: '/oauth/authorize',
  interaction: '/oauth/interaction',
  token: '/api/oauth/token',
  register: '/api/oauth/register',
  revoke: '/api/oauth/revoke',
  serverMetadata: '/.well-known/oauth-authorization-server',
  resourceMetadata: '/.well-known/oauth-protected-resource',
} as const;

/** Returns what a client must know to sign a user in (RFC 8414, RFC 9207). */
export function serverMetadata({ baseUrl }: { baseUrl: string }) {
  return {
    issuer: baseUrl,
    authorization_endpoint: baseUrl + PATHS.authorize,
    token_endpoint: baseUrl + PATHS.token,
    registration_endpoint: baseUrl + PATHS.register,
    revocation_endpoint: baseUrl + PATHS.revoke,
    scopes_supported: OAUTH_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${baseUrl}/docs`,
  };
}

/**
 * Says where to sign in for the public API (RFC 9728). Lists only the scope that clients should request first;
 * endpoints that need others name them in their errors.
 */
export function resourceMetadata(config: { baseUrl: string }) {
  return {
    resource: apiResource(config),
    authorization_servers: [config.baseUrl],
    scopes_supported: [DEFAULT_SCOPE],
    bearer_methods_supported: ['header'],
    resource_name: 'Domain marketplace',
    resource_documentation: `${config.baseUrl}/docs`,
  };
}
