import type { Step } from './middleware.ts';

/** A call, or one query parameter of it, that will go away. */
export interface Deprecation {
  api: 'public' | 'partner';
  method: string;
  /** As in the route. */
  path: string;
  /** Only requests with this query parameter are concerned. */
  parameter?: string;
  /** The day on which it was announced: `2026-11-21`. */
  since: string;
  /** The day from which it may not answer any more, {@link NOTICE_DAYS} or more after `since`. */
  sunset: string;
  /** A page that says what to use instead. */
  link: string;
}

/** How long what is deprecated stays, at least. */
export const NOTICE_DAYS = 90;

/** What is on its way out, on both APIs. `docs/versioning.md` says when a call belongs here. */
export const DEPRECATIONS: readonly Deprecation[] = [];

/** Says of deprecated calls, refused ones too, since when and until when (RFC 9745, RFC 8594). */
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

/** What answers say of what will go away (RFC 9745, RFC 8594). */
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
