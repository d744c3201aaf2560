import type { Principal } from '../../domain/access/principal.ts';
import { makerName } from '../../domain/catalog/maker-name.ts';
import type { Model } from '../../domain/catalog/model.ts';
import { categoriesOf, SCENES, type Scene, scenesOf, tagsOf } from '../../domain/catalog/model-tags.ts';
import { rankByPreference, type SuccessSnapshot } from '../../domain/catalog/preference.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { currentPrices } from '../../domain/money/current-prices.ts';
import type { ListedModel, ScenePreference, ScenePreferences } from '../../formats/text/openai-chat/model-list.ts';
import type { Caller } from '../access/caller.ts';
import { type AdmittedCallPorts, type AdmittedResult, admittedCall } from '../call/admitted-call.ts';
import type { Directory } from '../directory/directory.ts';
import { findModel, usableModels } from '../directory/find-model.ts';
import { type ModelQuery, parseModelQuery, type QueryVocabulary } from './model-query.ts';

export interface ModelsPorts extends AdmittedCallPorts {
  readonly directory: () => Directory;
  /** The latest success counts; `null` before the first count. */
  readonly snapshot: () => SuccessSnapshot | null;
  /** A model with fewer samples gets no score. */
  readonly minimumSamples: number;
}

/** A list of the models that one key may see. */
export interface ModelList {
  readonly models: readonly Model[];
  /** The scene for which models are requested, if the query states one; else `null`. */
  readonly scene: Scene | null;
  /** The preferences of the models of the requested scene, by model id; `null` if no scene was requested. */
  readonly preferences: ReadonlyMap<string, ScenePreferences> | null;
}

/** Everything that an answer depends on besides the parameters: while it does not change, the answer does not change. */
export interface ModelsView {
  readonly directory: Directory;
  /** `null` for a caller without a key, who sees only what everybody may use. */
  readonly principal: Principal | null;
  readonly snapshot: SuccessSnapshot | null;
  readonly nowMs: number;
}

/** The public models and their prices, as each caller may see them (contract, Models and pricing). */
export class Models {
  private readonly vocabularies = new WeakMap<Directory, QueryVocabulary>();

  private readonly startedAtMs: number;

  constructor(private readonly ports: ModelsPorts) {
    this.startedAtMs = ports.clock.nowMs();
  }

  /** Runs a call that needs a key. */
  withKey<Result>(caller: Caller, use: (view: ModelsView) => Result | Failure): Promise<AdmittedResult<Result>> {
    return admittedCall(this.ports, caller, (principal) => use(this.view(principal)));
  }

  /** Runs a call that needs no key. If a key is sent, it is checked all the same. */
  async withOptionalKey<Result>(
    caller: Caller,
    use: (view: ModelsView) => Result | Failure,
  ): Promise<AdmittedResult<Result>> {
    return caller.secret === null ? { result: use(this.view(null)), headers: {} } : this.withKey(caller, use);
  }

  private view(principal: Principal | null): ModelsView {
    const { directory, snapshot, clock } = this.ports;
    return { directory: directory(), principal, snapshot: snapshot(), nowMs: clock.nowMs() };
  }

  /** Returns the models that match a query, by id, or best first with `recommended_for`. */
  list(view: ModelsView, parameters: URLSearchParams): ModelList | Failure {
    const usable = usableModels(view.directory, view.principal);
    const query = parseModelQuery(parameters, () => withWordsOf(usable, this.vocabularyOf(view.directory)));
    if (query instanceof Failure) return query;
    const accountId = view.principal?.account.id ?? null;
    const isServedBy = (model: Model, provider: string) =>
      view.directory.providersOf(model.id, accountId).includes(provider);
    const wanted = usable.filter((model) => matches(model, query, isServedBy));
    const { recommendedFor: scene } = query;
    if (scene === null) return { models: wanted, preferences: null, scene: sceneOf(query.category) };
    const order = new Map<string, ScenePreferences>();
    // Ranks count all models of the scene, even if other parameters narrow the list.
    for (const [id, preference] of this.ranking(view, usable, scene)) order.set(id, { [scene]: preference });
    const byId = new Map(wanted.map((model) => [model.id, model]));
    return { models: [...order.keys()].flatMap((id) => byId.get(id) ?? []), preferences: order, scene };
  }

