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
    'Sign-in, and the methods that people use for it. The session is a cookie; a POST must come from a page of the gateway (`Origin`).',
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
  url: z.string().optional().meta({ description: 'The issuer’s address, for the browser to open.' }),
  redirect: z.boolean().optional(),
});
const PASSKEYS = z.array(
  z.looseObject({ id: z.string(), name: z.string().nullish(), createdAt: z.string().nullish() }),
);
const LINKED = z.array(
  z.looseObject({
    id: z.string().meta({ description: 'The value of `accountId` for `unlink-account`.' }),
    providerId: z
      .string()
      .meta({ description: 'The id of an issuer in `sign_in.oidc`; `credential` is the password.' }),
    accountId: z.string().meta({ description: 'The id of the user at the issuer.' }),
  }),
);
const ANSWER = z.looseObject({});
const BACKUP_CODES = z.array(z.string()).meta({ description: 'Each code works once. They are only shown here.' });

const SIGNED_IN = z.looseObject({
  user: USER.optional(),
  twoFactorRedirect: z
    .boolean()
    .optional()
    .meta({ description: '`true`: there is no session until a code is verified.' }),
});

/** Keyed by the path of each endpoint. */
const WORDS: Readonly<Record<string, Words>> = {
  '/sign-in/email': { summary: 'Sign in with a password', isOpen: true, answer: SIGNED_IN },
  '/sign-in/social': {
    summary: 'Sign in with an issuer',
    required: ['provider'],
    isOpen: true,
    answer: ADDRESS,
  },
  '/callback/:id': {
    summary: 'Complete sign-in with an issuer',
    description: 'The issuer redirects the browser here. `id` is the issuer’s id in `sign_in.oidc`.',
    isOpen: true,
  },
  '/sign-out': { summary: 'Sign out', isOpen: true },
  '/change-password': { summary: 'Change the password', description: 'Ends all other sessions.' },
  '/update-user': { summary: 'Change the name' },
  '/two-factor/enable': {
    summary: 'Set up an authenticator',
    description: 'Takes effect once a code is verified.',
    answer: z.looseObject({
      totpURI: z.string().meta({ description: 'For the authenticator, usually shown as a QR code.' }),
      backupCodes: BACKUP_CODES,
    }),
  },
  '/two-factor/verify-totp': {
    summary: 'Verify a code of the authenticator',
    isOpen: true,
    answer: z.looseObject({ user: USER.optional() }),
  },
  '/two-factor/verify-backup-code': {
    summary: 'Verify a backup code',
    isOpen: true,
    answer: z.looseObject({ user: USER.optional() }),
  },
  '/two-factor/disable': { summary: 'Remove the authenticator' },
  '/two-factor/generate-backup-codes': {
    summary: 'Create new backup codes',
    description: 'Earlier codes stop working.',
    answer: z.looseObject({ backupCodes: BACKUP_CODES }),
  },
  '/passkey/generate-register-options': { summary: 'Start to register a passkey' },
  '/passkey/verify-registration': { summary: 'Register a passkey', required: ['response'] },
  '/passkey/generate-authenticate-options': { summary: 'Start to sign in with a passkey', isOpen: true },
  '/passkey/verify-authentication': { summary: 'Sign in with a passkey', isOpen: true },
  '/passkey/list-user-passkeys': { summary: 'List your passkeys', answer: PASSKEYS },
  '/passkey/update-passkey': { summary: 'Name a passkey' },
  '/passkey/delete-passkey': { summary: 'Remove a passkey' },
  '/list-accounts': { summary: 'List the linked issuers', answer: LINKED },
  '/link-social': { summary: 'Link an issuer', required: ['provider'], answer: ADDRESS },
  '/unlink-account': { summary: 'Unlink an issuer', required: ['accountId'] },
};

const MEMBERS: Readonly<Record<string, z.ZodType>> = {
  email: z.string().meta({ format: 'email' }),
  password: z.string(),
  currentPassword: z.string(),
  newPassword: z.string().min(10).max(200),
  name: z.string(),
  code: z.string().meta({ example: '123456' }),
  provider: z.string().meta({ description: 'The id of an issuer in `sign_in.oidc`.' }),
  callbackURL: z.string().meta({ description: 'Where to redirect the browser at the end.' }),
  errorCallbackURL: z.string().meta({ description: 'Where to redirect it after a failure, with `error`.' }),
  newUserCallbackURL: z.string().meta({ description: 'Where to redirect a new user.' }),
  response: z.looseObject({}).meta({ description: 'The result of the browser’s `navigator.credentials`, as JSON.' }),
  id: z.string(),
  accountId: z.string().meta({ description: 'The `id` of the link from `list-accounts`.' }),
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
  description: 'A redirect to the page that the sign-in named at its start, with `error` in the query if it failed.',
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
