import type { Model } from '../../domain/catalog/model.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { compareText } from '../../domain/text/compare-text.ts';
import { listed, type ModelList, type Models, type ModelsView } from '../../engine/model-listing/models.ts';
import type { PageTokens } from '../../engine/model-listing/page-token.ts';
import { anthropicModel } from '../../formats/text/anthropic-messages/model-list.ts';
import { geminiModel } from '../../formats/text/gemini/model-list.ts';
import {
  modelInDetail,
  modelInList,
  openRouterMembers,
  pricingObject,
} from '../../formats/text/openai-chat/model-list.ts';

/** An answer, and when its prices expire (milliseconds since 1970). */
export interface ModelAnswer {
  readonly body: string;
  readonly untilMs: number | null;
}

export interface ModelAnswersOptions {
  readonly models: Models;
  readonly pageTokens: PageTokens;
  /** The name of the member of a Model object that holds the gateway's own metadata. */
  readonly vendorKey: string;
}

/** One vendor's way to list models and to show one. */
export interface ModelShape {
  /** The query parameters of its list, besides those that filter it. */
  readonly parameters: readonly string[];
  list(view: ModelsView, list: ModelList, parameters: URLSearchParams): ModelAnswer | Failure;
  one(view: ModelsView, model: Model): ModelAnswer;
}

const ANTHROPIC_PAGE = { usual: 20, most: 1000 };
const GEMINI_PAGE = { usual: 1000, most: 1000 };

/** Lists models as OpenAI does, with the contract's metadata, on one page. */
export function openaiShape({ models, vendorKey }: ModelAnswersOptions): ModelShape {
  const lines = new ListLines(vendorKey);
  return {
    parameters: [],
    list(view, { models: wanted, preferences, scene }) {
      if (scene === null) return lines.answer(wanted, view.nowMs);
      const entries = wanted.map((model) => listed(model, view.nowMs));
      const data = entries.map((entry) => {
        const known = preferences === null ? null : (preferences.get(entry.model.id) ?? {});
        return modelInList(entry, vendorKey, { scene, preferences: known });
      });
      return { body: JSON.stringify({ object: 'list', data }), untilMs: soonestEnd(entries) };
    },
    one(view, model) {
      const entry = listed(model, view.nowMs);
      const detail = modelInDetail(entry, vendorKey, models.preferencesOf(view, model));
      return { body: JSON.stringify(detail), untilMs: soonestEnd([entry]) };
    },
  };
}

/** Caches the entry of each model in a plain list: the lists of different accounts have most models in common. */
class ListLines {
  /** A model lives as long as its directory, and its entry changes only with its prices. */
  private readonly lines = new WeakMap<Model, ModelAnswer>();

  constructor(private readonly vendorKey: string) {}

  answer(models: readonly Model[], nowMs: number): ModelAnswer {
    const lines = models.map((model) => this.lineOf(model, nowMs));
    const ends = lines.flatMap(({ untilMs }) => untilMs ?? []);
    return {
      body: `{"object":"list","data":[${lines.map(({ body }) => body).join(',')}]}`,
      untilMs: ends.length === 0 ? null : Math.min(...ends),
    };
  }

  private lineOf(model: Model, nowMs: number): ModelAnswer {
    const known = this.lines.get(model);
    if (known !== undefined && nowMs < (known.untilMs ?? Number.POSITIVE_INFINITY)) return known;
    const entry = listed(model, nowMs);
    const line = {
      body: JSON.stringify(modelInList(entry, this.vendorKey, { scene: null, preferences: null })),
      untilMs: soonestEnd([entry]),
    };
    this.lines.set(model, line);
    return line;
  }
}

/** Lists models in Anthropic's pages, the most recently released first (API reference, "List Models"). */
export function anthropicShape(): ModelShape {
  return {
    parameters: ['limit', 'before_id', 'after_id'],
    list(_view, list, parameters) {
      const limit = integerIn(parameters, 'limit', ANTHROPIC_PAGE);
      if (limit instanceof Failure) return limit;
      const newest = list.preferences === null ? newestFirst(list.models) : list.models;
      const page = idPage(newest, parameters, limit);
      if (page instanceof Failure) return page;
      const { models, hasMore } = page;
      const ids = { first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null };
      return untimed({ data: models.map(anthropicModel), has_more: hasMore, ...ids });
    },
    one: (_view, model) => untimed(anthropicModel(model)),
  };
}

