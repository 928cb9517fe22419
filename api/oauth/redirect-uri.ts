import { parse as parseHost } from 'tldts';

const MAX_LENGTH = 2_000;
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);
/** RFC 8252 section 7.1: the scheme of an app is a domain name of its maker in reverse, so it has a dot. */
const REVERSED_DOMAIN = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/;
/** Schemes of Windows that have a dot, under a name that is a top-level domain, too. */
const WINDOWS_SCHEME = /^microsoft\.windows\./;
/**
 * Clients in wide use whose scheme has no dot, and who have no other address. Nothing else of their scheme is
 * taken: an editor does much more by links than to sign in.
 */
const KNOWN_CLIENTS = [
  /^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback$/,
  /^cursor:\/\/anysphere\.cursor-retrieval\/oauth\/[\w-]+\/callback$/,
];
const WEB_HOST = /^([a-z0-9-]+\.)*[a-z0-9-]+\.?$|^\[[0-9a-f:.]+\]$/;
/** RFC 3986; what else parsers let pass they may read differently. */
const PLAIN = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;

/** Without its two slashes a web address is a relative one to a browser that comes from another. */
const WEB_SPELLING = /^https?:\/\/[^/?]/i;

/** `web`: HTTPS. `loopback`: a program on the user's computer. `private`: an app that owns the scheme. */
export type RedirectKind = 'web' | 'loopback' | 'private';

/** What kind of redirect address this is; undefined when no client may have it. */
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

/** Where the answer goes, in words for the person who is asked to allow it. */
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
