/** An endpoint, as the methods are made from it. */
export interface Operation {
  method: string;
  /** Below `/api/partner`, with `{name}` for parameters. */
  path: string;
  /** The fields that go into the query. */
  query?: readonly string[];
  /** All other fields are the body. */
  body?: boolean;
  /** Takes an `Idempotency-Key`. */
  keyed?: boolean;
  /** Answers CSV when it is asked for. */
  csv?: boolean;
  /** Answers a PDF when it is asked for. */
  pdf?: boolean;
  /** Where a page's items are, and the field that asks for the next page. */
  pages?: { items: string; cursor: string };
}

type Input = Readonly<Record<string, unknown>>;

/** A request without its signature. */
export interface PlainRequest {
  method: string;
  path: string;
  query: readonly (readonly [name: string, value: string])[];
  /** The exact text that is sent; undefined for none. */
  body: string | undefined;
  /** Fields that the endpoint has no place for: misspelled, or newer than this package. */
  unsent: string[];
}

/** Puts the fields of an input where the endpoint wants them. @throws TypeError for a path without its id */
export function requestOf(operation: Operation, input: Input): PlainRequest {
  const left = new Map(Object.entries(input));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = left.get(name);
    left.delete(name);
    if (value === undefined || value === null || value === '') {
      throw new TypeError(`${operation.method} ${operation.path} needs ${name}`);
    }
    return encodeURIComponent(String(value));
  });
  const query = (operation.query ?? []).flatMap((name) => {
    const value = left.get(name);
    if (!operation.body) left.delete(name);
    return value === undefined || value === null ? [] : [[name, String(value)] as const];
  });
  const body = operation.body ? JSON.stringify(Object.fromEntries(left)) : undefined;
  // Where an id is asked for, the whole object that has it may be passed.
  const asksForId = operation.path.includes('{');
  const unsent = operation.query && !operation.body && !asksForId ? [...left.keys()] : [];
  return { method: operation.method, path, query, body, unsent };
}
