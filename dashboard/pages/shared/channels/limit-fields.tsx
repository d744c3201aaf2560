import { Checkbox } from '../../../kit/choice.tsx';
import { Field, NumberInput } from '../../../kit/field.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';
import { type ChannelForm, isLimit, isSeconds, LIMITS, type ModelLimits, NO_LIMITS, QUEUE } from './form-values.ts';
import { ModelRows, modelProblem } from './model-rows.tsx';

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
  form.register('model_limits', { validate: (all) => problemOf(all, text) ?? true });
  const change = (next: ModelLimits[]) => {
    form.setValue('model_limits', next, { shouldDirty: true });
    form.clearErrors('model_limits');
  };
  return (
    <ModelRows
      rows={form.watch('model_limits')}
      onChange={change}
      empty={{ model: '', limits: NO_LIMITS }}
      addLabel={text.addModelLimits}
      error={form.errorOf('model_limits')}
      served={form.watch('models').map(({ id }) => id)}
      fields={(row, set) =>
        LIMITS.map((name) => (
          <Field key={name} label={text.limit[name]}>
            <NumberInput
              placeholder={text.noLimit}
              value={row.limits[name]}
              onChange={(event) => set({ ...row, limits: { ...row.limits, [name]: event.currentTarget.value } })}
            />
          </Field>
        ))
      }
    />
  );
}

type Words = (typeof channelFormText)['en'];

function problemOf(rows: readonly ModelLimits[], text: Words): string | undefined {
  const isRight = rows.every(({ limits }) => LIMITS.every((name) => isLimit(limits[name])));
  return modelProblem(rows, text) ?? (isRight ? undefined : text.noWhole);
}
