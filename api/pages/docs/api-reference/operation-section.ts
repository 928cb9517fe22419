import { attributes, html, type Markup } from '../../../../shared/platform/html.ts';
import { inputField } from '../../kit/form.ts';
import { codeBlock } from '../code-block.ts';
import { renderLine, renderProse } from '../markdown.ts';
import type { Content, OpenApiReader, Operation, Parameter } from './openapi-reader.ts';
import { type Direction, fieldList, schemaFields } from './schema-fields.ts';

const JSON_TYPE = 'application/json';

/** Returns everything about one operation, and a form to send it if scripts are enabled. */
export function operationSection(operation: Operation, reader: OpenApiReader): Markup {
  const { operationId, summary, description, parameters, body, responses } = operation;
  const errors = responses.filter(([status]) => /^[45]/.test(status));
  const answers = responses.filter((response) => !errors.includes(response));
  return html`<section class="operation" aria-labelledby="${operationId}">
<h2 id="${operationId}">${summary} <a class="anchor" href="#${operationId}" aria-label="Link to “${summary}”">#</a></h2>
${callLine(operation)}${
  operation.deprecated && html`<p class="deprecated">This call will be removed.</p>\n`
}${description && renderProse(description)}${
  parameters.length > 0 &&
  html`<h3>Parameters</h3>
${fieldList(parameters.map(asField), reader, 'sent')}`
}${
  body &&
  html`<h3>Request body</h3>
${contentOf(body.content, reader, 'sent')}`
}<h3>Responses</h3>
${answers.map(
  ([
    status,
    { description: meaning, content = {} },
  ]) => html`<p class="response">${statusLine(status, meaning)}</p>
${contentOf(content, reader, 'answered')}`,
)}${errors.length > 0 && errorsOf(errors)}${canBeTried(operation) && tryForm(operation)}</section>
`;
}

/** Lists the errors only by status: all have the same envelope, which the guide to errors describes. */
function errorsOf(errors: Operation['responses']): Markup {
  return html`<details class="response"><summary>Errors: ${errors.map(([status]) => status).join(', ')}</summary>
<ul class="errors">
${errors.map(([status, { description }]) => html`<li>${statusLine(status, description)}</li>\n`)}</ul>
<p>The body is the <a href="/docs/errors">error envelope</a>.</p>
</details>
`;
}

const statusLine = (status: string, meaning: string) =>
  html`<code class="status">${status}</code> ${renderLine(meaning)}`;

/** Returns the method and path of an operation. */
export function callLine({ method, path }: Pick<Operation, 'method' | 'path'>): Markup {
  return html`<p class="call-line"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>`;
}

function asField({ name, schema, required = false, in: place, description }: Parameter) {
  return { name, schema, required, place, description };
}

function contentOf(content: Content, reader: OpenApiReader, direction: Direction): Markup {
  return html`${Object.entries(content).map(
    ([type, { schema, example, examples = {} }]) =>
      html`${
        type !== JSON_TYPE && html`<p class="media">As <code>${type}</code></p>\n`
      }${type === JSON_TYPE && schema && schemaFields(schema, reader, direction)}${[
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples).map(({ value }) => value),
      ].map(exampleBlock)}`,
  )}`;
}

function exampleBlock(example: unknown): Markup {
  if (typeof example === 'string') return codeBlock(example, '');
  return codeBlock(JSON.stringify(example, null, 2), 'json');
}

/** Returns false for streams, which never end, sign-in pages, which need a window, and forms, which clients send. */
function canBeTried({ body, responses }: Operation): boolean {
  const succeeds = responses.filter(([status]) => status.startsWith('2'));
  const streams = succeeds.some(([, { content = {} }]) => 'text/event-stream' in content);
  return succeeds.length > 0 && !streams && (!body || JSON_TYPE in body.content);
}

function tryForm({ operationId, method, path, parameters, body }: Operation): Markup {
  const example = body?.content[JSON_TYPE]?.example;
  return html`<details class="try"><summary>Try it</summary>
<form${attributes({ 'data-method': method, 'data-path': path, autocomplete: 'off' })}>
${parameters.map((parameter) => parameterField(operationId, parameter))}${
  body &&
  html`<div class="field">
<label for="${operationId}-body">Body</label>
<textarea id="${operationId}-body" data-body rows="8" spellcheck="false">${example === undefined ? '{}' : JSON.stringify(example, null, 2)}</textarea>
</div>
`
}<p class="error" role="alert"></p>
<button type="submit">Send the request</button>
</form>
<div class="answer" aria-live="polite" hidden><p class="outcome"></p><pre tabindex="0"></pre></div>
</details>
`;
}

function parameterField(operationId: string, parameter: Parameter): Markup {
  const { name, in: place, required = false, example } = parameter;
  return inputField({
    id: `${operationId}-${name}`,
    label: name,
    required: required && name !== 'Idempotency-Key',
    optional: !required,
    hint: name === 'Idempotency-Key' ? 'If empty, each request gets a new one.' : undefined,
    attributes: {
      'data-in': place,
      'data-name': name,
      spellcheck: 'false',
      placeholder: example === undefined ? undefined : String(example),
    },
  });
}
