import { LRUCache } from 'lru-cache';
import { DAY, MINUTE } from '../platform/clock.ts';
import type { WhoisTransport } from '../platform/line-client.ts';
import { WHOIS_QUESTIONS } from './known-registries.ts';
import { hostName } from './published-text.ts';
import { type HostLimiter, isHostBlocked } from './registry-gate.ts';

/** What a WHOIS server sent, or that it can't be asked or does not answer. */
export type WhoisOutcome =
  | { kind: 'text'; text: string }
  | { kind: 'busy'; retryAfterMs: number }
  | { kind: 'failed' };

export interface WhoisClient {
  /** Asks a server about a domain. Never throws. */
  ask(
    server: string,
    domain: string,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<WhoisOutcome>;
  /** Lets a server that refused us be for a while. */
  coolDown(server: string): Promise<void>;
  /** The server of a TLD as IANA knows it: null when there is none, undefined when IANA did not say. */
  serverOf(
    tld: string,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<string | null | undefined>;
}

const WHOIS_PORT = 43;
const MAX_BYTES = 131_072;
const REFUSAL_COOLDOWN_MS = 1 * MINUTE;

/**
 * Asks over port 43 (RFC 3912).
 * @param root IANA's own server, `host` or `host:port`; the port holds for the servers that it names, too
 */
export function createWhoisClient(deps: {
  lines: WhoisTransport;
  gate: HostLimiter;
  root: string;
}): WhoisClient {
  const { lines, gate, root } = deps;
  const [rootHost = '', rootPort = String(WHOIS_PORT)] = root.split(':');
  const port = Number(rootPort);
  const servers = new LRUCache<string, { server: string | null }>({ max: 2_000, ttl: 1 * DAY });

  const send = async (
    host: string,
    line: string,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<WhoisOutcome> => {
    const answer = await gate.pass(`whois:${host}`, signal, () =>
      lines({ host, port, line, deadlineMs, maxBytes: MAX_BYTES, signal }),
    );
    if (isHostBlocked(answer)) {
      const { closed, forMs } = answer;
      return closed === 'failing' ? { kind: 'failed' } : { kind: 'busy', retryAfterMs: forMs };
    }
    const answered = answer.kind === 'answer' && answer.body.length > 0;
    if (answered || answer.kind === 'answer' || answer.reason !== 'aborted') {
      gate.note(`whois:${host}`, answered);
    }
    return answered && !answer.truncated
      ? { kind: 'text', text: decoded(answer.body) }
      : { kind: 'failed' };
  };

  return {
    ask(server, domain, deadlineMs, signal) {
      const line = WHOIS_QUESTIONS[server]?.(domain) ?? domain;
      return send(server, line, deadlineMs, signal);
    },
    coolDown: (server) => gate.rest(`whois:${server}`, REFUSAL_COOLDOWN_MS),
    async serverOf(tld, deadlineMs, signal) {
      const known = servers.get(tld);
      if (known) return known.server;
      const answer = await send(rootHost, tld, deadlineMs, signal);
      if (answer.kind !== 'text') return undefined;
      const [, named] = /^whois:[ \t]*(\S+)/im.exec(answer.text) ?? [];
      const isAbout = new RegExp(`^domain(?:-ace)?:[ \\t]*${tld}\\s*$`, 'im').test(answer.text);
      const server = named === undefined ? null : hostName(named);
      // No answer about the TLD is no word that it has no server.
      if (server === null && !isAbout) return undefined;
      servers.set(tld, { server }, { ttl: server === null ? 10 * MINUTE : 1 * DAY });
      return server;
    },
  };
}

/** UTF-8 where it is, else Latin-1, which the older servers speak. */
function decoded(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return body.toString('latin1');
  }
}
