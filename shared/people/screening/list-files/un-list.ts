import type { ListEntry } from '../list-entry.ts';
import { itemsOf, textOf, textsOf, type XmlElement } from './xml-records.ts';

/** The UN Security Council's consolidated list in XML: `INDIVIDUAL` and `ENTITY` in `CONSOLIDATED_LIST`. */
export const UN_LIST = {
  root: 'CONSOLIDATED_LIST',
  records: ['INDIVIDUAL', 'ENTITY'],
  read: readRecord,
} as const;

const NAMES = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME'];

function readRecord(record: XmlElement): ListEntry {
  const tag = record.name;
  const among = (child: string, field: string) =>
    record.children
      .filter(({ name }) => name === `${tag}_${child}`)
      .flatMap((each) => textsOf(each, field));
  const values = itemsOf(record, 'NATIONALITY', 'VALUE').map(({ text }) => text);
  return {
    id: textOf(record, 'REFERENCE_NUMBER') || textOf(record, 'DATAID'),
    kind: tag === 'ENTITY' ? 'entity' : 'person',
    name: NAMES.map((name) => textOf(record, name)).join(' '),
    // One element may contain several names.
    aliases: [...among('ALIAS', 'ALIAS_NAME'), textOf(record, 'NAME_ORIGINAL_SCRIPT')].flatMap(
      (names) => names.split(';'),
    ),
    birthDates: [...among('DATE_OF_BIRTH', 'DATE'), ...among('DATE_OF_BIRTH', 'YEAR')],
    countries: [...values, ...among('ADDRESS', 'COUNTRY')],
    programme: textOf(record, 'UN_LIST_TYPE'),
  };
}
