import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { html, type Markup } from '../../../shared/platform/html.ts';

/** The icons of all pages, by their names in the package. */
const NAMES = [
  'activity',
  'arrow-left-right',
  'banknote',
  'book-open',
  'building-2',
  'circle-alert',
  'circle-check',
  'circle-dot',
  'circle-x',
  'clipboard-check',
  'clock',
  'credit-card',
  'file-text',
  'globe',
  'hand-coins',
  'handshake',
  'history',
  'inbox',
  'info',
  'key-round',
  'layers',
  'layout-dashboard',
  'link',
  'list-checks',
  'lock',
  'log-out',
  'mail',
  'menu',
  'palette',
  'plug',
  'scroll-text',
  'search',
  'shield-alert',
  'shield-check',
  'shopping-cart',
  'tag',
  'triangle-alert',
  'users',
  'webhook',
  'x',
] as const;

export type IconName = (typeof NAMES)[number];

const { resolve } = createRequire(import.meta.url);

const shapes = new Map<IconName, Markup>(
  NAMES.map((name) => {
    const file = readFileSync(resolve(`lucide-static/icons/${name}.svg`), 'utf8');
    const [, inside = ''] = /<svg[^>]*>([\s\S]*)<\/svg>/.exec(file) ?? [];
    return [name, { markup: inside.replace(/\s*\n\s*/g, '').replaceAll(' />', '/>') }];
  }),
);

/** Returns an inline icon, hidden from assistive technology: the words beside it say the same. */
export function icon(name: IconName, className = 'icon'): Markup {
  return html`<svg class="${className}" viewBox="0 0 24 24" aria-hidden="true">${shapes.get(name)}</svg>`;
}
