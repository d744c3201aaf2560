import { Controller } from 'react-hook-form';
import type { UpdateSettingsRequest } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { applyBrand } from '../../kit/brand.tsx';
import { Segmented } from '../../kit/choice.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, NumberInput, TextInput } from '../../kit/field.tsx';
import { type ApiForm, Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { Select } from '../../kit/select.tsx';
import { TagsInput } from '../../kit/tags.tsx';
import { useToast } from '../../kit/toast.tsx';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.tsx';
import { useChangeOfShown } from '../shared/changed-meanwhile.ts';
import { useRecentFactor } from '../shared/recent-factor.tsx';
import { AmountInput } from './amount-input.tsx';
import { ColorInput, LogoInput } from './branding-inputs.tsx';
import {
  type Control,
  changeOf,
  isKnown,
  type SettingField,
  type SettingValues,
  sentValue,
  storedValue,
} from './fields.ts';
import { SmtpInput } from './smtp-input.tsx';
import { readable, storedCount } from './units.ts';

export const SETTINGS_READS = ['getSettings'] as const;

interface ChangeSettingProps {
  /** `null` while closed. */
  readonly field: SettingField | null;
  readonly etag: string | undefined;
  readonly onClose: () => void;
}

export function ChangeSetting({ field, etag, onClose }: ChangeSettingProps) {
  const text = useText(settingsText);
  return (
    <Dialog
      title={text.changeTitle(field?.label ?? '')}
      description={
        <>
          {field?.help} <code className="block break-all font-mono text-xs">{field?.name}</code>
        </>
      }
      isOpen={field !== null}
      onClose={onClose}
      isSticky
    >
      {field && <SettingForm field={field} etag={etag} onClose={onClose} />}
    </Dialog>
  );
}

interface SettingFormProps extends Omit<ChangeSettingProps, 'field'> {
  readonly field: SettingField;
}

function SettingForm({ field, etag, onClose }: SettingFormProps) {
  const text = useText(settingsText);
  const toast = useToast();
  const update = useChange('updateSettings', {
    touches: [...SETTINGS_READS, 'listAudit'],
    onDone: ({ branding }) => applyBrand(branding),
  });
  const changeOfShown = useChangeOfShown();
  const factor = useRecentFactor();
  const { control, setting } = field;
  const isAtOnce = setting.applies_at_once === true;
  const form = useApiForm<SettingValues>({
    defaultValues: typedOf(control, storedValue(setting) ?? setting.value),
    fieldOf: { [field.name]: control.kind === 'texts' ? 'texts' : 'value' },
    send: async (values) => {
      const body = changeOf(field, sentOf(control, values)) as UpdateSettingsRequest;
      const send = () => update.mutateAsync({ body, ifMatch: etag });
      const change = setting.needs_second_factor ? factor.run(send) : send();
      if (await changeOfShown(change, SETTINGS_READS)) toast.done(isAtOnce ? text.savedNow : text.saved);
      onClose();
    },
  });
  return (
    <Form form={form}>
      {factor.dialog}
      <ValueField field={field} form={form} />
      <FormError error={form.formError} />
      <FormActions submitLabel={isAtOnce ? text.saveNow : text.save} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}

function ValueField({
  field: { control },
  form,
}: {
  readonly field: SettingField;
  readonly form: ApiForm<SettingValues>;
}) {
  const text = useText(settingsText);
  if (control.kind === 'number' && control.measure !== null)
    return <AmountInput measure={control.measure} form={form} />;
  if (control.kind === 'logo') return <LogoInput form={form} />;
  if (control.kind === 'color') return <ColorInput form={form} />;
  if (control.kind === 'smtp') return <SmtpInput form={form} />;
  const flags = [
    { value: 'true', label: text.yes },
    { value: 'false', label: text.no },
  ];
  const name = control.kind === 'texts' ? 'texts' : 'value';
  return (
    <Field label={text.value} error={form.errorOf(name)}>
      {control.kind === 'texts' ? (
        <Controller name="texts" control={form.control} render={({ field: of }) => <TagsInput isCode {...of} />} />
      ) : control.kind === 'choice' || control.kind === 'flag' ? (
        <Controller
          name="value"
          control={form.control}
          render={({ field: { value, onChange } }) =>
            control.kind === 'flag' ? (
              <Segmented label={text.value} value={value} onChange={onChange} options={flags} />
            ) : (
              <Select
                value={value}
                onChange={onChange}
                options={control.values.map((one) => ({ value: one, label: text.choices[one] ?? one }))}
              />
            )
          }
        />
      ) : control.kind === 'number' ? (
        <NumberInput
          {...(control.prefix !== undefined && { prefix: control.prefix })}
          {...(control.unit !== undefined && { unit: control.unit })}
          {...form.register('value')}
        />
      ) : (
        <TextInput isCode {...form.register('value')} />
      )}
    </Field>
  );
}

function typedOf(control: Control, value: unknown): SettingValues {
  const texts = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
  const text = value === null || value === undefined || !isKnown({ control }) ? '' : String(value);
  if (control.kind !== 'number' || control.measure === null) return { value: text, unit: '', texts };
  if (typeof value !== 'number') return { value: text, unit: control.measure.stored, texts };
  const { count, unit } = readable(value, control.measure);
  return { value: String(count), unit, texts };
}

function sentOf(control: Control, { value, unit, texts }: SettingValues): unknown {
  if (control.kind === 'texts') return sentValue(control, texts);
  if (control.kind === 'flag') return value === 'true';
  const sent = sentValue(control, value.trim());
  if (control.kind !== 'number' || control.measure === null || unit === '' || typeof sent !== 'number') return sent;
  return storedCount({ count: sent, unit }, control.measure);
}
