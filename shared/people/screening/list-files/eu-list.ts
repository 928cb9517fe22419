import type { ListEntry } from '../list-entry.ts';
import type { XmlElement } from './xml-records.ts';

/** The consolidated list of the European Union (`xmlFullSanctionsList` 1.1): `sanctionEntity` in `export`. */
export const EU_LIST = {
  root: 'export',
  records: ['sanctionEntity'],
  read: readRecord,
} as const;

const KINDS: Readonly<Record<string, ListEntry['kind']>> = {
  P: 'person',
  E: 'entity',
  person: 'person',
  enterprise: 'entity',
};

function readRecord(record: XmlElement): ListEntry | undefined {
  const all = (name: string) =>
    record.children.filter((child) => child.name === name).map(({ attributes }) => attributes);
  const [subject = {}] = all('subjectType');
  const kind = KINDS[subject.classificationCode ?? ''] ?? KINDS[subject.code ?? ''];
  if (kind === undefined) return undefined;
  const [name = '', ...aliases] = all('nameAlias').map(
    ({ wholeName = '', firstName = '', middleName = '', lastName = '' }) =>
      wholeName.trim() || `${firstName} ${middleName} ${lastName}`,
  );
  const { euReferenceNumber, logicalId = '' } = record.attributes;
  return {
    id: euReferenceNumber?.trim() || logicalId,
    kind,
    name,
    aliases,
    birthDates: all('birthdate').map(({ birthdate, year }) => birthdate?.trim() || (year ?? '')),
    countries: [...all('citizenship'), ...all('address')].map(
      ({ countryIso2Code = '' }) => countryIso2Code,
    ),
    programme: [...new Set(all('regulation').map(({ programme = '' }) => programme))].join(', '),
  };
}
