import { describe, expect, it } from '@jest/globals';
import { SESSION_MOVES, SESSION_STATUSES } from '../../shared/sales/checkout/checkout-session.ts';
import { tableOf } from '../support/documents.ts';
import { readProjectFile } from '../support/sources.ts';

const rows = tableOf(readProjectFile('docs/checkout.md'));
const words = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

describe('docs/checkout.md', () => {
  it('lists the statuses of a session', () => {
    const listed = rows.filter(({ Meaning }) => Meaning !== undefined);
    expect(listed.map(({ Status }) => words(Status)[0])).toEqual([...SESSION_STATUSES]);
  });

  it('lists the moves of a session', () => {
    const listed = rows
      .filter(({ Move }) => Move !== undefined)
      .map(({ Move, From, To }) => [words(Move)[0], { from: words(From), to: words(To)[0] }]);
    expect(Object.fromEntries(listed)).toEqual(SESSION_MOVES);
  });
});
