/** A part of a document under construction. */
export type Json = Record<string, unknown>;

/** Converts `create_order` or `order.recorded` to `CreateOrder` or `OrderRecorded`. */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Returns the object without undefined values and empty arrays. */
export function compact(entries: Json): Json {
  return Object.fromEntries(
    Object.entries(entries).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

/** Applies `map` to every value, keeping the names. */
export function mapValues<T, R>(values: Readonly<Record<string, T>>, map: (value: T) => R) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}

/** The keywords under which a schema holds schemas by name; everywhere else a key is a keyword. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
/** Keywords whose value is data, not a schema. */
const DATA = new Set(['examples', 'default', 'const', 'enum', 'required']);

/** The named schemas of a document; each is written once and then referenced. */
export interface Components {
  /** Names a schema by its `title`, or else by `fallback`. */
  name(schema: object, fallback: string): void;
  /** Returns the schema as it appears in the document: named schemas become a `$ref`. */
  render(schema: object): unknown;
  schemas(): Json;
}

export function createComponents(): Components {
  const names = new Map<object, string>();
  const schemas = new Map<string, unknown>();

  const nameOf = (schema: object): string | undefined => {
    const { title } = schema as { title?: unknown };
    return names.get(schema) ?? (typeof title === 'string' ? title : undefined);
  };

  const render = (schema: object): unknown => {
    const name = nameOf(schema);
    if (name === undefined) return inline(schema);
    const rendered = inline(schema);
    const known = schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(rendered)) {
      throw new Error(`two schemas have the name ${name}`);
    }
    schemas.set(name, rendered);
    return { $ref: `#/components/schemas/${name}` };
  };

  const inline = (schema: object): Json =>
    Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [keyword, renderValue(keyword, value)]),
    );

  const renderValue = (keyword: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || DATA.has(keyword)) return value;
    if (Array.isArray(value)) return value.map((each) => renderValue('', each));
    if (!MAPS.has(keyword)) return render(value);
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, renderValue('', each)]),
    );
  };

  return {
    name(schema, fallback) {
      if (!names.has(schema)) names.set(schema, nameOf(schema) ?? fallback);
    },
    render,
    schemas: () =>
      Object.fromEntries([...schemas].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}
