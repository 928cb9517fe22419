import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../unit-of-work/database.ts';
import { insertDocumentFile, selectDocumentFile } from './document.store.ts';
import type { IssuedDocument } from './document.ts';
import type { PdfRenderer } from './paper/pdf-renderer.ts';

/** What PDFs are made with. */
export interface PdfScope {
  db: Database;
  clock: Clock;
  pdfs: PdfRenderer;
}

/** The PDF of a document: made when it is first wanted, and the same bytes ever after. */
export async function documentPdf(
  { db, clock, pdfs }: PdfScope,
  document: IssuedDocument,
): Promise<Buffer> {
  const { id } = document;
  const kept = await selectDocumentFile.first(db.knex, { id });
  if (kept) return kept.pdf;
  const pdf = await pdfs.render(document);
  await insertDocumentFile.run(db.knex, { id, pdf, now: clock.now() });
  // Another process may have been first.
  return (await selectDocumentFile.first(db.knex, { id }))?.pdf ?? pdf;
}

/** What a PDF is called when it is saved: `INV-2026-000017.pdf`. */
export function pdfName({ number }: { number: string }): string {
  return `${number}.pdf`;
}
