import { z } from 'zod';
import { canonicalEmail, MEMBER_ROLES } from '../../../domain/access/user.ts';
import { flag, MAP, oneOf, text } from '../../../providers/shared/file-fields.ts';
import { identifier, name } from './fields.ts';

/** The smallest and largest number of characters of a password. The largest bounds the work of hashing it. */
export const SHORTEST_PASSWORD = 10;
export const LONGEST_PASSWORD = 200;

/** Any address that a mail server might accept, normalized to one spelling. */
export const email = text(
  'must be an email address such as "ann@example.com"',
  /^(?=.{3,254}$)[^\s<>@"\p{Cc}]{1,64}@[^\s<>@"\p{Cc}]*[^\s<>@".\p{Cc}]$/u,
).transform(canonicalEmail);

export const password = z
  .string({ error: 'must be a string' })
  .min(SHORTEST_PASSWORD, { error: `must have at least ${SHORTEST_PASSWORD} characters` })
  .max(LONGEST_PASSWORD, { error: `must have at most ${LONGEST_PASSWORD} characters` });

const role = oneOf(MEMBER_ROLES);
const token = text('must be the token of the link, unchanged', /^[A-Za-z0-9]{20,100}$/);

export const newInvitationSchema = z.strictObject(
  {
    /** If absent, the invited person chooses the address, so anyone who has the link can accept it. */
    email: email.nullish(),
    account: identifier.nullish(),
    role: role.nullish(),
    operator: flag.nullish(),
  },
  MAP,
);

export const invitationTokenSchema = z.strictObject({ token }, MAP);

/** A new person gives `name` and `password`; one who is signed in omits them and joins. */
export const acceptanceSchema = z.strictObject(
  { token, email: email.nullish(), name: name.nullish(), password: password.nullish() },
  MAP,
);

export const passwordResetSchema = z.strictObject({ token, password }, MAP);
export const emailSchema = z.strictObject({ email }, MAP);
export const userChangeSchema = z.strictObject(
  { name: name.optional(), operator: flag.optional(), disabled: flag.optional() },
  MAP,
);
export const memberSchema = z.strictObject({ role }, MAP);
