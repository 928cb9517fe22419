import { Type } from 'typebox';
import {
  listLedgerChecks,
  type StoredLedgerCheck,
} from '../../../../shared/operations/ledger-check/ledger-check.ts';
import { listAudit } from '../../../../shared/people/audit/audit-log.ts';
import { html } from '../../../../shared/platform/html.ts';
import { inputFilter } from '../../../pages/kit/form.ts';
import { humanize, timestamp } from '../../../pages/kit/format.ts';
import {
  CSV_FORMAT,
  type CsvColumns,
  csvFile,
  csvLink,
  NUMBER_CURSOR,
} from '../../../pages/kit/list.ts';
import { link, section } from '../../../pages/kit/page-parts.ts';
import { statusBadge } from '../../../pages/kit/status-badge.ts';
import { numberColumn, table } from '../../../pages/kit/table.ts';
import { actionLink, actionRow } from '../action-links.ts';
import { changeList } from '../change-list.ts';
import { consolePage } from '../console-page.ts';
import { auditPath, FAILED_SIGN_INS_PATH } from '../console-paths.ts';
import { listInRealTime } from '../list-page.ts';

const CHECKS_SHOWN = 24;
/** More than the number of checks we keep, so that the file has all of them. */
const CHECKS_IN_FILE = 10_000;

const CHECK_COLUMNS: CsvColumns<StoredLedgerCheck> = {
  at: ({ at }) => at.toISOString(),
  since: ({ since }) => since?.toISOString() ?? null,
  ok: ({ ok }) => String(ok),
  entries: ({ entries }) => entries,
  findings: ({ imbalances }) => imbalances.length,
};

/** The results of the latest ledger checks. */
export const ledgerPage = consolePage({
  path: '/ledger',
  input: Type.Object({ format: CSV_FORMAT }),
  async show(context, { format }) {
    if (format === 'csv') {
      return csvFile('ledger-checks', CHECK_COLUMNS, async () => ({
        rows: await listLedgerChecks(context, CHECKS_IN_FILE),
        next: null,
      }));
    }
    const checks = await listLedgerChecks(context, CHECKS_SHOWN);
    const [last] = checks;
    return {
      title: 'Ledger',
      section: 'ledger',
      content: html`${actionRow([actionLink(context, { form: 'ledger-check', given: {} })])}
${
  last && last.imbalances.length > 0
    ? section(
        'Imbalances',
        table(
          'Findings of the last check',
          [
            'Subject',
            'Check',
            'What is wrong',
            numberColumn('Expected (minor units)'),
            numberColumn('Found (minor units)'),
          ],
          last.imbalances.map((finding) => [
            html`<span class="id">${finding.subject}</span>`,
            humanize(finding.check),
            finding.problem,
            finding.expected,
            finding.actual,
          ]),
          '',
        ),
      )
    : ''
}
${section(
  'Checks',
  html`${table(
    'Checks, the newest first',
    ['When', 'From', 'Result', numberColumn('Entries'), numberColumn('Findings')],
    checks.map((check) => [
      timestamp(check.at, context.now),
      check.since ? timestamp(check.since, context.now) : 'the beginning',
      statusBadge(check.ok ? 'ok' : 'failed'),
      check.entries,
      check.imbalances.length,
    ]),
    'The ledger has not been checked yet. The workers check it every hour.',
  )}
${checks.length > 0 && csvLink('/ops/ledger?format=csv')}`,
)}`,
    };
  },
});

/** Who did what, for one subject or for all. */
export const auditPage = listInRealTime({
  path: '/audit',
  title: ({ subject }) => (subject === undefined ? 'Audit trail' : 'Audit trail of one subject'),
  section: 'audit',
  filters: { subject: Type.Optional(Type.String({ maxLength: 500 })) },
  sorts: ['newest', 'oldest'],
  read: (context, { subject = null }, page) => listAudit(context, subject, page),
  cursor: NUMBER_CURSOR,
  above: () =>
    html`<p>${link(FAILED_SIGN_INS_PATH, 'Failed sign-ins')} have their own list, and are kept for a limited time.</p>`,
  form: ({ subject = null }) => ({
    fields: [inputFilter('subject', 'ID of an order, a partner, a key pair, …', subject, 500)],
  }),
  dates: 'Done',
  caption: 'Audit trail',
  columns: () => [
    { title: 'What', cell: ({ action }) => html`<code>${action}</code>` },
    {
      title: 'Subject',
      cell: ({ subject }) => html`<a class="id" href="${auditPath(subject)}">${subject}</a>`,
    },
    { title: 'Change', cell: ({ before, after }) => changeList(before, after) },
    {
      title: 'Who',
      cell: ({ email, actor }) => email ?? html`<span class="id">${actor}</span>`,
    },
    {
      title: 'When',
      cell: ({ at }, { now }) => timestamp(at, now),
      sorts: { ascending: 'oldest', descending: 'newest' },
    },
  ],
  empty: ({ subject }) =>
    subject === undefined ? 'No entries yet.' : 'No entries for this subject.',
  more: 'More entries',
  csv: {
    id: ({ id }) => id,
    at: ({ at }) => at.toISOString(),
    actor: ({ actor }) => actor,
    email: ({ email }) => email,
    action: ({ action }) => action,
    subject: ({ subject }) => subject,
    before: ({ before }) => (before === null ? null : JSON.stringify(before)),
    after: ({ after }) => (after === null ? null : JSON.stringify(after)),
  },
});
