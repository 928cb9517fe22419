import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../unit-of-work/database.ts';
import { insertDocumentFile, selectDocumentFile } from './document.store.ts';
import type { IssuedDocument } from './document.ts';
import type { PdfRenderer } from './paper/pdf-renderer.ts';

/** The services needed to make PDFs. */
export interface PdfScope {
  db: Database;
  clock: Clock;
  pdfs: PdfRenderer;
}

/** Returns the PDF of a document. It is made on first request, and the bytes never change after that. */
export async function documentPdf(
  { db, clock, pdfs }: PdfScope,
  document: IssuedDocument,
): Promise<Buffer> {
  const { id } = document;
  const kept = await selectDocumentFile.first(db.knex, { id });
  if (kept) return kept.pdf;
  const pdf = await pdfs.render(document);
  await insertDocumentFile.run(db.knex, { id, pdf, now: clock.now() });
  // Another process may have stored the PDF first.
  return (await selectDocumentFile.first(db.knex, { id }))?.pdf ?? pdf;
}

/** Returns the file name of a PDF: `INV-2026-000017.pdf`. */
export function pdfName({ number }: { number: string }): string {
  return `${number}.pdf`;
}
