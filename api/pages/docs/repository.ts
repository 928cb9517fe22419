import { readdirSync, readFileSync } from 'node:fs';
import { extname, posix } from 'node:path';
import { GUIDES, type Guide } from './guides.ts';
import { type RenderedPage, renderMarkdown } from './markdown.ts';

const ROOT = new URL('../../../', import.meta.url);

/** The programs of docs/examples as the portal serves them: address to text. */
export const SAMPLES: ReadonlyMap<string, string> = new Map(
  readdirSync(new URL('docs/examples', ROOT), { withFileTypes: true })
    .filter((entry) => entry.isFile() && ['.py', '.sh'].includes(extname(entry.name)))
    .map(({ name }) => [`/docs/examples/${name}`, readText(`docs/examples/${name}`)]),
);

const bySource = new Map(GUIDES.map((guide) => [guide.file, guide]));

/** A guide, from the repository's Markdown. */
export function renderGuide(guide: Guide): RenderedPage {
  return renderMarkdown(sourceOf(guide), {
    resolve: (target) => resolveLink(guide.file, target),
  });
}

/** The Markdown of a guide. */
export function sourceOf(guide: Guide): string {
  return readText(guide.file);
}

function resolveLink(from: string, target: string): { href: string; name?: string } | null {
  if (/^[a-z]+:/.test(target) || target.startsWith('#')) return { href: target };
  const anchor = target.includes('#') ? `#${target.split('#')[1]}` : '';
  const path = placeOf(from, target);
  const guide = bySource.get(path);
  if (guide) return { href: `/docs/${guide.slug}${anchor}`, name: guide.name };
  return SAMPLES.has(`/${path}`) ? { href: `/${path}` } : null;
}

function placeOf(from: string, target: string): string {
  return posix.join(posix.dirname(from), target.split('#')[0] ?? '');
}

function readText(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}
