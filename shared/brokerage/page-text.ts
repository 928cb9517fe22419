/** What a page shows and what it loads, read in one pass without running anything. */
export interface PageText {
  title: string;
  /** The text that a reader would see, with single spaces. */
  text: string;
  /** Every opening tag as it is written, in lower case. */
  tags: readonly string[];
  /** What its inline scripts say. */
  scripts: string;
}

const HIDDEN = new Set(['script', 'style', 'noscript', 'template', 'svg']);

/**
 * Reads HTML by hand in linear time: what is read here was written by strangers, and patterns that look for
 * the end of each tag take for ever on a page of unclosed ones.
 */
export function readPage(html: string): PageText {
  // Only ASCII, so that positions stay the same: some letters of Unicode grow when lowered.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const tags: string[] = [];
  const shown: string[] = [];
  let title = '';
  let scripts = '';
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open === -1) {
      shown.push(html.slice(at));
      break;
    }
    shown.push(html.slice(at, open));
    const comment = html.startsWith('<!--', open);
    const end = comment ? html.indexOf('-->', open + 4) : html.indexOf('>', open);
    if (end === -1) break;
    at = end + (comment ? 3 : 1);
    if (comment) continue;

    const tag = lower.slice(open, at);
    const name = /^<([a-z][a-z0-9-]*)/.exec(tag)?.[1];
    if (name === undefined) continue;
    tags.push(tag);
    if (!HIDDEN.has(name) && name !== 'title') continue;
    const close = lower.indexOf(`</${name}`, at);
    const inside = html.slice(at, close === -1 ? html.length : close);
    if (name === 'title') title ||= inside.trim();
    if (name === 'script') scripts += `${inside}\n`;
    at += inside.length;
  }
  return { title, text: shown.join(' ').replace(/\s+/g, ' ').trim(), tags, scripts };
}

/** The hosts that the tags of these names point to, by `src`, `href`, `action` or a refresh. */
export function hostsOf(page: PageText, names: readonly string[]): string[] {
  return page.tags
    .filter((tag) => names.some((name) => tag.startsWith(`<${name}`)))
    .flatMap((tag) => [...tag.matchAll(/\/\/([a-z0-9.-]{1,253})/g)])
    .map(([, host = '']) => host);
}
