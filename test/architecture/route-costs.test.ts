import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type Cost, leastOf, readRouteCosts } from '../support/route-costs.ts';

const SHEET = 'docs/route-costs.csv';
const HEAD = 'operation,statements,round_trips,transactions,redis_commands';
/** On a slow machine, cached values may expire and be read again, so several attempts are allowed. */
const ATTEMPTS = 6;
/** Round trips vary with how responses happen to arrive together. */
const roundTripsOf = (line: string) => Number(line.split(',')[2]);
const withoutRoundTrips = (line: string) => line.split(',').toSpliced(2, 1).join();

const write = (costs: ReadonlyMap<string, Cost>): string[] =>
  [...costs]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([operation, { statements, roundTrips, transactions, redisCommands }]) =>
      [operation, statements, roundTrips, transactions, redisCommands].join(),
    );

/** Calls that cost something other than the sheet says. */
function differences(measured: readonly string[], written: readonly string[]): string[] {
  const known = new Map(written.map((line) => [line.split(',')[0], line]));
  const isAsWritten = (line: string) => {
    const before = known.get(line.split(',')[0]) ?? '';
    return (
      withoutRoundTrips(line) === withoutRoundTrips(before) &&
      roundTripsOf(line) <= roundTripsOf(before)
    );
  };
  return measured.filter((line) => !isAsWritten(line));
}

describe('Postgres and Redis calls per request', () => {
  it(`match ${SHEET} (WRITE_EXAMPLES=1 rewrites it)`, async () => {
    const written = readFileSync(SHEET, 'utf8').trim().split('\n').slice(1);
    const writes = process.env.WRITE_EXAMPLES !== undefined;
    const costs = new Map<string, Cost>();
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      for (const [operation, cost] of await readRouteCosts()) {
        const others = costs.get(operation) ?? cost;
        costs.set(operation, leastOf(others, cost, writes ? Math.max : Math.min));
      }
      if (!writes && differences(write(costs), written).length === 0) break;
    }
    if (writes) writeFileSync(SHEET, `${[HEAD, ...write(costs)].join('\n')}\n`);
    else expect(differences(write(costs), written)).toEqual([]);
    const operations = (lines: readonly string[]) => lines.map((line) => line.split(',')[0]);
    if (!writes) expect(operations(write(costs))).toEqual(operations(written));
  });
});
