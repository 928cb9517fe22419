import { type ListEntry, tidyEntry } from '../list-entry.ts';
import { readCsvList } from './csv-list.ts';
import { EU_LIST } from './eu-list.ts';
import { OFAC_LIST } from './ofac-list.ts';
import { UN_LIST } from './un-list.ts';
import { notXml, readXmlRecords, type XmlElement } from './xml-records.ts';

export type ListFormat = 'csv' | 'un' | 'ofac' | 'eu';

interface XmlFormat {
  root: string;
  records: readonly string[];
  /** Returns an entry, undefined for a record that is not a person or company, or the expected number of records. */
  read(record: XmlElement): ListEntry | number | undefined;
}

const XML_FORMATS: Readonly<Record<Exclude<ListFormat, 'csv'>, XmlFormat>> = {
  un: UN_LIST,
  ofac: OFAC_LIST,
  eu: EU_LIST,
};
const RECORDS = new Set(Object.values(XML_FORMATS).flatMap(({ records }) => records));

/** An entry of a file, or null for a skipped record, with the file's format. */
export interface ReadEntry {
  format: ListFormat;
  entry: ListEntry | null;
}

/**
 * Reads the entries of a list's file one by one, in any supported format.
 * @throws validation_error for a file that has an unknown format, is broken, or is incomplete
 */
export async function* readList(
  source: AsyncIterable<Uint8Array>,
  list: string,
): AsyncGenerator<ReadEntry> {
  const { first, all } = await peek(source);
  const start = Buffer.from(first)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (start.startsWith('<')) {
    yield* readXmlList(all);
    return;
  }
  for await (const entry of readCsvList(all, list)) {
    yield { format: 'csv', entry: tidyEntry(entry) ?? null };
  }
}

async function* readXmlList(source: AsyncIterable<Uint8Array>): AsyncGenerator<ReadEntry> {
  let expected: number | undefined;
  let records = 0;
  for await (const { root, element } of readXmlRecords(source, RECORDS)) {
    const format = (Object.keys(XML_FORMATS) as (keyof typeof XML_FORMATS)[]).find(
      (each) => XML_FORMATS[each].root === root,
    );
    if (format === undefined) break;
    const read = XML_FORMATS[format].read(element);
    if (typeof read === 'number') {
      expected = read;
      continue;
    }
    records += 1;
    yield { format, entry: (read && tidyEntry(read)) ?? null };
  }
  if (records === 0) {
    throw notXml(
      `has no entries: its root must be ${Object.values(XML_FORMATS)
        .map(({ root }) => root)
        .join(', ')}`,
    );
  }
  if (expected !== undefined && expected !== records) {
    throw notXml(`says that it has ${expected} entries, but has ${records}`);
  }
}

/** Returns the first chunk of a stream, and the whole stream. */
async function peek(source: AsyncIterable<Uint8Array>) {
  const pieces = source[Symbol.asyncIterator]();
  const { value: first = new Uint8Array() } = await pieces.next();
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first;
    yield* { [Symbol.asyncIterator]: () => pieces };
  }
  return { first, all: all() };
}
