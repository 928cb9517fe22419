import { Type } from 'typebox';
import { type Components, type Json, mapValues } from './openapi-components.ts';
import { type HeaderName, headerRefs, RATE_LIMIT_HEADERS } from './openapi-responses.ts';
import type { Tag } from './openapi-tags.ts';

const Url = Type.String({ format: 'uri' });

const OAuthError = Type.Object(
  { error: Type.String(), error_description: Type.Optional(Type.String()) },
  { title: 'OAuthError', description: 'RFC 6749, section 5.2.' },
);

const ProtectedResourceMetadata = Type.Object(
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

const AuthorizationServerMetadata = Type.Object(
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

const ClientInput = Type.Object(
  {
    redirect_uris: Type.Array(Type.String(), {
      minItems: 1,
      description: 'HTTPS, http on loopback (any port), or a private-use scheme.',
    }),
    client_name: Type.Optional(Type.String({ description: 'Shown when we ask for consent.' })),
  },
  {
    title: 'ClientInput',
    examples: [{ redirect_uris: ['http://127.0.0.1/callback'], client_name: 'Example client' }],
  },
);

const ClientRegistration = Type.Object(
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

const TokenInput = Type.Union(
  [
    Type.Object(
      {
        grant_type: Type.Literal('authorization_code'),
        client_id: Type.String(),
        code: Type.String(),
        redirect_uri: Type.String({ description: 'The same as when the code was requested.' }),
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

const Tokens = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    refresh_token: Type.String(),
    scope: Type.String({ description: 'What was granted, separated by spaces.' }),
  },
  { title: 'Tokens' },
);

const RevocationInput = Type.Object(
  {
    token: Type.String({ description: 'An access or refresh token.' }),
    client_id: Type.String(),
    token_type_hint: Type.Optional(Type.Enum(['access_token', 'refresh_token'])),
  },
  { title: 'RevocationInput' },
);

export const OAUTH_TAG: Tag = {
  name: 'Sign-in',
  description: 'OAuth 2.1 for public clients: authorization code with PKCE.',
  paths: [],
};

/** What each scope allows a client to do. */
const SCOPE_DESCRIPTIONS = {
  'pricing:read': 'See the real prices of the market.',
  'domains:manage': 'Manage the domains of the person who signed in.',
};

const query = (name: string, required: boolean, description: string, schema: Json = {}): Json => ({
  name,
  in: 'query',
  required,
  description,
  schema: { type: 'string', ...schema },
});

const AUTHORIZE_PARAMETERS: readonly Json[] = [
  query('response_type', true, 'Always `code`.', { const: 'code' }),
  query('client_id', true, 'As registered.'),
  query('redirect_uri', true, 'One of those that were registered.'),
  query('code_challenge', true, 'Base64url SHA-256 of the code verifier (PKCE).'),
  query('code_challenge_method', false, '`S256`, the default.', { const: 'S256' }),
  query('state', false, 'A random value that we return unchanged. Compare it.'),
  query('scope', false, 'Separated by spaces. Defaults to `pricing:read`.'),
  query('resource', false, '`{base_url}/api`, the default (RFC 8707).'),
];

/** Returns the security scheme of the calls that know their caller. */
export function oauthScheme(baseUrl: string): Json {
  return {
    type: 'oauth2',
    description:
      'OAuth 2.1 authorization code flow with PKCE (S256). Clients register themselves and have no secret. Access tokens are valid for 30 minutes; refresh tokens are valid for 30 days and can be used once.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${baseUrl}/oauth/authorize`,
        tokenUrl: `${baseUrl}/api/oauth/token`,
        refreshUrl: `${baseUrl}/api/oauth/token`,
        scopes: SCOPE_DESCRIPTIONS,
      },
    },
  };
}

interface Answer {
  description: string;
  headers: readonly HeaderName[];
  schema?: object;
}

const API_HEADERS = ['RequestId', ...RATE_LIMIT_HEADERS] as const;
const answer = (description: string, schema?: object): Answer => ({
  description,
  headers: API_HEADERS,
  ...(schema && { schema }),
});
const page = (description: string): Answer => ({ description, headers: ['RequestId'] });

const REFUSED = { 400: answer('Rejected, in the error format of OAuth.', OAuthError) };
const UNKNOWN_CLIENT = { 401: answer('No client of this `client_id` is registered.', OAuthError) };
const UNREADABLE = {
  413: answer('The body is too large.', OAuthError),
  415: answer('The body is not JSON.', OAuthError),
};
const LIMITED: Record<number, Answer> = {
  429: {
    ...answer('Too many requests.', OAuthError),
    headers: [...API_HEADERS, 'RetryAfter'],
  },
};

interface Call {
  verb: 'get' | 'post';
  operationId: string;
  summary: string;
  description: string;
  parameters?: readonly Json[];
  body?: { type: 'application/json' | 'application/x-www-form-urlencoded'; schema: object };
  answers: Readonly<Record<number, Answer>>;
}

const CALLS: Readonly<Record<string, Call>> = {
  '/.well-known/oauth-protected-resource': {
    verb: 'get',
    operationId: 'getProtectedResourceMetadata',
    summary: 'Read where to sign in for this API',
    description: 'RFC 9728. The 401 responses point here.',
    answers: { 200: answer('The metadata.', ProtectedResourceMetadata), ...LIMITED },
  },
  '/.well-known/oauth-authorization-server': {
    verb: 'get',
    operationId: 'getAuthorizationServerMetadata',
    summary: 'Read how to sign in',
    description: 'RFC 8414.',
    answers: { 200: answer('The metadata.', AuthorizationServerMetadata), ...LIMITED },
  },
  '/oauth/authorize': {
    verb: 'get',
    operationId: 'authorize',
    summary: 'Send a person here to sign in',
    description:
      'A page for the browser. It asks the user to sign in and consent, then redirects to `redirect_uri` with `code`, `state` and `iss`, or with `error`.',
    parameters: AUTHORIZE_PARAMETERS,
    answers: {
      303: page('To the next page, or back to the client.'),
      400: page('A page that explains what is wrong with the request.'),
    },
  },
  '/api/oauth/register': {
    verb: 'post',
    operationId: 'registerClient',
    summary: 'Register a client',
    description: 'RFC 7591, open to everyone. Clients do not get a secret.',
    body: { type: 'application/json', schema: ClientInput },
    answers: {
      201: answer('Registered.', ClientRegistration),
      ...REFUSED,
      ...UNREADABLE,
      ...LIMITED,
    },
  },
  '/api/oauth/token': {
    verb: 'post',
    operationId: 'exchangeToken',
    summary: 'Exchange a code or a refresh token for tokens',
    description:
      'A code is valid for 60 seconds and can be used once. Each use of a refresh token replaces it; reusing an old one revokes all tokens of the grant.',
    body: { type: 'application/x-www-form-urlencoded', schema: TokenInput },
    answers: { 200: answer('Tokens.', Tokens), ...REFUSED, ...UNKNOWN_CLIENT, ...LIMITED },
  },
  '/api/oauth/revoke': {
    verb: 'post',
    operationId: 'revokeToken',
    summary: 'Revoke a token',
    description: 'RFC 7009. Unknown tokens get the same response.',
    body: { type: 'application/x-www-form-urlencoded', schema: RevocationInput },
    answers: {
      200: answer('The token is no longer valid. There is no body.'),
      ...REFUSED,
      ...UNKNOWN_CLIENT,
      ...LIMITED,
    },
  },
};

/** Describes the sign-in endpoints, which a library serves: RFC 6749, 7009, 7591, 8414, 9728. */
export function oauthPaths(components: Components): Json {
  const content = (schema: object, type = 'application/json') => ({
    [type]: { schema: components.render(schema) },
  });
  const response = ({ description, headers, schema }: Answer): Json => ({
    description,
    headers: headerRefs(headers),
    ...(schema && { content: content(schema) }),
  });
  return mapValues(CALLS, ({ verb, description, parameters, body, answers, ...named }) => ({
    [verb]: {
      ...named,
      tags: [OAUTH_TAG.name],
      security: [],
      description,
      ...(parameters && { parameters }),
      ...(body && { requestBody: { required: true, content: content(body.schema, body.type) } }),
      responses: mapValues(answers, response),
    },
  }));
}
