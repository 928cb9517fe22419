const MAX_LENGTH = 2_000;
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);
/** RFC 8252 section 7.1: a domain name in reverse. No scheme that a browser acts on has a dot. */
const REVERSED_DOMAIN = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/;
/**
 * Short names are against that section, but common editors and assistants have no other. They are taken with
 * two slashes and a host only, as these apps write them: what a browser or a computer acts on by itself is
 * mostly written without (`javascript:`, `data:`, `tel:`), and the rest is named below.
 */
const SHORT_SCHEME = /^[a-z][a-z0-9-]{2,30}:$/;
const HAS_HOST = /^[^:]+:\/\/[a-z0-9]/i;
/** Schemes of browsers, of their extensions and of what comes with a computer. */
const TAKEN_SCHEMES =
  /^(about|blob|chrome.*|data|devtools|edge|facetime.*|feed|file|filesystem|ftps?|geo|git|gopher|https?|imap|intent|irc|itms.*|jar|javascript|ldaps?|livescript|mailto|market|mhtml|mocha|moz-.*|ms-.*|news|nntp|opera|pop|resource|res|rtsp|safari-.*|search-ms|sftp|shell|shortcuts|sips?|smb|sms.*|ssh|steam|tel|telnet|unix|urn|vbscript|vbs|view-source|wais|web\+.*|webcal|wss?|wyciwyg|x-apple.*|xmpp):$/;
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
  return REVERSED_DOMAIN.test(protocol) || isShortScheme(uri, protocol) ? 'private' : undefined;
}

function isShortScheme(uri: string, protocol: string): boolean {
  return SHORT_SCHEME.test(protocol) && HAS_HOST.test(uri) && !TAKEN_SCHEMES.test(protocol);
}

/** Where the answer goes, in words for the person who is asked to allow it. */
export function redirectPlace(uri: string): string {
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
