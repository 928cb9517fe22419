/** A part of a document under construction. */
export type Json = Record<string, unknown>;

/** `create_order` or `order.recorded` as `CreateOrder`, `OrderRecorded`. */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** The same object without the entries that say nothing. */
export function compact(entries: Json): Json {
  return Object.fromEntries(
    Object.entries(entries).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
}
