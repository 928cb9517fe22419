import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Router } from 'express';
import { fail } from '../../../shared/platform/errors.ts';
import { type StaticFile, sendStaticFile } from '../../http/static-file.ts';
import { brandCss } from './brand-parts.ts';
import { publishFonts } from './fonts.ts';

const { resolve } = createRequire(import.meta.url);

/** The start of every page's style sheet: the palette, and the shared components. */
const TOKENS = new URL('./tokens.css', import.meta.url);
const KIT = [TOKENS, new URL('./kit.css', import.meta.url)];
/** The same for pages that people print. */
const PRINTED = [...KIT, new URL('./paper.css', import.meta.url)];

/**
 * Style sheets and scripts, each of one or more files. The served name changes with the content, so that browsers can
 * cache the file.
 */
const FILES = {
  'checkout.css': [...PRINTED, new URL('../checkout/checkout.css', import.meta.url)],
  'checkout.js': [new URL('../checkout/checkout.js', import.meta.url)],
  'progress.css': [...PRINTED, new URL('../brokerage/progress.css', import.meta.url)],
  'account.css': [
    ...PRINTED,
    new URL('./workplace.css', import.meta.url),
    new URL('../account/account.css', import.meta.url),
  ],
  'passkey-library.js': [
    // The package exports no file for browsers; this is its own browser build.
    new URL('../dist/bundle/index.umd.min.js', pathToFileURL(resolve('@simplewebauthn/browser'))),
  ],
  'passkeys.js': [new URL('../account/passkeys.js', import.meta.url)],
  'selection.js': [new URL('../account/selection.js', import.meta.url)],
  'job-progress.js': [new URL('../account/job-progress.js', import.meta.url)],
  'card.css': [...PRINTED, new URL('./card.css', import.meta.url)],
  'mailbox.css': [...PRINTED, new URL('../mail/mailbox.css', import.meta.url)],
  'workplace.css': [...PRINTED, new URL('./workplace.css', import.meta.url)],
  'partner.css': [
    ...PRINTED,
    new URL('./workplace.css', import.meta.url),
    new URL('../partner/partner.css', import.meta.url),
  ],
  'queue-board.js': [new URL('../../ops/queue-board.js', import.meta.url)],
  'portal.css': [...KIT, new URL('../docs/portal.css', import.meta.url)],
  'portal.js': [new URL('../docs/portal.js', import.meta.url)],
  'samples.js': [new URL('../docs/samples.js', import.meta.url)],
  'inspector.js': [new URL('../docs/inspector.js', import.meta.url)],
  'search.js': [new URL('../docs/search.js', import.meta.url)],
  'status.js': [new URL('../docs/status.js', import.meta.url)],
  'reference.css': [new URL('../docs/api-reference/reference.css', import.meta.url)],
  'reference.js': [new URL('../docs/api-reference/reference.js', import.meta.url)],
  'oauth2-redirect.js': [new URL('../docs/api-reference/oauth2-redirect.js', import.meta.url)],
} as const;

export type AssetName = keyof typeof FILES;

interface Asset extends StaticFile {
  path: string;
}

const assets = new Map<string, Asset>();

/** Stores a file under its name and a digest of its content, and returns its path. */
function addAsset(name: string, content: Buffer): string {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 12);
  const [stem = '', type = ''] = name.split('.');
  const asset = { path: `/assets/${stem}-${digest}.${type}`, content, type };
  assets.set(name, asset);
  return asset.path;
}

const fonts = publishFonts(addAsset);
for (const [name, files] of Object.entries(FILES)) {
  const needsFonts = files.some((file) => file === TOKENS);
  const parts = files.map((file) => readFileSync(file));
  addAsset(name, Buffer.concat(needsFonts ? [fonts.css, ...parts] : parts));
}

/** The path of the font file that pages load at once. */
export const FONT_PATH = fonts.latinPath;

/** Returns the path of an asset. */
export function assetPath(name: AssetName): string {
  return assets.get(name)?.path ?? '';
}

/** Serves the assets; browsers cache them. */
export function assetsRouter(): Router {
  const router = Router();
  for (const asset of assets.values()) {
    router.get(asset.path, async (req, res) => {
      res.locals.route = '/assets';
      res.set('Cache-Control', 'public, max-age=31536000, immutable');
      await sendStaticFile(req, res, asset);
    });
  }
  router.get('/assets/brand/:file', (req, res) => {
    res.locals.route = '/assets';
    const [, color] = /^([0-9a-f]{6})\.css$/.exec(req.params.file) ?? [];
    if (color === undefined) throw fail('not_found', { message: 'There is nothing at this path.' });
    res.set('Cache-Control', 'public, max-age=31536000, immutable');
    res.type('css').send(brandCss(color));
  });
  return router;
}
