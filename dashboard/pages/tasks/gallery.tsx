import { type ReactNode, useState } from 'react';
import type { ManagedTask } from '../../api/schema.ts';
import type { Listed } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Money, Time } from '../../kit/format.tsx';
import { ErrorBox, Skeleton } from '../../kit/status.tsx';
import { tasksText } from '../../text/tasks.ts';
import { useText } from '../../text/text.tsx';
import { isShowable, mediaAddress, mediaKindOf } from './media.ts';
import { ICONS, pictureOf } from './thumbnail.tsx';

interface GalleryProps {
  readonly tasks: Listed<ManagedTask>;
  readonly onOpen: (task: ManagedTask) => void;
  readonly empty: ReactNode;
}

const GRID = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4';
const WAITING = ['one', 'two', 'three', 'four'];

/** The results of the account's tasks, to look at and listen to. */
export function Gallery({ tasks, onOpen, empty }: GalleryProps) {
  const text = useText(tasksText);
  const { items, isLoading, error, refetch, hasMore, isLoadingMore, loadMore } = tasks;
  const shown = items.filter(({ preview }) => preview != null);
  if (error) return <ErrorBox error={error} onRetry={refetch} />;
  if (isLoading)
    return (
      <div className={GRID}>
        {WAITING.map((one) => (
          <Skeleton key={one} className="h-56 w-full" />
        ))}
      </div>
    );
  if (shown.length === 0 && !hasMore) return empty;
  return (
    <>
      <ul className={GRID} aria-label={text.gallery}>
        {shown.map((task) => (
          <Card key={task.id} task={task} onOpen={() => onOpen(task)} />
        ))}
      </ul>
      {hasMore && (
        <Button className="mt-4" isBusy={isLoadingMore} onClick={loadMore}>
          {text.showMore}
        </Button>
      )}
    </>
  );
}

interface CardProps {
  readonly task: ManagedTask;
  readonly onOpen: () => void;
}

function Card({ task, onOpen }: CardProps) {
  const text = useText(tasksText);
  const { kind, model, preview, cost_usd: cost, created_at: at } = task;
  const title = preview?.title ?? text.kinds[kind];
  const count = preview?.count ?? 0;
  return (
    <li className="relative flex min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-panel">
      <Result task={task} name={title} />
      <div className="flex min-w-0 flex-col gap-0.5 px-3 py-2.5 text-sm">
        <button
          type="button"
          title={title}
          className="truncate text-start font-medium after:absolute after:inset-0 hover:underline"
          onClick={onOpen}
        >
          {title}
        </button>
        <span className="truncate text-soft" title={model}>
          {model}
        </span>
        <span className="flex flex-wrap justify-between gap-x-3 text-soft">
          <Time at={at} isRelative />
          {count > 1 && <span>{text.results(count)}</span>}
          <Money usd={cost} />
        </span>
      </div>
    </li>
  );
}

/** The first result of a task. Models are opened in the details, since a browser shows only a few at once. */
function Result({ task: { kind, preview }, name }: { readonly task: ManagedTask; readonly name: string }) {
  const [isBroken, setBroken] = useState(false);
  if (preview == null) return null;
  const address = mediaAddress(preview.url);
  const media = mediaKindOf(preview.url, preview.content_type, kind);
  const picture = pictureOf(preview, kind);
  const isPlayable = isShowable(address) && !isBroken;
  const onError = () => setBroken(true);
  if (media === 'video' && isPlayable)
    return (
      <video
        src={address}
        aria-label={name}
        controls
        playsInline
        preload={picture === null ? 'metadata' : 'none'}
        className="above-row aspect-video w-full bg-sunken object-contain"
        onError={onError}
        {...(picture !== null && { poster: picture })}
      />
    );
  return (
    <>
      <Still picture={picture} kind={kind} />
      {media === 'audio' && isPlayable && (
        // biome-ignore lint/a11y/useMediaCaption: nobody has made captions
        <audio src={address} aria-label={name} controls preload="none" className="above-row w-full" onError={onError} />
      )}
    </>
  );
}

function Still({ picture, kind }: { readonly picture: string | null; readonly kind: ManagedTask['kind'] }) {
  const [isBroken, setBroken] = useState(false);
  const Icon = ICONS[kind];
  return (
    <span className="flex aspect-video w-full items-center justify-center overflow-hidden bg-sunken text-soft">
      {picture !== null && !isBroken ? (
        <img src={picture} alt="" loading="lazy" className="size-full object-cover" onError={() => setBroken(true)} />
      ) : (
        <Icon aria-hidden size={28} />
      )}
    </span>
  );
}