  /** Returns the model with this id, or a failure if the caller may not see it. */
  find({ directory, principal }: ModelsView, modelId: string): Model | Failure {
    return findModel(directory, principal, modelId);
  }

  /**
   * Returns a model's rank in each of its scenes. Without scenes, this is `null` for a chat model and empty for a model of another
   * category.
   */
  preferencesOf(view: ModelsView, model: Model): ScenePreferences | null {
    const scenes = scenesOf(model);
    if (scenes.length === 0 && model.category === 'chat') return null;
    const usable = usableModels(view.directory, view.principal);
    const places = scenes.map((scene) => [scene, this.ranking(view, usable, scene).get(model.id)]);
    return Object.fromEntries(places);
  }

  /** Returns the models whose prices are requested: one, or all. */
  priced(view: ModelsView, modelId: string | null): readonly Model[] | Failure {
    if (modelId === null) return usableModels(view.directory, view.principal);
    const model = this.find(view, modelId);
    return model instanceof Failure ? model : [model];
  }

  private ranking(view: ModelsView, usable: readonly Model[], scene: Scene): ReadonlyMap<string, ScenePreference> {
    const ids = usable.filter((model) => scenesOf(model).includes(scene)).map(({ id }) => id);
    // Before the first count all numbers are zero, dated to the start of this gateway.
    const updatedAtMs = view.snapshot?.atMs ?? this.startedAtMs;
    const ranked = rankByPreference(ids, view.snapshot, this.ports.minimumSamples);
    return new Map(ranked.map(({ modelId, ...preference }) => [modelId, { ...preference, updatedAtMs }]));
  }

  /** Returns the values that everybody may know. At worst they match no model; any other value is refused with status 400. */
  private vocabularyOf(directory: Directory): QueryVocabulary {
    let vocabulary = this.vocabularies.get(directory);
    if (vocabulary === undefined) {
      const models = [...directory.modelFacts.models(), ...directory.visibleModels(null)];
      vocabulary = withWordsOf(models, { providers: new Set(directory.providerNames()), tags: new Set() });
      this.vocabularies.set(directory, vocabulary);
    }
    return vocabulary;
  }
}

/**
 * Returns the vocabulary with the words of these models added. An account's own models may have makers and tags that must stay hidden from
 * other accounts.
 */
function withWordsOf(models: readonly Pick<Model, 'ownedBy' | 'tags'>[], { providers, tags }: QueryVocabulary) {
  return {
    providers: new Set([...providers, ...models.map(({ ownedBy }) => ownedBy)]),
    tags: new Set([...tags, ...models.flatMap((model) => model.tags)]),
  };
}

function matches(
  model: Model,
  { category, recommendedFor, provider, tag }: ModelQuery,
  isServedBy: (model: Model, provider: string) => boolean,
): boolean {
  return (
    (category === null || categoriesOf(model).includes(category)) &&
    (provider === null || makerName(model.ownedBy) === makerName(provider) || isServedBy(model, provider)) &&
    (tag === null || tagsOf(model).includes(tag)) &&
    (recommendedFor === null || scenesOf(model).includes(recommendedFor))
  );
}

function sceneOf(category: ModelQuery['category']): Scene | null {
  return SCENES.find((scene) => scene === category) ?? null;
}

/** Returns the model with the prices that apply at this moment. */
export function listed(model: Model, nowMs: number): ListedModel {
  const { pricing } = model;
  return { model, prices: pricing === null || pricing === 'free' ? pricing : currentPrices(pricing, nowMs) };
}
