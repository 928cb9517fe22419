import { toUnicode } from 'tr46';
import { Type } from 'typebox';

/** An amount in the data of a mail: minor units and ISO 4217. */
export const MONEY_DATA = Type.Object({ amount: Type.Integer(), currency: Type.String() });
/** An instant in the data of a mail, as ISO 8601. */
export const INSTANT_DATA = Type.String({ format: 'date-time' });

/** Formats a domain in Unicode, followed by its A-label if they differ, since letters can look alike. */
export function domainInLetter(domain: string): string {
  const { domain: unicode, error } = toUnicode(domain);
  return error || unicode === domain ? domain : `${unicode} (${domain})`;
}
