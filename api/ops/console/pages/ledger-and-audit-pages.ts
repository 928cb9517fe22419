import { Type } from 'typebox';
import { listLedgerChecks } from '../../../../shared/operations/ledger-check/ledger-check.ts';
import { listAudit } from '../../../../shared/people/audit/audit-log.ts';
import { html } from '../../../../shared/platform/html.ts';
import { filterForm, inputFilter } from '../../../pages/kit/form.ts';
import { humanize, timestamp } from '../../../pages/kit/format.ts';
import { section } from '../../../pages/kit/page-parts.ts';
import { numberColumn, pager, table } from '../../../pages/kit/table.ts';
import { actionLink, actionRow } from '../action-links.ts';
import { changeList } from '../change-list.ts';
import { consolePage, PAGE_SIZE } from '../console-page.ts';
import { auditPath } from '../console-paths.ts';
import { statusBadge } from '../status-badge.ts';

const CHECKS_SHOWN = 24;

/** What the last recounts of the ledger found. */
export const ledgerPage = consolePage({
  path: '/ledger',
  input: Type.Object({}),
  async show(context) {
    const checks = await listLedgerChecks(context, CHECKS_SHOWN);
    const [last] = checks;
    return {
      title: 'Ledger',
      section: 'ledger',
      content: html`${actionRow([actionLink({ form: 'ledger-check', given: {} })])}
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
  table(
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
  ),
)}`,
    };
  },
});

/** Who did what, newest first; to one subject or to any. */
export const auditPage = consolePage({
  path: '/audit',
  input: Type.Object({
    subject: Type.Optional(Type.String({ maxLength: 500 })),
    cursor: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  async show(context, { subject = null, cursor = null }) {
    const page = { subject, before: cursor, limit: PAGE_SIZE };
    const { rows: entries, next } = await listAudit(context, page);
    return {
      title: subject === null ? 'Audit trail' : 'Audit trail of one subject',
      section: 'audit',
      content: html`${filterForm('/ops/audit', [
        inputFilter('subject', 'ID of an order, a partner, a key pair, …', subject, 500),
      ])}
${table(
  'Audit trail, the newest first',
  ['What', 'Subject', 'Change', 'Who', 'When'],
  entries.map((entry) => [
    html`<code>${entry.action}</code>`,
    html`<a class="id" href="${auditPath(entry.subject)}">${entry.subject}</a>`,
    changeList(entry.before, entry.after),
    entry.email ?? html`<span class="id">${entry.actor}</span>`,
    timestamp(entry.at, context.now),
  ]),
  subject === null ? 'No entries yet.' : 'No entries for this subject.',
)}
${pager('/ops/audit', { subject, cursor: next }, 'Earlier entries', cursor === null)}`,
    };
  },
});
