import type { ErrorRequestHandler, Response } from 'express';
import { readBrand } from '../../../shared/messaging/mail/mail-settings.ts';
import type { Database } from '../../../shared/messaging/unit-of-work/database.ts';
import type { ServiceError } from '../../../shared/platform/errors.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import type { Logger } from '../../../shared/platform/observability/logger.ts';
import { type BrandedPage, brandLinks, brandMark, brandStyles } from './brand-parts.ts';
import { errorPage, INVALID_LINK } from './error-page.ts';
import { htmlDocument } from './html-document.ts';
import { allowLogo, type PageKind } from './page-headers.ts';

/**
 * Returns a card for a buyer whom a link led here: with the partner's brand, or with nobody's if the partner is unknown
 * or has no display name. It never names the marketplace, where the buyer has not been.
 */
export function buyerCard(page: {
  title: string;
  content: Markup;
  branded: BrandedPage | undefined;
}): string {
  const { title, content, branded } = page;
  return htmlDocument({
    title: branded ? `${title} · ${branded.name}` : title,
    styles: ['card.css'],
    head: branded && brandStyles(branded.brand),
    bodyClass: branded && 'branded',
    header: branded && html`<header class="brand">${brandMark(branded)}</header>`,
    content: html`<main>
<h1>${title}</h1>
${content}
</main>`,
    footer: branded && html`<footer>${brandLinks(branded)}</footer>`,
  });
}

/** Reads a partner's brand for its buyers, and allows its logo; undefined until the partner has a display name. */
export async function buyerBrand(
  { db }: { db: Database },
  res: Response,
  kind: PageKind,
  partnerId: string | null | undefined,
): Promise<BrandedPage | undefined> {
  if (partnerId === null || partnerId === undefined) return undefined;
  const brand = await readBrand({ db }, partnerId);
  if (brand.displayName === null) return undefined;
  allowLogo(res, kind, brand.logoUrl);
  return { brand, name: brand.displayName };
}

/**
 * Handles errors on a buyer's pages of one kind. `res.locals.partnerId` is the partner, known only once the link is known
 * to be good: a made-up link must not tell whose it is.
 */
export function buyerErrorPage(
  runtime: { db: Database; log: Logger },
  kind: PageKind,
): ErrorRequestHandler {
  return errorPage({
    log: runtime.log,
    words: ({ status }) => (status === 404 ? INVALID_LINK : undefined),
    async render({ title, text }, res, error) {
      const branded = canReadBrand(error) ? await brandIfPossible(runtime, res, kind) : undefined;
      return buyerCard({ title, content: html`<p>${text}</p>`, branded });
    },
  });
}

/** Returns whether an error page may read a brand: while Postgres is away or crowded, that would only wait again. */
export const canReadBrand = (error: ServiceError | undefined): boolean => error?.status !== 503;

/** Without Postgres the page has no brand, but still says what is wrong. */
async function brandIfPossible(
  runtime: { db: Database },
  res: Response,
  kind: PageKind,
): Promise<BrandedPage | undefined> {
  try {
    return await buyerBrand(runtime, res, kind, res.locals.partnerId);
  } catch {
    return undefined;
  }
}
