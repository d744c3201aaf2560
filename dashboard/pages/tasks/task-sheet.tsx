import { useEffect, useState } from 'react';
import type { ShownTask } from '../../api/schema.ts';
import { useApi } from '../../api/use-api.ts';
import { TextLink } from '../../kit/button.tsx';
import { CopyText } from '../../kit/copy.tsx';
import { Sheet } from '../../kit/dialog.tsx';
import { Money, Time, useFormat } from '../../kit/format.tsx';
import { NamedInFull } from '../../kit/named.tsx';
import { type Definition, Definitions } from '../../kit/panel.tsx';
import { ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { tasksText } from '../../text/tasks.ts';
import { useText } from '../../text/text.tsx';
import { CancelTask } from './cancel-task.tsx';
import { Made } from './made.tsx';
import { costOf } from './task-cost.ts';
import { TaskActions, TaskInternals } from './task-internals.tsx';
import { TaskPrompt } from './task-prompt.tsx';
import { TaskState } from './task-state.tsx';

const WHILE_OPEN_MS = 2_000;

interface TaskSheetProps {
  /** `''` while closed. */
  readonly id: string;
  readonly onClose: () => void;
}

export function TaskSheet({ id, onClose }: TaskSheetProps) {
  const text = useText(tasksText);
  return (
    <Sheet
      title={text.task}
      description={<CopyText text={id} label={text.copyId} />}
      isOpen={id !== ''}
      onClose={onClose}
      size="large"
    >
      {id !== '' && <Task key={id} id={id} />}
    </Sheet>
  );
}

function Task({ id }: { readonly id: string }) {
  const { query } = useScope();
  const [isOpen, setOpen] = useState(true);
  const { data, error, refetch } = useApi(
    'getManagedTask',
    { params: { id }, query },
    isOpen ? { every: WHILE_OPEN_MS } : {},
  );
  const isStillOpen = data === undefined || data.ended_at === null;
  useEffect(() => setOpen(isStillOpen), [isStillOpen]);
  if (error) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Loading /> : <Told task={data} />;
}

function Told({ task }: { readonly task: ShownTask }) {
  const text = useText(tasksText);
  const { isOperator, mayWrite } = useScope();
  const why = task.error ?? task.ending?.message;
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <TaskState task={task} />
        {task.ended_at === null && (
          <div className="flex flex-wrap gap-2">
            {mayWrite && <CancelTask task={task} />}
            {isOperator && <TaskActions task={task} />}
          </div>
        )}
      </div>
      {task.status === 'failed' && (
        <Notice tone={task.cancelled ? 'neutral' : 'bad'} title={task.cancelled ? text.canceled : text.failed}>
          {why}
        </Notice>
      )}
      <Results task={task} />
      <TaskPrompt task={task} />
      <TimeLine task={task} />
      <Facts task={task} />
      {isOperator && <TaskInternals task={task} />}
    </div>
  );
}

/** All results; several pictures are side by side. */
function Results({ task: { data, kind } }: { readonly task: ShownTask }) {
  const items = data ?? [];
  if (items.length === 0) return null;
  return (
    <div className={items.length > 1 && kind === 'image' ? 'grid items-start gap-4 sm:grid-cols-2' : 'grid gap-5'}>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what was made keeps its order
        <Made key={index} item={item} kind={kind} place={index + 1} />
      ))}
    </div>
  );
}

function Facts({ task }: { readonly task: ShownTask }) {
  const text = useText(tasksText);
  const { base, accountId } = useScope();
  const format = useFormat();
  const items: readonly (Definition | false)[] = [
    { term: text.kind, value: text.kinds[task.kind] },
    { term: text.model, value: task.model },
    accountId === null && {
      term: text.account,
      value: <NamedInFull name={task.account_name} id={task.account} />,
    },
    task.key !== null && { term: text.key, value: <NamedInFull name={task.key_name} id={task.key} /> },
    task.channel !== null && {
      term: text.channel,
      value: <NamedInFull name={task.channel_name} id={task.channel} />,
    },
    { term: text.cost, value: <Money usd={costOf(task)} isExact /> },
    { term: text.created, value: <Time at={task.created_at} /> },
    task.ended_at !== null && { term: text.ended, value: <Time at={task.ended_at} /> },
    task.ended_at !== null && {
      term: text.duration,
      value: format.duration(Math.max(0, Date.parse(task.ended_at) - Date.parse(task.created_at))),
    },
    task.expires_at !== null && { term: text.expires, value: <Time at={task.expires_at} /> },
    {
      term: text.request,
      value: (
        <TextLink
          to={`${base}/requests`}
          search={{ id: task.request_id } as never}
          className="font-mono text-xs break-all"
        >
          {task.request_id}
        </TextLink>
      ),
    },
  ];
  return <Definitions items={items.filter((item) => item !== false)} />;
}

/** The task's waiting and working times, to scale. */
function TimeLine({ task }: { readonly task: ShownTask }) {
  const text = useText(tasksText);
  const format = useFormat();
  const began = Date.parse(task.created_at);
  const ended = task.ended_at === null ? Date.now() : Date.parse(task.ended_at);
  const submitted = task.submitted_at === null ? ended : Date.parse(task.submitted_at);
  const parts = [
    { name: text.waited, ms: Math.max(0, submitted - began), colour: 'bg-series-5' },
    { name: text.worked, ms: Math.max(0, ended - submitted), colour: 'bg-series-0' },
  ];
  const whole = Math.max(1, ended - began);
  return (
    <div>
      <h3 className="mb-2 font-semibold">{text.timeLine}</h3>
      <div aria-hidden className="flex h-3 overflow-hidden rounded-sm bg-sunken">
        {parts.map(({ name, ms, colour }) => (
          <span key={name} className={colour} style={{ width: `${(ms / whole) * 100}%` }} />
        ))}
      </div>
      <dl className="mt-1.5 flex flex-wrap gap-x-5 text-sm">
        {parts.map(({ name, ms, colour }) => (
          <div key={name} className="flex items-center gap-1.5">
            <dt className="flex items-center gap-1.5 text-soft">
              <span aria-hidden className={`size-2.5 rounded-xs ${colour}`} />
              {name}
            </dt>
            <dd className="numbers">{format.duration(ms)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
