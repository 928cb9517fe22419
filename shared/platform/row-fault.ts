import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';

/** Returns the first fault of a row of a file, in words, such as `/term/min_years is required`. */
export function rowFault(schema: TSchema, row: unknown): string {
  const [fault] = Value.Errors(schema, row);
  if (fault?.keyword === 'required') {
    return `${fault.instancePath}/${fault.params.requiredProperties[0]} is required`;
  }
  return `${fault?.instancePath ?? ''} ${fault?.message ?? 'is not valid'}`.trim();
}
