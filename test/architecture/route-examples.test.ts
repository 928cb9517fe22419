import { describe, expect, it } from '@jest/globals';
import { withoutExample } from '../../measure/scale/examples.ts';
import { allExamples } from '../../measure/scale/routes.ts';
import type { Scene } from '../../measure/scale/scene.ts';
import { TimingClient } from '../../measure/scale/timer.ts';

/** Examples are only listed, never called. */
const noScene = (): Scene => {
  throw new Error('there is no scene');
};

describe('example requests for timing routes', () => {
  const examples = allExamples(noScene, new TimingClient('http://127.0.0.1:9'));

  it('cover every API route and page, or say why there is none', () => {
    expect(withoutExample(examples)).toEqual([]);
  });

  it('cover each route once', () => {
    const names = examples.map(({ group, name }) => `${group} ${name}`);
    expect(names.length).toBe(new Set(names).size);
    expect(names).toEqual(expect.arrayContaining(['partner listOrders', 'console /orders']));
  });
});
