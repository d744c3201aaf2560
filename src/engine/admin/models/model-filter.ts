import type { ModelCategory } from '../../../domain/catalog/category.ts';
import type { Channel } from '../../../domain/catalog/channel.ts';
import type { DeclaredModel, Model, ModelStatus } from '../../../domain/catalog/model.ts';
import type { ModelOperation } from '../../../domain/catalog/model-operation.ts';

/** A filter for models: all given conditions must hold. */
export interface ModelFilter {
  readonly status?: ModelStatus | undefined;
  readonly category?: ModelCategory | undefined;
  /** The provider of a channel that serves the model. */
  readonly provider?: string | undefined;
  readonly owned_by?: string | undefined;
  /** A part of its id or name; case is ignored. */
  readonly q?: string | undefined;
  readonly operation?: ModelOperation | undefined;
  /** A feature, or an input or output modality. */
  readonly capability?: string | undefined;
  /** Whether anything is declared for the model. */
  readonly declared?: boolean | undefined;
}

export interface FilteredModel {
  readonly model: Model;
  readonly declared: DeclaredModel | null;
  readonly channels: readonly Pick<Channel, 'provider'>[];
}

export function matchesFilter(filter: ModelFilter, { model, declared, channels }: FilteredModel): boolean {
  const { status, category, provider, owned_by: ownedBy, operation, capability, q } = filter;
  const part = q?.toLowerCase();
  return (
    (status === undefined || model.status === status) &&
    (category === undefined || model.category === category) &&
    (provider === undefined || channels.some((channel) => channel.provider === provider)) &&
    (ownedBy === undefined || model.ownedBy === ownedBy) &&
    (operation === undefined || model.operations.includes(operation)) &&
    (capability === undefined || capabilitiesOf(model).includes(capability)) &&
    (part === undefined || [model.id, model.name].some((text) => text.toLowerCase().includes(part))) &&
    (filter.declared === undefined || (declared !== null) === filter.declared)
  );
}

function capabilitiesOf({ capabilities }: Model): readonly string[] {
  return capabilities === null ? [] : [...capabilities.features, ...capabilities.input, ...capabilities.output];
}
