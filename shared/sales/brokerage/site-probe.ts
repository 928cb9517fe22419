import type { Config, Environment } from '../../platform/config/config.ts';
import { createDnsRecords, type DnsRecords } from '../../platform/outbound/dns.ts';
import type { HttpClient, OutboundResult } from '../../platform/outbound/http-client.ts';
import { isParkingHost, parkedSign, readPage } from './parked-page.ts';

/**
 * What stands behind a domain. `no_site`: registered, with nothing to see. `unknown`: nobody answered in time,
 * which is no proof of anything.
 */
export interface SiteFinding {
  state: 'active' | 'parked' | 'no_site' | 'unregistered' | 'unknown';
}

/** Looks at the site of a domain (A-labels); never throws, and never takes longer than its budget. */
export type SiteProbe = (domain: string) => Promise<SiteFinding>;

/** The probe of each environment. */
export type SiteProbes = Record<Environment, SiteProbe>;

export interface SiteProbeOptions {
  dns: DnsRecords;
  http: HttpClient;
  /** Milliseconds for DNS and HTTP together. */
  budgetMs: number;
  userAgent: string;
  /** The front pages to ask for; replaced in tests, whose sites have ports. */
  frontPages?: (host: string) => readonly string[];
}

const MAX_REDIRECTS = 3;
/** The caller of a partner waits for the answer. */
const PROBE_MS = 3_000;
const MAX_PAGE_BYTES = 65_536;

/** What a guarded site answers to a visitor that it takes for a machine: somebody runs it. */
const GUARDED = new Set([401, 403, 429]);

const bothSchemes = (host: string) => [`https://${host}/`, `http://${host}/`];

/**
 * Asks DNS and then the front page. A name that DNS does not delegate counts as unregistered: near enough, as
 * the few registered domains without name servers have no owner who can be found by their site either.
 */
export function createSiteProbe(options: SiteProbeOptions): SiteProbe {
  const { dns, budgetMs, frontPages = bothSchemes } = options;
  return async (domain) => {
    const deadline = performance.now() + budgetMs;
    const left = () => Math.max(1, Math.round(deadline - performance.now()));
    const www = `www.${domain}`;
    const [servers, alias] = await Promise.all([
      dns.ask(domain, 'NS', budgetMs / 2),
      dns.ask(www, 'CNAME', budgetMs / 2),
    ]);
    if (servers.kind === 'no_such_name' || servers.kind === 'no_records') {
      return { state: (await knowsTld(dns, domain, left())) ? 'unregistered' : 'unknown' };
    }
    for (const answer of [servers, alias]) {
      if (answer.kind === 'records' && answer.values.some(isParkingHost))
        return { state: 'parked' };
    }
    const visit = (host: string) =>
      firstActive((signal) =>
        frontPages(host).map((url) =>
          // What no client can even ask for is nobody's site.
          fetchFrontPage(options, url, { left, signal }).catch((): PageFinding => 'no_site'),
        ),
      );
    const bare = await visit(domain);
    if (bare !== 'no_address') return { state: bare };
    const prefixed = await visit(www);
    if (prefixed !== 'no_address') return { state: prefixed };
    return { state: servers.kind === 'timeout' ? 'unknown' : 'no_site' };
  };
}

/** A resolver that does not know the TLD either knows nothing: it is cut off, or answers for a closed network. */
async function knowsTld(dns: DnsRecords, domain: string, deadlineMs: number): Promise<boolean> {
  const tld = domain.slice(domain.lastIndexOf('.') + 1);
  return (await dns.ask(tld, 'NS', deadlineMs)).kind === 'records';
}

type PageFinding = 'active' | 'parked' | 'unknown' | 'no_site' | 'no_address';

