import { Type } from 'typebox';
import { createUser } from '../../../shared/owners/create-user.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from '../../../shared/owners/password.ts';
import { ROLES } from '../../../shared/owners/user.ts';
import { opsAction } from '../action.ts';

export const userCreate = opsAction({
  name: 'user:create',
  summary: 'Open an account for an owner of domains, or for a colleague in ops',
  input: Type.Object({
    email: Type.String({ maxLength: 254, description: 'E-mail address; the sign-in name.' }),
    password: Type.String({
      minLength: MIN_PASSWORD,
      maxLength: MAX_PASSWORD,
      description: `${MIN_PASSWORD} to ${MAX_PASSWORD} characters.`,
    }),
    role: Type.Enum([...ROLES], { description: 'What the account is for.' }),
  }),
  async run(context, input) {
    const user = await createUser(context, context.actor, input);
    return { user_id: user.id };
  },
});
