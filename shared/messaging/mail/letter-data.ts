import { toUnicode } from 'tr46';
import { Type } from 'typebox';

/** An amount in the data of a mail: minor units and ISO 4217. */
export const MONEY_DATA = Type.Object({ amount: Type.Integer(), currency: Type.String() });
/** An instant in the data of a mail, as ISO 8601. */
export const INSTANT_DATA = Type.String({ format: 'date-time' });

/** Formats a domain in Unicode, followed by its A-label if they differ, since letters can look alike. */
export function domainInLetter(domain: string): string {
  const unicode = unicodeOf(domain);
  return unicode === domain ? domain : `${unicode} (${domain})`;
}

/**
 * Formats a domain in Unicode, for a subject or preview. The letter has {@link domainInLetter}, as pages do below a
 * title. A subject has no room for both, so a name that reads like another one in Latin letters stays an A-label there,
 * as in the address bar of browsers.
 */
export function domainInSubject(domain: string): string {
  const unicode = unicodeOf(domain);
  if (looksLatin(unicode)) return domain;
  return RIGHT_TO_LEFT.test(unicode) ? `\u2068${unicode}\u2069` : unicode;
}

function unicodeOf(domain: string): string {
  const { domain: unicode, error } = toUnicode(domain);
  return error ? domain : unicode;
}

/** Such a name at the start of a subject would turn the whole subject around, unless it is isolated (UAX 9). */
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Letters of Cyrillic, Greek and Armenian that look Latin, as Chromium's spoof checker lists them. */
const LATIN_LOOKALIKES = ['аысԁеԍһіюјӏорԗԛѕԝхуъьҽпгѵѡ', 'αικνρυωηοτ', 'ագզէլհյոսւօք'].map(
  (letters) => new RegExp(`^(?=.*[${letters}])[${letters}\\d-]+$`, 'u'),
);

/** Returns whether a name with a Latin suffix has a label of another script whose letters all look Latin. */
function looksLatin(unicode: string): boolean {
  const labels = unicode.split('.');
  const suffix = labels.pop() ?? '';
  return (
    /^[a-z]/.test(suffix) &&
    labels.some((label) => LATIN_LOOKALIKES.some((letters) => letters.test(label)))
  );
}
