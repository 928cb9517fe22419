import { documentPdf, type PdfScope, pdfName } from '../documents/document-pdf.ts';
import { findDocumentById } from '../documents/read-documents.ts';
import type { Attachment } from './mail-transport.ts';

/** The PDFs of the documents that a mail brings. */
export async function attachDocuments(
  scope: PdfScope,
  { documents }: { documents: readonly string[] },
): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  for (const id of documents) {
    const document = await findDocumentById(scope.db.knex, { id });
    if (!document) throw new Error(`there is no document ${id}`);
    const content = await documentPdf(scope, document);
    attachments.push({ filename: pdfName(document), contentType: 'application/pdf', content });
  }
  return attachments;
}
