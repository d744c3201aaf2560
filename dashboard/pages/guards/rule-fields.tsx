import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFieldArray } from 'react-hook-form';
import { Button, IconButton } from '../../kit/button.tsx';
import { Checkbox } from '../../kit/choice.tsx';
import { Field, TextArea, TextInput } from '../../kit/field.tsx';
import { guardsText } from '../../text/guards.ts';
import { useText } from '../../text/text.tsx';
import { Choice, type GuardForm } from './choice.tsx';
import { ACTIONS, NEW_PATTERN, NEW_TERMS } from './guard-values.ts';

interface RuleFieldsProps {
  readonly form: GuardForm;
}

export function PatternFields({ form }: RuleFieldsProps) {
  const text = useText(guardsText);
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'patterns' });
  const { register, errorOf } = form;
  return (
    <Rules title={text.patterns} add={text.addPattern} onAdd={() => append(NEW_PATTERN)}>
      {fields.map(({ id }, at) => (
        <Rule
          key={id}
          form={form}
          name={`patterns.${at}`}
          remove={text.removePattern(at + 1)}
          onRemove={() => remove(at)}
        >
          <Field label={text.pattern} help={text.patternHelp} error={errorOf(`patterns.${at}.pattern`)} isRequired>
            <TextInput isCode maxLength={500} {...register(`patterns.${at}.pattern`)} />
          </Field>
          <Checkbox label={text.ignoreCase} {...register(`patterns.${at}.ignoreCase`)} />
        </Rule>
      ))}
    </Rules>
  );
}

export function TermsFields({ form }: RuleFieldsProps) {
  const text = useText(guardsText);
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'terms' });
  const { register, errorOf } = form;
  return (
    <Rules title={text.terms} add={text.addTerms} onAdd={() => append(NEW_TERMS)}>
      {fields.map(({ id }, at) => (
        <Rule key={id} form={form} name={`terms.${at}`} remove={text.removeTerms(at + 1)} onRemove={() => remove(at)}>
          <Field label={text.termsList} help={text.termsHelp} error={errorOf(`terms.${at}.terms`)} isRequired>
            <TextArea rows={4} {...register(`terms.${at}.terms`)} />
          </Field>
          <Checkbox label={text.withinWords} {...register(`terms.${at}.withinWords`)} />
          <Checkbox label={text.leetspeak} {...register(`terms.${at}.leetspeak`)} />
        </Rule>
      ))}
    </Rules>
  );
}

interface RulesProps {
  readonly title: string;
  readonly add: string;
  readonly onAdd: () => void;
  readonly children: ReactNode;
}

function Rules({ title, add, onAdd, children }: RulesProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 font-medium text-sm">{title}</legend>
      {children}
      <Button icon={Plus} className="self-start" onClick={onAdd}>
        {add}
      </Button>
    </fieldset>
  );
}

interface RuleProps {
  readonly form: GuardForm;
  readonly name: `patterns.${number}` | `terms.${number}`;
  /** The label of the button that removes the rule. */
  readonly remove: string;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

/** A named rule with its action. */
function Rule({ form, name, remove, onRemove, children }: RuleProps) {
  const text = useText(guardsText);
  return (
    <div className="flex flex-col gap-3 border-line border-b pb-3">
      <div className="flex items-start gap-2">
        <div className="grid min-w-0 flex-1 items-start gap-3 sm:grid-cols-2">
          <Field label={text.rule} help={text.ruleHelp} error={form.errorOf(`${name}.name`)} isRequired>
            <TextInput isCode maxLength={40} {...form.register(`${name}.name`)} />
          </Field>
          <Choice
            form={form}
            name={`${name}.action`}
            label={text.action}
            options={ACTIONS.map((value) => ({ value, label: text.actions[value] }))}
          />
        </div>
        <IconButton label={remove} icon={Trash2} onClick={onRemove} className="mt-6" />
      </div>
      {children}
    </div>
  );
}
