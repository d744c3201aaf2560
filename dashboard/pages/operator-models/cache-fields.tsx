import { Field, NumberInput } from '../../kit/field.tsx';
import type { ApiForm } from '../../kit/form.tsx';
import { Select } from '../../kit/select.tsx';
import { operatorModelsText } from '../../text/operator-models.ts';
import { useText } from '../../text/text.tsx';
import { CACHE_STRATEGIES } from './cache-values.ts';
import type { ModelValues } from './model-values.ts';

interface CacheFieldsProps {
  readonly form: ApiForm<ModelValues>;
}

/** The cache settings of a model, where they differ from the gateway's. */
export function CacheFields({ form }: CacheFieldsProps) {
  const text = useText(operatorModelsText);
  const { cacheFields: labels, yesNo } = text;
  const flags = (['yes', 'no'] as const).map((value) => ({ value, label: yesNo[value] }));
  const strategies = CACHE_STRATEGIES.map((value) => ({ value, label: text.cacheStrategies[value] }));
  return (
    <fieldset className="min-w-0">
      <legend className="font-medium text-sm">{text.fields.cache}</legend>
      <p className="mb-2 text-soft text-xs">{text.cacheHelp}</p>
      <div className="grid gap-4 sm:grid-cols-2">
        <Choice form={form} name="cache.strategy" label={labels.strategy} options={strategies} />
        <Field label={labels.ttl_seconds} error={form.errorOf('cache.ttl_seconds')}>
          <NumberInput isWhole unit="s" placeholder={text.byGateway} {...form.register('cache.ttl_seconds')} />
        </Field>
        <Field label={labels.max_temperature} error={form.errorOf('cache.max_temperature')}>
          <NumberInput placeholder={text.byGateway} {...form.register('cache.max_temperature')} />
        </Field>
        <Choice form={form} name="cache.coalesce" label={labels.coalesce} options={flags} />
        <Field label={labels['semantic.certainty']} error={form.errorOf('cache.semantic.certainty')}>
          <NumberInput placeholder={text.byGateway} {...form.register('cache.semantic.certainty')} />
        </Field>
        <Choice form={form} name="cache.semantic.tools" label={labels['semantic.tools']} options={flags} />
        <Choice form={form} name="cache.semantic.media" label={labels['semantic.media']} options={flags} />
      </div>
    </fieldset>
  );
}

interface ChoiceProps extends CacheFieldsProps {
  readonly name: 'cache.strategy' | 'cache.coalesce' | 'cache.semantic.tools' | 'cache.semantic.media';
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** The empty choice keeps the gateway's setting. */
function Choice({ form, name, label, options }: ChoiceProps) {
  const text = useText(operatorModelsText);
  const { ref } = form.register(name);
  const value = form.watch(name);
  return (
    <Field label={label} error={form.errorOf(name)}>
      <Select
        ref={ref}
        value={value === '' ? 'gateway' : value}
        onChange={(next) => form.setValue(name, next === 'gateway' ? '' : next, { shouldDirty: true })}
        options={[{ value: 'gateway', label: text.byGateway }, ...options]}
      />
    </Field>
  );
}
