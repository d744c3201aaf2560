import type { Channel } from '../../domain/catalog/channel.ts';
import { MOST_CHANNEL_MODELS } from '../../domain/catalog/channel-bounds.ts';
import type { DeclaredModel, Model } from '../../domain/catalog/model.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { cutJson } from '../../formats/shared/json/json-extent.ts';
import { parseJsonBytes } from '../../formats/shared/json/json-text.ts';
import type { ModelList, ProviderManifest } from '../../providers/manifest.ts';
import type { ModelFacts } from '../directory/model-facts.ts';
import { type ChannelParts, makeQuestion } from '../directory/target.ts';
import type { Upstream, UpstreamBody } from '../ports/upstream.ts';
import { askChannel, isNotThere } from '../servers/ask-channel.ts';

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

interface ListedIds {
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

/** The longest known list is OpenRouter's, whose hundreds of models take about 1 MB and 30,000 values. */
const MOST_BYTES = 4 * 1024 * 1024;
const BOUNDS = { mostValues: 100_000, deepest: 100 };

interface ListedModels {
  /** The ids without duplicates; empty if the answer is not a list. */
  readonly ids: readonly string[];
  /** Whether the list continues, so that an absent id may still be offered. */
  readonly isCut: boolean;
}

/** Reads a provider's list of models, up to limits on bytes, values and models that no known provider's list reaches. */
export async function readModelList(
  body: UpstreamBody,
  { modelsIn }: Pick<ModelList, 'modelsIn'>,
): Promise<ListedModels | Failure> {
  const bytes = await readSome(body, MOST_BYTES);
  if (bytes instanceof Failure) return bytes;
  const { bytes: whole, isCut } = cutJson(bytes, BOUNDS);
  const ids = modelsIn(parseJsonBytes(whole));
  return { ids: ids.slice(0, MOST_CHANNEL_MODELS), isCut: isCut || ids.length > MOST_CHANNEL_MODELS };
}

/** Resolves to the body, or to its beginning if it is longer than `mostBytes`. */
async function readSome(body: UpstreamBody, mostBytes: number): Promise<Uint8Array | Failure> {
  const pieces: Uint8Array[] = [];
  for (let length = 0; length < mostBytes; ) {
    const piece = await body.read();
    if (piece instanceof Failure) return piece;
    if (piece === null) return Buffer.concat(pieces);
    pieces.push(piece);
    length += piece.length;
  }
  body.cancel();
  return Buffer.concat(pieces).subarray(0, mostBytes);
}
