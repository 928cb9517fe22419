import { existsSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { headingAnchors } from '../support/documents.ts';
import { readProjectFile } from '../support/sources.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const pages = ['', 'docs/', 'sdk/'].flatMap((folder) =>
  readdirSync(ROOT + folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => folder + name),
);

describe('links between the pages', () => {
  it.each(pages)('%s: every link leads to a file and a heading', (page) => {
    const text = readProjectFile(page).replace(/^```[\s\S]*?^```$/gm, '');
    const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const path = file === '' ? page : posix.join(posix.dirname(page), file);
        if (!existsSync(ROOT + path)) return true;
        return anchor !== undefined && !headingAnchors(readProjectFile(path)).includes(anchor);
      });
    expect(broken).toEqual([]);
  });
});
