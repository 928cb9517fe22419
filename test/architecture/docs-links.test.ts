import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { headingAnchors, markdownPages } from '../support/documents.ts';
import { readProjectFile, readSources } from '../support/sources.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MODULES = [
  'api',
  'db',
  'deploy',
  'docs',
  'measure',
  'scripts',
  'sdk',
  'shared',
  'test',
  'workers',
];
const pages = markdownPages();
const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: object };
const operations = readProjectFile('docs/operations.md');

describe('repository documentation', () => {
  it.each(pages)('%s: every link points to an existing file and heading', (page) => {
    const broken = linksOf(page).filter(({ path, anchor }) => {
      if (!existsSync(ROOT + path)) return true;
      return anchor !== undefined && !headingAnchors(readProjectFile(path)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it.each(pages)('%s: every file and folder it mentions exists', (page) => {
    const named = [...readProjectFile(page).matchAll(/`([a-z]+)(\/[\w./-]*)`/g)]
      .filter(([, module = '']) => MODULES.includes(module))
      .map(([, module, rest]) => `${module}${rest}`)
      // Created by a build.
      .filter((path) => !path.includes('/dist'));
    expect(named.filter((path) => !existsSync(ROOT + path))).toEqual([]);
  });

  it.each(pages)('%s: every function it mentions exists', (page) => {
    const named = [...readProjectFile(page).matchAll(/`([a-z]+(?:[A-Z][a-z0-9]*)+)`/g)];
    const unknown = named.map(([, name = '']) => name).filter((name) => !wordsOfCode().has(name));
    expect(unknown).toEqual([]);
  });

  it.each(pages)('%s: every npm script it mentions exists', (page) => {
    const named = [...readProjectFile(page).matchAll(/\bnpm run (?:--silent )?([\w:]+)/g)];
    expect(named.map(([, name = '']) => name).filter((name) => !(name in scripts))).toEqual([]);
  });

  it.each(pages)('%s: every ops command it mentions is in docs/operations.md', (page) => {
    const named = [...readProjectFile(page).matchAll(/\bops -- ([a-z-]+:[a-z-]+)/g)];
    expect(
      named.map(([, name = '']) => name).filter((name) => !operations.includes(`\`${name}\``)),
    ).toEqual([]);
  });

  it('is all reachable from README.md', () => {
    const found = new Set(['README.md']);
    for (const page of found) {
      if (!pages.includes(page)) continue;
      for (const { path } of linksOf(page)) found.add(path);
    }
    expect(pages.filter((page) => !found.has(page))).toEqual([]);
  });
});

let words: Set<string> | undefined;
function wordsOfCode(): Set<string> {
  words ??= new Set(readSources().flatMap(({ text }) => text.match(/[A-Za-z_]\w*/g) ?? []));
  return words;
}

/** Links of a page into the repository, ignoring code examples. */
function linksOf(page: string): { path: string; anchor: string | undefined }[] {
  const text = readProjectFile(page).replace(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(?:[a-z]+:|\/)/.test(target))
    .map((target) => {
      const [file = '', anchor] = target.split('#');
      return { path: file === '' ? page : posix.join(posix.dirname(page), file), anchor };
    });
}
