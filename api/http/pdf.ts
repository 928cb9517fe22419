import type { Response } from 'express';
import type { IssuedDocument } from '../../shared/messaging/documents/document.ts';
import {
  documentPdf,
  type PdfScope,
  pdfName,
} from '../../shared/messaging/documents/document-pdf.ts';
import { fail } from '../../shared/platform/errors.ts';
import { acceptNames } from './accept.ts';
import { type Reply, sendFile } from './reply.ts';

/** Returns whether the caller asked for a PDF rather than JSON. */
export function wantsPdf(accept: string): boolean {
  return acceptNames(accept, 'application/pdf');
}

/** Returns a document as a PDF response. */
export async function pdfReply(scope: PdfScope, document: IssuedDocument): Promise<Reply> {
  return { status: 200, file: await pdfFile(scope, document) };
}

/** Sends a document as a PDF download, for links on pages. @throws not_found when there is no document */
export async function sendDocument(
  scope: PdfScope,
  res: Response,
  document: IssuedDocument | undefined,
): Promise<void> {
  if (!document) throw fail('not_found');
  sendFile(res, await pdfFile(scope, document));
}

async function pdfFile(scope: PdfScope, document: IssuedDocument) {
  const content = await documentPdf(scope, document);
  return { contentType: 'application/pdf', name: pdfName(document), content };
}
