import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readList } from '../../../shared/people/screening/list-files/read-list.ts';

// All names, numbers, and programs are made up; the elements are those of the published schemas.

const UN = `<?xml version="1.0" encoding="UTF-8"?>
<CONSOLIDATED_LIST dateGenerated="2026-11-01T00:00:00Z">
 <INDIVIDUALS>
  <INDIVIDUAL>
   <DATAID>1</DATAID><FIRST_NAME>ALVAR</FIRST_NAME><SECOND_NAME>NIKODEM</SECOND_NAME><THIRD_NAME>QUASTHOFF</THIRD_NAME>
   <UN_LIST_TYPE>Testland</UN_LIST_TYPE><REFERENCE_NUMBER>TEi.001</REFERENCE_NUMBER>
   <NAME_ORIGINAL_SCRIPT>الوار</NAME_ORIGINAL_SCRIPT>
   <NATIONALITY><VALUE>Iran (Islamic Republic of)</VALUE></NATIONALITY>
   <INDIVIDUAL_ALIAS><QUALITY>Good</QUALITY><ALIAS_NAME>Alvar Q.; Nikodem &amp; Quast</ALIAS_NAME></INDIVIDUAL_ALIAS>
   <INDIVIDUAL_ALIAS><QUALITY>Low</QUALITY><ALIAS_NAME/></INDIVIDUAL_ALIAS>
   <INDIVIDUAL_ADDRESS><COUNTRY>Russian Federation</COUNTRY></INDIVIDUAL_ADDRESS>
   <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>1961-02-03</DATE></INDIVIDUAL_DATE_OF_BIRTH>
   <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>APPROXIMATELY</TYPE_OF_DATE><YEAR>1963</YEAR></INDIVIDUAL_DATE_OF_BIRTH>
  </INDIVIDUAL>
 </INDIVIDUALS>
 <ENTITIES>
  <ENTITY><DATAID>2</DATAID><FIRST_NAME>QUASTHOFF TRADING</FIRST_NAME><REFERENCE_NUMBER>TEe.002</REFERENCE_NUMBER>
   <ENTITY_ALIAS><ALIAS_NAME>QT</ALIAS_NAME></ENTITY_ALIAS>
   <ENTITY_ADDRESS><COUNTRY>Democratic People's Republic of Korea</COUNTRY></ENTITY_ADDRESS></ENTITY>
 </ENTITIES>
</CONSOLIDATED_LIST>`;

const OFAC = (count: number) => `<?xml version="1.0" standalone="yes"?>
<sdnList xmlns="http://lists.example/sdn"><publshInformation><Publish_Date>11/01/2026</Publish_Date>
<Record_Count>${count}</Record_Count></publshInformation>
<sdnEntry><uid>36</uid><firstName>Alvar</firstName><lastName>QUASTHOFF</lastName><sdnType>Individual</sdnType>
 <programList><program>TEST</program><program>TEST2</program></programList>
 <akaList><aka><uid>1</uid><type>a.k.a.</type><lastName>KVASTHOF</lastName><firstName>A.</firstName></aka></akaList>
 <nationalityList><nationality><country>Korea, North</country></nationality></nationalityList>
 <dateOfBirthList><dateOfBirthItem><dateOfBirth>03 Feb 1961</dateOfBirth></dateOfBirthItem>
  <dateOfBirthItem><dateOfBirth>circa 1963</dateOfBirth></dateOfBirthItem></dateOfBirthList></sdnEntry>
<sdnEntry><uid>37</uid><lastName>QUASTHOFF SHIPPING</lastName><sdnType>Entity</sdnType></sdnEntry>
<sdnEntry><uid>38</uid><lastName>SEA QUAST</lastName><sdnType>Vessel</sdnType></sdnEntry></sdnList>`;

const EU = `<?xml version="1.0" encoding="UTF-8"?>
<export xmlns="http://lists.example/fsd/export" generationDate="2026-11-01" globalFileId="1">
<sanctionEntity euReferenceNumber="EU.1.1" logicalId="13"><remark>r</remark>
 <regulation regulationType="amendment" programme="TST"><publicationUrl>u</publicationUrl></regulation>
 <subjectType code="person" classificationCode="P"/>
 <nameAlias firstName="" middleName="" lastName="" wholeName="Alvar Quasthoff" logicalId="17"/>
 <nameAlias firstName="Alvar" middleName="N" lastName="Kvasthof" wholeName="" logicalId="18"/>
 <citizenship countryIso2Code="SY" countryDescription="SYRIA"/>
 <birthdate circa="false" birthdate="1961-02-03" year="1961"/><birthdate circa="true" year="1963"/></sanctionEntity>
<sanctionEntity logicalId="14"><subjectType code="enterprise" classificationCode="E"/>
 <nameAlias wholeName="Quasthoff Werke"/></sanctionEntity></export>`;

