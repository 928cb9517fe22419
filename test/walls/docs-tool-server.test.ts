import { describe, expect, it } from '@jest/globals';
import { operations } from '../../api/public/public-operations.ts';
import { tableOf } from '../support/documents.ts';
import { readProjectFile } from '../support/sources.ts';

describe('docs/tool-server.md', () => {
  it('lists every tool with its single call and its limit group, and no other', () => {
    const listed = tableOf(readProjectFile('docs/tool-server.md')).map(Object.values);
    const served = operations.map(({ op, route, description }) => [
      `\`${op}\``,
      `\`${route.method} /api${route.path.replace(/:(\w+)/g, '{$1}')}\``,
      route.limit,
      description,
    ]);
    expect(listed).toEqual(served);
  });
});
