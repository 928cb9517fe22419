import { getCaseRoute } from './get-case.ts';
import { getEligibilityRoute } from './get-eligibility.ts';
import { listCasesRoute } from './list-cases.ts';
import { openCaseRoute } from './open-case.ts';

/** Eligibility stands before the cases: its path looks like the id of one. */
export const brokerageRoutes = [
  getEligibilityRoute,
  openCaseRoute,
  listCasesRoute,
  getCaseRoute,
] as const;
