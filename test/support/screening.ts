import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { importList, type LoadedList } from '../../shared/people/screening/import-list.ts';
import type { PartyKind } from '../../shared/people/screening/name-form.ts';
import type { Party } from '../../shared/people/screening/party.ts';
import type { TestRuntime } from './runtime.ts';

/** A row of a sanctions list as CSV, with made-up names. */
export interface ListRow {
  id: string;
  kind?: PartyKind;
  name: string;
  aliases?: readonly string[];
  birthDates?: readonly string[];
  countries?: readonly string[];
  programme?: string;
}

const HEADER = 'list,entry_id,kind,name,aliases,birth_dates,countries,programme';
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** Returns the documented CSV of a list. */
export function csvList(list: string, rows: readonly ListRow[]): string {
  const lines = rows.map(
    ({
      id,
      kind = 'person',
      name,
      aliases = [],
      birthDates = [],
      countries = [],
      programme = '',
    }) =>
      [
        list,
        id,
        kind,
        name,
        aliases.join('|'),
        birthDates.join('|'),
        countries.join('|'),
        programme,
      ]
        .map(quoted)
        .join(','),
  );
  return [HEADER, ...lines, ''].join('\n');
}

/** Loads the content of a file as a list. */
export function givenListFile(
  runtime: Pick<TestRuntime, 'db'>,
  list: string,
  content: string | Buffer,
  options: { acceptLoss?: boolean; actor?: string } = {},
): Promise<LoadedList> {
  const { acceptLoss = false, actor = 'cli:test' } = options;
  const open = () => Readable.from([Buffer.from(content)]);
  return importList(runtime, actor, { list, fileName: `${list}.csv`, open, acceptLoss });
}

/** Loads rows as a list. */
export function givenList(
  runtime: Pick<TestRuntime, 'db'>,
  list: string,
  rows: readonly ListRow[],
  options?: Parameters<typeof givenListFile>[3],
): Promise<LoadedList> {
  return givenListFile(runtime, list, csvList(list, rows), options);
}

/** Returns a buyer with this name and no other data. */
export function buyerNamed(name: string, rest: Partial<Party> = {}): Party {
  return {
    role: 'buyer',
    name,
    kind: null,
    country: null,
    birthDate: null,
    identity: 'buyer@example.com',
    ...rest,
  };
}

/** A made-up name, spellings of it, and similar names of other people. */
export interface NameCase {
  kind: PartyKind;
  name: string;
  same: string[];
  others: string[];
}

/** Returns the names of the evaluation. */
export function nameCases(file: 'screening-names' | 'screening-names-unseen'): NameCase[] {
  const text = readFileSync(new URL(`./${file}.tsv`, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [kind = '', name = '', same = '', others = ''] = line.split('\t');
      return { kind: kind as PartyKind, name, same: same.split('|'), others: others.split('|') };
    });
}
