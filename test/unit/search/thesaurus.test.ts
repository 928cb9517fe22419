import { describe, expect, it } from '@jest/globals';
import { stem } from '../../../shared/market/search/language/stem.ts';
import { parseThesaurus, thesaurus } from '../../../shared/market/search/language/thesaurus.ts';

describe('the thesaurus', () => {
  it('can be read completely and knows everyday words', () => {
    const { groupsOf, words } = thesaurus();
    expect(words.size).toBeGreaterThan(1_500);
    expect(groupsOf(stem('espresso')).get('coffee')).toBe('core');
    expect(groupsOf(stem('mugs')).get('coffee')).toBe('related');
    expect(groupsOf(`${stem('real')}_${stem('estate')}`).get('property')).toBe('core');
    expect(groupsOf('xqzvwkjh').size).toBe(0);
  });

  it('prefers "same" over "related" when a group says both', () => {
    const { groupsOf, stemsOf } = parseThesaurus('# a comment\n\ntea: tea chai | leaf chai\n');
    expect(groupsOf('chai').get('tea')).toBe('core');
    expect(stemsOf('tea').related).toContain('leaf');
    expect(stemsOf('unheard')).toEqual({ core: [], related: [] });
  });

  it.each([
    ['tea', 1],
    ['tea: Tea', 1],
    ['tea: tea\ntea: chai', 2],
    ['tea: tea\nwine: vine, cork', 2],
  ])('reports the wrong line in %j', (text, line) => {
    expect(() => parseThesaurus(text)).toThrow(`line ${line}`);
  });
});
