import { ROUTES } from '../../conformance/management/routes.ts';
import { SCOPES } from '../../src/domain/access/scopes.ts';
import { MEMBER_ROLES } from '../../src/domain/access/user.ts';
import { SETTING_CLASSES } from '../../src/engine/admin/settings/classes.ts';
import type { ManagementRoute } from '../../src/transports/management/route.ts';
import { MANAGEMENT_TAGS } from '../../src/transports/management/tags.ts';

const INTRODUCTION = `# The management API

Generated from the route table by \`npm run generate\`; a test fails while this page differs from it.

Below \`/v1/management\`, on the same port as inference, programs with a management token and people with a session read and change everything that
can change while a gateway runs. A gateway documents every member of every request and response at \`/docs\` and in [\`/openapi.json\`](openapi.md).
[guides/management.md](guides/management.md) is a guide with examples that run.

## Tokens

Send a management token (\`mt-…\`) as \`Authorization: Bearer mt-…\`. Inference refuses it, as this API refuses API keys (\`sk-…\`). Create the first with
\`switchyard keys create --account <id> --management\`, or in [the configuration file](accounts.md#management-tokens), and further ones with
\`POST /v1/management/tokens\`. A token belongs to one account. A token of an account with \`admin: true\` is an **operator's**: it may do everything, for all
accounts.

\`scopes\` limit what a token may do. A scope names a resource and \`read\` or \`write\`, which includes \`read\`; \`*:read\` reads everything, \`*\` is
everything. The table [below](#scopes) lists what each allows. No token grants more than it has, neither to other tokens nor to people. People sign in
instead, and may do what their role in the account allows ([people.md](people.md)).

Rotate a token with \`POST /v1/management/tokens/{id}/rotate\`; with \`grace_seconds\` the old secret stays valid for a while.

## The account in question

\`?account_id=<id>\` names the account, on every route that is about one; it is never in the body. The default is the token's own account, or the
only one that a person belongs to. Operators may name any account; on lists the default is all accounts.

## Conventions

- **Bodies** are JSON objects with \`content-type: application/json\`. Unknown members and parameters are refused. A body has at most 1 MiB and 20,000
  values (8 KiB and 100 values on routes that are open to everybody), and every list has a maximum. In a PATCH, an absent member stays as it is, and
  \`null\` resets a member to its default. A model's \`pricing\` is merged price by price: \`{"input_per_1m": "2"}\` keeps all others that are in force, and
  \`null\` removes one.
- **Money** is a decimal string in USD (\`"10.50"\`), **times** are RFC 3339.
- **Lists** are \`{"object": "list", "data": […], "has_more": …, "next": …}\`, in pages of \`limit\` (50; at most 1,000). \`?after=<next>\` returns the next
  page. A page also ends at about 1 MiB, so go by \`next\` and not by the number of objects. Lists of keys, accounts and users take \`sort\` and \`order\`
  (\`asc\` or \`desc\`), which hold over all pages; continue with the same \`sort\`.
- **Names.** Beside the id of an account, a channel or a key, an answer has its name: \`account_name\`, \`channel_name\`, \`key_name\`. A name can change; it
  is \`null\` if the object was deleted.
- **Limits.** A person or a token may send 600 requests in any 60 seconds (\`server.management_requests_per_minute\`) and have 64 in flight. More get a
  429 with \`Retry-After\`: [limits.md](limits.md#the-management-api-and-pages).
- **ETag and If-Match.** An object that can be changed has an \`ETag\`. Sent as \`If-Match\` with a change, the change is refused with 412
  \`precondition_failed\` if the object was changed meanwhile: read it again, and decide anew. Sent as \`If-None-Match\` with a GET, the response is 304 while
  nothing has changed.
- **Idempotency-Key**, on each POST: for 24 hours a request with the same key gets the first one's response, with \`idempotent-replayed: true\`, and nothing
  is done twice. A failed request leaves its key free. The same key with another request gets 409 (\`idempotency_key_reused\`).
- **Errors** have the envelope of OpenAI's API: branch on \`error.code\`; \`error.param\` names the member or parameter. All codes are in
  [errors.md](errors.md).
- **managed_by** says where an object is changed: \`api\` (here, and on the command line), \`file\` (the configuration file) or \`environment\`. Changes to
  objects of the file get 409 \`conflict\`: change the file, and run \`switchyard apply\`.
- **Several nodes.** A change returns when every gateway on the same database has applied it, after two seconds at most. If a node has not confirmed it
  by then, the header \`x-switchyard-unconfirmed-nodes\` names it (or is \`unknown\`): the change is committed, and takes effect there when that node
  reads the database.
- **Settings** take effect at a gateway's next start, unless the configuration file has the same setting, which wins.
  \`GET /v1/management/settings\` says which are pending. The section \`branding\` takes effect within seconds. No token can change the settings that decide whom the gateway trusts. Change them in the
  configuration file, or as an operator in a session in which a second factor was used within the last 10 minutes
  ([people.md](people.md#a-recent-second-factor)):
  ${anchors().join(', ')}.
- **Erasing a person or an account** (\`DELETE /v1/management/users/{id}\` and \`…/accounts/{id}\`) needs such a session too:
  [people.md](people.md#erasing-a-person).
- **Audit.** Each change is recorded with who, from where, and the values before: \`GET /v1/management/audit\`.
`;

