import type { RequestHandler } from 'express';
import { parse as parseHost } from 'tldts';
import { clientRecords } from '../../shared/people/oauth/oauth-records.ts';
import { SECOND } from '../../shared/platform/clock.ts';
import { newId } from '../../shared/platform/ids.ts';
import type { ApiServices } from '../compose-api.ts';
import { parseJsonBody, rawBodyOf } from '../http/json-body.ts';

const MAX_NAME = 100;
const MAX_REDIRECT_URIS = 20;
/** Control and format characters (including bidirectional overrides), line and paragraph separators. */
const FORBIDDEN_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** A visible character: some letters and symbols render as blanks. */
const VISIBLE = /[^\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** The stored part of a registration. Every client is public (RFC 6749 section 2.1). */
interface ClientMetadata {
  client_name?: string;
  redirect_uris: string[];
  application_type: 'web' | 'native';
  grant_types: string[];
  response_types: string[];
  token_endpoint_auth_method: 'none';
}

/** A registration error as RFC 7591 section 3.2.2 defines it. */
interface RegistrationFault {
  error: 'invalid_redirect_uri' | 'invalid_client_metadata';
  error_description: string;
}

/**
 * Reads a registration request. Replaces what clients cannot choose (secrets, other grants and flows), as RFC 7591
 * section 2 allows, and drops fields that this service does not use.
 */
function readClientMetadata(body: unknown): ClientMetadata | RegistrationFault {
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

/** Registers a public client for anyone, without a secret (RFC 7591). */
export function registerClient(runtime: ApiServices): RequestHandler {
  return async (req, res) => {
    const body = parseJsonBody(rawBodyOf(req), req.get('Content-Type'));
    const read = readClientMetadata(body);
    if ('error' in read) {
      res.status(400).json(read);
      return;
    }
    const now = runtime.clock.now();
    const metadata = {
      client_id: newId('oauthClient', now),
      client_id_issued_at: Math.floor(now.getTime() / SECOND),
      ...read,
    };
    await clientRecords(runtime).save(metadata.client_id, metadata);
    res.status(201).set('Cache-Control', 'no-store').json(metadata);
  };
}

const MAX_LENGTH = 2_000;
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);
/** RFC 8252 section 7.1: an app's scheme is its maker's domain name in reverse, so it contains a dot. */
const REVERSED_DOMAIN = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/;
/** Windows's own schemes, which look like reversed domain names because `microsoft` is a top-level domain. */
const WINDOWS_SCHEME = /^microsoft\.windows\./;
/**
 * Widely used clients whose scheme has no dot and that have no other redirect address. Only these exact addresses are
 * accepted, since links with an editor's scheme can do much more than sign in.
 */
const KNOWN_CLIENTS = [
  /^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback$/,
  /^cursor:\/\/anysphere\.cursor-retrieval\/oauth\/[\w-]+\/callback$/,
];
const WEB_HOST = /^([a-z0-9-]+\.)*[a-z0-9-]+\.?$|^\[[0-9a-f:.]+\]$/;
/** The characters of RFC 3986. Parsers may disagree about all others. */
const PLAIN = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;

/** Requires both slashes: without them browsers may read a web address as a relative one. */
const WEB_SPELLING = /^https?:\/\/[^/?]/i;

/** `web`: HTTPS. `loopback`: a program on the user's computer. `private`: an app that owns the scheme. */
export type RedirectKind = 'web' | 'loopback' | 'private';

/** Returns the kind of a redirect address; undefined if no client may use it. */
export function redirectKind(uri: string): RedirectKind | undefined {
  if (uri.length > MAX_LENGTH || !PLAIN.test(uri) || !URL.canParse(uri)) return undefined;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') return undefined;
  if (/^https?:$/.test(protocol) && !WEB_SPELLING.test(uri)) return undefined;
  if (protocol === 'https:') return WEB_HOST.test(hostname) ? 'web' : undefined;
  if (protocol === 'http:') return LOOPBACK_HOSTS.has(hostname) ? 'loopback' : undefined;
  const isKnown = KNOWN_CLIENTS.some((known) => known.test(uri));
  return isReversedDomain(protocol) || isKnown ? 'private' : undefined;
}

function isReversedDomain(protocol: string): boolean {
  if (!REVERSED_DOMAIN.test(protocol) || WINDOWS_SCHEME.test(protocol)) return false;
  const domain = protocol.slice(0, -1).split('.').reverse().join('.');
  const { isIcann, domain: registrable } = parseHost(domain);
  return isIcann === true && registrable !== null;
}

/** Describes where the response goes, for the person asked to consent. */
export function describeRedirectTarget(uri: string): string {
  const { protocol, host } = new URL(uri);
  switch (redirectKind(uri)) {
    case 'web':
      return host;
    case 'loopback':
      return `a program on this computer (${host})`;
    default:
      return `an app on this device (${protocol.slice(0, -1)})`;
  }
}
