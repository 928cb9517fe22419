import { Type } from 'typebox';
import type { BulkJobStatus } from '../../../../shared/domains/bulk/bulk-job.ts';
import {
  listBulkItemsForOps,
  listBulkJobs,
  readBulkJobForOps,
} from '../../../../shared/domains/bulk/console-bulk-jobs.ts';
import { listAllOwnedDomains } from '../../../../shared/domains/owned-domains/console-domains.ts';
import { listTransfersOut } from '../../../../shared/domains/transfers-out/console-transfers-out.ts';
import {
  TRANSFER_OUT_STATUSES,
  type TransferOutStatus,
} from '../../../../shared/domains/transfers-out/transfer-out.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { LIST_SORTS, NAME_SORTS } from '../../../../shared/platform/page.ts';
import { inputFilter, selectFilter, statusFilter } from '../../../pages/kit/form.ts';
import { formatDay, humanize, pathWith, timestamp } from '../../../pages/kit/format.ts';
import { PAGE_SIZE } from '../../../pages/kit/list.ts';
import {
  badge,
  descriptionList,
  domainCell,
  emptyValue,
  link,
  section,
  tabs,
} from '../../../pages/kit/page-parts.ts';
import { statusBadge } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, numberColumn, pager, table } from '../../../pages/kit/table.ts';
import { actionLink } from '../action-links.ts';
import { consolePage, IdField, requireId } from '../console-page.ts';
import {
  auditPath,
  BULK_JOBS_PATH,
  bulkJobPath,
  OWNERS_PATH,
  personPath,
  TRANSFERS_OUT_PATH,
} from '../console-paths.ts';
import { listInRealTime } from '../list-page.ts';

const JOB_STATUSES = [
  'queued',
  'running',
  'completed',
  'completed_with_errors',
  'cancelled',
] as const satisfies readonly BulkJobStatus[];

const views = (path: string): Markup =>
  tabs(
    'Owners',
    [
      { text: 'Domains', href: OWNERS_PATH },
      { text: 'Transfers out', href: TRANSFERS_OUT_PATH },
      { text: 'Bulk jobs', href: BULK_JOBS_PATH },
    ].map((each) => ({ ...each, current: each.href === path })),
  );

const onlyOne = (user: string | undefined, path: string) =>
  user !== undefined &&
  html`Only for the account <a class="id" href="${personPath(user)}">${user}</a>. <a href="${path}">Show all</a>`;

/** The domains of all owners, by name. */
export const ownersPage = listInRealTime({
  path: '/owners',
  title: 'Owners’ domains',
  section: 'owners',
  filters: {
    domain: Type.Optional(Type.String({ maxLength: 253 })),
    user: Type.Optional(IdField),
    renewal: Type.Optional(Type.Literal('missed')),
  },
  sorts: NAME_SORTS,
  read: (context, { domain = null, user = null, renewal }, page) =>
    listAllOwnedDomains(
      context,
      { userId: user, beginning: domain, unrenewed: renewal === 'missed' },
      page,
    ),
  above: () => views(OWNERS_PATH),
  form: ({ domain = null, user = null, renewal = null }) => ({
    fields: [
      inputFilter('domain', 'Domain begins with', domain, 253),
      selectFilter('renewal', 'Renewal', [{ value: 'missed', text: 'Missed' }], renewal),
    ],
    hidden: { user },
  }),
  dates: 'Expires',
  intro: ({ user, renewal }) => html`${renewal && MISSED} ${onlyOne(user, OWNERS_PATH)}`,
  caption: 'Domains of all owners',
  columns: (_filters, here) => [
    {
      title: 'Domain',
      cell: ({ domain, domainUnicode, leaving, returned, takenAt }, { now }) =>
        html`${domainUnicode}${domain !== domainUnicode && html`<span class="sub id">${domain}</span>`}${returned && html`<span class="sub">${badge('neutral', 'Returned')}</span>`}${takenAt && html`<span class="sub">${badge('bad', 'At another registrar')} ${timestamp(takenAt, now)}</span>`}${leaving && html` <a class="sub" href="${pathWith(TRANSFERS_OUT_PATH, { domain })}">Moving to another registrar</a>`}`,
      sorts: { ascending: 'a_to_z', descending: 'z_to_a' },
    },
    {
      title: 'Owner',
      cell: ({ userId, email }) =>
        html`${link(personPath(userId), email)} <a class="sub" href="${pathWith(OWNERS_PATH, { user: userId })}">Only this owner’s</a>`,
    },
    { title: 'Locked', cell: ({ locked }) => yesNo(locked) },
    {
      title: 'Auto-renew',
      cell: ({ autoRenew, renewalFault }) =>
        html`${yesNo(autoRenew)}${autoRenew && renewalFault && html`<span class="sub">${renewalFault}</span>`}`,
    },
    { title: 'Private', cell: ({ privacy }) => yesNo(privacy) },
    {
      title: 'Registrant',
      cell: ({ registrant }) => (registrant === null ? emptyValue() : REGISTRANTS[registrant]),
    },
    { title: 'Expires', cell: ({ expiresAt }) => formatDay(expiresAt) },
    {
      ...ACTIONS,
      cell: ({ domain, takenAt }, context) =>
        takenAt &&
        actionLink(context, {
          form: 'domain-release',
          about: domain,
          given: { domain },
          back: here,
        }),
    },
  ],
  empty: 'No domains match. Change the filter.',
  more: 'More domains',
  csv: {
    domain: ({ domain }) => domain,
    user_id: ({ userId }) => userId,
    email: ({ email }) => email,
    locked: ({ locked }) => String(locked),
    auto_renew: ({ autoRenew }) => String(autoRenew),
    renewal_fault: ({ renewalFault }) => renewalFault,
    privacy: ({ privacy }) => String(privacy),
    leaving: ({ leaving }) => String(leaving),
    returned: ({ returned }) => String(returned),
    taken_at: ({ takenAt }) => takenAt?.toISOString() ?? null,
    registrant: ({ registrant }) => registrant,
    expires_at: ({ expiresAt }) => expiresAt.toISOString(),
  },
});

