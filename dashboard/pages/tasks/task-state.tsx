import { Ban, CircleCheck, CircleX, Clock, LoaderCircle } from 'lucide-react';
import type { ManagedTask } from '../../api/schema.ts';
import { useFormat } from '../../kit/format.tsx';
import { Badge, Progress } from '../../kit/status.tsx';
import { tasksText } from '../../text/tasks.ts';
import { useText } from '../../text/text.tsx';

const LOOKS = {
  pending: { tone: 'neutral', icon: Clock },
  processing: { tone: 'accent', icon: LoaderCircle },
  completed: { tone: 'good', icon: CircleCheck },
  failed: { tone: 'bad', icon: CircleX },
} as const;

const CANCELED = { tone: 'neutral', icon: Ban } as const;

type State = Pick<ManagedTask, 'status' | 'progress' | 'ended_at' | 'cancelled' | 'cancel_requested_at'>;

/** The client's view of the task, and its progress. */
export function TaskState({ task }: { readonly task: State }) {
  const { status, progress, ended_at, cancelled, cancel_requested_at } = task;
  const text = useText(tasksText);
  const format = useFormat();
  const isOpen = ended_at === null;
  const isCanceling = isOpen && cancel_requested_at !== null;
  const share = progress === null ? undefined : progress / 100;
  return (
    <span className="flex max-w-48 flex-col gap-1">
      <span>
        <Badge {...(cancelled ? CANCELED : LOOKS[status])}>
          {cancelled ? text.statuses.canceled : isCanceling ? text.statuses.canceling : text.statuses[status]}
          {isOpen && share !== undefined && ` ${format.percent(share)}`}
        </Badge>
      </span>
      {isOpen && <Progress label={text.progress} {...(share !== undefined && { share })} />}
    </span>
  );
}
