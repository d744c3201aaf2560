import type { ShownModel } from '../../api/schema.ts';
import { Segmented } from '../../kit/choice.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Field, NumberInput, TextArea } from '../../kit/field.tsx';
import type { ApiForm } from '../../kit/form.tsx';
import { Notice } from '../../kit/status.tsx';
import { modelsText } from '../../text/models.ts';
import { operatorModelsText } from '../../text/operator-models.ts';
import { useText } from '../../text/text.tsx';
import { usePriceAmount, usePriceName } from '../shared/models/prices.tsx';
import { PRICE_KEYS, type PriceKey } from '../shared/models/pricing.ts';
import { type ModelValues, missingPrices, type PriceMode, pricesAfter, unitOf } from './model-values.ts';
import { priceDifferences } from './price-change.ts';

const MODES: readonly PriceMode[] = ['catalog', 'prices', 'free', 'unknown', 'json'];
/** The prices that most models have. */
const USUAL: readonly PriceKey[] = [
  'input_per_1m',
  'output_per_1m',
  'cached_input_per_1m',
  'per_image',
  'per_second',
  'per_request',
];

interface PriceFieldsProps {
  readonly form: ApiForm<ModelValues>;
  readonly initial: ModelValues;
  /** Undefined for a new model. */
  readonly model: ShownModel | undefined;
}

/** Prices as in the configuration: by unit, or as JSON if they vary by date, length or variant; below them what saving would change. */
export function PriceFields({ form, initial, model }: PriceFieldsProps) {
  const text = useText(operatorModelsText);
  const mode = form.watch('mode');
  const rest = PRICE_KEYS.filter((key) => !USUAL.includes(key));
  const isFilled = rest.some((key) => form.getValues(`prices.${key}`) !== '');
  const hasError = rest.some((key) => form.errorOf(`prices.${key}`) !== undefined);
  const prices = { form, initial, category: model?.category };
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 font-medium text-sm">{text.fields.pricing}</legend>
      <Segmented
        label={text.fields.pricing}
        value={mode}
        onChange={(next) => form.setValue('mode', next, { shouldDirty: true })}
        options={MODES.map((value) => ({ value, label: text.priceModes[value] }))}
      />
      <p className="text-soft text-xs">{text.priceModeHelp[mode]}</p>
      {mode === 'prices' && (
        <>
          <Prices {...prices} keys={USUAL} />
          <Disclosure title={text.otherUnits} isOpenAtFirst={isFilled} mustShow={hasError}>
            <Prices {...prices} keys={rest} />
          </Disclosure>
        </>
      )}
      {mode === 'json' && (
        <Field label={text.priceJson} error={form.errorOf('pricing')}>
          <TextArea
            isCode
            rows={10}
            {...form.register('pricing', { validate: (value) => isJson(value) || text.noJson })}
          />
        </Field>
      )}
      {model !== undefined && <Differences form={form} initial={initial} model={model} />}
    </fieldset>
  );
}

interface PricesProps {
  readonly form: ApiForm<ModelValues>;
  readonly initial: ModelValues;
  readonly category: string | undefined;
  readonly keys: readonly PriceKey[];
}

function Prices({ form, initial, category, keys }: PricesProps) {
  const words = useText(modelsText);
  const text = useText(operatorModelsText);
  const units = { per_minute: form.watch('per_minute') };
  const isGiven = (key: PriceKey, values: ModelValues) =>
    !missingPrices(initial, values, values.category || (category ?? '')).includes(key);
  return (
    <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {keys.map((key) => (
        <Field key={key} label={words.prices[unitOf(key, units)]} error={form.errorOf(`prices.${key}`)}>
          <NumberInput
            prefix="$"
            {...form.register(`prices.${key}`, {
              validate: (_, values) => isGiven(key, values) || text.priceNeeded,
            })}
          />
        </Field>
      ))}
    </div>
  );
}

interface DifferencesProps {
  readonly form: ApiForm<ModelValues>;
  readonly initial: ModelValues;
  readonly model: ShownModel;
}

/** Shows the prices that saving would change, with a warning if one is removed. */
function Differences({ form, initial, model }: DifferencesProps) {
  const text = useText(operatorModelsText);
  const category = form.watch('category') || model.category;
  const nameOf = usePriceName(category);
  const amountOf = usePriceAmount(category);
  const after = pricesAfter(initial, form.watch(), model.catalog?.pricing);
  const differences = priceDifferences(model.pricing, after, Date.now());
  if (differences.length === 0) return null;
  const removed = differences.filter((line) => line.after === null);
  const amount = (key: PriceKey, usd: string | null) => (usd === null ? text.notCharged : amountOf(key, usd));
  return (
    <section aria-label={text.priceChanges} className="flex flex-col gap-2">
      <h4 className="font-medium text-sm">{text.priceChanges}</h4>
      <ul className="rounded-lg border border-line text-sm">
        {differences.map((line) => (
          <li key={nameOf(line)} className="flex flex-wrap gap-x-4 border-line border-b px-3 py-1.5 last:border-b-0">
            <span className="min-w-0 flex-1">{nameOf(line)}</span>
            <span className="numbers text-soft line-through">{amount(line.key, line.before)}</span>
            <span className="sr-only">{text.becomes}</span>
            <span className={line.after === null ? 'numbers text-bad' : 'numbers'}>{amount(line.key, line.after)}</span>
          </li>
        ))}
      </ul>
      {removed.length > 0 && after !== 'free' && (
        <Notice tone="warn">{text.pricesRemoved(removed.map(nameOf).join(', '))}</Notice>
      )}
    </section>
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
