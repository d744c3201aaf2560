import { createHash } from 'node:crypto';
import { z } from 'zod';
import { sortedJson } from '../../../domain/text/sorted-json.ts';
import { flag } from '../../../providers/shared/file-fields.ts';
import { ModelFacts } from '../../directory/model-facts.ts';
import type { Clock } from '../../ports/clock.ts';
import { type DirectoryStore, SERVING_ONLY } from '../../ports/directory-store.ts';
import type { Upstream } from '../../ports/upstream.ts';
import {
  downloadList,
  listJson,
  PriceListError,
  parseListUrl,
  publicAddress,
} from '../../price-lists/download-list.ts';
import { parsePriceList } from '../../price-lists/price-list.ts';
import { type CatalogSync, planSync, type SyncRequest, syncCatalog } from '../../price-lists/sync-catalog.ts';
import { AdminError } from '../admin-error.ts';
import { checkInput } from '../schema/check-input.ts';
import { isoTime } from '../schema/iso-time.ts';
import type { Providers } from '../schema/providers.ts';
import { ownStatements } from './own-statements.ts';
import { type SyncReport, syncView } from './sync-view.ts';

/** The addresses of the public lists. */
const LISTS: Readonly<Record<string, string>> = {
  litellm: 'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json',
  'models.dev': 'https://models.dev/api.json',
};

/** The public lists have two MB. Parsing one blocks all requests of a gateway for a moment. */
const MAXIMUM_BYTES = 16 * 1024 * 1024;

const DAY = 'must be a valid date such as 2026-09-01';

export const syncSchema = z.strictObject({
  source: z.string({ error: 'must be litellm, models.dev, or the URL of such a list' }).meta({
    description: '`litellm`, `models.dev`, or the URL of a list in one of their formats, on the public internet.',
  }),
  add: flag.nullish().meta({ description: 'Also adds models that the catalog does not have.' }),
  prices_only: flag.nullish(),
  as_of: z
    .string({ error: DAY })
    .refine((text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text), { error: DAY })
    .nullish()
    .meta({ description: 'The date of the list, as `YYYY-MM-DD`. Defaults to the day on which the list was written.' }),
  apply: flag.nullish().meta({ description: 'Applies the changes. Otherwise they are only shown.' }),
  plan: z
    .string({ error: 'must be the "plan" of a response without apply' })
    .nullish()
    .meta({ description: 'With `apply`: the `plan` of the response that was reviewed.' }),
});

export interface SyncMeans {
  readonly directory: DirectoryStore;
  readonly providers: Providers;
  readonly upstream: Upstream;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/**
 * Shows what a public list would change, or applies a shown plan: `plan` identifies the changes, and nothing is done if the list or the
 * catalog has changed since. Throws `AdminError`.
 */
export async function syncPublicList(means: SyncMeans, input: unknown) {
  const { directory, clock } = means;
  const wanted = checkInput(syncSchema, ['sync'], input);
  if (wanted.add === true && wanted.prices_only === true) {
    throw new AdminError('invalid_value', 'add', 'excludes prices_only');
  }
  if (wanted.apply === true && wanted.plan == null) {
    throw new AdminError(
      'invalid_value',
      'plan',
      'is required: send the same request without apply, review the response, and send its plan',
    );
  }
  const request = await requestFrom(means, wanted);
  const rows = await directory.read(SERVING_ONLY);
  const ownStatement = ownStatements(rows, new ModelFacts(means.providers, rows.syncedModels), clock.nowMs());
  const isApplied = wanted.apply === true;
  const sync = isApplied
    ? await syncCatalog(directory, request, (planned) => refuseOtherPlan(planned, wanted.plan ?? null))
    : planSync(rows.syncedModels, request);
  const report: SyncReport = { sync, request, ownStatement };
  return { plan: planOf(sync), changes: sync.rows.length, ...syncView(report, isApplied) };
}

async function requestFrom(means: SyncMeans, wanted: z.output<typeof syncSchema>): Promise<SyncRequest> {
  const { providers, upstream, clock } = means;
  const { source: named, as_of: asOf } = wanted;
  const url = parseListUrl(Object.hasOwn(LISTS, named) ? (LISTS[named] ?? '') : named);
  if (url === 'no_url')
    throw new AdminError('invalid_value', 'source', 'must be litellm, models.dev, or the URL of such a list');
  if (url === 'credentials')
    throw new AdminError('invalid_value', 'source', 'must not contain a user name or password');
  const nowMs = clock.nowMs();
  if (asOf != null && Date.parse(asOf) > nowMs)
    throw new AdminError('invalid_value', 'as_of', 'must not be in the future');
  try {
    const content = await downloadList(url, { upstream, isGuarded: true, maximumBytes: MAXIMUM_BYTES });
    const parsed = parsePriceList(listJson(publicAddress(url), content.bytes), providers);
    if (!parsed.ok) throw new PriceListError(parsed.problem);
    // A server's fast clock must not date the list in the future.
    const listedAtMs = Math.min(content.writtenAtMs ?? nowMs, nowMs);
    const source = { url: publicAddress(url), date: asOf ?? isoTime(listedAtMs).slice(0, 10) };
    const { add, prices_only: pricesOnly } = wanted;
    return { providers, list: parsed.list, includeNew: add === true, pricesOnly: pricesOnly === true, source };
  } catch (error) {
    if (error instanceof PriceListError) throw new AdminError('conflict', 'source', error.message);
    throw error;
  }
}

function isDay(text: string): boolean {
  const atMs = Date.parse(text);
  return !Number.isNaN(atMs) && isoTime(atMs).startsWith(text);
}

function refuseOtherPlan(sync: CatalogSync, plan: string | null): void {
  if (planOf(sync) === plan) return;
  throw new AdminError('stale', 'plan', 'the list or the catalog changed after the review: review it again');
}

/** Returns an identifier that is equal for equal changes. */
function planOf({ rows }: CatalogSync): string {
  const text = sortedJson(rows);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
