/** The links and anchors of a page. */
interface LinkedPage {
  path: string;
  /** The `href` and `src` values as written. */
  links: readonly string[];
  ids: readonly string[];
}

export interface Crawl {
  pages: readonly LinkedPage[];
  /** Every broken link, with its page. */
  broken: readonly string[];
  /** Links and files outside the service. */
  elsewhere: readonly string[];
}

/** Follows every link within the service from `start`, and checks every anchor. */
export async function crawl(url: string, start: string): Promise<Crawl> {
  const pages = new Map<string, LinkedPage | number>();
  const waiting = [start];
  const elsewhere: string[] = [];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const answer = await fetch(url + path);
    const isPage = answer.headers.get('Content-Type')?.startsWith('text/html');
    if (answer.status !== 200 || !isPage) {
      await answer.arrayBuffer();
      pages.set(path, answer.status);
      continue;
    }
    const page = linkedPage(path, await answer.text());
    pages.set(path, page);
    for (const link of page.links) {
      if (/^(?:[a-z]+:|\/\/)/.test(link)) elsewhere.push(`${path}: ${link}`);
      else waiting.push(targetOf(path, link).path);
    }
  }
  const found = [...pages.values()].filter((page) => typeof page === 'object');
  const broken = found.flatMap((page) =>
    page.links
      .filter((link) => !/^(?:[a-z]+:|\/\/)/.test(link) && !leads(pages, targetOf(page.path, link)))
      .map((link) => `${page.path}: ${link}`),
  );
  return { pages: found, broken, elsewhere };
}

function leads(
  pages: ReadonlyMap<string, LinkedPage | number>,
  { path, anchor }: { path: string; anchor: string },
): boolean {
  const page = pages.get(path);
  if (typeof page !== 'object') return page === 200 && anchor === '';
  return anchor === '' || page.ids.includes(anchor);
}

function targetOf(from: string, link: string) {
  const { pathname, search, hash } = new URL(link, `http://here${from}`);
  return { path: pathname + search, anchor: decodeURIComponent(hash.slice(1)) };
}

function linkedPage(path: string, markup: string): LinkedPage {
  const all = (name: string) =>
    [...markup.matchAll(new RegExp(`<[^>]* ${name}="([^"]*)"`, 'g'))].map(([, value = '']) =>
      value.replaceAll('&amp;', '&'),
    );
  const links = [...all('href'), ...all('src')].filter((link) => link !== 'data:,');
  return { path, links, ids: all('id') };
}
