import { CircleX, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import type { ShownTask } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Field, TextArea } from '../../kit/field.tsx';
import { Money, Time } from '../../kit/format.tsx';
import { type Definition, Definitions } from '../../kit/panel.tsx';
import { useToast } from '../../kit/toast.tsx';
import { tasksText } from '../../text/tasks.ts';
import { useText } from '../../text/text.tsx';

const TOUCHES = ['listManagedTasks', 'getManagedTask'] as const;

/** An operator's actions on an unfinished task. */
export function TaskActions({ task: { id } }: { readonly task: ShownTask }) {
  const text = useText(tasksText);
  const toast = useToast();
  const [isFailing, setFailing] = useState(false);
  const [reason, setReason] = useState('');
  const retry = useChange('retryTaskPoll', { touches: TOUCHES, onDone: () => toast.done(text.asked) });
  const fail = useChange('failTask', { touches: TOUCHES, onDone: () => toast.done(text.wasFailed) });
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="small"
        icon={RefreshCw}
        isBusy={retry.isPending}
        onClick={() => retry.mutate({ params: { id } }, { onError: toast.failed })}
      >
        {text.askNow}
      </Button>
      <Button size="small" icon={CircleX} onClick={() => setFailing(true)}>
        {text.fail}
      </Button>
      <ConfirmDialog
        title={text.failTitle}
        isOpen={isFailing}
        onClose={() => setFailing(false)}
        isDanger
        confirmLabel={text.fail}
        onConfirm={() => fail.mutateAsync({ params: { id }, body: { reason: reason.trim() } })}
        body={
          <div className="flex flex-col gap-3">
            <p>{text.failText}</p>
            <Field label={text.reason} help={text.reasonHelp} isRequired>
              <TextArea rows={2} value={reason} onChange={(event) => setReason(event.target.value)} />
            </Field>
          </div>
        }
      />
    </div>
  );
}

/** Details for operators only: the gateway's state of the task, and the provider's ids. */
export function TaskInternals({ task }: { readonly task: ShownTask }) {
  const text = useText(tasksText);
  const { target, ticket, hold, ending } = task;
  const code = (value: string) => <code className="font-mono text-xs break-all">{value}</code>;
  const items: readonly (Definition | false)[] = [
    { term: text.stage, value: code(task.stage) },
    task.provider !== null && { term: text.provider, value: task.provider },
    target ? { term: text.upstreamModel, value: target.upstream_model } : false,
    ...Object.entries(ticket ?? {}).map(([name, value]) => ({ term: `${text.job}: ${name}`, value: code(value) })),
    task.deadline !== undefined && { term: text.deadline, value: <Time at={task.deadline} /> },
    task.poll_errors > 0 && { term: text.pollErrors, value: task.poll_errors },
    task.last_poll_error ? { term: text.lastPollError, value: code(task.last_poll_error) } : false,
    ending?.failure_kind !== undefined && { term: text.failureKind, value: code(ending.failure_kind) },
    hold
      ? { term: text.putAside, value: <Money usd={hold.of_balance_usd ?? hold.of_limit_usd ?? undefined} isExact /> }
      : false,
  ];
  return (
    <section>
      <h3 className="mb-1 font-semibold">{text.forOperators}</h3>
      <Definitions items={items.filter((item) => item !== false)} />
    </section>
  );
}
