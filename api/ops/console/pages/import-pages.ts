import { Type } from 'typebox';
import {
  type ListingImport,
  listImports,
  MAX_KEPT_REJECTIONS,
  readImport,
} from '../../../../shared/market/inventory/import-run.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { inputField, selectField } from '../../../pages/kit/form.ts';
import { timestamp } from '../../../pages/kit/format.ts';
import { CSV_FORMAT, type CsvColumns, csvFile, csvLink } from '../../../pages/kit/list.ts';
import { descriptionList, link, notice, section } from '../../../pages/kit/page-parts.ts';
import type { PageNow } from '../../../pages/kit/page-time.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { numberColumn, table } from '../../../pages/kit/table.ts';
import { listingAdd } from '../../actions/domain-actions.ts';
import { mayRun, needsConfirmation } from '../../ops-routes.ts';
import { confirmPath } from '../../ops-session.ts';
import { consolePage, IdField } from '../console-page.ts';
import { IMPORT_PATH, importPath } from '../console-paths.ts';

const SHOWN = 20;
const IN_FILE = 10_000;

const IMPORT_COLUMNS: CsvColumns<ListingImport> = {
  id: ({ id }) => id,
  environment: ({ environment }) => environment,
  file_name: ({ fileName }) => fileName,
  state: ({ state }) => state,
  inserted: ({ inserted }) => inserted,
  updated: ({ updated }) => updated,
  unchanged: ({ unchanged }) => unchanged,
  rejected: ({ rejected }) => rejected,
  created_at: ({ createdAt }) => createdAt.toISOString(),
  finished_at: ({ finishedAt }) => finishedAt?.toISOString() ?? null,
};

/** The import form, and recent imports. */
export const importFormPage = consolePage({
  path: '/listings/import',
  input: Type.Object({ format: CSV_FORMAT }),
  async show(context, { format }) {
    if (format === 'csv') {
      return csvFile('imports', IMPORT_COLUMNS, async () => ({
        rows: await listImports(context, IN_FILE),
        next: null,
      }));
    }
    const imports = await listImports(context, SHOWN);
    return {
      title: 'Import listings',
      section: 'listings',
      content: html`<p>A CSV file with a header, or NDJSON (named .ndjson), of up to 5 MB: <code>domain</code>, <code>price_cents</code>, and optionally <code>currency</code>, <code>floor_price_cents</code>, <code>offers_accepted</code>, <code>description</code>, <code>category</code>, <code>keywords</code>. New domains are listed, known ones get the new terms and keep those without a column. Importing a file again is safe. For larger files use <code>npm run ops -- listing:import</code>.</p>
${mayRun(listingAdd, context.staff.role) && (needsConfirmation(listingAdd, context.staff) ? confirmFirst : importForm())}
${section(
  'Latest imports',
  html`${importsTable(imports, context.now)}
${imports.length > 0 && csvLink(`${IMPORT_PATH}?format=csv`)}`,
)}`,
    };
  },
});

/** Shown instead of the form: a file cannot be kept while its sender confirms. */
const confirmFirst = html`<p class="acts"><a class="button primary" href="${confirmPath(IMPORT_PATH)}">Confirm it’s you</a></p>`;

function importForm(): Markup {
  const choices = ['SANDBOX', 'LIVE'].map((value) => ({ value, text: value }));
  return html`<form class="ask" method="post" action="${IMPORT_PATH}" enctype="multipart/form-data">
${selectField({ name: 'environment', label: 'Environment', choices, chosen: 'SANDBOX' })}
${inputField({ name: 'file', label: 'File', type: 'file', required: true, attributes: { accept: '.csv,.ndjson,.jsonl,.json,text/csv' } })}
<p class="acts"><button class="primary" type="submit">Import listings</button> <a class="button link" href="/ops/listings">Cancel</a></p>
</form>`;
}

function importsTable(imports: readonly ListingImport[], now: PageNow): Markup {
  return table(
    'Imports, the newest first',
    ['File', 'State', numberColumn('Rows written'), numberColumn('Refused'), 'Started'],
    imports.map((each) => [
      html`${link(importPath(each.id), each.fileName)} ${environmentTag(each.environment)}`,
      statusBadge(each.state),
      each.inserted + each.updated + each.unchanged,
      each.rejected,
      timestamp(each.createdAt, now),
    ]),
    'No imports yet.',
  );
}

/** An import: its progress, and the rejected rows with the reason of each, also as CSV. */
export const importPage = consolePage({
  path: '/listings/imports/:import',
  input: Type.Object({
    import: IdField,
    format: CSV_FORMAT,
  }),
  async show(context, { import: id, format }) {
    const found = await readImport(context, /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0);
    const { rejections, rejected } = found;
    if (format === 'csv') {
      const columns: CsvColumns<(typeof rejections)[number]> = {
        line: ({ line }) => line,
        reason: ({ reason }) => reason,
        row: ({ row }) => row,
      };
      return csvFile(`refused-${id}`, columns, async () => ({ rows: rejections, next: null }));
    }
    const path = importPath(found.id);
    return {
      title: `Import of ${found.fileName}`,
      section: 'listings',
      content: html`${found.problem !== null && notice({ tone: 'bad', title: 'Nothing was imported', content: found.problem })}
${
  found.finishedAt === null &&
  html`<p><label>Progress <progress max="${found.lines}" value="${found.line}"></progress></label> ${found.line} of ${found.lines} lines. <a href="${path}">Refresh</a></p>`
}
${descriptionList([
  ['State', statusBadge(found.state)],
  ['Environment', environmentTag(found.environment)],
  ['New', found.inserted],
  ['Changed', found.updated],
  ['Unchanged', found.unchanged],
  ['Refused', rejected],
  ['Started', timestamp(found.createdAt, context.now)],
  ['Finished', found.finishedAt && timestamp(found.finishedAt, context.now)],
])}
${section(
  'Refused rows',
  html`${table(
    'Refused rows',
    ['Line', 'Reason', 'Row'],
    rejections.map(({ line, reason, row }) => [line, reason, html`<code>${row}</code>`]),
    found.finishedAt === null ? 'Available when the import finishes.' : 'No row was refused.',
  )}
${rejected > MAX_KEPT_REJECTIONS && html`<p class="hint">The first ${MAX_KEPT_REJECTIONS.toLocaleString('en-US')} of ${rejected.toLocaleString('en-US')}.</p>`}
${rejections.length > 0 && html`<p class="hint"><a href="${path}?format=csv" download>Download as CSV</a></p>`}`,
)}
<p><a href="${IMPORT_PATH}">All imports</a></p>`,
    };
  },
});
