import { describe, expect, it } from '@jest/globals';
import { BULK_JOB_MOVES } from '../../shared/domains/bulk/bulk-job.ts';
import { RESERVED_LABELS } from '../../shared/market/inventory/sandbox-names.ts';
import { CASE_MOVES } from '../../shared/sales/brokerage/brokerage-case.ts';
import { RESERVED_SITES } from '../../shared/sales/brokerage/site-probe.ts';
import { ORDER_MOVES } from '../../shared/sales/orders/order.ts';
import { TRANSFER_MOVES } from '../../shared/sales/transfers/transfer.ts';
import { codeBlocksOf, sectionsOf, tableOf } from '../support/documents.ts';
import { readProjectFile } from '../support/sources.ts';

interface Move {
  from: readonly string[];
  to: string;
  event: string | null;
}

const states = sectionsOf(readProjectFile('docs/states.md'));
const sandbox = sectionsOf(readProjectFile('docs/sandbox.md'));

const graphs: {
  title: string;
  moves: Record<string, Move>;
  initial: string[];
  terminal: string[];
}[] = [
  {
    title: 'Orders',
    moves: ORDER_MOVES,
    initial: ['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'PAID'],
    terminal: ['CANCELLED', 'REFUNDED'],
  },
  {
    title: 'Transfers',
    moves: TRANSFER_MOVES,
    initial: ['queued'],
    terminal: ['cancelled', 'completed'],
  },
  {
    title: 'Brokerage cases',
    moves: CASE_MOVES,
    initial: ['OPEN'],
    terminal: ['CANCELLED', 'CLOSED_NO_DEAL', 'COMPLETED'],
  },
  {
    title: 'Bulk jobs',
    moves: BULK_JOB_MOVES,
    initial: ['queued'],
    terminal: ['cancelled', 'completed', 'completed_with_errors'],
  },
];

function section(sections: readonly { title: string; text: string }[], title: string): string {
  const found = sections.find((each) => each.title === title);
  if (!found) throw new Error(`there is no section "${title}"`);
  return found.text;
}

/** The words in backticks of a table's cell. */
function words(cell = ''): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
}

describe.each(graphs)('docs/states.md, $title', ({ title, moves, initial, terminal }) => {
  it('has the moves of the code in its table, in their order', () => {
    const listed = tableOf(section(states, title)).map(({ Move, From, To, Event }) => ({
      move: words(Move)[0],
      from: words(From),
      to: words(To)[0],
      event: words(Event)[0] ?? null,
    }));
    const known = Object.entries(moves).map(([move, { from, to, event }]) => ({
      move,
      from: [...from],
      to,
      event,
    }));
    expect(listed).toEqual(known);
  });

  it('has the same moves in its drawing', () => {
    const [drawing = ''] = codeBlocksOf(section(states, title));
    const drawn = [...drawing.matchAll(/^ *(\S+) --> (\S+?)(?:: (\S+))?$/gm)].map(
      ([, from, to, move]) => `${from} ${to} ${move ?? ''}`.trim(),
    );
    const known = Object.entries(moves).flatMap(([move, { from, to }]) =>
      from.map((status) => `${status} ${to} ${move}`),
    );
    const ends = [...initial.map((to) => `[*] ${to}`), ...terminal.map((from) => `${from} [*]`)];
    expect(drawn.sort()).toEqual([...known, ...ends].sort());
  });
});

describe('docs/sandbox.md', () => {
  it('lists the reserved names that the code knows', () => {
    const listed = tableOf(section(sandbox, 'Reserved names')).map(
      (row) => words(row['Label starts with'])[0],
    );
    expect(listed).toEqual(Object.keys(RESERVED_LABELS));
  });

  it('lists the names whose sites the sandbox makes up', () => {
    const listed = tableOf(section(sandbox, 'Brokerage')).map(
      (row) => words(row['Label starts with'])[0],
    );
    expect(listed).toEqual(Object.keys(RESERVED_SITES));
  });

  it('lists the steps that an order can be advanced by', () => {
    const listed = tableOf(section(sandbox, 'Moving an order yourself')).flatMap((row) =>
      words(row.From).map((from) => `${from} ${words(row['`to`'])[0]}`),
    );
    const known = Object.values(ORDER_MOVES).flatMap(({ from, to }) =>
      from.map((status) => `${status} ${to}`),
    );
    expect(listed.sort()).toEqual([...new Set(known)].sort());
  });
});
