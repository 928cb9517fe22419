import type { RequestHandler, Response } from 'express';

/** The content policy and headers of one kind of page. */
interface HeaderSet {
  /** Content policy directives, in addition to those of every page. */
  policy: Readonly<Partial<Record<Directive, string>>>;
  headers: Readonly<Record<string, string>>;
}

/** In the order in which a policy lists them. */
const DIRECTIVES = [
  'script-src',
  'img-src',
  'connect-src',
  'font-src',
  'frame-src',
  'form-action',
  'sandbox',
] as const;
type Directive =
  | (typeof DIRECTIVES)[number]
  | 'style-src'
  | 'font-src'
  | 'base-uri'
  | 'frame-ancestors';

const NO_SENSORS = { 'Permissions-Policy': 'camera=(), geolocation=(), microphone=()' };
/** For pages whose URL grants access: it must not get into caches, search indexes or other sites' logs. */
const SECRET_ADDRESS = {
  ...NO_SENSORS,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
};
const SIGN_IN_HEADERS = {
  ...SECRET_ADDRESS,
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'unsafe-none',
};
const ACCOUNT = {
  policy: { 'script-src': "'self'", 'img-src': 'data:', 'form-action': "'self'" },
  headers: { ...SECRET_ADDRESS, 'Referrer-Policy': 'same-origin' },
};
const PORTAL = {
  'script-src': "'self'",
  'img-src': "'self' data:",
  'form-action': "'none'",
};

