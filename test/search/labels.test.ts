import { describe, expect, it } from '@jest/globals';
import { makeInventory } from '../../db/seeds/inventory.ts';
import { type LabelledQuery, readLabels } from '../../measure/search/labels.ts';
import { ENVIRONMENT } from '../../measure/search/systems.ts';
import { parseDomain } from '../../shared/market/names/domain-name.ts';

const tuning = readLabels('tuning');
const heldOut = readLabels('held-out');
const all = [...tuning, ...heldOut];

describe('labeled queries', () => {
  it('grade only domains in the inventory', () => {
    const inventory = new Set(
      makeInventory()[ENVIRONMENT].map(({ domain }) => parseDomain(domain)?.unicode),
    );
    const graded = all.flatMap(({ grades }) => [...grades.keys()]);
    expect(graded.filter((domain) => !inventory.has(domain))).toEqual([]);
  });

  it('are numerous and appear in only one set each', () => {
    expect(new Set(all.map(({ query }) => query)).size).toBe(all.length);
    expect(all.filter(hasAnswers).length).toBeGreaterThanOrEqual(180);
    expect(all.filter((label) => !hasAnswers(label)).length).toBeGreaterThanOrEqual(30);
  });

  it('are held out by about a third for each kind', () => {
    for (const kind of new Set(all.map((label) => label.kind))) {
      const share = ofKind(heldOut, kind) / ofKind(all, kind);
      expect([kind, share > 0.3 && share < 0.37]).toEqual([kind, true]);
    }
  });

  it('have no answers if and only if they are nonsense', () => {
    expect(all.filter((label) => hasAnswers(label) === (label.kind === 'nonsense'))).toEqual([]);
  });
});

function hasAnswers({ grades }: LabelledQuery): boolean {
  return grades.size > 0;
}

function ofKind(labels: readonly LabelledQuery[], kind: string): number {
  return labels.filter((label) => label.kind === kind).length;
}
