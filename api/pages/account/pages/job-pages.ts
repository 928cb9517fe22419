import { Type } from 'typebox';
import {
  BULK_JOB_STATUSES,
  type BulkItem,
  type BulkJob,
} from '../../../../shared/domains/bulk/bulk-job.ts';
import {
  cancelBulkJob,
  listBulkItems,
  listBulkJobsOf,
  readBulkJob,
} from '../../../../shared/domains/bulk/bulk-job-lifecycle.ts';
import { BULK_OPS } from '../../../../shared/domains/bulk/bulk-operations.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { BULK_RESULTS, resultView, STATES_OF } from '../../../public/bulk-routes.ts';
import { confirmButton, selectFilter, statusFilter } from '../../kit/form.ts';
import { pathWith, timestamp } from '../../kit/format.ts';
import { CSV_FORMAT, csvFile, csvLink, PAGE_SIZE } from '../../kit/list.ts';
import { descriptionList, domainCell, emptyValue, link, tabs } from '../../kit/page-parts.ts';
import { statusBadge } from '../../kit/status-badge.ts';
import { numberColumn, pager, table } from '../../kit/table.ts';
import { accountCommand, accountList, accountSitePage } from '../account-page.ts';
import { describeAction, OPERATION_FORMS } from '../operation-forms.ts';

const JOBS = '/account/jobs';
const JobId = Type.String({ maxLength: 64 });

/** The bulk operations that were requested, here or through the API. */
export const jobsPage = accountList({
  path: '/jobs',
  title: 'Changes',
  section: 'jobs',
  filters: {
    op: Type.Optional(Type.Enum([...BULK_OPS])),
    status: Type.Optional(Type.Enum([...BULK_JOB_STATUSES])),
  },
  sorts: ['newest'],
  read: (context, { op = null, status = null }, page) =>
    listBulkJobsOf(context, context.user.id, { op, status }, page),
  above: () =>
    html`<p class="acts"><a class="button primary" href="/account/bulk">Change many domains</a></p>`,
  form: ({ op = null, status = null }) => ({
    fields: [
      selectFilter(
        'op',
        'Change',
        BULK_OPS.map((value) => ({ value, text: OPERATION_FORMS[value].title })),
        op,
      ),
      statusFilter(BULK_JOB_STATUSES, status),
    ],
  }),
  dates: 'Started',
  caption: 'Changes, newest first',
  columns: (_filters, _here, { now }) => [
    {
      title: 'Change',
      cell: ({ id, action, dryRun }: BulkJob) =>
        html`${link(`${JOBS}/${id}`, describeAction(action))}${dryRun && html`<span class="sub">Dry run</span>`}`,
    },
    { title: 'Status', cell: ({ status }) => statusBadge(status) },
    { ...numberColumn('Domains'), cell: ({ total }) => total.toLocaleString('en-US') },
    { ...numberColumn('Done'), cell: ({ succeeded }) => succeeded.toLocaleString('en-US') },
    { ...numberColumn('Failed'), cell: ({ failed }) => failed.toLocaleString('en-US') },
    { title: 'Started', cell: ({ createdAt }) => timestamp(createdAt, now) },
    {
      title: 'Finished',
      cell: ({ finishedAt }) => (finishedAt ? timestamp(finishedAt, now) : emptyValue()),
    },
  ],
  empty: (filters) =>
    Object.keys(filters).length > 0
      ? 'No changes match. Change the filter, or choose Changes above to see all.'
      : 'No changes yet. Select domains in your list, or choose Change many domains to paste their names.',
  more: 'Earlier changes',
  csv: {
    id: ({ id }) => id,
    operation: ({ action }) => action.op,
    dry_run: ({ dryRun }) => String(dryRun),
    status: ({ status }) => status,
    total: ({ total }) => total,
    succeeded: ({ succeeded }) => succeeded,
    failed: ({ failed }) => failed,
    created_at: ({ createdAt }) => createdAt.toISOString(),
    finished_at: ({ finishedAt }) => finishedAt?.toISOString() ?? null,
  },
});

