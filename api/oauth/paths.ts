/** Where each part of the sign-in is, below BASE_URL. */
export const PATHS = {
  authorize: '/oauth/authorize',
  interaction: '/oauth/interaction',
  token: '/api/oauth/token',
  register: '/api/oauth/register',
  revoke: '/api/oauth/revoke',
  serverMetadata: '/.well-known/oauth-authorization-server',
  resourceMetadata: '/.well-known/oauth-protected-resource',
} as const;
