import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, posix } from 'node:path';
import { SAMPLE_EXTENSIONS } from './code-samples.ts';
import { GUIDES, type Guide } from './guides.ts';
import { type RenderedPage, renderMarkdown } from './markdown.ts';

/** The guides and samples as readers of one installation get them: with its address in place of an example. */
export interface GuideLibrary {
  /** Programs of docs/examples: address in the portal to text. */
  samples: ReadonlyMap<string, string>;
  /** A guide as a page. Throws if it links to a page that is not published. */
  render(guide: Guide): RenderedPage;
  /** The same as Markdown, whose links lead to pages of the portal. */
  markdown(guide: Guide): string;
}

const ROOT = new URL('../../../', import.meta.url);
/** What the repository's pages and samples say where the address of an installation belongs. */
const ADDRESSES = ['{base_url}', 'http://localhost:3000'];

/** The folders of docs/examples whose files are programs of their own. */
const SAMPLE_FOLDERS = ['', 'quickstart/', 'sign-in/', 'verify-webhook/'];

const bySource = new Map(GUIDES.map((guide) => [guide.file, guide]));

/** @param baseUrl the public address of the service, without a slash at its end */
export function createGuideLibrary(baseUrl: string): GuideLibrary {
  const readText = (file: string): string => {
    const url = new URL(file, ROOT);
    const text = existsSync(url) ? readFileSync(url, 'utf8') : '';
    return ADDRESSES.reduce((each, address) => each.replaceAll(address, baseUrl), text);
  };
  const sourceOf = ({ file, generate }: Guide) => generate?.(readText(file)) ?? readText(file);
  const samples = new Map(
    SAMPLE_FOLDERS.map((folder) => `docs/examples/${folder}`).flatMap((folder) =>
      readdirSync(new URL(folder, ROOT))
        .filter((name) => SAMPLE_EXTENSIONS.includes(extname(name)))
        .map((name) => [`/${folder}${name}`, readText(folder + name)] as const),
    ),
  );
  const resolve = (guide: Guide, target: string) => resolveLink(guide.file, target, samples);
  return {
    samples,
    render: (guide) =>
      renderMarkdown(sourceOf(guide), {
        resolve: (target) => resolve(guide, target),
        samples,
      }),
    markdown: (guide) =>
      withoutMarks(sourceOf(guide)).replace(LINK_OR_CODE, (whole, target?: string) =>
        target === undefined ? whole : `](${resolve(guide, target).href})`,
      ),
  };
}

/** Code, in which nothing is a link, or the address of a link. */
const LINK_OR_CODE = /^```[\s\S]*?^```$|`[^`\n]+`|\]\(([^)\s]+)\)/gm;

function withoutMarks(text: string): string {
  return text.replace(/^<!-- .* -->\n\n?/gm, '');
}

function resolveLink(
  from: string,
  target: string,
  samples: ReadonlyMap<string, string>,
): { href: string; name?: string } {
  if (/^([a-z]+:|[#/])/.test(target)) return { href: target };
  const anchor = target.includes('#') ? `#${target.split('#')[1]}` : '';
  const path = posix.join(posix.dirname(from), target.split('#')[0] ?? '');
  const guide = bySource.get(path);
  if (guide) return { href: `/docs/${guide.slug}${anchor}`, name: guide.name };
  if (samples.has(`/${path}`)) return { href: `/${path}` };
  throw new Error(`${from} links to ${path}, which is not published.`);
}