/** One job: its progress, and the result for each domain. */
export const jobPage = accountSitePage({
  path: '/jobs/:job',
  input: Type.Object({
    job: JobId,
    result: Type.Optional(Type.Enum([...BULK_RESULTS])),
    cursor: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    format: CSV_FORMAT,
  }),
  async show(context, { job: id, result, cursor, format }) {
    const job = await readBulkJob(context, context.user.id, id);
    const path = `${JOBS}/${id}`;
    const states = result === undefined ? null : STATES_OF[result];
    const read = (after: number | null, limit: number) =>
      listBulkItems(context, job, { states, after: after ?? -1, limit });
    if (format === 'csv') return csvFile(`change-${id}`, RESULT_COLUMNS, read);
    const { rows, next } = await read(cursor ?? null, PAGE_SIZE);
    return {
      title: describeAction(job.action),
      section: 'jobs',
      scripts: job.finishedAt === null ? ['job-progress.js'] : [],
      content: html`<p>${link(JOBS, 'All changes')}</p>
${progress(job)}
${descriptionList([
  ['Status', statusBadge(job.status)],
  ['Dry run', job.dryRun && 'Yes: nothing is changed'],
  ['Started', timestamp(job.createdAt, context.now)],
  ['Finished', job.finishedAt && timestamp(job.finishedAt, context.now)],
  ['Change', html`<span class="id">${job.id}</span>`],
])}
${resultTabs(job, path, result)}
${table(
  'Results by domain',
  ['Domain', 'Result', 'Note'],
  rows.map((item) => [
    domainCell(item.domain),
    statusBadge(item.state),
    resultView(item).message ?? emptyValue(),
  ]),
  'No domains with this result.',
)}
${pager(path, { result, cursor: next }, 'More domains', cursor === undefined)}
${csvLink(pathWith(path, { result, format: 'csv' }))}`,
    };
  },
});

const RESULT_COLUMNS = {
  domain: ({ domain }: BulkItem) => domain,
  status: (item: BulkItem) => resultView(item).status,
  code: (item: BulkItem) => resultView(item).code,
  message: (item: BulkItem) => resultView(item).message,
};

/** Returns a job's progress. The script keeps it up to date; without the script there is a link. */
function progress(job: BulkJob): Markup {
  const { id, total, succeeded, failed, finishedAt, cancelled } = job;
  const count = (n: number) => n.toLocaleString('en-US');
  const numbers = html`<p><b data-count="succeeded">${count(succeeded)}</b> of ${count(total)} done, <b data-count="failed">${count(failed)}</b> failed${cancelled > 0 && html`, <b>${count(cancelled)}</b> canceled`}</p>`;
  if (finishedAt !== null) return html`<div class="progress">${numbers}</div>`;
  return html`<div class="progress" data-stream="${JOBS}/${id}/stream">
<progress max="${total}" value="${succeeded + failed}" aria-label="Domains with a result"></progress>
${numbers}
<div class="acts"><a class="button" href="${JOBS}/${id}">Refresh</a>
${confirmButton({
  action: `${JOBS}/${id}/cancel`,
  text: 'Cancel the rest',
  question: 'Domains that are done stay changed. The rest will not change.',
})}</div>
</div>`;
}

function resultTabs(job: BulkJob, path: string, result: string | undefined): Markup {
  const { total, succeeded, failed } = job;
  const counts = { pending: total - succeeded - failed, ok: succeeded, error: failed };
  const items = [
    { text: 'All', href: path, current: result === undefined, count: total },
    ...BULK_RESULTS.map((each) => ({
      text: { pending: 'Not done', ok: 'Done', error: 'Failed' }[each],
      href: pathWith(path, { result: each }),
      current: result === each,
      count: counts[each],
    })),
  ];
  return tabs('Domains of the change', items);
}

/** Cancels everything that no worker has started. */
export const cancelJob = accountCommand({
  path: '/jobs/:job/cancel',
  dangerous: false,
  input: Type.Object({ job: JobId }),
  page: jobPage,
  async run({ db, user }, { job: id }) {
    const job = await db.transactFor(user.id, (uow) => cancelBulkJob(uow, { userId: user.id, id }));
    const done =
      job.status === 'cancelled'
        ? 'The rest is canceled. Changes in progress will finish.'
        : 'Nothing to cancel: all domains were already in progress.';
    return { to: `${JOBS}/${id}`, done };
  },
});
