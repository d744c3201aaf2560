import type { Channel } from '../../domain/catalog/channel.ts';
import type { DeclaredModel, Model } from '../../domain/catalog/model.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { ModelFacts } from '../directory/model-facts.ts';
import { type ChannelParts, makeQuestion } from '../directory/target.ts';
import type { Upstream } from '../ports/upstream.ts';
import { askChannel, isNotThere } from '../servers/ask-channel.ts';
import { readModelList } from './read-model-list.ts';

/** The rule for the ids in a channel's `models`. */
const USABLE_ID = /^[^\s\p{Cc}]{1,200}$/u;

/** A model that a channel can be configured to serve. */
export interface ReachableModel {
  /** The provider's own id. */
  readonly id: string;
  readonly model: Model;
  /** Whether the catalog has the model. */
  readonly isKnown: boolean;
}

export interface ProbedChannel {
  readonly channel: Channel;
  readonly manifest: ProviderManifest;
  readonly modelFacts: ModelFacts;
  readonly declared: ReadonlyMap<string, DeclaredModel>;
}

export interface ListedIds {
  /** `null` if the provider has no list. */
  readonly ids: readonly string[] | null;
  /** Whether the provider lists more than these. */
  readonly isCut: boolean;
  /** The address from which the list was requested, if it was. */
  readonly address: string | null;
}

/** Resolves to the ids that the provider lists for the channel's key, or to the failure to read them. Never throws. */
export async function listedIds(
  upstream: Upstream,
  parts: ChannelParts,
): Promise<ListedIds | { readonly failure: Failure; readonly address: string }> {
  const { modelList } = parts.manifest;
  const question = modelList === undefined ? null : makeQuestion(parts, modelList);
  if (modelList === undefined || question === null) return { ids: null, isCut: false, address: null };
  const answer = await askChannel(upstream, question, (body) => readModelList(body, modelList));
  const { url: address } = question;
  if (!(answer instanceof Failure)) {
    const ids = answer.ids.filter((id) => USABLE_ID.test(id));
    return ids.length === 0 ? { ids: null, isCut: false, address } : { ids, isCut: answer.isCut, address };
  }
  return isNotThere(answer) ? { ids: null, isCut: false, address } : { failure: answer, address };
}

/**
 * Returns what is known of these models, or, without a list, of all models that the catalog has for the provider. Models in the catalog
 * come first.
 */
export function describedModels(
  { channel, manifest, modelFacts, declared }: ProbedChannel,
  ids: readonly string[] | null,
): readonly ReachableModel[] {
  const models = (ids ?? modelFacts.modelsOf(manifest.name).map(({ id }) => id)).map((id) => {
    const isKnown = (modelFacts.of(manifest.name, id) ?? modelFacts.model(id)) !== undefined;
    const serving = { ...channel, models: { [id]: id } };
    return { id, isKnown, model: modelFacts.resolve(id, serving, declared.get(id)) };
  });
  return [...models.filter(({ isKnown }) => isKnown), ...models.filter(({ isKnown }) => !isKnown)];
}
