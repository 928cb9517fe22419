import { segmentLabel } from './segment-label.ts';
import { foldText, wordsOf } from './text.ts';

/** What search wants to know of a listing. */
export interface SearchableListing {
  id: number;
  domainUnicode: string;
  tld: string;
  category: string | null;
  description: string | null;
  keywords: readonly string[];
}

/** A row of the index; every text is folded. */
export interface SearchDocument {
  listingId: number;
  label: string;
  labelWords: string;
  keywords: string;
  description: string;
}

/** The index row of a listing: its label cut into words, beside what the owner says of it. */
export function toSearchDocument(listing: SearchableListing): SearchDocument {
  const [label = ''] = listing.domainUnicode.split('.');
  const keywords = foldText([...listing.keywords, listing.category ?? '', listing.tld].join(' '));
  const description = foldText(listing.description ?? '');
  const hints = new Set(
    [...wordsOf(keywords), ...wordsOf(description)].filter((w) => w.length > 2),
  );
  return {
    listingId: listing.id,
    label: foldText(label).replaceAll(' ', ''),
    labelWords: wordsOf(label)
      .flatMap((part) => segmentLabel(part, hints))
      .join(' '),
    keywords,
    description,
  };
}