/** The content policy and headers of each kind of page. */
const PAGE_KINDS = {
  /** A page that can't connect to anything, not even to us: what is typed into it stays in it. */
  portal: { policy: { ...PORTAL, 'connect-src': "'none'" }, headers: NO_SENSORS },
  /** The portal's search: its form leads to itself, and its script requests the same page. */
  'portal-with-form': {
    policy: { ...PORTAL, 'connect-src': "'self'", 'form-action': "'self'" },
    headers: NO_SENSORS,
  },
  /** A portal page whose script sends requests to us. */
  'portal-with-requests': {
    policy: { ...PORTAL, 'connect-src': "'self'" },
    headers: NO_SENSORS,
  },
  checkout: {
    policy: { 'script-src': "'self'", 'img-src': 'data:', 'form-action': "'self'" },
    headers: SECRET_ADDRESS,
  },
  brokerage: {
    policy: { 'img-src': 'data:', 'form-action': "'self'" },
    headers: SECRET_ADDRESS,
  },
  registrant: {
    policy: { 'img-src': 'data:', 'form-action': "'self'" },
    headers: SECRET_ADDRESS,
  },
  /**
   * No `form-action`: browsers check a form's whole redirect chain against it, and that chain ends at the client, which
   * may redirect anywhere. A client that opened these pages in a window keeps its reference to that window
   * (`Cross-Origin-Opener-Policy`), to read the response there.
   */
  'sign-in': {
    policy: { 'img-src': 'data:' },
    headers: SIGN_IN_HEADERS,
  },
  /** Sign-in pages that accept a passkey, which needs a script. */
  'sign-in-passkey': {
    policy: { 'script-src': "'self'", 'img-src': 'data:' },
    headers: SIGN_IN_HEADERS,
  },
  /** Users' own pages: mails link to them, with URLs that let their owner act. */
  account: ACCOUNT,
  /** The account pages that follow a job. */
  'account-live': {
    policy: { ...ACCOUNT.policy, 'connect-src': "'self'" },
    headers: ACCOUNT.headers,
  },
  console: {
    policy: { 'img-src': "'self' data:", 'frame-src': "'self'", 'form-action': "'self'" },
    headers: { 'Cache-Control': 'no-store' },
  },
  /** The console's sign-in, where passkeys need a script. */
  'console-sign-in': {
    policy: { 'script-src': "'self'", 'img-src': "'self' data:", 'form-action': "'self'" },
    headers: { 'Cache-Control': 'no-store' },
  },
  /** The unsubscribe pages of notices. */
  mail: { policy: { 'img-src': 'data:', 'form-action': "'self'" }, headers: SECRET_ADDRESS },
  mailbox: {
    policy: { 'img-src': 'data:', 'frame-src': "'self'" },
    headers: { 'Cache-Control': 'no-store' },
  },
  /** A mail in one of our frames: without an origin or scripts, with the inline styles of mails. */
  'mail-frame': {
    policy: {
      'style-src': "'unsafe-inline'",
      'img-src': 'data:',
      'font-src': "'none'",
      sandbox: 'allow-popups allow-popups-to-escape-sandbox',
      'frame-ancestors': "'self'",
    },
    headers: { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
  },
  /** Bull Board has its own scripts and inline styles; its web fonts are not loaded. */
  'queue-dashboard': {
    policy: {
      'style-src': "'self' 'unsafe-inline'",
      'script-src': "'self'",
      'img-src': "'self' data:",
      'connect-src': "'self'",
      'form-action': "'self'",
      'base-uri': "'self'",
    },
    headers: { 'Cache-Control': 'no-store' },
  },
} as const satisfies Record<string, HeaderSet>;

export type PageKind = keyof typeof PAGE_KINDS;

/** Sets the content policy and headers of a kind of page. Only mails may be shown in a frame. */
export function setPageHeaders(res: Response, kind: PageKind): void {
  const { policy, headers }: HeaderSet = PAGE_KINDS[kind];
  res.set({ ...headers, 'Content-Security-Policy': contentPolicy(policy) });
}

/** Sets the headers of a kind of page on every response behind it. */
export function pageHeaders(kind: PageKind): RequestHandler {
  return (_req, res, next) => {
    setPageHeaders(res, kind);
    next();
  };
}

/** Sets the headers of a page that is the same for everyone; caches may keep it for this many seconds. */
export function setPublicPageHeaders(
  res: Response,
  kind: 'portal' | 'portal-with-form' | 'portal-with-requests',
  seconds = 300,
): void {
  setPageHeaders(res, kind);
  res.set('Cache-Control', `public, max-age=${seconds}`);
}

/** Origins that are safe in a policy; other hosts may contain characters that would end the directive. */
const PLAIN_ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

const originOf = (address: string) => new URL(address).origin;

/** Allows a policy to load a partner's logo, which is on another server. */
function withLogo(policy: HeaderSet['policy'], logoUrl: string | null): HeaderSet['policy'] {
  const origin = logoUrl && originOf(logoUrl);
  if (!origin || !PLAIN_ORIGIN.test(origin)) return policy;
  return { ...policy, 'img-src': `${policy['img-src'] ?? ''} ${origin}`.trim() };
}

/** Allows a page to show a partner's logo; null for none. */
export function allowLogo(res: Response, kind: PageKind, logoUrl: string | null): void {
  res.set('Content-Security-Policy', contentPolicy(withLogo(PAGE_KINDS[kind].policy, logoUrl)));
}

/**
 * Allows the forms of a checkout page to end, through redirects, at these URLs: browsers check a form's whole redirect
 * chain against the policy of its page. `provider`: also allows any HTTPS URL, since a provider's payment page may be
 * on its own domain. Allows the partner's logo, too.
 */
export function allowFormTargets(
  res: Response,
  targets: readonly (string | null)[],
  provider: boolean,
  logoUrl: string | null,
): void {
  const origins = targets
    .filter((target) => target !== null)
    .map(originOf)
    .filter((origin) => PLAIN_ORIGIN.test(origin));
  const allowed = ["'self'", ...(provider ? ['https:'] : []), ...origins].join(' ');
  const policy = { ...withLogo(PAGE_KINDS.checkout.policy, logoUrl), 'form-action': allowed };
  res.set('Content-Security-Policy', contentPolicy(policy));
}

/** All pages use our own typeface. */
const EVERYWHERE: HeaderSet['policy'] = { 'font-src': "'self'" };

function contentPolicy(own: HeaderSet['policy']): string {
  const policy = { ...EVERYWHERE, ...own };
  return [
    "default-src 'none'",
    `style-src ${policy['style-src'] ?? "'self'"}`,
    ...DIRECTIVES.flatMap((name) =>
      policy[name] === undefined ? [] : [`${name} ${policy[name]}`],
    ),
    `base-uri ${policy['base-uri'] ?? "'none'"}`,
    `frame-ancestors ${policy['frame-ancestors'] ?? "'none'"}`,
  ].join('; ');
}
