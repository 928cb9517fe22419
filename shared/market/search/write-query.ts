import { minorDigits } from '../../platform/currencies.ts';
import type { QueryInterpretation, Wish } from './understanding/interpretation.ts';

const WISHED: Readonly<Record<Wish, string>> = {
  short: 'short name',
  brandable: 'brandable name',
  made_up: 'made up name',
  premium: 'premium name',
  cheap: 'cheap name',
  descriptive: 'descriptive name',
  /** Expressed by the number of words. */
  one_word: '',
};

/** Writes an equivalent query in plain words: the topic, then each limit and wish after a comma. */
export function writeQuery(asked: QueryInterpretation): string {
  const { minLength, maxLength, words } = asked;
  const each = (before: string, values: readonly (string | null)[]) =>
    values.map((value) => value !== null && before + value);
  return [
    asked.topic,
    asked.tlds.map((tld) => `.${tld}`).join(' or '),
    ...each('not .', asked.excludedTlds),
    ...each('over ', [amount(asked.minPriceCents, asked)]),
    ...each('under ', [amount(asked.maxPriceCents, asked)]),
    minLength !== null && `min ${minLength} letters`,
    maxLength !== null && `max ${maxLength} letters`,
    ...each('starting with ', [asked.startsWith]),
    ...each('ending with ', [asked.endsWith]),
    ...each('containing ', asked.contains),
    ...each('not starting with ', asked.notStartsWith),
    ...each('not ending with ', asked.notEndsWith),
    asked.noHyphens && 'no hyphens',
    asked.noDigits && 'no digits',
    asked.withHyphens && 'with hyphens',
    asked.withDigits && 'with digits',
    asked.onlyDigits && 'digits only',
    words !== null && (words === 1 ? 'one word' : `${words} words`),
    ...each('not ', asked.excluded),
    ...asked.wishes.map((wish) => WISHED[wish]),
  ]
    .filter(Boolean)
    .join(', ');
}

function amount(cents: number | null, { currency }: QueryInterpretation): string | null {
  if (cents === null) return null;
  const units = cents / 10 ** minorDigits(currency ?? '');
  if (currency === 'USD') return `$${units}`;
  return currency === null ? `${units}` : `${units} ${currency}`;
}
