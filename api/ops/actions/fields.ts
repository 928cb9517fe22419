import { Type } from 'typebox';

/** Which inventory. */
export const EnvironmentField = Type.Enum(['SANDBOX', 'LIVE'], { description: 'Which inventory.' });
