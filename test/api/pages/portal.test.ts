import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGuideLibrary, type GuideLibrary } from '../../../api/pages/docs/guide-library.ts';
import { GUIDES } from '../../../api/pages/docs/guides.ts';
import { html } from '../../../shared/platform/html.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { readable } from '../../support/console.ts';
import { type Crawl, crawl } from '../../support/portal.ts';

let app: TestApp;
let portal: Crawl;
let library: GuideLibrary;
beforeAll(async () => {
  app = await startTestApp();
  library = createGuideLibrary(app.runtime.config.baseUrl);
  portal = await crawl(app.url, '/');
  // This renders every page once.
});
afterAll(() => app?.stop());

interface OpenApi {
  paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
}

async function callsOf(document: string) {
  const { paths } = (await (await fetch(app.url + document)).json()) as OpenApi;
  return Object.values(paths).flatMap((item) => Object.values(item));
}

const operationsOf = async (document: string) =>
  (await callsOf(document)).map(({ operationId }) => operationId);

/** The paths of a reference: its first page, and one for each subject. */
async function referencePaths(api: string, document: string): Promise<string[]> {
  const subjects = new Set((await callsOf(document)).flatMap(({ tags }) => tags));
  const slugs = [...subjects].map((tag) => tag.toLowerCase().replaceAll(' ', '-'));
  return ['', ...slugs.map((slug) => `/${slug}`)].map((end) => `/docs/reference/${api}${end}`);
}

