import { describe, expect, it } from '@jest/globals';
import { opsRoutes } from '../../api/ops/ops-routes.ts';
import { createGuideLibrary } from '../../api/pages/docs/guide-library.ts';
import { GUIDES, REPOSITORY_PAGES } from '../../api/pages/docs/guides.ts';
import { landingPage, portalHome } from '../../api/pages/docs/portal-pages.ts';
import { VARIABLES } from '../../shared/platform/config/config.ts';
import { markdownPages } from '../support/documents.ts';

const BASE_URL = 'https://market.example';
const library = createGuideLibrary(BASE_URL);

/** Text that is useless to a reader without the repository. */
const REPOSITORY_WORDS = [
  /git clone/,
  /(?<!\w)\.data\//,
  /\bnpm (?:run|start|test|ci)\b/,
  /\bops -- /,
  /\b(?:this|the) repository\b/,
  /localhost:3000/,
  /\{base_url\}/,
  /\]\(\.\.?\//,
  /(?<![\w./-])(?:api|db|deploy|docs|scripts|sdk|shared|test|workers)\/[\w./-]+\.\w+/,
  ...Object.values(VARIABLES)
    .map(({ name }) => name)
    .filter((name) => name.includes('_') && name !== 'BASE_URL')
    .map((name) => new RegExp(`\\b${name}\\b`)),
  ...opsRoutes.map(({ action }) => new RegExp(`\\b${action.name}(?![\\w:])`)),
];

const wordsIn = (text: string) =>
  REPOSITORY_WORDS.flatMap((word) => [...(word.exec(text) ?? [])].slice(0, 1));

const published: [string, () => string][] = [
  ['/', landingPage],
  ['/docs', portalHome],
  ...GUIDES.flatMap((guide): [string, () => string][] => [
    [`/docs/${guide.slug}`, () => library.render(guide).markup],
    [`/docs/${guide.slug}.md`, () => library.markdown(guide)],
  ]),
  ...[...library.samples].map(([path, text]): [string, () => string] => [path, () => text]),
];

describe('published documentation', () => {
  it('covers each page of the repository that is not marked as internal', () => {
    const kept = (page: string) =>
      REPOSITORY_PAGES.some((name) => (name.endsWith('/') ? page.startsWith(name) : page === name));
    const readers = new Set(GUIDES.map(({ file }) => file));
    const pages = markdownPages();
    expect(pages.filter((page) => kept(page) === readers.has(page))).toEqual([]);
    expect(REPOSITORY_PAGES.filter((name) => !pages.some((page) => page.startsWith(name)))).toEqual(
      [],
    );
  });

  it.each(published)('%s mentions nothing that requires the repository', (_path, read) => {
    expect(wordsIn(read())).toEqual([]);
  });

  it.each(GUIDES)('$slug links only to published pages', (guide) => {
    const links = [...library.render(guide).markup.matchAll(/ href="([^"#][^"]*)"/g)].map(
      ([, href = '']) => href.split('#')[0] ?? '',
    );
    const known = new Set([
      ...GUIDES.map(({ slug }) => `/docs/${slug}`),
      ...library.samples.keys(),
      ...['/asyncapi.json', '/partner', '/account/sign-up', '/status.json'],
    ]);
    expect(links.filter((href) => !known.has(href) && !/^https?:/.test(href))).toEqual([]);
  });

  it('is checked for each kind of internal reference', () => {
    const page =
      'Run `npm start`, then `. .data/sandbox.env`; see shared/money/a.ts, DATABASE_URL, payout:list.';
    expect(wordsIn(page)).toHaveLength(5);
  });
});
