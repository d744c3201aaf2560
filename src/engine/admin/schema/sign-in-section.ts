import { z } from 'zod';
import { MEMBER_ROLES } from '../../../domain/access/user.ts';
import { flag, integer, listOf, MAP, oneOf, text } from '../../../providers/shared/file-fields.ts';
import {
  DEFAULT_MAIL_LIMITS,
  DEFAULT_SIGN_IN,
  type MailSettings,
  REGISTRATIONS,
  SECOND_FACTOR_RULES,
  type SignInSettings,
} from '../../settings/settings.ts';
import { identifier, name } from './fields.ts';

const ISSUER = 'must be the issuer\'s address, such as "https://login.example.com", without a query';

export const oidcSchema = z.strictObject(
  {
    id: text('must be 1 to 40 lower-case letters, digits and "-"', /^[a-z0-9][a-z0-9-]{0,39}$/).refine(
      (id) => id !== 'credential',
      { error: 'must not be "credential": sign-in with a password uses this name' },
    ),
    name: name.nullish(),
    issuer: z
      .string({ error: ISSUER })
      .refine((value) => URL.canParse(value) && /^https?:\/\/[^?#\s"<>]{1,500}$/.test(value), { error: ISSUER })
      .transform((value) => value.replace(/\/+$/, '')),
    client_id: text('must be 1 to 500 characters without spaces', /^[\x21-\x7e]{1,500}$/),
    client_secret: text('must be 1 to 2000 characters without spaces', /^[\x21-\x7e]{1,2000}$/),
    scopes: listOf(text('must be 1 to 100 characters without spaces', /^[\x21-\x7e]{1,100}$/), 'scopes').nullish(),
    may_create_users: flag.nullish(),
    account: identifier.nullish(),
    role: oneOf(MEMBER_ROLES).nullish(),
    second_factor: flag.nullish(),
  },
  MAP,
);

export const signInSchema = z.strictObject(
  {
    registration: oneOf(REGISTRATIONS).nullish(),
    require_two_factor: oneOf(SECOND_FACTOR_RULES).nullish(),
    session_hours: integer('must be a whole number of hours from 1 to 720', 1, 720).nullish(),
    invitation_days: integer('must be a whole number of days from 1 to 90', 1, 90).nullish(),
    oidc: listOf(oidcSchema, 'issuers').nullish(),
  },
  MAP,
);

const mails = integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish();
const SMTP = 'must be an address such as "smtps://user:password@mail.example.com:465"';

export const mailSchema = z.strictObject(
  {
    smtp_url: z
      .string({ error: SMTP })
      .refine((value) => URL.canParse(value) && /^smtps?:\/\/[^\s]{1,1000}$/.test(value), {
        error: SMTP,
      })
      .nullish(),
    from: text(
      'must be an address such as "Switchyard <gateway@example.com>"',
      /^(?:[^\p{Cc}<>@]{1,200} <[^\s<>@]{1,200}@[^\s<>@]{1,200}>|[^\s<>@]{1,200}@[^\s<>@]{1,200})$/u,
    ).nullish(),
    max_per_hour: mails,
    max_per_recipient_per_hour: mails,
    max_per_account_per_hour: mails,
  },
  MAP,
);

const USUAL_SCOPES = ['openid', 'email', 'profile'];

export function signInFrom(section: z.output<typeof signInSchema>): SignInSettings {
  const { session_hours: hours, invitation_days: days } = section;
  return {
    registration: section.registration ?? DEFAULT_SIGN_IN.registration,
    requireTwoFactor: section.require_two_factor ?? DEFAULT_SIGN_IN.requireTwoFactor,
    sessionMs: hours == null ? DEFAULT_SIGN_IN.sessionMs : hours * 3_600_000,
    invitationMs: days == null ? DEFAULT_SIGN_IN.invitationMs : days * 86_400_000,
    oidc: (section.oidc ?? []).map((one) => ({
      id: one.id,
      name: one.name ?? one.id,
      issuer: one.issuer,
      clientId: one.client_id,
      clientSecret: one.client_secret,
      scopes: one.scopes ?? USUAL_SCOPES,
      mayCreateUsers: one.may_create_users ?? false,
      joins: one.account == null ? null : { accountId: one.account, role: one.role ?? 'member' },
      secondFactor: one.second_factor ?? false,
    })),
  };
}

/** Returns `null` without a server and a sender. Each can be set alone, since the two may come from different places. */
export function mailFrom(section: z.output<typeof mailSchema>): MailSettings | null {
  const { smtp_url: smtpUrl, from } = section;
  if (smtpUrl == null || from == null) return null;
  const limits = {
    perHour: section.max_per_hour ?? DEFAULT_MAIL_LIMITS.perHour,
    perRecipientPerHour: section.max_per_recipient_per_hour ?? DEFAULT_MAIL_LIMITS.perRecipientPerHour,
    perAccountPerHour: section.max_per_account_per_hour ?? DEFAULT_MAIL_LIMITS.perAccountPerHour,
  };
  return { smtpUrl, from, limits };
}
