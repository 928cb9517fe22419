import { Type } from 'typebox';

const Url = Type.String({ format: 'uri' });

export const OAuthError = Type.Object(
  { error: Type.String(), error_description: Type.Optional(Type.String()) },
  { title: 'OAuthError', description: 'RFC 6749, section 5.2.' },
);

export const ProtectedResourceMetadata = Type.Object(
  {
    resource: Url,
    authorization_servers: Type.Array(Url),
    scopes_supported: Type.Array(Type.String()),
    bearer_methods_supported: Type.Array(Type.String()),
    resource_name: Type.String(),
    resource_documentation: Url,
  },
  { title: 'ProtectedResourceMetadata' },
);

export const AuthorizationServerMetadata = Type.Object(
  {
    issuer: Url,
    authorization_endpoint: Url,
    token_endpoint: Url,
    registration_endpoint: Url,
    revocation_endpoint: Url,
    response_types_supported: Type.Array(Type.String()),
    grant_types_supported: Type.Array(Type.String()),
    code_challenge_methods_supported: Type.Array(Type.String()),
    response_modes_supported: Type.Array(Type.String()),
    token_endpoint_auth_methods_supported: Type.Array(Type.String()),
    revocation_endpoint_auth_methods_supported: Type.Array(Type.String()),
    scopes_supported: Type.Array(Type.String()),
    authorization_response_iss_parameter_supported: Type.Boolean(),
    service_documentation: Url,
  },
  { title: 'AuthorizationServerMetadata' },
);

export const ClientInput = Type.Object(
  {
    redirect_uris: Type.Array(Type.String(), {
      minItems: 1,
      description: 'HTTPS, http on loopback (any port), or a private-use scheme.',
    }),
    client_name: Type.Optional(Type.String({ description: 'Shown when consent is asked for.' })),
  },
  {
    title: 'ClientInput',
    examples: [{ redirect_uris: ['http://127.0.0.1/callback'], client_name: 'Example client' }],
  },
);

export const ClientRegistration = Type.Object(
  {
    client_id: Type.String(),
    client_id_issued_at: Type.Integer({ description: 'Unix seconds.' }),
    client_name: Type.Optional(Type.String()),
    redirect_uris: Type.Array(Type.String()),
    application_type: Type.Enum(['web', 'native']),
    grant_types: Type.Array(Type.String()),
    response_types: Type.Array(Type.String()),
    token_endpoint_auth_method: Type.Literal('none'),
  },
  { title: 'ClientRegistration' },
);

export const TokenInput = Type.Union(
  [
    Type.Object(
      {
        grant_type: Type.Literal('authorization_code'),
        client_id: Type.String(),
        code: Type.String(),
        redirect_uri: Type.String({ description: 'The same as when the code was asked for.' }),
        code_verifier: Type.String({ minLength: 43, maxLength: 128 }),
      },
      { title: 'CodeExchange' },
    ),
    Type.Object(
      {
        grant_type: Type.Literal('refresh_token'),
        client_id: Type.String(),
        refresh_token: Type.String(),
      },
      { title: 'Refresh' },
    ),
  ],
  { title: 'TokenInput' },
);

export const Tokens = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    refresh_token: Type.String(),
    scope: Type.String({ description: 'What was granted, separated by spaces.' }),
  },
  { title: 'Tokens' },
);

export const RevocationInput = Type.Object(
  {
    token: Type.String({ description: 'An access or refresh token.' }),
    client_id: Type.String(),
    token_type_hint: Type.Optional(Type.Enum(['access_token', 'refresh_token'])),
  },
  { title: 'RevocationInput' },
);
