/** An endpoint, with the data from which its methods are created. */
export interface Operation {
  method: string;
  /** The path below `/api/partner`, with `{name}` for parameters. */
  path: string;
  /** The fields sent in the query. */
  query?: readonly string[];
  /** Whether all other fields are sent in the body. */
  body?: boolean;
  /** Whether it takes an `Idempotency-Key`. */
  keyed?: boolean;
  /** Whether it returns CSV on request. */
  csv?: boolean;
  /** Whether it returns a PDF on request. */
  pdf?: boolean;
  /** The field with a page's items, and the field that selects the next page. */
  pages?: { items: string; cursor: string };
}

type Input = Readonly<Record<string, unknown>>;

/** A request without its signature. */
export interface PlainRequest {
  method: string;
  path: string;
  query: readonly (readonly [name: string, value: string])[];
  /** The exact text that is sent; undefined for no body. */
  body: string | undefined;
  /** Fields that the endpoint does not accept: misspelled, or newer than this package. */
  unsent: string[];
}

/** Distributes the fields of an input to path, query and body. @throws TypeError for a missing path parameter */
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
  // For a path with an ID, callers may pass the complete object that contains it.
  const asksForId = operation.path.includes('{');
  const unsent = operation.query && !operation.body && !asksForId ? [...left.keys()] : [];
  return { method: operation.method, path, query, body, unsent };
}
