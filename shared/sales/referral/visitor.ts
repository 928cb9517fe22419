import { createHmac } from 'node:crypto';
import type { Config } from '../../platform/config/config.ts';
import { deriveKey } from '../../platform/crypto/secrets.ts';

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

/** Tells visitors of one day apart, without telling who they are. */
export type VisitorHasher = (day: string, address: string, userAgent: string) => string;

const VISITOR_ID_BYTES = 12;

/**
 * Marks are keyed hashes of address and user agent. The key is another one every day, so that a visitor
 * can't be followed from one day to the next; the address itself is kept nowhere.
 */
export function createVisitorHasher({ secretsKey }: Pick<Config, 'secretsKey'>): VisitorHasher {
  let today: { day: string; key: Buffer } = { day: '', key: Buffer.alloc(0) };
  return (day, address, userAgent) => {
    if (today.day !== day) today = { day, key: deriveKey(secretsKey, `referral-visitors:${day}`) };
    return createHmac('sha256', today.key)
      .update(`${address}\n${userAgent}`)
      .digest()
      .subarray(0, VISITOR_ID_BYTES)
      .toString('base64url');
  };
}
