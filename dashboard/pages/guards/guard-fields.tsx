import { Controller } from 'react-hook-form';
import { Checkbox } from '../../kit/choice.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Field, NumberInput, TextInput } from '../../kit/field.tsx';
import { Select } from '../../kit/select.tsx';
import { TagsInput } from '../../kit/tags.tsx';
import { guardsText } from '../../text/guards.ts';
import { useText } from '../../text/text.tsx';
import { ModelFilter } from '../shared/model-filter.tsx';
import { Asked, Choice, type GuardForm } from './choice.tsx';
import { ACTIONS, CLASSES } from './guard-values.ts';
import { PatternFields, TermsFields } from './rule-fields.tsx';
import { WebhookFields } from './webhook-fields.tsx';

interface GuardFieldsProps {
  readonly form: GuardForm;
  /** The host of the webhook that exists; `null` for none. */
  readonly webhookHost: string | null;
}

/** All members of a guard but its id. */
export function GuardFields({ form, webhookHost }: GuardFieldsProps) {
  const text = useText(guardsText);
  const { register, errorOf } = form;
  return (
    <>
      <Field label={text.name} help={text.nameHelp} error={errorOf('name')}>
        <TextInput maxLength={200} {...register('name')} />
      </Field>
      <Field label={text.stagesLabel} error={errorOf('input')}>
        <div className="flex flex-wrap gap-x-6 gap-y-1">
          <Checkbox label={text.stages.input} {...register('input')} />
          <Checkbox label={text.stages.output} {...register('output')} />
        </div>
      </Field>
      <PiiFields form={form} />
      <PatternFields form={form} />
      <TermsFields form={form} />
      <ModerationFields form={form} />
      <WebhookFields form={form} host={webhookHost} />
      <Disclosure
        title={text.limits}
        mustShow={errorOf('hold') !== undefined}
        isOpenAtFirst={form.getValues('hold') !== '' || form.getValues('unguarded') === 'allow'}
      >
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <Field label={text.hold} help={text.holdHelp} error={errorOf('hold')}>
            <NumberInput isWhole {...register('hold')} />
          </Field>
          <Choice
            form={form}
            name="unguarded"
            label={text.unguarded}
            options={(['refuse', 'allow'] as const).map((value) => ({ value, label: text.unguardedModes[value] }))}
          />
        </div>
      </Disclosure>
    </>
  );
}

function PiiFields({ form }: { readonly form: GuardForm }) {
  const text = useText(guardsText);
  const { control } = form;
  const options = [
    { value: '', label: text.off },
    ...ACTIONS.map((value) => ({ value, label: text.actions[value] })),
  ] as const;
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 font-medium text-sm">{text.pii}</legend>
      <p className="text-soft text-sm">{text.piiText}</p>
      <div className="grid gap-3 sm:grid-cols-2">
        {CLASSES.map((kind) => (
          <Field key={kind} label={text.classes[kind]} error={form.errorOf(`pii.${kind}`)}>
            <Controller
              name={`pii.${kind}`}
              control={control}
              render={({ field }) => <Select options={options} {...field} />}
            />
          </Field>
        ))}
      </div>
    </fieldset>
  );
}

function ModerationFields({ form }: { readonly form: GuardForm }) {
  const text = useText(guardsText);
  const { control, register, errorOf, watch } = form;
  const isUsed = watch('moderation.model') !== '';
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 font-medium text-sm">{text.moderation}</legend>
      <Field label={text.model} help={text.modelHelp} error={errorOf('moderation.model')}>
        <Controller
          name="moderation.model"
          control={control}
          render={({ field: { value, onChange } }) => (
            <ModelFilter label={text.model} anyModel={text.off} value={value} onChange={onChange} />
          )}
        />
      </Field>
      {isUsed && (
        <>
          <Field label={text.categories} help={text.categoriesHelp} error={errorOf('moderation.thresholds')}>
            <Controller
              name="moderation.thresholds"
              control={control}
              render={({ field }) => <TagsInput isCode placeholder="violence=0.7" {...field} />}
            />
          </Field>
          <div className="grid items-start gap-3 sm:grid-cols-2">
            <Choice
              form={form}
              name="moderation.action"
              label={text.action}
              options={(['refuse', 'flag'] as const).map((value) => ({ value, label: text.actions[value] }))}
            />
            <Asked form={form} name="moderation" />
          </div>
          <Checkbox label={text.images} {...register('moderation.images')} />
        </>
      )}
    </fieldset>
  );
}
