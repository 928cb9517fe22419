import { expect, it } from '@jest/globals';
import { generatedPages } from '../../scripts/docs/generated-pages.ts';

it('generated documentation tables are up to date (run `npm run docs`)', () => {
  const stale = generatedPages().filter(({ text, expected }) => text !== expected);
  expect(stale.map(({ file }) => file)).toEqual([]);
});