const MISSED =
  'Returned after a refund, or granted by staff with auto-renew on, and not renewed 30 days before expiry. For a premium domain, remind the owner to confirm the price and pay on its page in their account. The registry refused the others, for the reason shown; we ask again every six hours. Renew them at the registry.';

/** The verification status of a registrant's address. */
const REGISTRANTS = {
  verified: badge('good', 'Verified'),
  pending: badge('wait', 'To verify'),
  held: badge('bad', 'Out of the DNS'),
} as const;

/** Domains that owners are moving to other registrars, and past transfers out. */
export const transfersOutPage = listInRealTime({
  path: '/transfers-out',
  title: 'Transfers out',
  section: 'owners',
  filters: {
    domain: Type.Optional(Type.String({ maxLength: 253 })),
    status: Type.Optional(Type.Enum([...TRANSFER_OUT_STATUSES])),
    user: Type.Optional(IdField),
  },
  sorts: LIST_SORTS,
  read: (context, { domain = null, status = null, user = null }, page) =>
    listTransfersOut(context, { status, userId: user, beginning: domain }, page),
  above: () => views(TRANSFERS_OUT_PATH),
  form: ({ domain = null, status = null, user = null }) => ({
    fields: [
      inputFilter('domain', 'Domain begins with', domain, 253),
      statusFilter(TRANSFER_OUT_STATUSES, status),
    ],
    hidden: { user },
  }),
  dates: 'Code requested',
  intro: ({ user }) => onlyOne(user, TRANSFERS_OUT_PATH),
  caption: 'Domains that owners move to other registrars',
  columns: () => [
    {
      title: 'Domain',
      cell: ({ id, domain }) => html`${domainCell(domain)}<span class="sub id">${id}</span>`,
    },
    { title: 'Owner', cell: ({ userId, email }) => link(personPath(userId), email) },
    {
      title: 'Status',
      cell: ({ status, since }, { now }) =>
        html`${statusBadge(status)}<span class="sub">${timestamp(since, now)}</span>`,
    },
    { title: 'Next step', cell: ({ status }) => NEXT_STEPS[status] ?? emptyValue() },
    { title: 'Other registrar', cell: ({ requestedBy }) => requestedBy ?? emptyValue() },
    {
      title: 'Code ends',
      cell: ({ expiresAt }, { now }) => (expiresAt ? timestamp(expiresAt, now) : emptyValue()),
    },
    {
      title: 'Code requested',
      cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
  ],
  empty: 'No transfers match.',
  more: 'More transfers',
  csv: {
    id: ({ id }) => id,
    domain: ({ domain }) => domain,
    user_id: ({ userId }) => userId,
    email: ({ email }) => email,
    status: ({ status }) => status,
    since: ({ since }) => since.toISOString(),
    requested_by: ({ requestedBy }) => requestedBy,
    expires_at: ({ expiresAt }) => expiresAt?.toISOString() ?? null,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

/** The next step of a transfer; none once it has ended. */
const NEXT_STEPS: Partial<Record<TransferOutStatus, string>> = {
  code_requested: 'We give the owner the code.',
  code_issued: 'The other registrar asks for the domain.',
  pending_transfer: 'The registry moves the domain.',
  stopping: 'We revoke the code and lock the domain.',
};

function yesNo(yes: boolean): string {
  return yes ? 'Yes' : 'No';
}

/** Operations on many domains at once. */
export const bulkJobsPage = listInRealTime({
  path: '/bulk-jobs',
  title: 'Bulk jobs',
  section: 'owners',
  filters: {
    status: Type.Optional(Type.Enum([...JOB_STATUSES])),
    user: Type.Optional(IdField),
  },
  sorts: ['newest', 'oldest'],
  read: (context, { status = null, user = null }, page) =>
    listBulkJobs(context, { status, userId: user }, page),
  above: () => views(BULK_JOBS_PATH),
  form: ({ status = null, user = null }) => ({
    fields: [statusFilter(JOB_STATUSES, status)],
    hidden: { user },
  }),
  dates: 'Requested',
  intro: ({ user }) => onlyOne(user, BULK_JOBS_PATH),
  caption: 'Bulk jobs',
  columns: () => [
    {
      title: 'Operation',
      cell: ({ id, op, dryRun }) =>
        html`${link(bulkJobPath(id), humanize(op))}${dryRun && html`<span class="sub">Dry run</span>`}`,
    },
    { title: 'Status', cell: ({ status }) => statusBadge(status) },
    { title: 'Owner', cell: ({ userId, email }) => link(personPath(userId), email) },
    { ...numberColumn('Domains'), cell: ({ total }) => total },
    { ...numberColumn('Succeeded'), cell: ({ succeeded }) => succeeded },
    { ...numberColumn('Failed'), cell: ({ failed }) => failed },
    {
      title: 'Requested',
      cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
  ],
  empty: 'No bulk jobs match.',
  more: 'More jobs',
  csv: {
    id: ({ id }) => id,
    operation: ({ op }) => op,
    dry_run: ({ dryRun }) => String(dryRun),
    status: ({ status }) => status,
    user_id: ({ userId }) => userId,
    email: ({ email }) => email,
    total: ({ total }) => total,
    succeeded: ({ succeeded }) => succeeded,
    failed: ({ failed }) => failed,
    cancelled: ({ cancelled }) => cancelled,
    created_at: ({ createdAt }) => createdAt.toISOString(),
    finished_at: ({ finishedAt }) => finishedAt?.toISOString() ?? null,
  },
});

/** One bulk job with the result for each domain. */
export const bulkJobPage = consolePage({
  path: '/bulk-jobs/:job',
  input: Type.Object({
    job: IdField,
    cursor: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  }),
  async show(context, { job: id, cursor = null }) {
    requireId('bulkJob', id, 'No bulk job has this ID.');
    const [job, { rows: items, next }] = await Promise.all([
      readBulkJobForOps(context, id),
      listBulkItemsForOps(context, id, { after: cursor, limit: PAGE_SIZE }),
    ]);
    return {
      title: `Bulk job: ${humanize(job.op)}`,
      section: 'owners',
      content: html`${descriptionList([
        ['Status', statusBadge(job.status)],
        ['Owner', link(personPath(job.userId), job.email)],
        ['Dry run', yesNo(job.dryRun)],
        ['Domains', job.total],
        ['Succeeded', job.succeeded],
        ['Failed', job.failed],
        ['Canceled', job.cancelled],
        ['Requested', timestamp(job.createdAt, context.now)],
        ['Finished', job.finishedAt && timestamp(job.finishedAt, context.now)],
        ['Job', html`<span class="id">${job.id}</span>`],
      ])}
${job.finishedAt === null && html`<p class="intro">Still running. <a href="${bulkJobPath(id)}">Refresh</a></p>`}
${section(
  'Domains',
  html`${table(
    'Domains of the job',
    ['Domain', 'State', 'What happened'],
    items.map(({ domain, state, code, message }) => [
      domain,
      statusBadge(state),
      message ?? code ?? emptyValue(),
    ]),
    'No domains.',
  )}
${pager(bulkJobPath(id), { cursor: next }, 'More domains', cursor === null)}`,
)}
<p><a href="${auditPath(id)}">Audit trail of this job</a></p>`,
    };
  },
});
