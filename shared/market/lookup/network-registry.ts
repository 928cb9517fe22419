import { SECOND } from '../../platform/clock.ts';
import { MAX_COOLDOWN_MS } from './host-limiter.ts';
import { RESERVED_TLDS } from './known-registries.ts';
import {
  type QueryRegistry,
  type RegistryRecord,
  type RegistryResult,
  type UnreadableAnswer,
  unregisteredRecord,
} from './lookup.ts';
import type { RdapBootstrap } from './rdap-bootstrap.ts';
import type { RdapClient } from './rdap-client.ts';
import { readRdapDomain } from './rdap-response.ts';
import type { WhoisClient } from './whois-client.ts';
import { readWhois } from './whois-response.ts';
import { refusalWaitMs } from './whois-verdict.ts';

export interface NetworkRegistryOptions {
  bootstrap: RdapBootstrap;
  rdap: RdapClient;
  whois: WhoisClient;
  /** RDAP servers by suffix, used before the bootstrap file is loaded and for suffixes it lacks. */
  knownRdap: ReadonlyMap<string, string>;
  /** WHOIS servers by suffix. */
  knownWhois: ReadonlyMap<string, string>;
  /** Milliseconds per server. */
  rdapMs: number;
  whoisMs: number;
}

/** Asks a registrar for its record of a domain; null if there is none we can read. Never throws. */
export type QueryRegistrar = (
  domain: string,
  url: string,
  signal: AbortSignal,
) => Promise<RegistryRecord | null>;

const RETRY_SECONDS = 10;

/**
 * Queries the real registries: RDAP first, WHOIS if RDAP gives no readable answer. A registry that asked us to retry
 * later is not queried over WHOIS instead.
 */
export function createNetworkRegistry(options: NetworkRegistryOptions): {
  ask: QueryRegistry;
  askRegistrar: QueryRegistrar;
} {
  const { bootstrap, rdap, whois, knownRdap, knownWhois, rdapMs, whoisMs } = options;

  const viaRdap = async (
    domain: string,
    server: string,
    signal: AbortSignal,
  ): Promise<RegistryResult | undefined> => {
    const base = server.endsWith('/') ? server : `${server}/`;
    const outcome = await rdap(`${base}domain/${domain}`, rdapMs, signal);
    if (outcome.kind === 'busy') return unavailable(outcome.retryAfterMs);
    if (outcome.kind === 'no_such_name') return recordOf(unregisteredRecord(domain, 'rdap'));
    if (outcome.kind === 'failed') return undefined;
    const read = outcome.kind === 'answer' ? readRdapDomain(domain, outcome.value) : undefined;
    return read ? { kind: 'record', ...read } : unreadable('rdap', outcome.text);
  };

  const viaWhois = async (
    domain: string,
    server: string,
    signal: AbortSignal,
  ): Promise<RegistryResult> => {
    const outcome = await whois.ask(server, domain, whoisMs, signal);
    if (outcome.kind === 'busy') return unavailable(outcome.retryAfterMs);
    if (outcome.kind === 'failed') return unavailable();
    const reading = readWhois(domain, outcome.text);
    if (reading === 'unregistered') return recordOf(unregisteredRecord(domain, 'whois'));
    if (reading === 'busy') {
      const ms = Math.min(refusalWaitMs(outcome.text) ?? 0, MAX_COOLDOWN_MS);
      await whois.coolDown(server, ms);
      return unavailable(ms);
    }
    return reading === 'unreadable' ? unreadable('whois', outcome.text) : recordOf(reading);
  };

  return {
    async ask(domain, signal) {
      const suffixes = suffixesOf(domain);
      const [tld = ''] = suffixes.slice(-1);
      if (RESERVED_TLDS.has(tld)) return { kind: 'unsupported' };
      const known = suffixes.map((suffix) => knownRdap.get(suffix)).find(Boolean);
      // If a server is known already, don't wait for the file.
      const file = await bootstrap.services(known === undefined ? signal : AbortSignal.abort());
      const server = suffixes.map((suffix) => file.rdap.get(suffix)).find(Boolean) ?? known;
      const finding = server === undefined ? undefined : await viaRdap(domain, server, signal);
      if (finding && finding.kind !== 'unreadable') return finding;
      if (signal.aborted) return unavailable();

      const listed = suffixes.map((suffix) => knownWhois.get(suffix)).find(Boolean);
      const whoisServer = listed ?? (await whois.serverOf(tld, whoisMs, signal));
      if (whoisServer) return viaWhois(domain, whoisServer, signal);
      // IANA did not answer, so a WHOIS server may exist that knows more.
      if (whoisServer === undefined) return unavailable();
      if (finding) return finding;
      return server === undefined && file.fetched ? { kind: 'unsupported' } : unavailable();
    },
    async askRegistrar(domain, url, signal) {
      const outcome = await rdap(url, rdapMs, signal);
      if (outcome.kind !== 'answer') return null;
      return readRdapDomain(domain, outcome.value)?.record ?? null;
    },
  };
}

/** Returns the suffixes of a domain, longest first (RFC 9224, 4): `com.au` and `au` for `example.com.au`. */
function suffixesOf(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(1).map((_label, at) => labels.slice(at + 1).join('.'));
}

const recordOf = (record: RegistryRecord): RegistryResult => ({
  kind: 'record',
  record,
  registrarUrl: null,
});

const unreadable = (source: UnreadableAnswer['source'], text: string): UnreadableAnswer => ({
  kind: 'unreadable',
  source,
  text,
});

function unavailable(retryAfterMs = RETRY_SECONDS * SECOND): RegistryResult {
  return {
    kind: 'unavailable',
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / SECOND)),
  };
}
