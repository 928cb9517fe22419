import { describe, expect, it } from '@jest/globals';
import { withoutExample } from '../../measure/scale/examples.ts';
import { allExamples } from '../../measure/scale/routes.ts';
import type { Scene } from '../../measure/scale/scene.ts';
import { TimingClient } from '../../measure/scale/timer.ts';

/** Nothing is called. */
const noScene = (): Scene => {
  throw new Error('there is no scene');
};

describe('the examples by which routes are timed', () => {
  const examples = allExamples(noScene, new TimingClient('http://127.0.0.1:9'));

  it('are of every route of the partner API, the public API and the pages, or say why there is none', () => {
    expect(withoutExample(examples)).toEqual([]);
  });

  it('are of each route once', () => {
    const names = examples.map(({ group, name }) => `${group} ${name}`);
    expect(names.length).toBe(new Set(names).size);
    expect(names).toEqual(expect.arrayContaining(['partner listOrders', 'console /orders']));
  });
});
