import { attributes, html, type Markup } from '../../../../shared/platform/html.ts';
import type { DocumentOptions } from '../../../openapi/openapi-document.ts';
import { partnerDocument } from '../../../openapi/partner-document.ts';
import { publicDocument } from '../../../openapi/public-document.ts';
import { assetPath } from '../../kit/assets.ts';
import { renderProse, slugOf } from '../markdown.ts';
import { portalLayout } from '../portal-layout.ts';
import { type OpenApiReader, readOpenApi, type Subject } from './openapi-reader.ts';
import { callLine, operationSection } from './operation-section.ts';
import { requestSigner, signInForm } from './try-it-forms.ts';

/** An API as its pages show it. */
export interface DocumentedApi {
  /** The path of its first page. */
  path: string;
  title: string;
  /** The path of its OpenAPI document. */
  document: string;
  build: typeof partnerDocument;
  /** What must be filled in before an operation can be tried. */
  credentials: Markup;
  /** Whether requests must be signed, which the page does with a SANDBOX key. */
  signed: boolean;
}

export const API_REFERENCES: readonly DocumentedApi[] = [
  {
    path: '/docs/reference/public',
    title: 'Public API',
    document: '/openapi.json',
    build: publicDocument,
    credentials: signInForm,
    signed: false,
  },
  {
    path: '/docs/reference/partner',
    title: 'Partner API',
    document: '/openapi-partner.json',
    build: partnerDocument,
    credentials: requestSigner,
    signed: true,
  },
];

/**
 * Returns a function that renders an API's pages by path: the first one, and one for each subject of its operations. It
 * reads the document when the first page is requested, and returns undefined for unknown paths.
 */
export function createReference(
  api: DocumentedApi,
  options: DocumentOptions,
): (path: string) => string | undefined {
  let reader: OpenApiReader | undefined;
  return (path) => {
    reader ??= readOpenApi(api.build(options));
    if (path === api.path) return overview(api, reader);
    const subject = reader.subjects.find((each) => pathOf(api, each) === path);
    return subject && subjectPage(api, reader, subject);
  };
}

const pathOf = (api: DocumentedApi, { name }: Subject) => `${api.path}/${slugOf(name)}`;

function overview(api: DocumentedApi, reader: OpenApiReader): string {
  return portalLayout({
    path: api.path,
    title: api.title,
    styles: ['reference.css'],
    content: html`<h1>${reader.title}</h1>
${renderProse(reader.description)}
<p>For tools: <a href="${api.document}">the OpenAPI document</a>.${api.signed && html` What we send to you: <a href="/docs/events">event types</a>.`}</p>
${reader.subjects.map(
  (
    subject,
  ) => html`<h2 id="${slugOf(subject.name)}"><a href="${pathOf(api, subject)}">${subject.name}</a></h2>
<p>${subject.description}</p>
<ul class="calls-of">
${subject.operations.map(
  (
    operation,
  ) => html`<li><a href="${pathOf(api, subject)}#${operation.operationId}">${operation.summary}</a>
${callLine(operation)}</li>
`,
)}</ul>
`,
)}`,
    aside: contents(reader.subjects.map(({ name }) => [`#${slugOf(name)}`, name] as const)),
  });
}

function subjectPage(api: DocumentedApi, reader: OpenApiReader, subject: Subject): string {
  const { name, description, operations } = subject;
  return portalLayout({
    path: api.path,
    title: `${name}, ${api.title}`,
    styles: ['reference.css'],
    scripts: ['reference.js'],
    content: html`<p class="crumb"><a href="${api.path}">${api.title}</a></p>
<h1>${name}</h1>
<p>${description}</p>
<div class="credentials"${attributes({ 'data-signer': api.signed && assetPath('inspector.js') })}>
${api.credentials}</div>
${operations.map((operation) => operationSection(operation, reader))}
${neighbors(api, reader, subject)}`,
    aside: contents(
      operations.map(({ operationId, summary }) => [`#${operationId}`, summary] as const),
    ),
  });
}

function contents(entries: readonly (readonly [href: string, text: string])[]): Markup {
  return html`<nav class="toc" aria-label="On this page">
<p>On this page</p>
<ul>
${entries.map(([href, text]) => html`<li><a href="${href}">${text}</a></li>\n`)}</ul>
</nav>`;
}

function neighbors(api: DocumentedApi, { subjects }: OpenApiReader, subject: Subject): Markup {
  const at = subjects.indexOf(subject);
  const [before, after] = [subjects[at - 1], subjects[at + 1]];
  return html`<nav class="neighbours" aria-label="Before and after">
${before && html`<a href="${pathOf(api, before)}" rel="prev">← ${before.name}</a>`}
${after && html`<a class="next" href="${pathOf(api, after)}" rel="next">${after.name} →</a>`}
</nav>`;
}