/** One live page makes a site, so the first one ends the wait for the others; without one, all are weighed. */
async function firstActive(
  begin: (signal: AbortSignal) => Promise<PageFinding>[],
): Promise<PageFinding> {
  const enough = new AbortController();
  const looks = begin(enough.signal);
  const active = new Promise<PageFinding>((resolve) => {
    for (const each of looks) each.then((sight) => sight === 'active' && resolve(sight));
  });
  const weighed = Promise.all(looks).then((sights) => {
    const order: readonly PageFinding[] = ['active', 'parked', 'unknown', 'no_site', 'no_address'];
    return order.find((sight) => sights.includes(sight)) ?? 'no_address';
  });
  const sight = await Promise.race([active, weighed]);
  enough.abort();
  return sight;
}

/** Follows a URL to its page. Each step is vetted by the client like the first, which follows nothing itself. */
async function fetchFrontPage(
  { http, userAgent }: SiteProbeOptions,
  start: string,
  { left, signal }: { left: () => number; signal: AbortSignal },
): Promise<PageFinding> {
  let url = start;
  for (let step = 0; step <= MAX_REDIRECTS; step += 1) {
    const result = await http.request({
      method: 'GET',
      url,
      headers: { 'user-agent': userAgent, accept: 'text/html', 'accept-encoding': 'identity' },
      deadlineMs: left(),
      maxResponseBytes: MAX_PAGE_BYTES,
      signal,
    });
    if (result.kind === 'failure') return sightOfFailure(result.reason, step);
    const next = redirectOf(result, url);
    if (next === undefined) return sightOfPage(result);
    if (isParkingHost(next.hostname)) return 'parked';
    url = next.href;
  }
  return 'no_site';
}

type Failure = Extract<OutboundResult, { kind: 'failure' }>['reason'];

function sightOfFailure(reason: Failure, step: number): PageFinding {
  if (reason === 'timeout' || reason === 'aborted') return 'unknown';
  return reason === 'dns_failure' && step === 0 ? 'no_address' : 'no_site';
}

type Response = Extract<OutboundResult, { kind: 'response' }>;

function redirectOf({ status, headers }: Response, from: string): URL | undefined {
  const { location } = headers;
  if (status < 300 || status > 399 || location === undefined) return undefined;
  return URL.canParse(location, from) ? new URL(location, from) : undefined;
}

function sightOfPage({ status, headers, body, truncated }: Response): PageFinding {
  if (GUARDED.has(status)) return 'active';
  if (status < 200 || status > 299) return 'no_site';
  if (truncated === 'unfinished') return 'unknown';
  if (body.length === 0) return 'no_site';
  // Something is served that is no page to be read: a file, an API, a compressed answer.
  if (!/html|text\/plain/.test(headers['content-type'] ?? 'text/html')) return 'active';
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return 'active';
  return parkedSign(readPage(body.toString('utf8'))) === null ? 'active' : 'parked';
}

/** LIVE looks at the real site; SANDBOX answers by the name. */
export function createSiteProbes(config: Config, http: HttpClient): SiteProbes {
  return {
    SANDBOX: probeSandboxSite,
    LIVE: createSiteProbe({
      dns: createDnsRecords(),
      http,
      budgetMs: PROBE_MS,
      userAgent: `DomainMarketplace-SiteProbe/1.0 (+${config.baseUrl})`,
    }),
  };
}

/** What the sandbox's probe finds behind a domain whose label starts so (docs/sandbox.md). */
export const RESERVED_SITES = {
  'active-': 'active',
  'parked-': 'parked',
  'nosite-': 'no_site',
  'slowsite-': 'unknown',
  'unregistered-': 'unregistered',
} as const satisfies Record<string, SiteFinding['state']>;

/** The sandbox looks at nobody's site: the name tells, and every other name is registered without a site. */
const probeSandboxSite: SiteProbe = async (domain) => {
  for (const [prefix, state] of Object.entries(RESERVED_SITES)) {
    if (domain.startsWith(prefix)) return { state };
  }
  return { state: 'no_site' };
};
