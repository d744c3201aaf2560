import { z } from 'zod';
import { SIGN_IN_ENDPOINTS, type SignInEndpoint } from '../sign-in/endpoints.ts';
import { SIGN_IN_PATH } from '../sign-in/shape.ts';
import type {
  DescribedAnswer,
  DescribedApi,
  DescribedEndpoint,
  DescribedError,
} from '../transports/shared/openapi/described-endpoint.ts';

const TAG = {
  name: 'Management: Sign-in',
  description:
    'How people sign in, and what they change of that. The session is a cookie; a POST must come from a page of the gateway (`Origin`).',
};

/** The documentation that the list of endpoints lacks. */
interface Words {
  readonly summary: string;
  readonly description?: string;
  /** The required members of a body; all of its members by default. */
  readonly required?: readonly string[];
  /** Set for endpoints that need no session. */
  readonly isOpen?: true;
  readonly answer?: z.ZodType;
}

const USER = z
  .looseObject({ id: z.string(), email: z.string(), name: z.string() })
  .meta({ description: 'The signed-in person.' });
const ADDRESS = z.looseObject({
  url: z.string().optional().meta({ description: 'The address of the issuer, which the browser has to open.' }),
  redirect: z.boolean().optional(),
});
const PASSKEYS = z.array(
  z.looseObject({ id: z.string(), name: z.string().nullish(), createdAt: z.string().nullish() }),
);
const LINKED = z.array(
  z.looseObject({
    id: z.string().meta({ description: 'What the link is ended with.' }),
    providerId: z
      .string()
      .meta({ description: 'The id of an issuer in `sign_in.oidc`; `credential` is the password.' }),
    accountId: z.string().meta({ description: 'Of the user at the issuer.' }),
  }),
);
const ANSWER = z.looseObject({});
const BACKUP_CODES = z.array(z.string()).meta({ description: 'Each can be used once. They are shown here alone.' });

const SIGNED_IN = z.looseObject({
  user: USER.optional(),
  twoFactorRedirect: z
    .boolean()
    .optional()
    .meta({ description: '`true`: a code is asked for before there is a session.' }),
});

/** Keyed by the path of each endpoint. */
const WORDS: Readonly<Record<string, Words>> = {
  '/sign-in/email': { summary: 'Sign in with a password', isOpen: true, answer: SIGNED_IN },
  '/sign-in/social': {
    summary: 'Sign in at an issuer',
    required: ['provider'],
    isOpen: true,
    answer: ADDRESS,
  },
  '/callback/:id': {
    summary: 'Come back from an issuer',
    description: 'Where the issuer sends the browser to. `id` is that of the issuer in `sign_in.oidc`.',
    isOpen: true,
  },
  '/sign-out': { summary: 'Sign out', isOpen: true },
  '/change-password': { summary: 'Change the password', description: 'All other sessions end.' },
  '/update-user': { summary: 'Change the name' },
  '/two-factor/enable': {
    summary: 'Set up an authenticator',
    description: 'It is in force once a code was verified.',
    answer: z.looseObject({
      totpURI: z.string().meta({ description: 'For the authenticator, mostly as a QR code.' }),
      backupCodes: BACKUP_CODES,
    }),
  },
  '/two-factor/verify-totp': {
    summary: 'Use a code of the authenticator',
    isOpen: true,
    answer: z.looseObject({ user: USER.optional() }),
  },
  '/two-factor/verify-backup-code': {
    summary: 'Use a backup code',
    isOpen: true,
    answer: z.looseObject({ user: USER.optional() }),
  },
  '/two-factor/disable': { summary: 'Take the authenticator away' },
  '/two-factor/generate-backup-codes': {
    summary: 'Make new backup codes',
    description: 'The earlier ones are void.',
    answer: z.looseObject({ backupCodes: BACKUP_CODES }),
  },
  '/passkey/generate-register-options': { summary: 'Begin to register a passkey' },
  '/passkey/verify-registration': { summary: 'Register a passkey', required: ['response'] },
  '/passkey/generate-authenticate-options': { summary: 'Begin to sign in with a passkey', isOpen: true },
  '/passkey/verify-authentication': { summary: 'Sign in with a passkey', isOpen: true },
  '/passkey/list-user-passkeys': { summary: 'List the own passkeys', answer: PASSKEYS },
  '/passkey/update-passkey': { summary: 'Name a passkey' },
  '/passkey/delete-passkey': { summary: 'Remove a passkey' },
  '/list-accounts': { summary: 'List the issuers that the user is linked with', answer: LINKED },
  '/link-social': { summary: 'Link the user with an issuer', required: ['provider'], answer: ADDRESS },
  '/unlink-account': { summary: 'Unlink the user from an issuer', required: ['accountId'] },
};