describe('the developer portal', () => {
  it('has no broken links to pages, anchors, samples, styles or scripts', () => {
    expect(portal.broken).toEqual([]);
  });

  it('links to every guide and every call of both APIs', async () => {
    const found = portal.pages
      .map(({ path }) => path)
      .filter((path) => !/^\/(?:account|partner)/.test(path))
      .sort();
    const expected = [
      '/',
      '/docs',
      ...(await referencePaths('partner', '/openapi-partner.json')),
      ...(await referencePaths('public', '/openapi.json')),
      '/docs/search',
      '/docs/status',
      ...GUIDES.map(({ slug }) => `/docs/${slug}`),
    ];
    expect(found).toEqual(expected.sort());
    const ids = new Set(portal.pages.flatMap((page) => page.ids));
    for (const document of ['/openapi-partner.json', '/openapi.json']) {
      const missing = (await operationsOf(document)).filter((id) => !ids.has(id));
      expect([document, missing]).toEqual([document, []]);
    }
  });

  it('has no duplicate ids on a page', () => {
    const twice = portal.pages.flatMap(({ path, ids }) =>
      ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${path}#${id}`),
    );
    expect(twice).toEqual([]);
  });

  it('loads nothing from other hosts', async () => {
    for (const { path } of portal.pages) {
      const text = await (await fetch(app.url + path)).text();
      const loaded = [...text.matchAll(/<(?:script|link|img|iframe)[^>]*(?:src|href)="([^"]*)"/g)];
      expect([path, loaded.filter(([, at = '']) => /^(?:https?:)?\/\//.test(at))]).toEqual([
        path,
        [],
      ]);
    }
  });

  it('shows each guide with the title of its Markdown, and serves the Markdown', async () => {
    for (const guide of GUIDES) {
      const { slug } = guide;
      const text = library.markdown(guide);
      const [, title = ''] = /^# (.+)$/m.exec(text) ?? [];
      const page = await fetch(`${app.url}/docs/${slug}`);
      expect(await page.text()).toContain(html`<h1>${title}</h1>`.markup);
      const source = await fetch(`${app.url}/docs/${slug}.md`);
      expect(source.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8');
      expect(await source.text()).toBe(text);
    }
  });

  it.each(GUIDES.filter(({ generate }) => !generate).map(({ slug, file }) => [slug, file]))(
    'shows everything that the Markdown of %s says, in its order',
    async (slug, file) => {
      const page = letters(readable(await (await fetch(`${app.url}/docs/${slug}`)).text()));
      let at = 0;
      for (const piece of piecesOf(readFileSync(file, 'utf8'), app.runtime.config.baseUrl)) {
        const found = page.indexOf(letters(piece), at);
        expect([piece, found >= at]).toEqual([piece, true]);
        at = found;
      }
      expect(at).toBeGreaterThan(0);
    },
  );

  it('serves the samples as plain text', async () => {
    expect(
      [...library.samples.keys()].map((path) => path.replace('/docs/examples/', '')).sort(),
    ).toEqual([
      'partner.py',
      ...['go', 'mts', 'php', 'py', 'sh'].map((type) => `quickstart/quickstart.${type}`),
      'sign-in/sign-in.sh',
      'sign.sh',
      ...['go', 'php', 'py', 'sh', 'ts'].map((type) => `verify-webhook/verify.${type}`),
    ]);
    for (const [path, text] of library.samples) {
      const answer = await fetch(app.url + path);
      expect(answer.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
      expect(await answer.text()).toBe(text);
    }
  });

  it('answers with 304 until a page changes', async () => {
    const first = await fetch(`${app.url}/docs/signing`);
    const etag = first.headers.get('ETag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await fetch(`${app.url}/docs/signing`, {
      // Without Cache-Control, fetch would bypass caches.
      headers: { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' },
    });
    expect(again.status).toBe(304);
  });

  it('blocks all connections from the page with the signature inspector', async () => {
    const policy = (await fetch(`${app.url}/docs/signing`)).headers.get('Content-Security-Policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'none'");
    expect(policy).toContain("form-action 'none'");
  });

  it.each([
    ['/docs/partner', '/docs/reference/partner'],
    ['/docs/public', '/docs/reference/public'],
    ['/docs/', '/docs'],
    ['/status', '/docs/status'],
  ])('redirects from %s to %s', async (from, to) => {
    const answer = await fetch(app.url + from, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('Location')]).toEqual([308, to]);
  });

  it.each([
    '/docs/nowhere',
    '/docs/examples/../../package.json',
    '/docs/examples/%2e%2e/x',
    '/docs/..%2fpackage.json',
  ])('returns a 404 page for %s', async (path) => {
    const answer = await fetch(app.url + path);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain('"dependencies"');
  });

  it.each([
    ['/nowhere', 'text/html,application/xhtml+xml,*/*;q=0.8', 'text/html'],
    ['/domains/neonwallet.com', 'text/html', 'text/html'],
    ['/r/nolink', 'text/html', 'text/html'],
    ['/nowhere', '*/*', 'application/json'],
    ['/api/nowhere', 'text/html', 'application/json'],
    ['/api/partner/nowhere', 'text/html', 'application/json'],
  ])('returns a 404 page to browsers and JSON to others: %s, %s', async (path, Accept, type) => {
    const answer = await fetch(app.url + path, { headers: { Accept } });
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([
      404,
      `${type}; charset=utf-8`,
    ]);
    expect(answer.headers.get('X-Request-Id')).toMatch(/^req_/);
    expect((await answer.text()).includes('Page not found')).toBe(type === 'text/html');
  });

  it('is the default landing page of generic referral links', async () => {
    expect(app.runtime.config.referralLandingUrl).toBe('');
    const answer = await fetch(`${app.url}/`);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('<h1>Sell domain names from your own shop</h1>');
  });
});

/** Returns a text without white space, which markup and Markdown use differently, nor the highlighter's escapes. */
const letters = (text: string) => text.replaceAll('&#x27;', "'").replace(/\s/g, '');

/** Returns what a reader sees of each line and table cell of a Markdown page, without its diagrams and sample lists. */
function piecesOf(text: string, baseUrl: string): string[] {
  const shown = text
    .replaceAll('{base_url}', baseUrl)
    .replace(/^```mermaid[\s\S]*?^```$/gm, '')
    .replace(/^<!-- samples -->[\s\S]*?\n\n(?!- )/gm, '')
    .replace(/^<!-- .* -->$/gm, '');
  let isCode = false;
  return shown.split('\n').flatMap((line) => {
    if (line.trim().startsWith('```')) isCode = !isCode;
    if (line.trim().startsWith('```') || /^\|[\s|:-]+$/.test(line)) return [];
    if (isCode) return [line];
    const cells = line.startsWith('|') ? line.split(/(?<!\\)\|/) : [line];
    return cells.map(plain).filter((cell) => cell.trim() !== '');
  });
}

/** Returns a line of Markdown without its marks. Links to pages by file name show the page's name instead. */
function plain(line: string): string {
  return line
    .replace(/^\s*(?:#+|[-*]|\d+\.|>)\s+/, '')
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith('`')
        ? part.slice(1, -1)
        : part.replace(/\*\*|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)|`/g, ''),
    )
    .join('')
    .replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, (_link, name: string, target: string) => {
      const guide = GUIDES.find(({ file }) => file.endsWith(`/${target.split('#')[0]}`));
      return /^[\w-]+\.md$/.test(name) && guide ? guide.name : name;
    })
    .replaceAll('\\|', '|');
}
