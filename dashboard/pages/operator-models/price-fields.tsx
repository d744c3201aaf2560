import { Segmented } from '../../kit/choice.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Field, NumberInput, TextArea } from '../../kit/field.tsx';
import type { ApiForm } from '../../kit/form.tsx';
import { modelsText } from '../../text/models.ts';
import { operatorModelsText } from '../../text/operator-models.ts';
import { useText } from '../../text/text.tsx';
import { PRICE_KEYS, type PriceKey } from '../shared/models/pricing.ts';
import type { ModelValues, PriceMode } from './model-values.ts';

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

/** Prices as in the configuration: by unit, or as JSON if they vary by date, length or variant. */
export function PriceFields({ form }: { readonly form: ApiForm<ModelValues> }) {
  const text = useText(operatorModelsText);
  const mode = form.watch('mode');
  const rest = PRICE_KEYS.filter((key) => !USUAL.includes(key));
  const isFilled = rest.some((key) => form.getValues(`prices.${key}`) !== '');
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
          <Prices form={form} keys={USUAL} />
          <Disclosure title={text.otherUnits} isOpenAtFirst={isFilled}>
            <Prices form={form} keys={rest} />
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
    </fieldset>
  );
}

function Prices({ form, keys }: { readonly form: ApiForm<ModelValues>; readonly keys: readonly PriceKey[] }) {
  const words = useText(modelsText);
  return (
    <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {keys.map((key) => (
        <Field key={key} label={words.prices[key]} error={form.errorOf(`prices.${key}`)}>
          <NumberInput prefix="$" {...form.register(`prices.${key}`)} />
        </Field>
      ))}
    </div>
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
