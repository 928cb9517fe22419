import type { Config, Environment } from '../../platform/config/config.ts';
import { createDnsRecords, type DnsRecords } from '../../platform/outbound/dns.ts';
import type { HttpClient, OutboundResult } from '../../platform/outbound/http-client.ts';
import { isParkingHost, parkedSign, readPage } from './parked-page.ts';

/**
 * What a domain's site shows. `no_site`: registered, with nothing to see. `unknown`: no answer in time, which proves
 * nothing.
 */
export interface SiteFinding {
  state: 'active' | 'parked' | 'no_site' | 'unregistered' | 'unknown';
}

/** Probes the site of a domain (A-labels). Never throws, and never takes longer than its budget. */
export type SiteProbe = (domain: string) => Promise<SiteFinding>;

/** The probe of each environment. */
export type SiteProbes = Record<Environment, SiteProbe>;

export interface SiteProbeOptions {
  dns: DnsRecords;
  http: HttpClient;
  /** Milliseconds for DNS and HTTP together. */
  budgetMs: number;
  userAgent: string;
  /** The front pages to request; replaced in tests, whose sites have ports. */
  frontPages?: (host: string) => readonly string[];
}

const MAX_REDIRECTS = 3;
/** The budget of a probe. It is short because a partner's caller waits for the answer. */
const PROBE_MS = 3_000;
const MAX_PAGE_BYTES = 65_536;

/** The statuses with which a protected site rejects a suspected bot. They show that somebody runs the site. */
const GUARDED = new Set([401, 403, 429]);

const bothSchemes = (host: string) => [`https://${host}/`, `http://${host}/`];

/**
 * Creates a probe that asks DNS and then the front page. A name without a delegation counts as unregistered. That is
 * close enough, since the few registered domains without name servers have no site through which to find their owner.
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
          // A URL that no client can request is not a site.
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

/** Whether the resolver knows the TLD. If not, it is cut off or serves a closed network, so its answers mean little. */
async function knowsTld(dns: DnsRecords, domain: string, deadlineMs: number): Promise<boolean> {
  const tld = domain.slice(domain.lastIndexOf('.') + 1);
  return (await dns.ask(tld, 'NS', deadlineMs)).kind === 'records';
}

type PageFinding = 'active' | 'parked' | 'unknown' | 'no_site' | 'no_address';

/** Returns `active` at the first live page without waiting for the others, or else the strongest of all findings. */
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

/** Follows redirects to the page. The HTTP client follows none itself, so that it vets each URL like the first one. */
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
  // The response is not a readable page: a file, an API, a compressed body.
  if (!/html|text\/plain/.test(headers['content-type'] ?? 'text/html')) return 'active';
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return 'active';
  return parkedSign(readPage(body.toString('utf8'))) === null ? 'active' : 'parked';
}

/** Creates the probes: LIVE probes the real site, SANDBOX answers by the name. */
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

/** The sandbox probe's findings by the prefix of the domain (docs/sandbox.md). */
export const RESERVED_SITES = {
  'active-': 'active',
  'parked-': 'parked',
  'nosite-': 'no_site',
  'slowsite-': 'unknown',
  'unregistered-': 'unregistered',
} as const satisfies Record<string, SiteFinding['state']>;

/** Answers by the domain's prefix, without requests. Every other name counts as registered without a site. */
const probeSandboxSite: SiteProbe = async (domain) => {
  for (const [prefix, state] of Object.entries(RESERVED_SITES)) {
    if (domain.startsWith(prefix)) return { state };
  }
  return { state: 'no_site' };
};
