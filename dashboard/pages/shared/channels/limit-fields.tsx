import { Plus } from 'lucide-react';
import { Button } from '../../../kit/button.tsx';
import { Checkbox } from '../../../kit/choice.tsx';
import { Field, NumberInput } from '../../../kit/field.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';
import { type ChannelForm, isLimit, isSeconds, LIMITS, type ModelLimits, NO_LIMITS, QUEUE } from './form-values.ts';
import { ModelPicker } from './model-timeouts-field.tsx';

interface FieldsProps {
  readonly form: ChannelForm;
}

/** The limits on requests to the provider, of the channel and of single models, and the queue. */
export function LimitFields({ form }: FieldsProps) {
  const text = useText(channelFormText);
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="font-medium text-sm">{text.limits}</legend>
      <p className="text-soft text-xs">{text.limitsAbout}</p>
      <div className="grid gap-3 sm:grid-cols-3">
        {LIMITS.map((name) => (
          <Field key={name} label={text.limit[name]} error={form.errorOf(`limits.${name}`)}>
            <NumberInput
              placeholder={text.noLimit}
              {...form.register(`limits.${name}`, { validate: (value) => isLimit(value) || text.noWhole })}
            />
          </Field>
        ))}
      </div>
      <ModelLimitsField form={form} />
      <div className="grid gap-3 sm:grid-cols-2">
        {QUEUE.map((name) => (
          <Field key={name} label={text.queue[name]} help={text.queueHelp[name]} error={form.errorOf(`queue.${name}`)}>
            <NumberInput
              placeholder={text.byDefault}
              {...(name === 'max_wait_ms' && { unit: 's' })}
              {...form.register(`queue.${name}`, {
                validate: (value) =>
                  name === 'max_wait_ms'
                    ? isSeconds(name, value) || text.noSeconds('0.001', '86400')
                    : /^\d{0,5}$/.test(value.trim()) || text.noWhole,
              })}
            />
          </Field>
        ))}
      </div>
      <Checkbox label={text.followLimits} detail={text.followLimitsHelp} {...form.register('follow_provider_limits')} />
    </fieldset>
  );
}

function ModelLimitsField({ form }: FieldsProps) {
  const text = useText(channelFormText);
  const rows = form.watch('model_limits');
  const served = form.watch('models').map(({ id }) => id);
  form.register('model_limits', { validate: (all) => problemOf(all, text) ?? true });
  const change = (next: ModelLimits[]) => {
    form.setValue('model_limits', next, { shouldDirty: true });
    form.clearErrors('model_limits');
  };
  const set = (at: number, row: ModelLimits) => change(rows.toSpliced(at, 1, row));
  return (
    <>
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name while its model is chosen
        <div key={at} className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-3">
          <ModelPicker
            model={row.model}
            served={served}
            onChange={(model) => set(at, { ...row, model })}
            onRemove={() => change(rows.toSpliced(at, 1))}
          />
          <div className="grid gap-3 sm:grid-cols-3">
            {LIMITS.map((name) => (
              <Field key={name} label={text.limit[name]}>
                <NumberInput
                  placeholder={text.noLimit}
                  value={row.limits[name]}
                  onChange={(event) =>
                    set(at, { ...row, limits: { ...row.limits, [name]: event.currentTarget.value } })
                  }
                />
              </Field>
            ))}
          </div>
        </div>
      ))}
      <Button
        size="small"
        icon={Plus}
        className="self-start"
        onClick={() => change([...rows, { model: '', limits: NO_LIMITS }])}
      >
        {text.addModelLimits}
      </Button>
      <p aria-live="polite" className="text-bad text-sm empty:hidden">
        {form.errorOf('model_limits')}
      </p>
    </>
  );
}

type Words = (typeof channelFormText)['en'];

function problemOf(rows: readonly ModelLimits[], text: Words): string | undefined {
  const models = rows.map(({ model }) => model.trim());
  if (models.includes('')) return text.chooseModel;
  const twice = models.find((model, at) => models.indexOf(model) !== at);
  if (twice !== undefined) return text.modelTwice(twice);
  return rows.every(({ limits }) => LIMITS.every((name) => isLimit(limits[name]))) ? undefined : text.noWhole;
}
