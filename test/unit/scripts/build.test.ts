import { readdirSync, readFileSync, statSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';

const { builtProgram } = await import(String('../../../scripts/lib/build.mjs'));

/** The source of a text in the build, according to its source map. */
type PlaceOf = (text: string) => string | undefined;

describe('a bundled program', () => {
  let texts: Map<string, string>;
  let placeOf: PlaceOf;

  beforeAll(async () => {
    const folder = path.dirname(await builtProgram('api/main.ts'));
    const inputs = readFileSync(path.join(folder, 'inputs.json'), 'utf8');
    expect(inputs).not.toContain('node_modules');
    const ageOf = (name: string) => statSync(path.join(folder, name)).mtimeMs;
    // Chunks of earlier builds are kept for a day.
    const chunks = readdirSync(folder).filter(
      (name) => name.endsWith('.js') && ageOf(name) >= ageOf('inputs.json'),
    );
    texts = new Map(chunks.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
    placeOf = (wanted) => {
      const [name, text] = [...texts].find(([, text]) => text.includes(wanted)) ?? [];
      if (!name || !text) throw new Error(`The build has no ${wanted}.`);
      const before = text.slice(0, text.indexOf(wanted)).split('\n');
      const map = JSON.parse(readFileSync(path.join(folder, `${name}.map`), 'utf8'));
      const entry = new SourceMap(map).findEntry(before.length - 1, before.at(-1)?.length ?? 0);
      return 'originalSource' in entry ? entry.originalSource : undefined;
    };
  });

  it('contains its packages and maps only our own lines to their sources', () => {
    expect(placeOf('function createApp(')).toBe('../../api/app.ts');
    expect(placeOf('rate-limiter-flexible/lib/RateLimiterRedis.js"(')).toBeUndefined();
  });

  it('takes one byte per character in memory', () => {
    for (const text of texts.values()) expect(/[^\0-\x7f]/.exec(text)?.[0]).toBeUndefined();
  });
});
