import type { Provider } from '../../../api/schema.ts';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Field, NumberInput, TextInput } from '../../../kit/field.tsx';
import { MultiSelect, Select } from '../../../kit/select.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';
import { CostsField } from './costs-field.tsx';
import {
  BREAKER,
  CHANNEL_BATCHES,
  type ChannelForm,
  FORWARDED_IDS,
  isSeconds,
  rangeOf,
  TIMEOUTS,
} from './form-values.ts';
import { LimitFields } from './limit-fields.tsx';
import { ModelTimeoutsField } from './model-timeouts-field.tsx';

interface AdvancedFieldsProps {
  readonly form: ChannelForm;
  readonly provider: Provider | undefined;
  readonly isNew: boolean;
}

/** Fields that have good defaults and rarely change. */
export function AdvancedFields({ form, provider, isNew }: AdvancedFieldsProps) {
  const text = useText(channelFormText);
  const { ref } = form.register('formats');
  const names = [
    'id',
    'formats',
    'priority',
    'weight',
    'timeouts',
    'model_timeouts',
    'breaker',
    'limits',
    'model_limits',
    'queue',
    'forward_ids',
    'batches',
    'costs',
  ] as const;
  return (
    <Disclosure title={text.advanced} mustShow={names.some((name) => form.errorOf(name) !== undefined)}>
      <div className="flex flex-col gap-4">
        {isNew && (
          <Field label={text.id} help={text.idHelp} error={form.errorOf('id')}>
            <TextInput isCode {...form.register('id')} />
          </Field>
        )}
        {(provider?.formats.length ?? 0) > 0 && (
          <Field label={text.formats} help={text.formatsHelp} error={form.errorOf('formats')}>
            <MultiSelect
              ref={ref}
              value={form.watch('formats')}
              onChange={(formats) => form.setValue('formats', formats, { shouldDirty: true })}
              options={(provider?.formats ?? []).map(({ name, only_if_named }) => ({
                value: name,
                label: name,
                ...(only_if_named && { detail: text.onlyIfNamed }),
              }))}
            />
          </Field>
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={text.priority} help={text.priorityHelp} error={form.errorOf('priority')}>
            <NumberInput placeholder="0" {...form.register('priority')} />
          </Field>
          <Field label={text.weight} help={text.weightHelp} error={form.errorOf('weight')}>
            <NumberInput placeholder="1" {...form.register('weight')} />
          </Field>
        </div>
        <TimeoutFields form={form} />
        <ModelTimeoutsField form={form} />
        <BreakerFields form={form} />
        <LimitFields form={form} />
        <ForwardedIdsField form={form} />
        {provider?.relays_batches === true && <BatchesField form={form} />}
        <CostsField form={form} />
      </div>
    </Disclosure>
  );
}

interface FieldsProps {
  readonly form: ChannelForm;
}

function TimeoutFields({ form }: FieldsProps) {
  const text = useText(channelFormText);
  const isTime = useTimeRule();
  return (
    <Group title={text.timeouts} about={text.timeoutsAbout}>
      {TIMEOUTS.map((name) => (
        <Field key={name} label={text.timeout[name]} error={form.errorOf(`timeouts.${name}`)}>
          <NumberInput
            unit="s"
            placeholder={text.byDefault}
            {...form.register(`timeouts.${name}`, { validate: (value) => isTime(name, value) })}
          />
        </Field>
      ))}
    </Group>
  );
}

function BreakerFields({ form }: FieldsProps) {
  const text = useText(channelFormText);
  const isTime = useTimeRule();
  const isRate = (name: string, value: string) =>
    name !== 'failure_rate' || value.trim() === '' || (Number(value) >= 1 && Number(value) <= 100) || text.noPercent;
  return (
    <Group title={text.breaker} about={text.breakerAbout}>
      {BREAKER.map((name) => (
        <Field key={name} label={text.breakers[name]} error={form.errorOf(`breaker.${name}`)}>
          <NumberInput
            placeholder={text.byDefault}
            {...(name.endsWith('_ms') && { unit: 's' })}
            {...(name === 'failure_rate' && { unit: '%' })}
            {...form.register(`breaker.${name}`, {
              validate: (value) => (name.endsWith('_ms') ? isTime(name, value) : isRate(name, value)),
            })}
          />
        </Field>
      ))}
    </Group>
  );
}

function ForwardedIdsField({ form }: FieldsProps) {
  const text = useText(channelFormText);
  const { ref } = form.register('forward_ids');
  return (
    <Field label={text.forwardIds} help={text.forwardIdsHelp} error={form.errorOf('forward_ids')}>
      <Select
        ref={ref}
        value={form.watch('forward_ids')}
        onChange={(ids) => form.setValue('forward_ids', ids, { shouldDirty: true })}
        options={FORWARDED_IDS.map((value) => ({ value, label: text.forwardedIds[value] }))}
      />
    </Field>
  );
}

function BatchesField({ form }: FieldsProps) {
  const text = useText(channelFormText);
  const { ref } = form.register('batches');
  return (
    <Field label={text.batches} help={text.batchesHelp} error={form.errorOf('batches')}>
      <Select
        ref={ref}
        value={form.watch('batches')}
        onChange={(batches) => form.setValue('batches', batches, { shouldDirty: true })}
        options={CHANNEL_BATCHES.map((value) => ({ value, label: text.batchesBy[value] }))}
      />
    </Field>
  );
}

/** Returns a check of a time in seconds, for `register`. */
function useTimeRule(): (name: string, value: string) => true | string {
  const text = useText(channelFormText);
  return (name, value) => {
    const { least, most } = rangeOf(name);
    return isSeconds(name, value) || text.noSeconds(String(least), String(most));
  };
}

interface GroupProps {
  readonly title: string;
  readonly about: string;
  readonly children: React.ReactNode;
}

function Group({ title, about, children }: GroupProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="font-medium text-sm">{title}</legend>
      <p className="mb-2 text-soft text-xs">{about}</p>
      <div className="grid gap-3 sm:grid-cols-2">{children}</div>
    </fieldset>
  );
}
