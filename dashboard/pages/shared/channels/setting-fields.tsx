import { useState } from 'react';
import type { Provider } from '../../../api/schema.ts';
import { Checkbox } from '../../../kit/choice.tsx';
import { Field, NumberInput, PasswordInput, TextInput } from '../../../kit/field.tsx';
import { Select } from '../../../kit/select.tsx';
import { TagsInput } from '../../../kit/tags.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';
import { objectOf, parseJson } from '../json.ts';
import type { ChannelForm } from './form-values.ts';
import { type KeyValue, keyValuesOf, objectOfRows } from './key-values.ts';
import { KeyValuesField } from './key-values-field.tsx';
import { useSettingLabels } from './setting-labels.ts';
import { entriesOf, type SettingField, settingFields } from './settings-schema.ts';

interface SettingFieldsProps {
  readonly form: ChannelForm;
  readonly provider: Provider | undefined;
}

/** The settings of a provider: those of its schema as fields, and others that the channel has by name and value. */
export function SettingFields({ form, provider }: SettingFieldsProps) {
  const text = useText(channelFormText);
  const words = useSettingLabels(provider?.id);
  const others = form.watch('other_settings');
  const [hasOthers] = useState(others.length > 0);
  form.register('other_settings');
  return (
    <>
      {settingFields(provider?.settings ?? null, words).map((field) => (
        <Setting key={`${provider?.id} ${field.name}`} field={field} form={form} />
      ))}
      {hasOthers && (
        <KeyValuesField
          label={text.otherSettings}
          error={form.errorOf('other_settings')}
          rows={others}
          onChange={(rows) => form.setValue('other_settings', rows, { shouldDirty: true })}
        />
      )}
    </>
  );
}

interface SettingProps {
  readonly field: SettingField;
  readonly form: ChannelForm;
}

function Setting({ field, form }: SettingProps) {
  const { label, help, kind, options, isRequired, isWhole } = field;
  const name = `settings.${field.name}` as const;
  const common = { label, isRequired, ...(help !== undefined && { help }), error: form.errorOf(name) };
  if (kind === 'flag')
    return <Checkbox label={label} {...(help !== undefined && { detail: help })} {...form.register(name)} />;
  if (kind === 'map') return <MapSetting field={field} form={form} />;
  const { ref } = form.register(name);
  const change = (value: string) => form.setValue(name, value, { shouldDirty: true });
  if (kind === 'choice' || kind === 'list')
    return (
      <Field {...common}>
        {kind === 'choice' ? (
          <Select
            ref={ref}
            value={String(form.watch(name) ?? '') || undefined}
            onChange={change}
            options={options.map((value) => ({ value, label: value }))}
          />
        ) : (
          <TagsInput
            isCode
            ref={ref}
            value={entriesOf(form.watch(name))}
            onChange={(entries) => change(entries.length === 0 ? '' : JSON.stringify(entries))}
          />
        )}
      </Field>
    );
  const input = form.register(name);
  return (
    <Field {...common}>
      {kind === 'secret' ? (
        <PasswordInput {...input} autoComplete="off" />
      ) : kind === 'number' ? (
        <NumberInput isWhole={isWhole} {...input} />
      ) : (
        <TextInput isCode {...input} />
      )}
    </Field>
  );
}

/** The value is JSON; rows without a name are kept while they are typed. */
function MapSetting({ field, form }: SettingProps) {
  const name = `settings.${field.name}` as const;
  form.register(name);
  const [rows, setRows] = useState(() => keyValuesOf(objectOf(parseJson(String(form.getValues(name) ?? '')))));
  const change = (next: KeyValue[]) => {
    setRows(next);
    const map = objectOfRows(next);
    form.setValue(name, Object.keys(map).length === 0 ? '' : JSON.stringify(map), { shouldDirty: true });
  };
  return (
    <KeyValuesField label={field.label} help={field.help} error={form.errorOf(name)} rows={rows} onChange={change} />
  );
}
