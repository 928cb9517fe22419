import { redirectKind } from './redirect-uri.ts';

const MAX_NAME = 100;
const MAX_REDIRECT_URIS = 20;
/** Control and format characters (bidirectional overrides among them), line and paragraph separators. */
const FORBIDDEN_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** Something that takes ink: some letters and signs are blanks. */
const VISIBLE = /[^\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** What is kept of a registration. Every client is a public one. */
export interface ClientMetadata {
  client_name?: string;
  redirect_uris: string[];
  application_type: 'web' | 'native';
  grant_types: string[];
  response_types: string[];
  token_endpoint_auth_method: 'none';
}

/** A refusal in the terms of RFC 7591 section 3.2.2. */
export interface RegistrationFault {
  error: 'invalid_redirect_uri' | 'invalid_client_metadata';
  error_description: string;
}

/**
 * Reads a registration request. What clients may not choose (secrets, other grants and flows) is replaced,
 * as RFC 7591 section 2 lets a server do; what this service has no use for is left out.
 */
export function readClientMetadata(body: unknown): ClientMetadata | RegistrationFault {
  const { client_name: name, redirect_uris: uris } = Object(body) as Record<string, unknown>;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS) {
    return redirectFault(`redirect_uris must be an array of 1 to ${MAX_REDIRECT_URIS} addresses`);
  }
  for (const uri of uris) {
    if (typeof uri !== 'string' || redirectKind(uri) === undefined) {
      return redirectFault(
        'redirect_uris must be https addresses, http addresses on localhost, 127.0.0.1 or [::1], or addresses of a private scheme that is a reversed domain name, such as com.example.app:/callback',
      );
    }
  }
  if (name !== undefined && !isName(name)) {
    const error_description = `client_name must be text of 1 to ${MAX_NAME} visible characters`;
    return { error: 'invalid_client_metadata', error_description };
  }
  return {
    ...(name !== undefined && { client_name: name.trim() }),
    redirect_uris: [...new Set<string>(uris)],
    // `native` lets the port of a loopback address differ (RFC 8252 section 7.3).
    application_type: uris.every((uri) => redirectKind(uri) === 'web') ? 'web' : 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

function redirectFault(error_description: string): RegistrationFault {
  return { error: 'invalid_redirect_uri', error_description };
}

function isName(name: unknown): name is string {
  return (
    typeof name === 'string' &&
    VISIBLE.test(name) &&
    name.length <= MAX_NAME &&
    !FORBIDDEN_CHARACTERS.test(name)
  );
}
