import { type TSchema, Type } from 'typebox';

/** An ISO 8601 instant in UTC with milliseconds. */
export const Instant = Type.String({ format: 'date-time' });

/** The pattern of a country's code (ISO 3166-1 alpha-2). */
export const COUNTRY_CODE = '^[A-Z]{2}$';
/** The pattern of a currency's code (ISO 4217). */
export const CURRENCY_CODE = '^[A-Z]{3}$';

/** The pattern of a color. */
export const COLOR = '^#[0-9a-fA-F]{6}$';
/** The pattern of a SHA-256 in hexadecimal. */
export const SHA256_HEX = '^[0-9a-f]{64}$';
/** The pattern of a job number. */
export const JOB_NUMBER = '^[1-9][0-9]{0,14}$';
/** The pattern of the name of a sanctions list. */
export const LIST_NAME = '^[a-z0-9][a-z0-9-]{0,31}$';
/** The pattern of a span of time. */
export const SPAN = '^[1-9][0-9]{0,4}[smhd]$';

/** Makes a schema nullable: the field is always present, but its value may be null. */
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** The same schema, but an object that names fields has no others. For checks of what we write ourselves. */
export function closedSchema<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closedSchema) as T;
  if (schema === null || typeof schema !== 'object') return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, closedSchema(value)]),
  );
  const named = Object.keys(copy.properties ?? {}).length > 0;
  const closes = named && copy.type === 'object' && copy.additionalProperties === undefined;
  return (closes ? { ...copy, additionalProperties: false } : copy) as T;
}
