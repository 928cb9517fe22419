import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, posix } from 'node:path';
import { SAMPLE_EXTENSIONS } from './code-samples.ts';
import { GUIDES, type Guide } from './guides.ts';
import { type RenderedPage, renderMarkdown } from './markdown.ts';

/** The guides and samples for readers of one installation: its URL replaces the example URL. */
export interface GuideLibrary {
  /** Programs in docs/examples: portal path to text. */
  samples: ReadonlyMap<string, string>;
  /** Renders a guide as a page. Throws if it links to a page that is not published. */
  render(guide: Guide): RenderedPage;
  /** Like `render`, but returns Markdown, whose links lead to portal pages. */
  markdown(guide: Guide): string;
}

const ROOT = new URL('../../../', import.meta.url);
/** The placeholders for an installation's URL in the repository's pages and samples. */
const ADDRESSES = ['{base_url}', 'http://localhost:3000'];

/** The folders of docs/examples whose files are stand-alone programs. */
const SAMPLE_FOLDERS = ['', 'quickstart/', 'sign-in/', 'verify-webhook/'];

const bySource = new Map(GUIDES.map((guide) => [guide.file, guide]));

/** @param baseUrl the public URL of the service, without a trailing slash */
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

/** Code, which contains no links, or the target of a link. */
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
