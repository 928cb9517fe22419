import { createHash } from 'node:crypto';

/** What an owner says of a listing. */
export interface ListingText {
  domainUnicode: string;
  category: string | null;
  description: string | null;
  keywords: readonly string[];
}

/** Small models read no further. */
const MAX_LENGTH = 1_500;

/** A listing as the model reads it: the name, then category, keywords and description where there are any. */
export function embeddingText({
  domainUnicode,
  category,
  description,
  keywords,
}: ListingText): string {
  return [domainUnicode, category, keywords.join(', '), description]
    .filter((part) => part)
    .join('. ')
    .slice(0, MAX_LENGTH);
}

/** SHA-256. */
export function hashText(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
