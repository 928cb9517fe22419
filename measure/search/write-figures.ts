import { readFileSync, writeFileSync } from 'node:fs';
import { csvRecord } from '../../api/http/csv.ts';
import { withTable } from '../support/figures-table.ts';
import type { BuyerEvaluation } from './buyer-evaluation.ts';
import type { Evaluation } from './evaluate.ts';
import { figure, ofKind, share, type Table, tableOfKinds, tableOfTotals } from './tables.ts';

const DOCUMENT = new URL('../../docs/search-evaluation.md', import.meta.url);
const KINDS = new URL('../../docs/search-kinds.csv', import.meta.url);
const FAILURES = new URL('../../docs/search-failures.csv', import.meta.url);
const LONGEST_EXAMPLE = 26;
const LONGEST_FAILURE = 90;
const SHOWN = 3;

/**
 * Writes the figures of a run over both sets to docs/search-evaluation.md, those of each kind to docs/search-kinds.csv,
 * and badly answered queries to docs/search-failures.csv.
 */
export function writeFigures(result: BuyerEvaluation, measured: string): void {
  const { kinds, lines } = figuresOf(result, measured);
  writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), lines));
  writeFileSync(KINDS, [kinds.headings, ...kinds.rows].map(csvRecord).join(''));
  writeFileSync(FAILURES, failuresOf(result).map(csvRecord).join(''));
}

function failuresOf({ failures }: BuyerEvaluation): string[][] {
  const list = (names: readonly string[], grades: readonly number[]) =>
    names
      .slice(0, SHOWN)
      .map((name, at) => `${grades[at]} ${name}`)
      .join(', ');
  return [
    ['kind', 'query', 'nDCG@5', 'why', 'understood as', 'likely kinds', 'shown', 'wanted'],
    ...failures.map(({ answer, understood, kinds, why }) => {
      const { label, domains, grades, ndcg } = answer;
      const wanted = [...label.grades].sort(([, a], [, b]) => b - a);
      return [
        label.kind,
        shortened(label.query, LONGEST_FAILURE),
        figure(ndcg),
        why,
        shortened(understood, LONGEST_FAILURE),
        kinds.join(', '),
        list(domains, grades),
        list(
          wanted.map(([domain]) => domain),
          wanted.map(([, grade]) => grade),
        ),
      ];
    }),
  ];
}

function figuresOf(
  { listings, bareListings, sets }: BuyerEvaluation,
  measured: string,
): { kinds: Table; lines: string[] } {
  const { tuning, 'held-out': heldOut } = sets;
  if (!tuning || !heldOut) throw new Error('the figures are of both sets');
  const [kinds, totals] = [tableOfKinds, tableOfTotals].map((table) =>
    withTuning(table(heldOut.evaluation), table({ ours: tuning.evaluation.ours })),
  ) as [Table, Table];
  const lines = [
    `${measured}: ${listings.toLocaleString('en-US')} names, ${share(bareListings / listings)} without any text; ${tuning.evaluation.ours.length} queries for tuning, ${heldOut.evaluation.ours.length} held out. All figures are of the held-out ones but those of the last column.`,
    '',
    ...markdown(totals),
  ];
  const headings = ['kind', 'for example', ...kinds.headings.slice(1)];
  const rows = kinds.rows.map(([kind = '', ...cells]) => [
    kind,
    exampleOf(tuning.evaluation, kind),
    ...cells,
  ]);
  return { kinds: { headings, rows }, lines };
}

/** Adds a column with our figures for the tuning queries. */
function withTuning(table: Table, tuning: Table): Table {
  const ours = tuning.headings.indexOf('ours');
  return {
    headings: [...table.headings, 'ours, tuning'],
    rows: table.rows.map((row) => [
      ...row,
      tuning.rows.find(([name]) => name === row[0])?.[ours] ?? '',
    ]),
  };
}

/** Returns one of the tuning queries, preferably a short one. */
function exampleOf({ ours }: Evaluation, kind: string): string {
  const queries = ofKind(ours, kind).map(({ label }) => label.query);
  const example = queries.find(({ length }) => length <= LONGEST_EXAMPLE) ?? queries[0] ?? '';
  return shortened(example, LONGEST_EXAMPLE);
}

function shortened(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}

function markdown({ headings, rows }: Table): string[] {
  return [headings, headings.map(() => '---'), ...rows].map((cells) => `|${cells.join('|')}|`);
}
