import type { IssuedDocument } from '../documents/document.ts';
import { documentPdf, type PdfScope, pdfName } from '../documents/document-pdf.ts';
import { findDocumentById } from '../documents/read-documents.ts';
import type { Database } from '../unit-of-work/database.ts';
import { selectMail } from './mail.store.ts';
import type { Attachment } from './mail-transport.ts';

/** Returns the PDFs of the documents attached to a mail. */
export async function attachDocuments(
  scope: PdfScope,
  { documents: ids }: { documents: readonly string[] },
): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  for (const document of await readDocuments(scope, ids)) {
    const content = await documentPdf(scope, document);
    attachments.push({ filename: pdfName(document), contentType: 'application/pdf', content });
  }
  return attachments;
}

/** Returns the documents attached to a mail; none once the mail is deleted. */
export async function findAttachedDocuments(
  scope: { db: Database },
  mailId: string,
): Promise<IssuedDocument[]> {
  const mail = await selectMail.first(scope.db.knex, { id: mailId });
  return readDocuments(scope, mail?.documents ?? []);
}

async function readDocuments(
  { db }: { db: Database },
  ids: readonly string[],
): Promise<IssuedDocument[]> {
  const documents: IssuedDocument[] = [];
  for (const id of ids) {
    const document = await findDocumentById(db.knex, { id });
    if (!document) throw new Error(`there is no document ${id}`);
    documents.push(document);
  }
  return documents;
}
