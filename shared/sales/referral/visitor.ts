import { createHmac } from 'node:crypto';
import type { Config } from '../../platform/config/config.ts';
import { deriveKey } from '../../platform/crypto/secrets.ts';

/**
 * Words in the `User-Agent` of visitors that declare themselves as bots: crawlers, link previews of messengers,
 * monitors, headless browsers. HTTP libraries are not included, since apps that people use are built with them.
 */
const BOT_WORDS = [
  // Crawlers, by the words that nearly all of them use; Cubot makes phones
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
  // Link previews
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
  // Automated browsers
  'headlesschrome',
  'phantomjs',
  'puppeteer',
  'playwright',
  'selenium',
] as const;

const BOT = new RegExp(BOT_WORDS.join('|'), 'i');
const SPECULATIVE = /prefetch|prerender|preview/i;

/** The facts that distinguish a person's click from other requests. */
export interface Visit {
  method: string;
  userAgent: string | undefined;
  /** `Sec-Purpose`, `Purpose`, `X-Purpose` and `X-Moz`, as far as they were sent. */
  purposes: readonly (string | undefined)[];
}

/** Returns whether a visit is a person's click: not a declared bot, a `HEAD` request or a prefetch. */
export function isHumanClick({ method, userAgent, purposes }: Visit): boolean {
  if (method !== 'GET') return false;
  if (purposes.some((purpose) => purpose !== undefined && SPECULATIVE.test(purpose))) return false;
  return userAgent !== undefined && userAgent !== '' && !BOT.test(userAgent);
}

/** Distinguishes the visitors of one day without identifying them. */
export type VisitorHasher = (day: string, address: string, userAgent: string) => string;

const VISITOR_ID_BYTES = 12;

/**
 * Creates a hasher that returns keyed hashes of IP address and user agent. The key changes every day, so that a
 * visitor cannot be tracked from one day to the next. The address itself is not stored.
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
