import type { ListEntry } from '../list-entry.ts';
import { itemsOf, textOf, type XmlElement } from './xml-records.ts';

/** OFAC's Specially Designated Nationals list (`sdn.xml`): `sdnEntry` in `sdnList`. */
export const OFAC_LIST = {
  root: 'sdnList',
  records: ['sdnEntry', 'Record_Count'],
  read: readRecord,
} as const;

const KINDS: Readonly<Record<string, ListEntry['kind']>> = {
  Individual: 'person',
  Entity: 'entity',
};

/** Returns an entry, undefined for a ship or aircraft, or the number of all entries. */
function readRecord(record: XmlElement): ListEntry | number | undefined {
  if (record.name === 'Record_Count') return Number(record.text);
  const kind = KINDS[textOf(record, 'sdnType')];
  if (kind === undefined) return undefined;
  const countries = [
    ...itemsOf(record, 'nationalityList', 'nationality'),
    ...itemsOf(record, 'citizenshipList', 'citizenship'),
    ...itemsOf(record, 'addressList', 'address'),
  ];
  const dates = itemsOf(record, 'dateOfBirthList', 'dateOfBirthItem');
  return {
    id: textOf(record, 'uid'),
    kind,
    name: nameOf(record),
    aliases: itemsOf(record, 'akaList', 'aka').map(nameOf),
    birthDates: dates.map((date) => textOf(date, 'dateOfBirth')),
    countries: countries.map((each) => textOf(each, 'country')),
    programme: itemsOf(record, 'programList', 'program')
      .map(({ text }) => text)
      .join(', '),
  };
}

function nameOf(element: XmlElement): string {
  return `${textOf(element, 'firstName')} ${textOf(element, 'lastName')}`;
}
