import type { RequestHandler, Response } from 'express';

/** What pages of one kind may load, do, and be kept in. */
interface HeaderSet {
  /** Directives of the content policy, beyond those of every page. */
  policy: Readonly<Partial<Record<Directive, string>>>;
  headers: Readonly<Record<string, string>>;
}

/** In the order in which a policy names them. */
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
/** The address of such a page opens it: it goes into no cache, no index and no other site's logs. */
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
  /** A page that can connect to nothing, not even to us: what is typed into it stays in it. */
  portal: { policy: { ...PORTAL, 'connect-src': "'none'" }, headers: NO_SENSORS },
  /** The search of the portal: its form leads to itself, and its script asks for the same. */
  'portal-with-form': {
    policy: { ...PORTAL, 'connect-src': "'self'", 'form-action': "'self'" },
    headers: NO_SENSORS,
  },
  /** A page of the portal whose script asks us for something. */
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
   * No `form-action`: browsers hold the whole chain of a form's redirects against it, and that chain ends at
   * the client, which may send the browser on to wherever it likes. A client that opened these pages in a
   * window keeps its hold on that window (`Cross-Origin-Opener-Policy`), to read the answer there.
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
  /** People's own pages: links of mails lead there, whose addresses let their owner act. */
  account: ACCOUNT,
  /** The one of them that follows a job. */
  'account-live': {
    policy: { ...ACCOUNT.policy, 'connect-src': "'self'" },
    headers: ACCOUNT.headers,
  },
  console: {
    policy: { 'img-src': "'self' data:", 'frame-src': "'self'", 'form-action': "'self'" },
    headers: { 'Cache-Control': 'no-store' },
  },
  /** The way into the console, where passkeys need a script. */
  'console-sign-in': {
    policy: { 'script-src': "'self'", 'img-src': "'self' data:", 'form-action': "'self'" },
    headers: { 'Cache-Control': 'no-store' },
  },
  /** The way out of notices. */
  mail: { policy: { 'img-src': 'data:', 'form-action': "'self'" }, headers: SECRET_ADDRESS },
  mailbox: {
    policy: { 'img-src': 'data:', 'frame-src': "'self'" },
    headers: { 'Cache-Control': 'no-store' },
  },
  /** A mail in a frame of ours: of no origin, without scripts, with the styles that mail has. */
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
  /** Bull Board brings scripts and inline styles of its own; its web fonts stay where they are. */
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

/** Sets the content policy and the headers of a kind of page. Nothing of ours but mails may be shown in a frame. */
export function setPageHeaders(res: Response, kind: PageKind): void {
  const { policy, headers }: HeaderSet = PAGE_KINDS[kind];
  res.set({ ...headers, 'Content-Security-Policy': contentPolicy(policy) });
}

/** The same for every answer behind it. */
export function pageHeaders(kind: PageKind): RequestHandler {
  return (_req, res, next) => {
    setPageHeaders(res, kind);
    next();
  };
}

/** The headers of a page that is the same for everybody; caches may keep it for so many seconds. */
export function setPublicPageHeaders(
  res: Response,
  kind: 'portal' | 'portal-with-form' | 'portal-with-requests',
  seconds = 300,
): void {
  setPageHeaders(res, kind);
  res.set('Cache-Control', `public, max-age=${seconds}`);
}

/** Origins that can stand in a policy as they are; a host may hold characters that would end the directive. */
const PLAIN_ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

const originOf = (address: string) => new URL(address).origin;

/** Lets pages of a kind show the logo of a partner, which is on a server of its own. */
function withLogo(policy: HeaderSet['policy'], logoUrl: string | null): HeaderSet['policy'] {
  const origin = logoUrl && originOf(logoUrl);
  if (!origin || !PLAIN_ORIGIN.test(origin)) return policy;
  return { ...policy, 'img-src': `${policy['img-src'] ?? ''} ${origin}`.trim() };
}

/** Allows a page to show the logo of a partner; null is none. */
export function allowLogo(res: Response, kind: PageKind, logoUrl: string | null): void {
  res.set('Content-Security-Policy', contentPolicy(withLogo(PAGE_KINDS[kind].policy, logoUrl)));
}

/**
 * Allows the forms of a checkout page to end, by redirects, at these addresses: browsers hold the whole chain
 * of a form's redirects against the policy of the page that it is on. `provider`: any HTTPS address, too,
 * since a provider's payment page may be on a domain of its own. And it may show the logo of its partner.
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

/** Pages are set in a typeface of ours. */
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
