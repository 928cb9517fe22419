import { beforeAll, describe, expect, it } from '@jest/globals';
import { createDocsSearch, type FoundSection } from '../../../api/pages/docs/docs-search.ts';
import { createGuideLibrary } from '../../../api/pages/docs/guide-library.ts';
import { GUIDES } from '../../../api/pages/docs/guides.ts';

const library = createGuideLibrary('https://market.example');
let search: (query: string) => FoundSection[];
beforeAll(async () => {
  search = await createDocsSearch(library);
});
const paths = (query: string) => search(query).map(({ path }) => path);

describe('the documentation search', () => {
  it.each([
    ['test cards', '/docs/sandbox#test-cards'],
    ['4242', '/docs/sandbox#test-cards'],
    ['canonical string', '/docs/signing#the-canonical-string'],
    ['order.settled', '/docs/events#ordersettled'],
    ['quickstart', '/docs/quickstart'],
    ['signing requests', '/docs/signing'],
    ['what are the scopes', '/docs/sign-in#scopes'],
  ])('finds for “%s” first: %s', (query, path) => {
    expect(paths(query)[0]).toBe(path);
  });

  it.each([
    ['a typo', 'canonicl', '/docs/signing#the-canonical-string'],
    ['a beginning', 'canoni', '/docs/signing#the-canonical-string'],
    ['another form', 'verifies webhook', '/docs/webhooks#verifying'],
  ])('finds by %s', (_what, query, path) => {
    expect(paths(query)).toContain(path);
  });

  it('links to headings that exist', () => {
    const anchors = new Set(
      GUIDES.flatMap((guide) => [
        `/docs/${guide.slug}`,
        ...library.render(guide).headings.map(({ id }) => `/docs/${guide.slug}#${id}`),
      ]),
    );
    const found = ['order', 'webhook', 'price', 'domain', 'payout', 'token'].flatMap(paths);
    expect(found.length).toBeGreaterThan(60);
    expect(found.filter((path) => !anchors.has(path))).toEqual([]);
  });

  it('shows the text around the matches and highlights them', () => {
    const [first] = search('insufficient_funds');
    const text = first?.excerpt.map((part) => part.text).join('');
    expect(text).toContain('insufficient_funds');
    expect(text?.length).toBeLessThan(400);
    const marked = first?.excerpt.filter(({ found }) => found).map((part) => part.text);
    expect(new Set(marked)).toEqual(new Set(['insufficient', 'funds']));
  });

  it('returns at most three sections of a page', () => {
    const pages = search('order').map(({ page }) => page);
    expect(pages.filter((page) => page === 'Event types')).toHaveLength(3);
  });

  it.each(['', '   ', '???', 'zzzzqqq', 'the of and', '<zzzzqq>', '('.repeat(500)])(
    'finds nothing for “%s”',
    (query) => {
      expect(search(query)).toEqual([]);
    },
  );
});
