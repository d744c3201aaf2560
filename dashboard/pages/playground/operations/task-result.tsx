import { useQuery } from '@tanstack/react-query';
import { TextLink } from '../../../kit/button.tsx';
import { Badge, ErrorBox, Notice, Progress } from '../../../kit/status.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { playgroundText } from '../../../text/playground.ts';
import { useText } from '../../../text/text.tsx';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../shared/json.ts';
import { StoryLine } from '../story.tsx';
import { type Payer, read } from '../wire/call.ts';
import { Media } from './media.tsx';
import type { Run } from './runs.ts';

const ASK_EVERY_MS = 2_000;

interface TaskResultProps {
  /** The task as created. */
  readonly first: JsonObject;
  readonly run: Run;
  readonly payer: Payer;
}

const STATES = ['pending', 'processing', 'completed', 'failed'] as const;

/** Polls a task until it has ended, and shows its results. The task continues when the page is left. */
export function TaskResult({ first, run, payer }: TaskResultProps) {
  const text = useText(playgroundText);
  const { base } = useScope();
  const id = textOf(first.id);
  const { data, error } = useQuery<JsonObject, Error>({
    queryKey: ['playground-task', id, payer],
    queryFn: async ({ signal }) => objectOf(await read(`/v1/tasks/${encodeURIComponent(id)}`, payer, signal)),
    initialData: first,
    refetchInterval: ({ state }) => (hasEnded(state.data) || state.error ? false : ASK_EVERY_MS),
  });
  if (error) return <ErrorBox error={error} />;
  const state = STATES.find((one) => one === data.status) ?? 'pending';
  const progress = numberOf(data.progress);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Badge tone={state === 'completed' ? 'good' : state === 'failed' ? 'bad' : 'accent'}>
          {text.states[state]}
        </Badge>
        <TextLink to={`${base}/tasks`} search={{ id } as never}>
          {text.task}
        </TextLink>
      </p>
      {!hasEnded(data) && (
        <div role="status" className="flex flex-col gap-1">
          <Progress label={text.states[state]} {...(progress !== null && { share: progress / 100 })} />
          {progress !== null && <span className="numbers text-soft text-xs">{progress} %</span>}
        </div>
      )}
      {state === 'failed' && <Notice tone="bad">{textOf(data.error) || text.states.failed}</Notice>}
      {listOf(data.data)
        .filter(isObject)
        .map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what a task has made does not change
          <Item key={index} item={item} name={textOf(data.model)} />
        ))}
      {hasEnded(data) && <StoryLine {...run} totalMs={null} />}
    </div>
  );
}

function hasEnded(task: JsonObject | undefined): boolean {
  return task?.status === 'completed' || task?.status === 'failed';
}

function Item({ item, name }: { readonly item: JsonObject; readonly name: string }) {
  const url = textOf(item.url);
  const title = textOf(item.title) || name;
  const cover = textOf(item.cover_url);
  const type = textOf(item.content_type);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {textOf(item.title) !== '' && <p className="font-semibold">{textOf(item.title)}</p>}
      {type.startsWith('audio/') && cover !== '' && (
        <img src={cover} alt="" className="size-32 rounded-lg object-cover" />
      )}
      {url !== '' && (
        <Media
          url={url}
          type={type || 'image/*'}
          format={textOf(item.format) || undefined}
          label={title}
          fileName={name}
        />
      )}
      {textOf(item.lyrics) !== '' && <p className="whitespace-pre-wrap text-sm">{textOf(item.lyrics)}</p>}
    </div>
  );
}
