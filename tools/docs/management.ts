import { ROUTES } from '../../conformance/management/routes.ts';
import { MEMBER_ROLES } from '../../src/domain/access/member.ts';
import { SCOPES } from '../../src/domain/access/scopes.ts';
import { SETTING_CLASSES } from '../../src/engine/admin/settings/classes.ts';
import type { ManagementRoute } from '../../src/transports/management/route.ts';
import { MANAGEMENT_TAGS } from '../../src/transports/management/tags.ts';

const INTRODUCTION = `# The management API

Generated from the route table by \`npm run generate\`; a test fails while this page differs from it.

Everything about a gateway that can be changed while it runs is changed, and read, below \`/v1/management\` on the same port as inference:
by programs with a management token, by people with a session. \`/docs\` and [\`/openapi.json\`](openapi.md) of a gateway have every
member of every request and answer; a guide with examples that run is [guides/management.md](guides/management.md).

## Tokens

A management token (\`mt-…\`) goes into \`Authorization: Bearer mt-…\`. It is refused by inference, as API keys (\`sk-…\`) are here. The
first is made with \`switchyard keys create --account <id> --management\`, or in [the configuration file](accounts.md#management-tokens); further ones with
\`POST /v1/management/tokens\`. It belongs to one account. A token of an account with \`admin: true\` is an **operator's**: it may do
everything, for all accounts.

\`scopes\` bound what a token may do. A scope names a resource and \`read\` or \`write\`, which includes \`read\`; \`*:read\` reads everything,
\`*\` is everything. [Below](#scopes) stands what each opens. No token gives on more than it has: neither to other tokens nor to people.
People sign in instead, and may what their role in the account allows ([people.md](people.md)).

A token is rotated with \`POST /v1/management/tokens/{id}/rotate\`; \`grace_seconds\` lets the old secret hold for a while.

## The account in question

\`?account_id=<id>\` names it, on every route that is about an account; it is never in the body. Left out, it is the token's own, or the only
one that a person belongs to. Operators may name any; on lists they may leave it out and get those of all accounts.

## Conventions

- **Bodies** are JSON objects with \`content-type: application/json\`. Members and parameters that are not known are refused. A body has
  at most 1 MiB and 20,000 values (8 KiB and 100 values on routes that are open to everybody), and every list has a maximum. In a PATCH,
  what is left out stays, and \`null\` takes a member back to its default.
- **Money** is a decimal text in USD (\`"10.50"\`), **times** are RFC 3339.
- **Lists** are \`{"object": "list", "data": […], "has_more": …, "next": …}\`: pages of \`limit\` (50; at most 1,000). \`?after=<next>\` gets
  the next page. A page ends before its \`limit\` when it has about 1 MiB, so go by \`next\`, and not by the number of objects.
- **Limits.** A person or a token may send 600 requests in any 60 seconds (\`server.management_requests_per_minute\`) and have 64 in flight.
  More are answered with 429 and a \`Retry-After\`: [limits.md](limits.md#the-management-api-and-pages).
- **ETag and If-Match.** An object that can be changed has an \`ETag\`. Sent as \`If-Match\` with a change, it is refused with 412
  \`precondition_failed\` where somebody has changed the object since: read it again, and decide anew. As \`If-None-Match\` with a GET it gives
  304 while nothing has changed.
- **Idempotency-Key**, on each POST: for 24 hours a request with the same key gets the first one's answer, with \`idempotent-replayed: true\`,
  and nothing is done twice. A request that failed leaves its key free. The same key with another request is a 409
  (\`idempotency_key_reused\`).
- **Errors** have the envelope of OpenAI's API: branch on \`error.code\`; \`error.param\` names the member or parameter. All codes:
  [errors.md](errors.md).
- **managed_by** says where an object is changed: \`api\` (here, and by the command line), \`file\` (the configuration file) or \`environment\`. What the file
  declares is refused here with 409 \`conflict\`: change it there, and run \`switchyard apply\`.
- **Several nodes.** A change is answered when every gateway on the same database serves by it, at most two seconds later. Should one not have
  confirmed it by then, the header \`x-switchyard-unconfirmed-nodes\` names it (or is \`unknown\`): the change is made, and holds there as
  soon as that node reads the database.
- **Settings** lie below what the configuration file says, and hold from a gateway's next start on; \`GET /v1/management/settings\` says which
  wait for it. What the gateway’s trust hangs on is changed in the configuration file, or by an operator’s session in which a second factor was
  used within the last 10 minutes ([people.md](people.md#a-recent-second-factor)), and with no token:
  ${anchors().join(', ')}.
- **Erasing a person or an account** (\`DELETE /v1/management/users/{id}\` and \`…/accounts/{id}\`) needs such a session, too: [people.md](people.md#erasing-a-person).
- **Audit.** Each change is entered with who, from where, and what was before: \`GET /v1/management/audit\`.
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
    'Below `/v1/management`. Who may: the least role in the account (operators always may), and the scope that a token needs. Signing in',
    'itself, below `/auth`, is in [people.md](people.md#signing-in). Below `/playground` people who have signed in ask models without a key',
    '([playground.md](playground.md)).',
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
  if (access.who === 'person') return 'who has signed in';
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
    'By the names that the operations have in the OpenAPI document. Of use to tokens of any account, or of operators alone.',
    '',
    '| scope | for | opens |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}
