import { expect, it } from '@jest/globals';
import { VARIABLES } from '../../shared/platform/config/config.ts';
import type { Variable } from '../../shared/platform/config/variable.ts';

it('every default is a value that its variable would accept', () => {
  const variables: readonly Variable<unknown>[] = Object.values(VARIABLES);
  const refused = variables.filter(({ fallback, parse }) => {
    const values = typeof fallback === 'object' ? Object.values(fallback ?? {}) : [fallback];
    const text = values.join(',');
    if (text === '') return false;
    return JSON.stringify(parse(text)) !== JSON.stringify(fallback);
  });
  expect(refused.map(({ name }) => name)).toEqual([]);
});
