import { Type } from 'typebox';
import { checkAudit } from '../../../shared/people/audit/check-audit.ts';
import { SHA256_HEX } from '../../../shared/platform/json-schema.ts';
import { EVERYONE, HARMLESS, opsAction, route } from '../ops-action.ts';

const auditCheck = opsAction({
  name: 'audit:check',
  summary: 'Check the hash chain of the audit trail',
  input: Type.Object({
    head: Type.Optional(
      Type.String({
        pattern: SHA256_HEX,
        description: 'The head of an earlier check, which must still be in the chain.',
      }),
    ),
  }),
  exitCode: ({ ok }) => (ok ? 0 : 1),
  async run(context, { head }) {
    return { ...(await checkAudit(context, head)) };
  },
});

export const auditRoutes = [route('GET', '/audit/check', 200, auditCheck, EVERYONE, HARMLESS)];
