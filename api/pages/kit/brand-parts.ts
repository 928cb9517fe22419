import type { Brand } from '../../../shared/messaging/mail/mail-settings.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';

/** What a page shows of its partner, displayed as `name`. The partner's colors apply inside of `branded`. */
export interface BrandedPage {
  brand: Brand;
  name: string;
}

/** Returns the link to the style sheet with a partner's color, for the head of a page; false without a color. */
export function brandStyles({ accentColor }: Brand): Markup | false {
  return (
    accentColor !== null &&
    html`<link rel="stylesheet" href="/assets/brand/${accentColor.slice(1)}.css">\n`
  );
}

/** Returns logo and name. */
export function brandMark({ brand, name }: BrandedPage): Markup {
  return html`${brand.logoUrl !== null && html`<img class="logo" src="${brand.logoUrl}" alt="" height="32">`}<span>${name}</span>`;
}

/** Returns the links to help and terms for buyers; false if the partner set neither. */
export function brandLinks({ brand, name }: BrandedPage): Markup | false {
  const { supportUrl, supportEmail, termsUrl } = brand;
  const help = supportUrl ?? (supportEmail === null ? null : `mailto:${supportEmail}`);
  if (help === null && termsUrl === null) return false;
  return html`<p class="brand-links">${help !== null && html`<a href="${help}" rel="noreferrer">Help from ${name}</a>`}${
    help !== null && termsUrl !== null && html` · `
  }${termsUrl !== null && html`<a href="${termsUrl}" rel="noreferrer">Terms of ${name}</a>`}</p>`;
}

/** Returns the style sheet of a partner's color, as six hexadecimal digits; text on its buttons is black or white. */
export function brandCss(color: string): string {
  const text = contrastWithWhite(color) >= 4.5 ? '#ffffff' : '#000000';
  return `.branded :is(.button, button).primary { border-color: #${color}; background: #${color}; color: ${text}; }
.branded :is(.button, button).primary:hover { box-shadow: inset 0 0 0 2px ${text}; }
`;
}

/** Returns the contrast of a color with white, from 1 to 21 (WCAG 2.2, relative luminance). */
function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
