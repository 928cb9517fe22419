import { expect, it } from '@jest/globals';
import { generatedPages } from '../../scripts/docs/generated-pages.ts';

it('the generated tables of the documentation are up to date (`npm run docs` writes them)', () => {
  const stale = generatedPages().filter(({ text, expected }) => text !== expected);
  expect(stale.map(({ file }) => file)).toEqual([]);
});
