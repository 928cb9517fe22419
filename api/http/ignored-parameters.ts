import type { Response } from 'express';
import type { RouteDefinition } from './route-table.ts';

export const IGNORED_PARAMETERS = 'X-Service-Ignored-Parameters';

/** A header that grows with the query would not pass every proxy. */
const MAX_LENGTH = 512;

/**
 * Names the query parameters that a row doesn't know, so that nobody takes an unfiltered answer for a filtered
 * one: `offset,minPrice`. Each name is percent-encoded; `...` at the end stands for names that found no room.
 */
export function ignoredParametersReporter(
  row: RouteDefinition,
): (query: object, res: Response) => void {
  const { properties = {} } = (row.query ?? {}) as { properties?: object };
  return (query, res) => {
    const ignored = Object.keys(query).filter(
      (name) => name !== '' && !Object.hasOwn(properties, name),
    );
    if (ignored.length > 0) res.setHeader(IGNORED_PARAMETERS, listed(ignored));
  };
}

function listed(names: readonly string[]): string {
  const fitting: string[] = [];
  let length = 0;
  for (const name of names) {
    const encoded = encodeURIComponent(name);
    length += encoded.length + 1;
    if (length > MAX_LENGTH) return [...fitting, '...'].join(',');
    fitting.push(encoded);
  }
  return fitting.join(',');
}