/** Lists models in Google's pages, each naming the next by a token (contract, Generative-content format). */
export function geminiShape({ pageTokens }: Pick<ModelAnswersOptions, 'pageTokens'>): ModelShape {
  return {
    parameters: ['pageSize', 'pageToken'],
    list(_view, { models, preferences }, parameters) {
      const pageSize = integerIn(parameters, 'pageSize', GEMINI_PAGE);
      if (pageSize instanceof Failure) return pageSize;
      const token = parameters.get('pageToken');
      const afterId = token ? pageTokens.verify(token) : '';
      if (afterId === null) return wrongToken();
      const rest = preferences === null ? restById(models, afterId) : restByRank(models, afterId);
      const page = rest.slice(0, pageSize);
      const last = page.at(-1);
      const next = last !== undefined && rest.length > pageSize ? { nextPageToken: pageTokens.sign(last.id) } : {};
      return untimed({ models: page.map(geminiModel), ...next });
    },
    one: (_view, model) => untimed(geminiModel(model)),
  };
}

const OPENROUTER_PAGE = { usual: 100_000, most: 100_000 };

/** Lists models as OpenRouter does, with OpenAI's members and the contract's metadata beside OpenRouter's. All are on one page by default. */
export function openRouterShape({
  vendorKey,
}: Pick<ModelAnswersOptions, 'vendorKey'>): Pick<ModelShape, 'parameters' | 'list'> {
  return {
    parameters: ['offset', 'limit'],
    list(view, { models }, parameters) {
      const limit = integerIn(parameters, 'limit', OPENROUTER_PAGE);
      if (limit instanceof Failure) return limit;
      const offset = parameters.get('offset') ?? '0';
      if (!/^\d{1,9}$/.test(offset)) return invalid('offset', 'offset must be an integer of 0 or more');
      const from = Number(offset);
      const entries = models.slice(from, from + limit).map((model) => listed(model, view.nowMs));
      const data = entries.map((entry) => ({
        ...modelInList(entry, vendorKey, { scene: null, preferences: null }),
        ...openRouterMembers(entry),
      }));
      const body = JSON.stringify({ object: 'list', data, total_count: models.length, links: { next: null } });
      return { body, untilMs: soonestEnd(entries) };
    },
  };
}

/** Returns the contract's price list. */
export function pricingAnswer(view: ModelsView, models: readonly Model[]): ModelAnswer {
  const entries = models.map((model) => listed(model, view.nowMs));
  return {
    body: JSON.stringify({ object: 'list', data: entries.map(pricingObject) }),
    untilMs: soonestEnd(entries),
  };
}

function untimed(value: object): ModelAnswer {
  return { body: JSON.stringify(value), untilMs: null };
}

function soonestEnd(entries: readonly ReturnType<typeof listed>[]): number | null {
  let soonest: number | null = null;
  for (const { prices } of entries) {
    const untilMs = prices === null || prices === 'free' ? null : prices.untilMs;
    if (untilMs !== null && (soonest === null || untilMs < soonest)) soonest = untilMs;
  }
  return soonest;
}

function newestFirst(models: readonly Model[]): readonly Model[] {
  // Models without a known release date are mostly newer than the others.
  const day = ({ createdAtMs }: Model) => (createdAtMs === 0 ? Number.MAX_SAFE_INTEGER : createdAtMs);
  return [...models].sort((one, other) => day(other) - day(one) || compareText(one.id, other.id));
}

function idPage(models: readonly Model[], parameters: URLSearchParams, limit: number) {
  const [afterId, beforeId] = [parameters.get('after_id'), parameters.get('before_id')];
  if (afterId !== null && beforeId !== null) {
    return invalid('before_id', 'before_id and after_id cannot be combined: omit one of them');
  }
  const cursor = afterId ?? beforeId;
  const at = cursor === null ? -1 : models.findIndex(({ id }) => id === cursor);
  if (cursor !== null && at < 0) {
    const name = afterId === null ? 'before_id' : 'after_id';
    return invalid(name, `${name} must be the id of a model in this list; got ${JSON.stringify(cursor.slice(0, 200))}`);
  }
  if (beforeId !== null) {
    return { models: models.slice(Math.max(0, at - limit), at), hasMore: at > limit };
  }
  return { models: models.slice(at + 1, at + 1 + limit), hasMore: models.length > at + 1 + limit };
}

function integerIn(
  parameters: URLSearchParams,
  name: string,
  { usual, most }: { readonly usual: number; readonly most: number },
): number | Failure {
  const text = parameters.get(name);
  if (text === null) return usual;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  return invalid(name, `${name} must be an integer from 1 to ${most}; got ${JSON.stringify(text.slice(0, 50))}`);
}

/** Returns the models after `afterId`, which is correct even if models were added or removed meanwhile. */
function restById(models: readonly Model[], afterId: string): readonly Model[] {
  return [...models].sort((one, other) => compareText(one.id, other.id)).filter(({ id }) => id > afterId);
}

function restByRank(models: readonly Model[], afterId: string): readonly Model[] {
  return models.slice(models.findIndex(({ id }) => id === afterId) + 1);
}

function wrongToken(): Failure {
  return invalid(
    'pageToken',
    'pageToken is invalid: send the nextPageToken of the previous page unchanged, or omit it to start over',
  );
}

function invalid(param: string, message: string): Failure {
  return new Failure('invalid_value', { message, param });
}
