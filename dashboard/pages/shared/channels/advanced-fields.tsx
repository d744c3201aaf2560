import type { Provider } from '../../../api/schema.ts';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Field, NumberInput, TextArea, TextInput } from '../../../kit/field.tsx';
import { MultiSelect } from '../../../kit/select.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';
import type { ChannelForm } from './connection-fields.tsx';
import { BREAKER, TIMEOUTS } from './form-values.ts';

interface AdvancedFieldsProps {
  readonly form: ChannelForm;
  readonly provider: Provider | undefined;
  readonly isNew: boolean;
}

/** Fields that have good defaults and rarely change. */
export function AdvancedFields({ form, provider, isNew }: AdvancedFieldsProps) {
  const text = useText(channelFormText);
  const { ref } = form.register('formats');
  const names = ['id', 'formats', 'priority', 'weight', 'timeouts', 'model_timeouts', 'breaker', 'costs'] as const;
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
        <Group title={text.timeouts} about={text.timeoutsAbout}>
          {TIMEOUTS.map((name) => (
            <Field key={name} label={text.timeout[name]} error={form.errorOf(`timeouts.${name}`)}>
              <NumberInput isWhole unit="ms" placeholder={text.byDefault} {...form.register(`timeouts.${name}`)} />
            </Field>
          ))}
        </Group>
        <Field label={text.modelTimeouts} help={text.modelTimeoutsHelp} error={form.errorOf('model_timeouts')}>
          <TextArea
            isCode
            rows={2}
            {...form.register('model_timeouts', { validate: (value) => isJson(value) || text.noJson })}
          />
        </Field>
        <Group title={text.breaker} about={text.breakerAbout}>
          {BREAKER.map((name) => (
            <Field key={name} label={text.breakers[name]} error={form.errorOf(`breaker.${name}`)}>
              <NumberInput
                placeholder={text.byDefault}
                {...(name.endsWith('_ms') && { unit: 'ms' })}
                {...form.register(`breaker.${name}`)}
              />
            </Field>
          ))}
        </Group>
        <Field label={text.costs} help={text.costsHelp} error={form.errorOf('costs')}>
          <TextArea
            isCode
            rows={3}
            {...form.register('costs', { validate: (value) => isJson(value) || text.noJson })}
          />
        </Field>
      </div>
    </Disclosure>
  );
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

function isJson(text: string): boolean {
  if (text.trim() === '') return true;
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
