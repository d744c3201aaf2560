import { Ban, CircleCheck, CircleX, Clock, LoaderCircle } from 'lucide-react';
import type { ManagedBatch } from '../../api/schema.ts';
import { useFormat } from '../../kit/format.tsx';
import { Badge, Progress } from '../../kit/status.tsx';
import { batchesText } from '../../text/batches.ts';
import { useText } from '../../text/text.tsx';
import { doneIn } from './progress.ts';

const LOOKS = {
  validating: { tone: 'neutral', icon: Clock },
  running: { tone: 'accent', icon: LoaderCircle },
  finalizing: { tone: 'accent', icon: LoaderCircle },
  completed: { tone: 'good', icon: CircleCheck },
  failed: { tone: 'bad', icon: CircleX },
  expired: { tone: 'warn', icon: Clock },
  cancelled: { tone: 'neutral', icon: Ban },
} as const;

/** The stage of a batch, and how far it is. */
export function BatchState({ batch }: { readonly batch: ManagedBatch }) {
  const text = useText(batchesText);
  const format = useFormat();
  const { stage, lines, ended_at, cancel_requested_at } = batch;
  const isOpen = ended_at === null;
  const share = lines === 0 ? undefined : doneIn(batch) / lines;
  return (
    <span className="flex max-w-48 flex-col gap-1">
      <span>
        <Badge {...LOOKS[stage]}>
          {isOpen && cancel_requested_at !== null ? text.stages.canceling : text.stages[stage]}
          {isOpen && share !== undefined && ` ${format.percent(share)}`}
        </Badge>
      </span>
      {isOpen && <Progress label={text.progress} {...(share !== undefined && { share })} />}
    </span>
  );
}
