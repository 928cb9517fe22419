import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readName } from '../../../shared/people/screening/name-form.ts';
import { keysOf, queriesOf } from '../../../shared/people/screening/name-keys.ts';
import { similarityOf } from '../../../shared/people/screening/name-similarity.ts';
import { nameCases } from '../../support/screening.ts';

const listed = nameCases('screening-names').map(({ name, kind }) => ({ name, kind }));
const name = fc.constantFrom(...listed);
const alike = (one: string, other: string, kind: 'person' | 'entity' = 'person') =>
  similarityOf(readName(one, kind), readName(other, kind));

describe('the similarity of two names', () => {
  it('is symmetric and between 0 and 1', () => {
    fc.assert(
      fc.property(name, name, ({ name: one, kind }, { name: other }) => {
        const found = alike(one, other, kind);
        expect(found).toBeGreaterThanOrEqual(0);
        expect(found).toBeLessThanOrEqual(1);
        expect(alike(other, one, kind)).toBeCloseTo(found, 10);
      }),
    );
  });

  it('ignores case, word order, and punctuation', () => {
    fc.assert(
      fc.property(name, fc.constantFrom(' ', ', ', '  ', '-'), ({ name: one, kind }, between) => {
        const words = one.split(/[\s-]+/).reverse();
        expect(alike(one, words.join(between).toUpperCase(), kind)).toBeGreaterThan(0.97);
      }),
    );
  });

  it('takes bounded time and never throws, whatever the input', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 2_000 }),
        name,
        (text, { name: one, kind }) => {
          const form = readName(text, kind);
          expect(form.tokens.length).toBeLessThanOrEqual(8);
          for (const key of [...keysOf(form), ...queriesOf(form)]) expect(key).not.toContain('\\');
          expect(alike(text, one, kind)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it.each([
    ['Mohammed Abdul Rahman', 'محمد عبد الرحمن'],
    ['Γεώργιος Βλάχος', 'Georgios Vlachos'],
    ['Щербаков Юрий', 'Yuri Shcherbakov'],
    ['Wang Xiaoming', '王小明'],
    ['Müller-Lüdenscheidt, Jürgen', 'Juergen Muellerluedenscheidt'],
  ])('matches %s with %s', (one, other) => {
    expect(alike(one, other)).toBeGreaterThan(0.88);
  });

  it.each([
    ['Harbor Names GmbH', 'Harbor Names Ltd.'],
    ['OOO «Ромашка Экспорт»', 'Romashka Eksport LLC'],
    ['Harbor Names S.p.A.', 'HARBOR NAMES SPA'],
  ])('ignores the legal form of companies: %s is %s', (one, other) => {
    expect(alike(one, other, 'entity')).toBeGreaterThan(0.95);
  });

  it.each([
    ['Mohammed Ali', 'Mohammed Hassan'],
    ['Ivan Petrov', 'Ivan Pavlov'],
    ['Ivan', 'Ivan Petrov'],
    ['', 'Ivan Petrov'],
    ['---', '---'],
  ])('distinguishes %s from %s', (one, other) => {
    expect(alike(one, other)).toBeLessThan(0.8);
  });
});
