import type { ReactNode } from 'react';
import type { Path } from 'react-hook-form';
import type { ShownModel } from '../../api/schema.ts';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Field, NumberInput, TextArea, TextInput } from '../../kit/field.tsx';
import { type ApiForm, Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { MultiSelect, Select } from '../../kit/select.tsx';
import { TagsInput } from '../../kit/tags.tsx';
import { modelRulesText } from '../../text/model-rules.ts';
import { modelsText } from '../../text/models.ts';
import { operatorModelsText } from '../../text/operator-models.ts';
import { useText } from '../../text/text.tsx';
import { GuardsInput } from '../shared/guards-input.tsx';
import { PRICE_KEYS } from '../shared/models/pricing.ts';
import { CacheFields } from './cache-fields.tsx';
import { inUnitOf, type ModelValues } from './model-values.ts';
import { PriceFields } from './price-fields.tsx';
import { RuleFields } from './rule-fields.tsx';

interface ModelFormProps {
  readonly initial: ModelValues;
  /** The model as it is; undefined for a new one. */
  readonly model?: ShownModel;
  readonly isNew?: boolean;
  readonly submitLabel: string;
  readonly send: (values: ModelValues) => Promise<unknown>;
  readonly onCancel: () => void;
}

type FormOfModel = ApiForm<ModelValues>;

const MEMBERS: Readonly<Record<string, Path<ModelValues>>> = {
  ...Object.fromEntries(PRICE_KEYS.map((key) => [`pricing.${key}`, `prices.${key}` as const])),
  ...{ 'capabilities.input': 'input', 'capabilities.output': 'output', 'capabilities.features': 'features' },
  ...{
    'capabilities.context': 'context',
    'capabilities.max_output': 'max_output',
    'capabilities.dimensions': 'dimensions',
  },
};

const STRATEGIES = ['weighted', 'lowest-cost', 'lowest-latency', 'least-busy'] as const;

/** Overrides of the catalog; empty fields keep the catalog's values. */
export function ModelForm({ initial, model, isNew = false, submitLabel, send, onCancel }: ModelFormProps) {
  const text = useText(operatorModelsText);
  const words = useText(modelsText);
  const rulesText = useText(modelRulesText);
  const form = useApiForm<ModelValues>({ defaultValues: initial, fieldOf: MEMBERS, send });
  return (
    <Form form={form}>
      {isNew && (
        <Field label={text.modelId} isRequired help={text.modelIdHelp} error={form.errorOf('id')}>
          <TextInput isCode {...form.register('id')} />
        </Field>
      )}
      <OneOf form={form} name="status" label={text.status} options={options(text.statuses)} />
      <PriceFields form={form} initial={initial} model={model} />
      <Pair>
        <Field label={text.fields.name} error={form.errorOf('name')}>
          <TextInput {...form.register('name')} placeholder={model?.name} />
        </Field>
        <Field label={words.vendor} error={form.errorOf('owned_by')}>
          <TextInput {...form.register('owned_by')} placeholder={model?.owned_by} />
        </Field>
      </Pair>
      <Field label={text.fields.description} error={form.errorOf('description')}>
        <TextArea rows={2} {...form.register('description')} placeholder={model?.description ?? undefined} />
      </Field>
      <CategoryField form={form} model={model} />
      <Disclosure title={words.capabilities} mustShow={CAPABILITIES.some((name) => form.errorOf(name) !== undefined)}>
        <div className="flex flex-col gap-4">
          <SomeOf form={form} name="features" label={text.fields.features} options={options(words.features)} />
          <Pair>
            <SomeOf form={form} name="input" label={words.reads} options={options(words.media)} />
            <SomeOf form={form} name="output" label={words.makes} options={options(words.media)} />
          </Pair>
          <div className="grid gap-4 sm:grid-cols-3">
            {(['context', 'max_output', 'dimensions'] as const).map((name) => (
              <Field key={name} label={text.fields[name]} error={form.errorOf(name)}>
                <NumberInput isWhole {...form.register(name)} />
              </Field>
            ))}
          </div>
        </div>
      </Disclosure>
      <Disclosure
        title={rulesText.title}
        mustShow={form.errorOf('rules') !== undefined || initial.rules.otherwise !== ''}
      >
        <RuleFields form={form} isNew={isNew} />
      </Disclosure>
      <MoreFields form={form} />
      <FormError error={form.formError} />
      <FormActions submitLabel={submitLabel} isBusy={form.isBusy} onCancel={onCancel} />
    </Form>
  );
}

/** The fields that few models override. */
function MoreFields({ form }: { readonly form: FormOfModel }) {
  const text = useText(operatorModelsText);
  const words = useText(modelsText);
  return (
    <Disclosure title={text.more} mustShow={MORE.some((name) => form.errorOf(name) !== undefined)}>
      <div className="flex flex-col gap-4">
        <Field label={words.operations} help={text.operationsHelp} error={form.errorOf('operations')}>
          <TagsInput isCode {...listOf(form, 'operations')} />
        </Field>
        <Field label={text.fields.tags} error={form.errorOf('tags')}>
          <TagsInput {...listOf(form, 'tags')} />
        </Field>
        <Field label={text.fields.fallbacks} help={text.fallbacksHelp} error={form.errorOf('fallbacks')}>
          <TagsInput isCode {...listOf(form, 'fallbacks')} />
        </Field>
        <Field label={text.fields.guards} help={text.guardsHelp} error={form.errorOf('guards')}>
          <GuardsInput {...listOf(form, 'guards')} />
        </Field>
        <OneOf
          form={form}
          name="strategy"
          label={text.fields.strategy}
          options={STRATEGIES.map((value) => ({ value, label: value }))}
        />
        <Field label={text.fields.search} help={text.searchHelp} error={form.errorOf('search')}>
          <TextInput isCode {...form.register('search')} />
        </Field>
        <Field
          label={text.fields.batch_price_percent}
          help={text.batchPriceHelp}
          error={form.errorOf('batch_price_percent')}
        >
          <NumberInput isWhole {...form.register('batch_price_percent')} />
        </Field>
        <CacheFields form={form} />
      </div>
    </Disclosure>
  );
}

function options(labels: Readonly<Record<string, string>>) {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}

/** The category also decides whether a price of time is per second or per minute. */
function CategoryField({ form, model }: Pick<ModelFormProps, 'model'> & { readonly form: FormOfModel }) {
  const words = useText(modelsText);
  const change = (category: string) => {
    const shown = inUnitOf(category || (model?.category ?? ''), form.getValues());
    form.setValue('per_minute', shown.per_minute);
    form.setValue('prices.per_second', shown.per_second);
  };
  return (
    <OneOf form={form} name="category" label={words.category} options={options(words.categories)} onChange={change} />
  );
}

const CAPABILITIES = ['features', 'input', 'output', 'context', 'max_output', 'dimensions'] as const;
const MORE = [
  'operations',
  'tags',
  'fallbacks',
  'guards',
  'strategy',
  'search',
  'batch_price_percent',
  'cache',
] as const;

type ListName = 'features' | 'input' | 'output' | 'operations' | 'tags' | 'fallbacks' | 'guards';

function listOf(form: FormOfModel, name: ListName) {
  const { ref } = form.register(name);
  const onChange = (value: string[]) => form.setValue(name, value, { shouldDirty: true });
  return { ref, value: form.watch(name), onChange };
}

interface ChoiceProps<Name> {
  readonly form: FormOfModel;
  readonly name: Name;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

function SomeOf({ form, name, label, options }: ChoiceProps<ListName>) {
  return (
    <Field label={label} error={form.errorOf(name)}>
      <MultiSelect {...listOf(form, name)} options={options} />
    </Field>
  );
}

interface OneOfProps extends ChoiceProps<'status' | 'category' | 'strategy'> {
  readonly onChange?: (value: string) => void;
}

/** The empty choice keeps the catalog's value. */
function OneOf({ form, name, label, options, onChange }: OneOfProps) {
  const text = useText(operatorModelsText);
  const { ref } = form.register(name);
  const value = form.watch(name);
  const choose = (next: string) => {
    form.setValue(name, next, { shouldDirty: true });
    onChange?.(next);
  };
  return (
    <Field label={label} error={form.errorOf(name)}>
      <Select
        ref={ref}
        value={value === '' ? 'catalog' : value}
        onChange={(next) => choose(next === 'catalog' ? '' : next)}
        options={[{ value: 'catalog', label: text.byCatalog }, ...options]}
      />
    </Field>
  );
}

function Pair({ children }: { readonly children: ReactNode }) {
  return <div className="grid gap-4 sm:grid-cols-2">{children}</div>;
}
