import { Type } from 'typebox';
import { listLedgerChecks } from '../../../../shared/operations/ledger-check/ledger-check.ts';
import { listAudit } from '../../../../shared/people/audit/audit-log.ts';
import { actionLinks, changeList, pager, section, table } from '../../../pages/kit/components.ts';
import { auditPath, badge, humanize, timestamp } from '../../../pages/kit/format.ts';
import { html } from '../../../pages/kit/html.ts';
import { consolePage, PAGE_SIZE } from '../console-page.ts';

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
      content: html`${actionLinks([{ form: 'ledger-check', text: 'Check now', given: {} }])}
${
  last && last.imbalances.length > 0
    ? section(
        'What does not add up',
        table(
          'Findings of the last check',
          [
            'Subject',
            'Check',
            'What is wrong',
            { title: 'Expected, cents', number: true },
            { title: 'Found, cents', number: true },
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
    [
      'When',
      'From',
      'Result',
      { title: 'Entries', number: true },
      { title: 'Findings', number: true },
    ],
    checks.map((check) => [
      timestamp(check.at, context.now),
      check.since ? timestamp(check.since, context.now) : 'the beginning',
      check.ok ? badge('ok') : badge('failed'),
      check.entries,
      check.imbalances.length,
    ]),
    'The ledger has not been checked yet. The workers do it every hour.',
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
    const { entries, next } = await listAudit(context, page);
    return {
      title: subject === null ? 'Audit trail' : 'Audit trail of one subject',
      section: 'audit',
      content: html`<form class="filter" method="get" action="/ops/audit">
<div><label for="subject">Id of an order, a partner, a key pair, ...</label>
<input id="subject" name="subject" maxlength="500" value="${subject}"></div>
<div><button type="submit">Show</button></div>
</form>
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
  subject === null ? 'Nothing has been done yet.' : 'Nothing was done to this subject.',
)}
${pager('/ops/audit', { subject, cursor: next }, 'Earlier entries', cursor === null)}`,
    };
  },
});
