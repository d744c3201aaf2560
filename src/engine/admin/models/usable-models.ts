import type { Channel } from '../../../domain/catalog/channel.ts';
import type { Model } from '../../../domain/catalog/model.ts';
import { compareText } from '../../../domain/text/compare-text.ts';
import type { Directory } from '../../directory/directory.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { notFound } from '../admin-error.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { type ModelFilter, matchesFilter, modelFactsView } from './read-models.ts';

/** A model as the members of an account see it: what its clients can use, without anything about other accounts' channels. */
export interface UsableModel {
  readonly model: Model;
  /** The account's own channels that serve the model. */
  readonly ownChannels: readonly Pick<Channel, 'id' | 'name'>[];
}

interface Sources {
  readonly store: DirectoryStore;
  readonly directory: Directory;
}

/** Resolves to a page of the models that an account can use, by id. Throws `AdminError` for an invalid page. */
export async function listUsableModels(
  { store, directory }: Sources,
  accountId: string,
  { limit: most, after, ...filter }: PageRequest & ModelFilter,
): Promise<Page<UsableModel>> {
  const limit = limitOf({ limit: most });
  const [last = null] = placeAfter({ after }, 1) ?? [];
  const ownOf = await ownChannels(store, accountId);
  const rest = directory.visibleModels(accountId).filter(({ id }) => last === null || compareText(id, last) > 0);
  const wanted: UsableModel[] = [];
  for (const model of rest.toSorted((a, b) => compareText(a.id, b.id))) {
    const own = ownOf(model.id);
    if (matchesFilter(filter, { model, declared: null, channels: own })) {
      wanted.push({ model, ownChannels: own });
    }
    if (wanted.length > limit) break;
  }
  return pageOf(wanted, limit, ({ model }) => [model.id]);
}

/**
 * Resolves to a model that the account can use. Throws `AdminError` for any other id, and suggests only models that the account can use.
 */
export async function showUsableModel(
  { store, directory }: Sources,
  accountId: string,
  id: string,
): Promise<UsableModel> {
  const model = directory.visibleModel(id, accountId);
  if (model === undefined) throw notFound('model', id, directory.visibleModels(accountId));
  return { model, ownChannels: (await ownChannels(store, accountId))(id) };
}

export function usableModelView({ model, ownChannels: own }: UsableModel) {
  return {
    ...{ ...modelFactsView(model), status: model.status },
    channels: own.map(({ id }) => id),
    own_channels: own.map(({ id, name }) => ({ id, name })),
  };
}

async function ownChannels(store: DirectoryStore, accountId: string) {
  const { channels } = await store.read({ serving: false, channelsOf: [accountId] });
  return (modelId: string) => channels.filter(({ models }) => Object.hasOwn(models, modelId));
}
