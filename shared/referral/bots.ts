/**
 * Words in the `User-Agent` of visitors that say themselves that nobody is looking: crawlers, the
 * previews of messengers, monitors, headless browsers. HTTP libraries are not among them, since apps
 * that people use are built with them.
 */
const BOT_WORDS = [
  // Crawlers, by what nearly all of them call themselves; Cubot makes telephones
  '(?<!cu)bot\\b',
  'crawl',
  'spider',
  'slurp',
  'archiver',
  'scrapy',
  'heritrix',
  'mediapartners-google',
  'google-read-aloud',
  'googleother',
  'google-inspectiontool',
  'adsbot',
  'bingpreview',
  'yandex(?!search|browser)',
  'baiduspider',
  'petalsearch',
  'dataprovider',
  // Previews of links that somebody posted
  'facebookexternalhit',
  'facebookcatalog',
  'meta-externalagent',
  'whatsapp/',
  'skypeuripreview',
  'slack-imgproxy',
  'vkshare',
  'embedly',
  'iframely',
  'quora link preview',
  'outbrain',
  'flipboardproxy',
  // Monitors and audits
  'pingdom',
  'uptime',
  'statuscake',
  'site24x7',
  'datadog',
  'newrelicpinger',
  'lighthouse',
  'pagespeed',
  'gtmetrix',
  'validator',
  // Browsers without a person
  'headlesschrome',
  'phantomjs',
  'puppeteer',
  'playwright',
  'selenium',
] as const;

const BOT = new RegExp(BOT_WORDS.join('|'), 'i');
const SPECULATIVE = /prefetch|prerender|preview/i;

/** What tells a person's click from the rest. */
export interface Visit {
  method: string;
  userAgent: string | undefined;
  /** `Sec-Purpose`, `Purpose`, `X-Purpose` and `X-Moz`, as far as they were sent. */
  purposes: readonly (string | undefined)[];
}

/** Whether a visit is a person's click: no declared robot, no `HEAD`, no page fetched ahead of a click. */
export function isHumanClick({ method, userAgent, purposes }: Visit): boolean {
  if (method !== 'GET') return false;
  if (purposes.some((purpose) => purpose !== undefined && SPECULATIVE.test(purpose))) return false;
  return userAgent !== undefined && userAgent !== '' && !BOT.test(userAgent);
}
