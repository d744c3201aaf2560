import { ArrowDown, ArrowUp, Plus, Trash2, Waypoints, X } from 'lucide-react';
import { useWhole } from '../../api/use-api.ts';
import { Button, IconButton } from '../../kit/button.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import type { ApiForm } from '../../kit/form.tsx';
import { Combobox, Select } from '../../kit/select.tsx';
import { useGo } from '../../shell/link.tsx';
import { useScope } from '../../shell/scope.tsx';
import { modelRulesText } from '../../text/model-rules.ts';
import { useText } from '../../text/text.tsx';
import { ConditionFields } from './condition-fields.tsx';
import type { ModelValues } from './model-values.ts';
import {
  CONDITION_NAMES,
  type ConditionName,
  type ConditionValues,
  newCondition,
  newRule,
  type RulesValues,
  type RuleValues,
} from './rule-values.ts';

interface RuleFieldsProps {
  readonly form: ApiForm<ModelValues>;
  readonly isNew: boolean;
}

/** The rules of a virtual model: one card per rule, and the default. */
export function RuleFields({ form, isNew }: RuleFieldsProps) {
  const text = useText(modelRulesText);
  const { base } = useScope();
  const go = useGo();
  const { ref } = form.register('rules');
  const values = form.watch('rules');
  const change = (next: Partial<RulesValues>) => form.setValue('rules', { ...values, ...next }, { shouldDirty: true });
  const { rules } = values;
  const replace = (at: number, rule: RuleValues) => change({ rules: rules.with(at, rule) });
  const move = (at: number, by: number) => {
    const next = [...rules];
    const [moved] = next.splice(at, 1);
    if (moved !== undefined) next.splice(at + by, 0, moved);
    change({ rules: next });
  };
  const error = form.errorOf('rules');
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft text-sm">{text.about}</p>
      {rules.map((rule, at) => (
        <Rule
          key={rule.key}
          number={at + 1}
          isLast={at === rules.length - 1}
          rule={rule}
          onChange={(next) => replace(at, next)}
          onMove={(by) => move(at, by)}
          onRemove={() => change({ rules: rules.toSpliced(at, 1) })}
        />
      ))}
      <Button icon={Plus} className="self-start" onClick={() => change({ rules: [...rules, newRule()] })}>
        {text.add}
      </Button>
      <Field label={text.otherwise} help={text.otherwiseHelp} error={error}>
        <ModelChoice ref={ref} value={values.otherwise} onChange={(otherwise) => change({ otherwise })} />
      </Field>
      {!isNew && (
        <div className="flex flex-wrap items-center gap-3">
          <Button icon={Waypoints} onClick={() => go(`${base}/routing`, { model: form.getValues('id') })}>
            {text.preview}
          </Button>
          <span className="text-soft text-xs">{text.previewHelp}</span>
        </div>
      )}
    </div>
  );
}

interface RuleProps {
  readonly number: number;
  readonly isLast: boolean;
  readonly rule: RuleValues;
  readonly onChange: (rule: RuleValues) => void;
  readonly onMove: (by: number) => void;
  readonly onRemove: () => void;
}

function Rule({ number, isLast, rule, onChange, onMove, onRemove }: RuleProps) {
  const text = useText(modelRulesText);
  const { when } = rule;
  const replace = (at: number, condition: ConditionValues) => onChange({ ...rule, when: when.with(at, condition) });
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 font-medium text-sm">{text.rule(number)}</legend>
      <div className="flex items-end gap-2">
        <Field label={text.name} help={text.nameHelp} className="min-w-0 flex-1">
          <TextInput value={rule.name} onChange={(event) => onChange({ ...rule, name: event.currentTarget.value })} />
        </Field>
        <IconButton label={text.up(number)} icon={ArrowUp} disabled={number === 1} onClick={() => onMove(-1)} />
        <IconButton label={text.down(number)} icon={ArrowDown} disabled={isLast} onClick={() => onMove(1)} />
        <IconButton label={text.remove(number)} icon={Trash2} onClick={onRemove} />
      </div>
      {when.map((condition, at) => (
        <div key={condition.condition} className="flex items-start gap-2">
          <ConditionFields condition={condition} onChange={(next) => replace(at, next)} />
          <IconButton
            label={text.removeCondition(text.conditions[condition.condition])}
            icon={X}
            onClick={() => onChange({ ...rule, when: when.toSpliced(at, 1) })}
          />
        </div>
      ))}
      <AddCondition
        used={when.map(({ condition }) => condition)}
        onAdd={(condition) => onChange({ ...rule, when: [...when, newCondition(condition)] })}
      />
      <Field label={text.target} isRequired>
        <ModelChoice value={rule.model} onChange={(model) => onChange({ ...rule, model })} />
      </Field>
    </fieldset>
  );
}

interface AddConditionProps {
  readonly used: readonly ConditionName[];
  readonly onAdd: (condition: ConditionName) => void;
}

function AddCondition({ used, onAdd }: AddConditionProps) {
  const text = useText(modelRulesText);
  const left = CONDITION_NAMES.filter((name) => !used.includes(name));
  if (left.length === 0) return null;
  return (
    <Select<ConditionName>
      // The chosen one becomes a condition at once, so that nothing stays selected.
      key={used.length}
      label={text.addCondition}
      placeholder={text.addCondition}
      value={undefined}
      onChange={onAdd}
      options={left.map((value) => ({ value, label: text.conditions[value] }))}
    />
  );
}

interface ModelChoiceProps {
  readonly value: string;
  readonly onChange: (model: string) => void;
  readonly ref?: (element: HTMLElement | null) => void;
}

function ModelChoice({ value, onChange, ref }: ModelChoiceProps) {
  const models = useWhole('listManagedModels', {});
  const options = (models.data ?? []).map(({ id }) => ({ value: id, label: id }));
  return (
    <Combobox
      {...(ref !== undefined && { ref })}
      value={value === '' ? undefined : value}
      onChange={(next) => onChange(next ?? '')}
      options={options}
      isFree
    />
  );
}
