import type { ReactNode } from 'react';
import { Field, NumberInput, TextInput } from '../../kit/field.tsx';
import { MultiSelect, Select } from '../../kit/select.tsx';
import { TagsInput } from '../../kit/tags.tsx';
import { modelRulesText } from '../../text/model-rules.ts';
import { useText } from '../../text/text.tsx';
import { CONDITIONS, type ConditionValues } from './rule-values.ts';

export interface ConditionProps {
  readonly condition: ConditionValues;
  readonly onChange: (condition: ConditionValues) => void;
}

const LISTS = {
  efforts: ['unset', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  roles: ['User', 'Partner', 'VIP'],
  formats: [
    ...['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'openai-completions', 'openai-embeddings'],
    ...['openai-moderations', 'jina-rerank', 'cohere-rerank', 'openai-images', 'openai-image-edits', 'openai-speech'],
    ...['openai-transcriptions', 'openai-translations', 'video-task', 'music-task', '3d-task', 'search'],
  ],
} as const;

/** The fields of one condition. */
export function ConditionFields({ condition, onChange }: ConditionProps) {
  const text = useText(modelRulesText);
  const label = text.conditions[condition.condition];
  const kind = CONDITIONS[condition.condition];
  const change = (next: Partial<ConditionValues>) => onChange({ ...condition, ...next });
  const list = { value: condition.list, onChange: (value: string[]) => change({ list: value }) };
  switch (kind) {
    case 'time':
      return <TimeFields condition={condition} onChange={onChange} />;
    case 'share':
      return <ShareFields condition={condition} onChange={onChange} />;
    case 'flag':
      return (
        <Field label={label} className={GROWS}>
          <Flag value={condition.flag} onChange={(flag) => change({ flag })} />
        </Field>
      );
    case 'range':
      return (
        <Group label={label}>
          <Range condition={condition} onChange={onChange} />
        </Group>
      );
    case 'flag-or-range':
      return (
        <Group label={label}>
          <Flag label={label} value={condition.flag} onChange={(flag) => change({ flag })} />
          <Range condition={condition} onChange={onChange} />
        </Group>
      );
    case 'words':
      return (
        <Field label={label} help={text.help[condition.condition]} className={GROWS}>
          <TagsInput isCode {...list} />
        </Field>
      );
    default:
      return (
        <Field label={label} className={GROWS}>
          <MultiSelect {...list} options={LISTS[kind].map((value) => ({ value, label: value }))} />
        </Field>
      );
  }
}

const GROWS = 'min-w-0 flex-1';

interface GroupProps {
  readonly label: string;
  readonly children: ReactNode;
}

function Group({ label, children }: GroupProps) {
  return (
    <fieldset className={GROWS}>
      <legend className="mb-1 font-medium text-sm">{label}</legend>
      <div className="grid items-end gap-2 sm:grid-cols-3">{children}</div>
    </fieldset>
  );
}

interface FlagProps {
  readonly label?: string;
  readonly value: 'yes' | 'no';
  readonly onChange: (value: 'yes' | 'no') => void;
}

function Flag({ label, value, onChange }: FlagProps) {
  const text = useText(modelRulesText);
  return (
    <Select
      {...(label !== undefined && { label })}
      value={value}
      onChange={onChange}
      options={(['yes', 'no'] as const).map((one) => ({ value: one, label: text[one] }))}
    />
  );
}

function Range({ condition, onChange }: ConditionProps) {
  const text = useText(modelRulesText);
  return (['min', 'max'] as const).map((name) => (
    <Field key={name} label={name === 'min' ? text.atLeast : text.atMost}>
      <NumberInput
        isWhole
        value={condition[name]}
        onChange={(event) => onChange({ ...condition, [name]: event.currentTarget.value })}
      />
    </Field>
  ));
}

function TimeFields({ condition, onChange }: ConditionProps) {
  const text = useText(modelRulesText);
  const days = Object.entries(text.weekdays).map(([value, label]) => ({ value, label }));
  return (
    <fieldset className={GROWS}>
      <legend className="mb-1 font-medium text-sm">{text.conditions.time}</legend>
      <Field label={text.days}>
        <MultiSelect value={condition.list} onChange={(list) => onChange({ ...condition, list })} options={days} />
      </Field>
      <div className="mt-2 grid gap-2 sm:grid-cols-3">
        {(['from', 'to', 'zone'] as const).map((name) => (
          <Field key={name} label={text[name]}>
            <TextInput
              placeholder={name === 'zone' ? 'Europe/Berlin' : 'HH:MM'}
              value={condition[name]}
              onChange={(event) => onChange({ ...condition, [name]: event.currentTarget.value })}
            />
          </Field>
        ))}
      </div>
    </fieldset>
  );
}

function ShareFields({ condition, onChange }: ConditionProps) {
  const text = useText(modelRulesText);
  const kinds = Object.entries(text.byKinds).map(([value, label]) => ({ value, label }));
  return (
    <fieldset className={GROWS}>
      <legend className="mb-1 font-medium text-sm">{text.conditions.share}</legend>
      <div className="grid items-end gap-2 sm:grid-cols-2">
        <Field label={text.percent}>
          <NumberInput
            unit="%"
            value={condition.percent}
            onChange={(event) => onChange({ ...condition, percent: event.currentTarget.value })}
          />
        </Field>
        <Field label={text.by}>
          <Select value={condition.by} onChange={(by) => onChange({ ...condition, by })} options={kinds} />
        </Field>
      </div>
    </fieldset>
  );
}
