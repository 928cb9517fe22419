import { type TSchema, Type } from 'typebox';

/** An ISO 8601 instant in UTC with milliseconds. */
export const Instant = Type.String({ format: 'date-time' });

/** The field is always there; its value may be null. */
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** An optional query parameter that names any of `words`, comma-separated. */
export const wordList = (words: readonly string[]) =>
  Type.Optional(
    Type.String({ maxLength: 255, description: `Comma-separated, of ${words.join(', ')}.` }),
  );