function anchors(): readonly string[] {
  return Object.entries(SETTING_CLASSES).flatMap(([section, fields]) =>
    Object.keys(fields)
      .filter((field) => fields[field] === 'anchor')
      .map((field) => `\`${section}.${field}\``),
  );
}

/** Further reading on each group. */
const MORE: Readonly<Record<string, string>> = {
  Account: '[accounts.md](accounts.md), [limits.md](limits.md)',
  Accounts: '[accounts.md](accounts.md)',
  Keys: '[guides/management.md](guides/management.md)',
  People: '[people.md](people.md)',
  Channels: '[channels.md](channels.md), [routing.md](routing.md), [016](decisions/016-channels-of-accounts.md)',
  Models: '[models.md](models.md)',
  Catalog: '[models.md](models.md)',
  Providers: '[providers.md](providers.md)',
  Balance: '[billing.md](billing.md)',
  Usage: '[usage-sums.md](usage-sums.md)',
  Requests: '[usage-sums.md](usage-sums.md#the-request-log)',
  Tasks: '[tasks.md](tasks.md)',
  Cache: '[cache.md](cache.md)',
  Alerts: '[alerts.md](alerts.md)',
  Settings: '[configuration.md](configuration.md)',
};

/** Generates docs/management.md. */
export function managementPage(): string {
  return [INTRODUCTION, groups(), '', routes(), '', scopes(), ''].join('\n');
}

function groups(): string {
  const rows = usedTags().map(({ name, description }) => `| ${name} | ${description} | ${MORE[name] ?? ''} |`);
  return ['## Resources', '', '| resource | what it is | more |', '|---|---|---|', ...rows].join('\n');
}

function usedTags() {
  const used = new Set(ROUTES.map(({ tag }) => tag));
  return MANAGEMENT_TAGS.filter(({ name }) => used.has(name));
}

function routes(): string {
  const rows = usedTags().flatMap(({ name }) =>
    ROUTES.filter(({ tag }) => tag === name)
      .toSorted((a, b) => (a.path === b.path ? rankOf(a) - rankOf(b) : a.path < b.path ? -1 : 1))
      .map((route) => `| \`${route.method.toUpperCase()} ${route.path}\` | ${route.summary} | ${whoMay(route)} |`),
  );
  return [
    '## Routes',
    '',
    'Paths are below `/v1/management`. *Who may* is the least role in the account (operators always may), and the scope that a token needs.',
    'Sign-in, below `/auth`, is described in [people.md](people.md#signing-in), and `/playground`, where people who have signed in use models',
    'without a key, in [playground.md](playground.md).',
    '',
    '| route | what it does | who may |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

function rankOf({ method }: ManagementRoute): number {
  return METHODS.indexOf(method);
}

function whoMay({ access }: ManagementRoute): string {
  if (access.who === 'anyone') return 'everybody';
  if (access.who === 'person') return 'anyone signed in';
  return `${access.who === 'operator' ? 'operator' : access.role}, \`${access.scope}\``;
}

/** Lists what each scope allows; the lowest role shows whether it is useful for a token of an ordinary account. */
function scopes(): string {
  const rows = SCOPES.flatMap((scope) => {
    const opened = ROUTES.filter(({ access }) => 'scope' in access && access.scope === scope);
    if (opened.length === 0) return [];
    const roles = opened.map(({ access }) => (access.who === 'account' ? access.role : 'operator'));
    const isForAll = MEMBER_ROLES.some((role) => roles.includes(role));
    const names = opened.map(({ operationId }) => `\`${operationId}\``).join(', ');
    return [`| \`${scope}\` | ${isForAll ? 'any account' : 'operators'} | ${names} |`];
  });
  return [
    '## Scopes',
    '',
    'Operations have the names of the OpenAPI document. *For* says whether a scope is useful for tokens of any account, or only of operators.',
    '',
    '| scope | for | allows |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}
