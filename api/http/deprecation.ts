import type { Step } from './middleware.ts';

/** A deprecated call, or one deprecated query parameter of a call. */
export interface Deprecation {
  api: 'public' | 'partner';
  method: string;
  /** The path, as in the route. */
  path: string;
  /** If set, only requests with this query parameter are deprecated. */
  parameter?: string;
  /** The day of the announcement: `2026-11-21`. */
  since: string;
  /** The day from which the call may stop working, at least {@link NOTICE_DAYS} after `since`. */
  sunset: string;
  /** A page that says what to use instead. */
  link: string;
}

/** The minimum notice, in days, before something deprecated is removed. */
export const NOTICE_DAYS = 90;

/** The deprecated calls of both APIs. `docs/versioning.md` says when a call belongs here. */
export const DEPRECATIONS: readonly Deprecation[] = [];

/** Sets the deprecation headers on responses to deprecated calls, including errors (RFC 9745, RFC 8594). */
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

/** Returns the deprecation of a route, if any. */
export function deprecationOf(
  table: readonly Deprecation[],
  api: Deprecation['api'],
  { method, path }: { method: string; path: string },
): Deprecation | undefined {
  return table.find((entry) => entry.api === api && entry.method === method && entry.path === path);
}

/** Returns the `Deprecation`, `Sunset` and `Link` headers (RFC 9745, RFC 8594). */
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
