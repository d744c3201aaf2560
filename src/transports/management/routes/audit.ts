import { z } from 'zod';
import { ACTOR_KINDS, type Requester } from '../../../domain/access/actor.ts';
import { auditNamesView, type NamedEntry, namedEntries } from '../../../engine/admin/audit/audit-names.ts';
import { auditView, listAudit, type WantedAudit } from '../../../engine/admin/audit/read-audit.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { time } from '../../../providers/shared/file-fields.ts';
import { listAnswer, listSchema } from '../list.ts';
import { pagedText } from '../paged-text.ts';
import { type ManagementRoute, route } from '../route.ts';
import { NAMED } from './named-answers.ts';

const ENTRY = z
  .object({
    object: z.literal('audit_entry'),
    id: z.number().meta({ description: 'Increases with every entry.' }),
    at: z.string(),
    actor: z.object({ kind: z.enum(ACTOR_KINDS), id: z.string().nullable(), name: z.string() }),
    actor_name: z
      .string()
      .nullable()
      .meta({ description: 'The present name of the person who acted. `null` for others.' }),
    address: z.string().nullable(),
    request_id: z.string().nullable(),
    action: z.string().meta({ description: 'For example `key.revoke`.' }),
    account: z.string().nullable(),
    ...NAMED.account,
    object_id: z.string(),
    object_name: z
      .string()
      .nullable()
      .meta({ description: 'The name of the object when it was changed, or else its present one.' }),
    before: z.record(z.string(), z.unknown()).nullable(),
    after: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'AuditEntry' });

const FILTERS = z.strictObject({
  actor_kind: z.enum(ACTOR_KINDS).optional(),
  actor: z.string().optional().meta({ description: 'The id of a person, or a token as `account/id`.' }),
  action: z.string().optional().meta({ description: 'An action such as `key.revoke`, or its subject: `key`.' }),
  object_id: z.string().optional(),
  from: time.optional().meta({ type: 'string', format: 'date-time' }),
  to: time.optional().meta({ type: 'string', format: 'date-time', description: 'Only entries before this time.' }),
  order: z.enum(['newest', 'oldest']).optional(),
});

type AuditStores = Pick<Store, 'audit' | 'directory' | 'people' | 'alerts'>;

const TAG = 'Audit';
const ACCESS = { who: 'account', role: 'owner', scope: 'audit:read', orAll: true } as const;

/** Returns `audit`: the log of changes. */
export function auditRoutes(store: AuditStores): readonly ManagementRoute[] {
  const log = store.audit;
  return [
    route({
      ...{ method: 'get', path: '/audit', operationId: 'listAudit', tag: TAG, isList: true, query: FILTERS },
      summary: 'List audit entries',
      description: 'Who changed what, from where, and the previous values. Newest first.',
      access: ACCESS,
      answer: { description: 'A page of entries', schema: listSchema(ENTRY) },
      handle: async ({ requester, accountId, query: { limit, after, ...filters } }) => {
        const view = viewFor(requester);
        return listAnswer(
          { limit, after },
          async (page) => namedEntries(store, await listAudit(log, { ...page, ...wantedFrom(filters, accountId) })),
          (entry) => ({ object: 'audit_entry' as const, ...view(entry) }),
        );
      },
    }),
    route({
      ...{ method: 'get', path: '/audit/export', operationId: 'exportAudit', tag: TAG, query: FILTERS },
      summary: 'Export audit entries as JSON lines',
      description: 'All matching entries, one per line, oldest first unless `order` says otherwise.',
      access: ACCESS,
      answer: { description: 'Entries', schema: z.string(), contentType: 'application/jsonl' },
      handle: async ({ requester, accountId, query }) => {
        const wanted = { order: 'oldest' as const, ...wantedFrom(query, accountId) };
        const view = viewFor(requester);
        const body = await pagedText({
          read: async (page) => namedEntries(store, await listAudit(log, { ...wanted, ...page })),
          line: (entry) => `${JSON.stringify(view(entry))}\n`,
        });
        return { raw: { contentType: 'application/jsonl', body } };
      },
    }),
  ];
}

/** Returns a function that formats an entry for this reader. */
function viewFor(requester: Requester | null) {
  const isOperator = requester?.isOperator === true;
  return (entry: NamedEntry) => ({ ...auditView(entry.item, isOperator), ...auditNamesView(entry) });
}

function wantedFrom(filters: z.output<typeof FILTERS>, accountId: string | null): WantedAudit {
  const { actor_kind: actorKind, actor: actorId, object_id: objectId, from: fromMs, to: toMs, ...rest } = filters;
  return { ...rest, actorKind, actorId, objectId, fromMs, toMs, accountId: accountId ?? undefined };
}