const MEMBERS: Readonly<Record<string, z.ZodType>> = {
  email: z.string().meta({ format: 'email' }),
  password: z.string(),
  currentPassword: z.string(),
  newPassword: z.string().min(10).max(200),
  name: z.string(),
  code: z.string().meta({ example: '123456' }),
  provider: z.string().meta({ description: 'The id of an issuer in `sign_in.oidc`.' }),
  callbackURL: z.string().meta({ description: 'Where the browser is sent to at last.' }),
  errorCallbackURL: z.string().meta({ description: 'Where it is sent to where that fails, with `error`.' }),
  newUserCallbackURL: z.string().meta({ description: 'Where a new user is sent to.' }),
  response: z.looseObject({}).meta({ description: 'What `navigator.credentials` of the browser gave, as JSON.' }),
  id: z.string(),
  accountId: z.string().meta({ description: 'The `id` of the link, as the list of them has it.' }),
};

/** Describes the open sign-in endpoints for the OpenAPI document. */
export function signInApi(): DescribedApi {
  return { schemaPrefix: 'SignIn', tags: [TAG], endpoints: SIGN_IN_ENDPOINTS.map(describe) };
}

function describe(endpoint: SignInEndpoint): DescribedEndpoint {
  const { method, path, fields } = endpoint;
  const words = WORDS[path];
  if (words === undefined) throw new Error(`${path} of sign-in is not described`);
  const { summary, description, isOpen } = words;
  const isCallback = path.includes(':id');
  return {
    method: method === 'GET' ? 'get' : 'post',
    path: SIGN_IN_PATH + path.replace(':id', '{id}'),
    operationId: operationIdOf(path),
    tag: TAG.name,
    summary,
    ...(description !== undefined && { description }),
    security: isOpen === true ? [] : ['session'],
    envelope: 'openai',
    ...(isCallback && { pathParameters: z.object({ id: z.string() }) }),
    ...(fields.length > 0 && {
      body: { content: { 'application/json': { schema: bodyOf(fields, words.required ?? fields) } } },
    }),
    answers: [isCallback ? SENT_ON : { ...DONE, content: { 'application/json': { schema: words.answer ?? ANSWER } } }],
    errors: errorsOf(endpoint),
  };
}

const DONE: DescribedAnswer = { status: 200, description: 'Done' };
const SENT_ON: DescribedAnswer = {
  status: 302,
  description: 'To the page that was named when the sign-in began; with `error` in its query where it has failed.',
  headers: { location: 'The page.' },
};

/** Converts `/sign-in/email` to `authSignInEmail`. */
function operationIdOf(path: string): string {
  const words = path.split(/[^a-z]+/).filter((word) => word !== '' && word !== 'id');
  return `auth${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`;
}

function bodyOf(fields: readonly string[], required: readonly string[]): z.ZodType {
  const members = fields.map((name) => {
    const schema = MEMBERS[name];
    if (schema === undefined) throw new Error(`the member ${name} of sign-in is not described`);
    return [name, required.includes(name) ? schema : schema.optional()] as const;
  });
  return z.looseObject(Object.fromEntries(members));
}

function errorsOf({ method, guesses }: SignInEndpoint): readonly DescribedError[] {
  return [
    { code: 'invalid_value', status: 400 },
    'invalid_api_key',
    'access_denied',
    'not_found',
    'conflict',
    'internal_error',
    'storage_unavailable',
    ...(guesses === undefined ? [] : (['rate_limit_exceeded'] as const)),
    ...(method === 'GET' ? [] : (['invalid_json', 'invalid_type', 'payload_too_large'] as const)),
  ];
}
