import { FlaskConical } from 'lucide-react';
import { Controller } from 'react-hook-form';
import type { Guard, GuardTest } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Segmented } from '../../kit/choice.tsx';
import { Field, TextArea } from '../../kit/field.tsx';
import { Form, FormError, useApiForm } from '../../kit/form.tsx';
import { Badge, Notice } from '../../kit/status.tsx';
import { guardsText } from '../../text/guards.ts';
import { useText } from '../../text/text.tsx';

/** Shows what the saved guard finds in a text. */
export function TryGuard({ guard: { id, stages } }: { readonly guard: Guard }) {
  const text = useText(guardsText);
  const test = useChange('testGuard');
  const form = useApiForm<{ text: string; stage: Guard['stages'][number] }>({
    defaultValues: { text: '', stage: stages[0] ?? 'input' },
    send: (body) => test.mutateAsync({ params: { id }, body }),
  });
  return (
    <section className="flex flex-col gap-3 rounded-md border border-line bg-sunken p-3">
      <div>
        <h3 className="font-semibold">{text.testTitle}</h3>
        <p className="text-soft text-sm">{text.testText}</p>
      </div>
      <Form form={form}>
        <Field label={text.text} error={form.errorOf('text')}>
          <TextArea rows={3} maxLength={20_000} placeholder="Ask ada@example.com" {...form.register('text')} />
        </Field>
        <div className="flex flex-wrap items-center justify-between gap-2">
          {stages.length > 1 ? (
            <Controller
              name="stage"
              control={form.control}
              render={({ field: { value, onChange } }) => (
                <Segmented
                  label={text.testAs}
                  value={value}
                  onChange={onChange}
                  options={stages.map((stage) => ({ value: stage, label: text.stages[stage] }))}
                />
              )}
            />
          ) : (
            <span />
          )}
          <Button type="submit" icon={FlaskConical} isBusy={form.isBusy}>
            {text.test}
          </Button>
        </div>
        <FormError error={form.formError} />
      </Form>
      {test.data && <Result test={test.data} />}
    </section>
  );
}

const TONES = { mask: 'accent', refuse: 'bad', flag: 'warn' } as const;

function Result({ test: { refused, text: result, verdicts, error, failed } }: { readonly test: GuardTest }) {
  const text = useText(guardsText);
  const checks = { moderation: text.moderation, webhook: text.webhook };
  const isClean = verdicts.length === 0 && failed.length === 0;
  return (
    <Notice
      isLive
      tone={refused ? 'bad' : isClean ? 'good' : 'neutral'}
      title={refused ? text.refused : isClean ? text.nothing : text.result}
    >
      <div className="flex flex-col gap-2">
        {error !== null && <p>{error.message}</p>}
        {verdicts.length > 0 && (
          <ul className="flex flex-col gap-1">
            {verdicts.map(({ rule, action, count }) => (
              <li key={`${rule} ${action}`} className="flex flex-wrap items-center gap-2">
                <Badge tone={TONES[action]}>{text.actions[action]}</Badge>
                <code className="font-mono text-xs">{rule}</code>
                <span className="text-soft">{text.matches(count)}</span>
              </li>
            ))}
          </ul>
        )}
        {failed.map(({ check, problem }) => (
          <p key={check}>{text.failedCheck(checks[check], problem)}</p>
        ))}
        {result !== null && !isClean && (
          <p className="rounded-md bg-panel p-2 font-mono text-xs break-words whitespace-pre-wrap">{result}</p>
        )}
      </div>
    </Notice>
  );
}
