import type { Step } from './middleware.ts';

/** A call, or one query parameter of it, that will go away. */
export interface Deprecation {
  api: 'public' | 'partner';
  method: string;
  /** The path, as in the route. */
  path: string;
  /** If set, only requests with this query parameter are deprecated. */
  parameter?: string;
  /** The day on which it was announced: `2026-11-21`. */
  since: string;
  /** The day from which it may stop answering, at least {@link NOTICE_DAYS} after `since`. */
  sunset: string;
  /** A page that says what to use instead. */
  link: string;
}

/** The minimum notice before something deprecated goes away. */
export const NOTICE_DAYS = 90;

/** The deprecated calls of both APIs. `docs/versioning.md` says when a call belongs here. */
export const DEPRECATIONS: readonly Deprecation[] = [];

/** Sets the deprecation headers on responses of deprecated calls, refused ones too (RFC 9745, RFC 8594). */
export function announceDeprecations(table: readonly Deprecation[], api: Deprecation['api']): Step {
  const entries = table
    .filter((entry) => entry.api === api)
    .map((entry) => ({
      ...entry,
      pattern: new RegExp(`^${entry.path.replace(/:\w+/g, '[^/]+')}$`),
      headers: deprecationHeaders(entry),
    }));
  return (req, res) => {
    if (entries.length === 0) return;
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    const found = entries.find(
      (entry) =>
        entry.method === method &&
        entry.pattern.test(req.path) &&
        (entry.parameter === undefined || Object.hasOwn(req.query, entry.parameter)),
    );
    if (found) res.set(found.headers);
  };
}

/** The entry of a route, if it has one. */
export function deprecationOf(
  table: readonly Deprecation[],
  api: Deprecation['api'],
  { method, path }: { method: string; path: string },
): Deprecation | undefined {
  return table.find((entry) => entry.api === api && entry.method === method && entry.path === path);
}

/** The `Deprecation`, `Sunset` and `Link` headers (RFC 9745, RFC 8594). */
export function deprecationHeaders({
  since,
  sunset,
  link,
}: Pick<Deprecation, 'since' | 'sunset' | 'link'>) {
  return {
    Deprecation: `@${Date.parse(since) / 1_000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `<${link}>; rel="deprecation"; type="text/html"`,
  };
}
