import type { ManagedModel } from '../../../api/schema.ts';
import { useFormat } from '../../../kit/format.tsx';
import type { Definition } from '../../../kit/panel.tsx';
import { Badge } from '../../../kit/status.tsx';
import { modelsText } from '../../../text/models.ts';
import { useText } from '../../../text/text.tsx';
import { PriceList } from './prices.tsx';
import { vendorName } from './vendor-name.ts';

export type ModelFacts = Pick<
  ManagedModel,
  | 'id'
  | 'name'
  | 'description'
  | 'category'
  | 'owned_by'
  | 'operations'
  | 'capabilities'
  | 'pricing'
  | 'success_rate_24h'
  | 'samples_24h'
>;

/** Returns the category. The contract has none for models of moderation and search, which it lists under ranking. */
export function categoryOf({ category, operations }: Pick<ModelFacts, 'category' | 'operations'>) {
  if (operations.length > 0 && operations.every((one) => one === 'moderations')) return 'moderation';
  return operations.length > 0 && operations.every((one) => one === 'search') ? 'search' : category;
}

/** The recent success rate; a rate of few requests says little, so their number is shown, too. */
export function SuccessRate({ model, isLong = false }: { readonly model: ModelFacts; readonly isLong?: boolean }) {
  const text = useText(modelsText);
  const format = useFormat();
  const { success_rate_24h: rate, samples_24h: samples } = model;
  if (rate === null) return <span className="text-soft">{isLong ? text.noSamples : '–'}</span>;
  const tone = rate < 0.9 ? 'text-bad' : rate < 0.98 ? 'text-warn' : '';
  const counted = text.samples(format.number(samples));
  return (
    <span className={tone} title={counted}>
      {format.percent(rate)}
      {isLong && <span className="text-soft"> ({counted})</span>}
    </span>
  );
}

/** A model's inputs, outputs and features. */
export function Capabilities({ model }: { readonly model: ModelFacts }) {
  const text = useText(modelsText);
  const features = model.capabilities?.features ?? [];
  if (features.length === 0) return <span className="text-soft">–</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {features.map((feature) => (
        <Badge key={feature}>{text.features[feature]}</Badge>
      ))}
    </span>
  );
}

/** Returns the facts of a model, in the same order wherever models are compared. */
export function useFacts(): (model: ModelFacts) => readonly (Definition & { readonly id: string })[] {
  const text = useText(modelsText);
  const format = useFormat();
  const tokens = (count: number | null | undefined) => (count == null ? '–' : text.tokens(format.number(count)));
  const media = (kinds: readonly (keyof typeof text.media)[] | undefined) =>
    kinds?.map((kind) => text.media[kind]).join(', ') ?? '–';
  return (model) => [
    { id: 'category', term: text.category, value: text.categories[categoryOf(model)] },
    { id: 'vendor', term: text.vendor, value: vendorName(model.owned_by) },
    { id: 'prices', term: text.pricesTitle, value: <PriceList pricing={model.pricing} category={model.category} /> },
    { id: 'context', term: text.context, value: tokens(model.capabilities?.context_tokens) },
    { id: 'output', term: text.maxOutput, value: tokens(model.capabilities?.max_output_tokens) },
    { id: 'reads', term: text.reads, value: media(model.capabilities?.input) },
    { id: 'makes', term: text.makes, value: media(model.capabilities?.output) },
    { id: 'features', term: text.capabilities, value: <Capabilities model={model} /> },
    { id: 'operations', term: text.operations, value: model.operations.join(', ') },
    { id: 'success', term: text.success, value: <SuccessRate model={model} isLong /> },
  ];
}
