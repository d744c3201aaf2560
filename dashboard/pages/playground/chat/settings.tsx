import { Button } from '../../../kit/button.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Field, NumberInput, TextArea } from '../../../kit/field.tsx';
import { Select } from '../../../kit/select.tsx';
import { playgroundText } from '../../../text/playground.ts';
import { useText } from '../../../text/text.tsx';
import { EFFORTS } from './conversation.ts';
import { EXAMPLE_SCHEMA, EXAMPLE_TOOLS, type SettingsErrors, type SettingsValues } from './settings-values.ts';

interface SettingsProps {
  readonly values: SettingsValues;
  readonly errors: SettingsErrors;
  readonly onChange: (values: SettingsValues) => void;
}

const CACHES = ['no_cache', 'no_store', 'response_only', 'semantic_only'] as const;

export function Settings({ values, errors, onChange }: SettingsProps) {
  const text = useText(playgroundText);
  const set = (change: Partial<SettingsValues>) => onChange({ ...values, ...change });
  const wrong = (name: keyof SettingsValues) => {
    const kind = errors[name];
    return kind && text.wrong[kind];
  };
  return (
    <div className="flex flex-col gap-3">
      <Field label={text.system}>
        <TextArea
          rows={3}
          value={values.system}
          placeholder={text.systemExample}
          onChange={(event) => set({ system: event.currentTarget.value })}
        />
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <Field label={text.temperature} error={wrong('temperature')}>
          <NumberInput
            value={values.temperature}
            placeholder={text.usual}
            onChange={(event) => set({ temperature: event.currentTarget.value })}
          />
        </Field>
        <Field label={text.maxTokens} error={wrong('maxTokens')}>
          <NumberInput
            isWhole
            value={values.maxTokens}
            placeholder={text.usual}
            onChange={(event) => set({ maxTokens: event.currentTarget.value })}
          />
        </Field>
      </div>
      <Field label={text.effort}>
        <Select
          value={values.effort === '' ? 'usual' : values.effort}
          onChange={(effort) => set({ effort: effort === 'usual' ? '' : effort })}
          options={[
            { value: 'usual' as const, label: text.usual },
            ...EFFORTS.map((value) => ({ value, label: text.efforts[value] })),
          ]}
        />
      </Field>
      <JsonField
        {...{ label: text.tools, help: text.toolsHelp, error: wrong('tools'), example: EXAMPLE_TOOLS }}
        value={values.tools}
        onChange={(tools) => set({ tools })}
      />
      <JsonField
        {...{ label: text.schema, help: text.schemaHelp, error: wrong('schema'), example: EXAMPLE_SCHEMA }}
        value={values.schema}
        onChange={(schema) => set({ schema })}
      />
      <Field label={text.answerCache}>
        <Select
          value={values.cache === '' ? 'usual' : values.cache}
          onChange={(cache) => set({ cache: cache === 'usual' ? '' : cache })}
          options={[
            { value: 'usual', label: text.usual },
            ...CACHES.map((value) => ({ value: value as string, label: text.caches[value] })),
          ]}
        />
      </Field>
    </div>
  );
}

interface JsonFieldProps {
  readonly label: string;
  readonly help: string;
  readonly error: string | undefined;
  readonly example: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function JsonField({ label, help, error, example, value, onChange }: JsonFieldProps) {
  const text = useText(playgroundText);
  return (
    <Disclosure title={label} isOpenAtFirst={value !== ''}>
      <Field label={label} isLabelHidden help={help} error={error}>
        <TextArea isCode rows={7} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
      </Field>
      {value === '' && (
        <Button size="small" variant="quiet" onClick={() => onChange(example)} className="mt-1">
          {text.example}
        </Button>
      )}
    </Disclosure>
  );
}
