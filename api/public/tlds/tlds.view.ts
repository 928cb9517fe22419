import type { Static } from 'typebox';
import type { Tld } from '../../../shared/tlds/tld.ts';
import type { TldMetadata } from './tlds.schema.ts';

/** The rules of a TLD, as the public API tells them. */
export function tldMetadataView(tld: Tld): Static<typeof TldMetadata> {
  const { type, ...rules } = tld.rules;
  return {
    tld: tld.tld,
    unicode: tld.unicode,
    type,
    term: { min_years: tld.minYears, max_years: tld.maxYears },
    ...rules,
    updated_at: tld.updatedAt.toISOString(),
  };
}