const CSV = `\uFEFFlist,entry_id,kind,name,aliases,birth_dates,countries,programme
mine,X-1,person,"Quasthoff, Alvar",Alvar K.|Альвар,1961-02-03|1963,IR|KP,TEST
mine,X-2,entity,Quasthoff Werke,,,,
`;

/** The file in small chunks that split multi-byte characters. */
async function read(content: string, list = 'mine') {
  const bytes = Buffer.from(content);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) =>
    bytes.subarray(at * 7, at * 7 + 7),
  );
  const found = [];
  for await (const each of readList(Readable.from(pieces), list)) found.push(each);
  return found;
}

describe('reading a screening list', () => {
  it('supports the UN format', async () => {
    expect(await read(UN)).toEqual([
      {
        format: 'un',
        entry: {
          id: 'TEi.001',
          kind: 'person',
          name: 'ALVAR NIKODEM QUASTHOFF',
          aliases: ['Alvar Q.', 'Nikodem & Quast', 'الوار'],
          birthDates: ['1961-02-03', '1963'],
          countries: ['IR', 'RU'],
          programme: 'Testland',
        },
      },
      {
        format: 'un',
        entry: expect.objectContaining({
          id: 'TEe.002',
          kind: 'entity',
          aliases: ['QT'],
          countries: ['KP'],
        }),
      },
    ]);
  });

  it('supports the OFAC format, without ships', async () => {
    expect(await read(OFAC(3))).toEqual([
      {
        format: 'ofac',
        entry: {
          id: '36',
          kind: 'person',
          name: 'Alvar QUASTHOFF',
          aliases: ['A. KVASTHOF'],
          birthDates: ['1961-02-03', '1963'],
          countries: ['KP'],
          programme: 'TEST, TEST2',
        },
      },
      { format: 'ofac', entry: expect.objectContaining({ id: '37', kind: 'entity' }) },
      { format: 'ofac', entry: null },
    ]);
  });

  it('supports the EU format', async () => {
    expect(await read(EU)).toEqual([
      {
        format: 'eu',
        entry: {
          id: 'EU.1.1',
          kind: 'person',
          name: 'Alvar Quasthoff',
          aliases: ['Alvar N Kvasthof'],
          birthDates: ['1961-02-03', '1963'],
          countries: ['SY'],
          programme: 'TST',
        },
      },
      { format: 'eu', entry: expect.objectContaining({ id: '14', name: 'Quasthoff Werke' }) },
    ]);
  });

  it('supports CSV', async () => {
    expect(await read(CSV)).toEqual([
      {
        format: 'csv',
        entry: {
          id: 'X-1',
          kind: 'person',
          name: 'Quasthoff, Alvar',
          aliases: ['Alvar K.', 'Альвар'],
          birthDates: ['1961-02-03', '1963'],
          countries: ['IR', 'KP'],
          programme: 'TEST',
        },
      },
      {
        format: 'csv',
        entry: expect.objectContaining({ id: 'X-2', aliases: [], programme: null }),
      },
    ]);
  });

  it.each([
    ['cut', UN.slice(0, -200), /is broken at line \d+: unclosed tag/],
    ['not complete', OFAC(4), /says that it has 4 entries, but has 3/],
    ['of another kind', '<rss><sdnEntry/></rss>', /has no entries: its root must be/],
    ['without entries', '<sdnList></sdnList>', /has no entries/],
    ['with a document type', '<!DOCTYPE sdnList [<!ENTITY a "b">]><sdnList/>', /document type/],
    ['with an unknown entity', '<sdnList><sdnEntry>&a;</sdnEntry></sdnList>', /is broken/],
    ['of another list', CSV.replaceAll('mine,', 'other,'), /is of the list "other" at line 2/],
    ['without a header', 'X-1,person,Alvar\n', /must have a header with list, entry_id/],
    ['with a cut line', `${CSV}mine,X-3,person\n`, /is broken at line 4/],
    ['of another sort of party', `${CSV}mine,X-3,ship,Sea,,,,\n`, /kind "ship" at line 4/],
    ['empty', '', /must have a header|has no entries|^$/],
  ])('rejects a file that is %s', async (_what, content, why) => {
    const told = await read(content).then(
      (found) => (found.length === 0 ? '' : 'read'),
      (error) => error.message + JSON.stringify(error.details),
    );
    expect(told).toMatch(why);
  });
});
