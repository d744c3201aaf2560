import { Controller } from 'react-hook-form';
import type { UpdateSettingsRequest } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { Segmented } from '../../kit/choice.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, NumberInput, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { Select } from '../../kit/select.tsx';
import { TagsInput } from '../../kit/tags.tsx';
import { useToast } from '../../kit/toast.tsx';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.tsx';
import { useChangeOfShown } from '../shared/changed-meanwhile.ts';
import { useRecentFactor } from '../shared/recent-factor.tsx';
import { changeOf, type SettingField, sentValue, storedValue } from './fields.ts';

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
      description={<code className="break-all font-mono text-xs">{field?.name}</code>}
      isOpen={field !== null}
      onClose={onClose}
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
  const update = useChange('updateSettings', { touches: [...SETTINGS_READS, 'listAudit'] });
  const changeOfShown = useChangeOfShown();
  const factor = useRecentFactor();
  const { control, setting } = field;
  const form = useApiForm<{ value: string; texts: string[] }>({
    defaultValues: typedOf(storedValue(setting) ?? setting.value),
    fieldOf: { [field.name]: control.kind === 'texts' ? 'texts' : 'value' },
    send: async ({ value, texts }) => {
      const typed = control.kind === 'texts' ? texts : control.kind === 'flag' ? value === 'true' : value.trim();
      const body = changeOf(field, sentValue(control, typed)) as UpdateSettingsRequest;
      const send = () => update.mutateAsync({ body, ifMatch: etag });
      const change = setting.needs_second_factor ? factor.run(send) : send();
      if (await changeOfShown(change, SETTINGS_READS)) toast.done(text.saved);
      onClose();
    },
  });
  const flags = [
    { value: 'true', label: text.yes },
    { value: 'false', label: text.no },
  ];
  const name = control.kind === 'texts' ? 'texts' : 'value';
  return (
    <Form form={form}>
      {factor.dialog}
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
                  options={control.values.map((one) => ({ value: one, label: one }))}
                />
              )
            }
          />
        ) : control.kind === 'number' ? (
          <NumberInput {...form.register('value')} />
        ) : (
          <TextInput isCode {...form.register('value')} />
        )}
      </Field>
      <FormError error={form.formError} />
      <FormActions submitLabel={text.save} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}

function typedOf(value: unknown): { value: string; texts: string[] } {
  const texts = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
  return { value: value === null || value === undefined ? '' : String(value), texts };
}
