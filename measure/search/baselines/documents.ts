import { createRequire } from 'node:module';
import type { Database } from '../../../shared/messaging/unit-of-work/database.ts';

/** A listed name as a plain search tool would index it. */
export interface Document {
  /** As people write it. */
  domain: string;
  label: string;
  tld: string;
  /** The label, split into words by wordsninja. */
  words: string;
  /** Keywords and description. */
  texts: string;
}

interface Splitter {
  loadDictionary(): Promise<unknown>;
  splitSentence(text: string): string[];
}

/** Reads all listed names. */
export async function readDocuments(
  { knex }: Pick<Database, 'knex'>,
  environment: string,
): Promise<Document[]> {
  const WordsNinja = createRequire(import.meta.url)('wordsninja') as new () => Splitter;
  const splitter = new WordsNinja();
  await splitter.loadDictionary();
  const rows: { domain: string; keywords: string[]; description: string | null }[] = await knex(
    'listings',
  )
    .where({ environment, status: 'listed' })
    .orderBy('domain')
    .select('domain_unicode as domain', 'keywords', 'description');
  return rows.map(({ domain, keywords, description }) => {
    const [label = '', ...suffix] = domain.split('.');
    // The splitter only handles English letters.
    const words = label
      .split(/([a-z]+)/)
      .flatMap((part) => (/[a-z]/.test(part) ? splitter.splitSentence(part) : part.split('-')));
    return {
      domain,
      label,
      tld: suffix.join('.'),
      words: words.filter((word) => word !== '').join(' '),
      texts: [...keywords, description ?? ''].join(' ').trim(),
    };
  });
}
