/** What a user can let a client do. */
export const OAUTH_SCOPES = ['pricing:read', 'domains:manage'] as const;

export type OAuthScope = (typeof OAUTH_SCOPES)[number];

/** Granted when a client asks for nothing. */
export const DEFAULT_SCOPE: OAuthScope = 'pricing:read';
