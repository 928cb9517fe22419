import { Type } from 'typebox';
import {
  DOCUMENT_KINDS,
  type DocumentKind,
  type DocumentSummary,
  documentSummary,
} from '../../shared/messaging/documents/document.ts';
import { findDocumentById } from '../../shared/messaging/documents/read-documents.ts';
import type { Scope } from '../../shared/people/partners/credential.ts';
import { fail } from '../../shared/platform/errors.ts';
import { Instant } from '../http/common-schemas.ts';
import { pdfReply, wantsPdf } from '../http/pdf.ts';
import { type Reply, reply } from '../http/reply.ts';
import { type PartnerCaller, type PartnerContext, partnerRoute } from './partner-route.ts';

const kinds = Object.keys(DOCUMENT_KINDS) as DocumentKind[];

export const DocumentView = Type.Object(
  {
    id: Type.String(),
    kind: Type.Enum([...kinds]),
    number: Type.String({ description: 'As printed on the document, such as `INV-2026-000017`.' }),
    subject: Type.String({ description: 'The order, settlement or payout it belongs to.' }),
    currency: Type.String(),
    total_cents: Type.Integer({ description: 'Negative for the credit note of a sale.' }),
    issued_at: Instant,
    url: Type.String({
      description: 'Where to read the document; send `Accept: application/pdf` for the PDF.',
    }),
  },
  { title: 'Document', description: 'An issued document. It never changes.' },
);

const DocumentParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });

/** The scopes that may read a document: those that may read its subject. */
const READERS: Record<DocumentKind, readonly Scope[]> = {
  receipt: ['buy', 'search'],
  invoice: ['buy', 'search'],
  credit_note: ['buy', 'search'],
  statement: ['buy'],
  self_billing: ['buy'],
  payout_advice: ['report'],
};

/** `GET /documents/{id}`: one document, as JSON or PDF. */
export const getDocumentRoute = partnerRoute({
  method: 'GET',
  path: '/v1/documents/:id',
  operationId: 'getDocument',
  summary: 'Read an issued document, as JSON or PDF.',
  description:
    "Requires the scope of the document's subject: `buy` or `search` for orders, `buy` for settlements, `report` for payouts.",
  scopes: ['buy', 'search', 'report'],
  limit: 'reporting',
  params: DocumentParams,
  responses: { 200: DocumentView },
  alternatives: ['application/pdf'],
  async handler(context, { caller, params, accept }) {
    const document = await findDocumentById(context.db.knex, { id: params.id, owner: caller });
    if (!document) throw fail('not_found', { message: 'No document has this ID.' });
    const scopes = READERS[document.kind];
    if (!scopes.some((scope) => caller.scopes.includes(scope))) {
      throw fail('forbidden', {
        message: `This credential lacks the scope "${scopes.join('" or "')}".`,
      });
    }
    if (wantsPdf(accept)) return pdfReply(context, document);
    return reply(200, documentView(context, documentSummary(document)));
  },
});

/** Returns a document as an entry in the list of its subject. */
export function documentView(
  { config }: Pick<PartnerContext, 'config'>,
  { id, kind, number, subject, total, issuedAt }: DocumentSummary,
) {
  return {
    id,
    kind,
    number,
    subject,
    currency: total.currency,
    total_cents: total.amount,
    issued_at: issuedAt.toISOString(),
    url: `${config.baseUrl}/api/partner/v1/documents/${id}`,
  };
}

/**
 * Returns the PDF of one of these documents: the first kind in `preferred` that was issued.
 * @throws not_found when there is none
 */
export async function pdfOfDocuments(
  context: PartnerContext,
  caller: PartnerCaller,
  documents: readonly DocumentSummary[],
  preferred: readonly DocumentKind[],
): Promise<Reply> {
  const [first] = preferred.flatMap((kind) => documents.filter((each) => each.kind === kind));
  const document =
    first && (await findDocumentById(context.db.knex, { id: first.id, owner: caller }));
  if (!document) throw fail('not_found', { message: 'No document has been issued for it.' });
  return pdfReply(context, document);
}
