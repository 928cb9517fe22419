/**
 * Companies that park or sell domains. If a domain uses one of their name servers, CNAMEs, redirects or scripts,
 * nobody has built a site. Registrars whose regular DNS shares a name with their parking are not in the list.
 */
const PARKING_HOSTS = [
  'above.com',
  'afternic.com',
  'atom.com',
  'bodis.com',
  'bodiscdn.com',
  'brandbucket.com',
  'buydomains.com',
  'cashparking.com',
  'dan.com',
  'dan.hosting',
  'domainmarket.com',
  'domainparking.ru',
  'domainsponsor.com',
  'dsredirection.com',
  'fabulous.com',
  'hugedomains.com',
  'namedrive.com',
  'ndsplitter.com',
  'parking-page.net',
  'parkingcrew.net',
  'parklogic.com',
  'parkingspa.com',
  'rookdns.com',
  'saw.com',
  'sedo.com',
  'sedoparking.com',
  'skenzo.com',
  'smartname.com',
  'squadhelp.com',
  'trafficz.com',
  'undeveloped.com',
  'uniregistry-dns.com',
  'uniregistrymarket.link',
  'voodoo.com',
  'ztomy.com',
] as const;

/** Phrases about the domain itself. One match in the title or a description is enough. */
const FOR_SALE = [
  /\b(this )?domain (name )?(is |may be |might be |could be )?(available )?for sale\b/i,
  /\b(buy|purchase|acquire|get) this (premium )?domain\b/i,
  /\bmake (me |us )?an offer (on|for) (this|the) domain\b/i,
  /\binterested in (buying )?this domain\b/i,
  /\bthis domain (name )?(is|has been|was) (parked|registered at|registered with|registered by)\b/i,
  /\bparked (free|for free|domain|page)\b/i,
  /\bdomain (parking|is parked)\b/i,
  /\b[a-z0-9.-]{1,63}\.[a-z]{2,24} is for sale\b/i,
  /\bdiese domain (steht|ist) (hier )?zum verkauf\b/i,
  /\bdomain (zu verkaufen|kaufen)\b/i,
  /\bce (nom de )?domaine est (à|a) vendre\b/i,
  /\beste dominio (está|esta) (a la|en) venta\b/i,
  /\bdeze domeinnaam is te koop\b/i,
] as const;

/** What servers and hosting panels show before anybody has published a site. */
const PLACEHOLDER = [
  /^welcome to nginx/i,
  /\bapache2? .{0,40}(default|test) page\b/i,
  /^it works!?$/i,
  /^iis windows( server)?$/i,
  /^index of \/$/i,
  /\bdefault (web )?(site|server) page\b/i,
  /\bdefault plesk page\b/i,
  /\bplesk .{0,20}default page\b/i,
  /^(site |website |page |domain )?(is )?(coming soon|under construction|not (yet )?published)\b/i,
  /\b(future home of|website is coming soon|site is under construction)\b/i,
  /\baccount (has been )?suspended\b/i,
  /\bno (web ?site|site) (is )?(configured|found) at this address\b/i,
] as const;

/** Above this length, a page that mentions domains for sale is a site about them. */
const SHORT_TEXT = 1_500;
/** Below this length, a page that loads nothing counts as empty. */
const EMPTY_TEXT = 40;
/** How much of a title or a description is checked. */
const MAX_HEAD = 500;

export type ParkedSign = 'parking_host' | 'for_sale' | 'lander' | 'placeholder' | 'empty';

/** Returns whether a host is, or is under, a parking company's host. */
export function isParkingHost(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return PARKING_HOSTS.some((known) => name === known || name.endsWith(`.${known}`));
}

/** Returns the sign that a page is not a real site; null for a real site. */
export function parkedSign(page: PageText): ParkedSign | null {
  const short = page.text.length <= SHORT_TEXT;
  const loaded = hostsOf(page, ['script', 'iframe', 'frame', 'meta', 'form']);
  if (loaded.some(isParkingHost)) return 'parking_host';
  if (short && hostsOf(page, ['a ']).some(isParkingHost)) return 'parking_host';

  const metas = page.tags.filter((tag) => tag.startsWith('<meta'));
  const heads = [page.title, ...metas].map((text) => text.slice(0, MAX_HEAD));
  const said = short ? [...heads, page.text] : heads;
  if (said.some((text) => FOR_SALE.some((phrase) => phrase.test(text)))) return 'for_sale';
  if (short && isLander(page)) return 'lander';
  if (short && [page.title, page.text].some((text) => PLACEHOLDER.some((p) => p.test(text)))) {
    return 'placeholder';
  }
  return page.text.length < EMPTY_TEXT && !loadsAnything(page) ? 'empty' : null;
}

/** Whether a page only redirects to a parking page on the same host. */
function isLander(page: PageText): boolean {
  return /location(\.href)?\s*=\s*["']\/lander\b/.test(page.scripts);
}

/** Whether a page loads anything. Script-built apps, frames and images have no text of their own. */
function loadsAnything(page: PageText): boolean {
  return page.tags.some((tag) =>
    /^<(script[^>]* src=|iframe|frame|img|video|form|object|canvas)/.test(tag),
  );
}

/** What a page shows and loads, parsed in one pass without running anything. */
export interface PageText {
  title: string;
  /** The text that a reader would see, with single spaces. */
  text: string;
  /** Every opening tag, in lower case. */
  tags: readonly string[];
  /** The text of its inline scripts. */
  scripts: string;
}

const HIDDEN = new Set(['script', 'style', 'noscript', 'template', 'svg']);

/**
 * Parses HTML by hand in linear time. The input is untrusted, and patterns that look for the end of each tag take
 * quadratic time on a page of unclosed tags.
 */
export function readPage(html: string): PageText {
  // Lowercases only ASCII, so that positions stay the same: some Unicode letters get longer in lower case.
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

/** The hosts that tags with these names point to, by `src`, `href`, `action` or a refresh. */
function hostsOf(page: PageText, names: readonly string[]): string[] {
  return page.tags
    .filter((tag) => names.some((name) => tag.startsWith(`<${name}`)))
    .flatMap((tag) => [...tag.matchAll(/\/\/([a-z0-9.-]{1,253})/g)])
    .map(([, host = '']) => host);
}
