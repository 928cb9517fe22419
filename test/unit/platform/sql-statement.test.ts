import { describe, expect, it } from '@jest/globals';
import { defineStatement } from '../../../shared/platform/database/sql-statement.ts';
import { text } from '../../../shared/platform/database/sql-types.ts';

describe('compiling a SQL statement', () => {
  const compiled = (sql: string) => {
    const { text: positional, uses } = defineStatement({ params: { a: text, b: text }, text: sql });
    return [positional, uses];
  };

  it('numbers each use of a parameter', () => {
    expect(compiled('select :a::text, :b, :a')).toEqual([
      'select $1::text, $2, $3',
      ['a', 'b', 'a'],
    ]);
  });

  it('leaves casts, literals, quoted names, and comments alone', () => {
    const sql = `select 'it''s :a', ":b", x::text, 1 /* :a */ -- :b\nfrom y`;
    expect(compiled(sql)).toEqual([sql, []]);
  });

  it('leaves ? operators alone', () => {
    expect(compiled(`select x ? :a, '?'`)).toEqual([`select x ? $1, '?'`, ['a']]);
  });

  it('rejects undeclared parameters', () => {
    expect(() => compiled('select :c')).toThrow(':c is not declared');
  });
});
