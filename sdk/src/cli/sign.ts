import { randomUUID } from 'node:crypto';
import { prefixOf } from '../options.ts';
import { canonicalQuery, canonicalString, signatureHeaders } from '../sign.ts';
import type { Command } from './command.ts';
import { accessOf, UsageError } from './settings.ts';

/** Prints the curl command of one signed request; it is valid for five minutes and for one use. */
export const signCommand: Command = {
  usage: `domain-marketplace sign <METHOD> <path> [--query name=value]... [--data <json>]
                        [--idempotency-key <key>] [--canonical]

  The path is the one of the endpoint (/v1/orders) or the whole one (/api/partner/v1/orders).
  --canonical prints the string that is signed instead.`,
  words: 2,
  options: {
    query: { type: 'string', multiple: true },
    data: { type: 'string' },
    'idempotency-key': { type: 'string' },
    canonical: { type: 'boolean' },
  },
  async run({ line, say }) {
    const [givenMethod, givenPath] = line.positionals;
    if (!givenMethod || !givenPath?.startsWith('/')) {
      throw new UsageError('Give a method and a path.');
    }
    const access = accessOf(line);
    const method = givenMethod.toUpperCase();
    const [path = '', search = ''] = givenPath.split('?');
    const base = new URL(access.baseUrl);
    const prefix = prefixOf(base);
    const below = path.replace(/^.*\/api\/partner(?=\/)/, '');
    const query = [...new URLSearchParams(search), ...line.texts('query').map(pairOf)];
    const body = line.text('data');
    const request = {
      method,
      path: prefix + below,
      query,
      body,
      nowMs: Date.now(),
      nonce: randomUUID(),
    };
    if (line.on('canonical')) return say(canonicalString(request));
    const key =
      line.text('idempotency-key') ??
      (below.endsWith('/orders') && method === 'POST' && randomUUID());
    const headers = {
      ...signatureHeaders(access, request),
      ...(key && { 'Idempotency-Key': key }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    const encoded = canonicalQuery(query);
    const url = `${base.origin}${request.path}${encoded && `?${encoded}`}`;
    say(
      [
        `curl -sS -X ${method} ${quoted(url)}`,
        ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
        ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
      ].join(' \\\n  '),
    );
  },
};

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Quotes text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
