import { Type } from 'typebox';
import { disableDemoAccounts } from '../../../shared/demo/keep-out-of-production.ts';
import { opsAction } from '../action.ts';

export const demoDisable = opsAction({
  name: 'demo:disable',
  summary: 'Suspend the demo partners and disable the demo users, so that production starts',
  input: Type.Object({}),
  redis: 'announces',
  async run(context) {
    const { partners, users } = await disableDemoAccounts(context, context.actor);
    return { partners_suspended: partners, users_disabled: users };
  },
});
