import { createHash } from 'node:crypto';
import { segmentLabel } from '../language/segment-label.ts';
import { wordsOf } from '../language/text-analysis.ts';
import { isWordLike } from '../search-document.ts';

/** The texts of a listing. */
export interface ListingText {
  domainUnicode: string;
  category: string | null;
  description: string | null;
  keywords: readonly string[];
}

/** How much of the owner's texts the model reads: the rest is mostly praise and costs time. */
const KEYWORDS = 6;
const DESCRIPTION = 80;

/** Returns a listing's text for the model: the words of the name, then keywords, category and description, if any. */
export function embeddingText({
  domainUnicode,
  category,
  description,
  keywords,
}: ListingText): string {
  const dot = domainUnicode.indexOf('.');
  const tld = domainUnicode.slice(dot + 1);
  const label = domainUnicode.slice(0, dot);
  const words = wordsOf(label).flatMap((part) => segmentLabel(part).map(({ text }) => text));
  if (isWordLike(tld)) words.push(tld);
  return [
    words.join(' '),
    keywords.slice(0, KEYWORDS).join(', '),
    keywords.length > 0 ? null : (category ?? description?.slice(0, DESCRIPTION)),
  ]
    .filter((part) => part)
    .join('. ');
}

/** Returns the SHA-256 of a text. */
export function hashText(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
