import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Router } from 'express';

const { resolve } = createRequire(import.meta.url);

/** Style sheets and scripts: each under a name that changes with its content, so it can be kept. */
const FILES = {
  'checkout.css': new URL('./checkout/checkout.css', import.meta.url),
  'checkout.js': new URL('./checkout/checkout.js', import.meta.url),
  'progress.css': new URL('./brokerage/progress.css', import.meta.url),
  'sign-in.css': new URL('./sign-in/sign-in.css', import.meta.url),
  'console.css': new URL('../ops/console/console.css', import.meta.url),
  'docs.css': new URL('./docs/docs.css', import.meta.url),
  'docs.js': new URL('./docs/docs.js', import.meta.url),
  'swagger-ui.css': resolve('swagger-ui-dist/swagger-ui.css'),
  'swagger-ui-bundle.js': resolve('swagger-ui-dist/swagger-ui-bundle.js'),
} as const;

interface Asset {
  path: string;
  text: string;
  type: string;
}

const assets = new Map<string, Asset>(
  Object.entries(FILES).map(([name, file]) => {
    const text = readFileSync(file, 'utf8');
    const digest = createHash('sha256').update(text).digest('base64url').slice(0, 12);
    const [stem = '', type = ''] = name.split('.');
    return [name, { path: `/assets/${stem}-${digest}.${type}`, text, type }];
  }),
);

/** Where a page finds an asset. */
export function assetPath(name: keyof typeof FILES): string {
  return assets.get(name)?.path ?? '';
}

/** Serves the assets; a browser asks for each once. */
export function assetsRouter(): Router {
  const router = Router();
  for (const { path, text, type } of assets.values()) {
    router.get(path, (_req, res) => {
      res.locals.route = '/assets';
      res.set('Cache-Control', 'public, max-age=31536000, immutable').type(type).send(text);
    });
  }
  return router;
}
